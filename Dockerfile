# docker build -t trowel . && docker run --rm -v "$PWD:/data" trowel check /data
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -o /trowel ./cmd/trowel

FROM scratch
COPY --from=build /trowel /trowel
WORKDIR /data
ENTRYPOINT ["/trowel"]
