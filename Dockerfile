# docker build -t trowel . && docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" trowel check /data
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN mkdir -p /image/usr/bin /image/tmp && chmod 1777 /image/tmp
RUN export CGO_ENABLED=0 && go -C cmd/trowel build -trimpath -o /image/usr/bin/ && go -C cmd/trowel-fleet build -trimpath -o /image/usr/bin/

FROM scratch
COPY --from=build /image /
WORKDIR /data
USER 1000:1000
ENTRYPOINT ["/usr/bin/trowel"]
