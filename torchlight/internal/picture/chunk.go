package picture

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"trowel.example/internal/text/words"
	"trowel.example/torchlight/dds"
)

// signature is the signature of PNG files.
const signature = "\x89PNG\r\n\x1a\n"

// chunkName is the chunk of a PNG that holds the header of a .DDS, of 128 bytes, and the bytes after its pixels. The
// case of its letters means that the chunk is ancillary (d), private (d), and safe to copy after the pixels have
// changed (h).
const chunkName = "ddSh"

// maxTail is the greatest number of bytes after the pixels that are kept.
const maxTail = 1 << 20

// split returns the header of a .DDS and the bytes after its pixels. It returns nil if the file has more than one
// picture or a second header, or if there are too many bytes.
func split(data []byte) (header, tail []byte) {
	h, err := dds.ReadHeader(data)
	if err != nil || h.Mipmaps > 1 || len(data) < dds.HeaderSize+h.Size() {
		return nil, nil
	}
	if own, err := dds.ReadHeader(data[:dds.HeaderSize]); err != nil || *own != *h {
		return nil, nil // the file has a second header
	}
	if tail = data[dds.HeaderSize+h.Size():]; len(tail) > maxTail {
		return nil, nil
	}
	return data[:dds.HeaderSize:dds.HeaderSize], tail
}

// makeChunk returns the content of the chunk for a .DDS, and a description of what a PNG cannot keep.
func makeChunk(data []byte) (chunk []byte, left string) {
	if header, tail := split(data); header != nil {
		return append(header, tail...), ""
	}
	if h, err := dds.ReadHeader(data); err == nil && h.Mipmaps > 1 {
		return nil, fmt.Sprintf("%s of the picture, and the header", words.Count(h.Mipmaps-1, "smaller copy"))
	}
	return nil, "the header"
}

// readChunk returns the header and tail of a .DDS that a PNG has in its chunk, or nil.
func readChunk(png []byte) (header, tail []byte) {
	for rest := png[min(len(png), len(signature)):]; len(rest) >= 12; {
		n := int64(binary.BigEndian.Uint32(rest))
		if n+12 > int64(len(rest)) {
			return nil, nil
		}
		name, content := rest[4:8], rest[8:8+n]
		if string(name) == chunkName && n >= dds.HeaderSize && n <= dds.HeaderSize+maxTail &&
			crc32.ChecksumIEEE(rest[4:8+n]) == binary.BigEndian.Uint32(rest[8+n:]) {
			return content[:dds.HeaderSize:dds.HeaderSize], content[dds.HeaderSize:]
		}
		rest = rest[n+12:]
	}
	return nil, nil
}

// withChunk returns a PNG with a chunk after its header, or without a chunk if content is empty.
func withChunk(png, content []byte) []byte {
	const at = len(signature) + 25 // after IHDR
	if content == nil {
		return png
	}
	out := append([]byte(nil), png[:at]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(content)))
	out = append(append(out, chunkName...), content...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at+4:]))
	return append(out, png[at:]...)
}
