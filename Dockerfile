# docker build -t trowel . && docker run --rm -v "$PWD:/data" trowel check /data
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN mkdir -p /image/usr/bin /image/tmp && chmod 1777 /image/tmp
RUN CGO_ENABLED=0 go build -trimpath -o /image/usr/bin/ ./cmd/trowel ./cmd/trowel-fleet

FROM scratch
COPY --from=build /image /
WORKDIR /data
ENTRYPOINT ["/usr/bin/trowel"]
