package world

import (
	"fmt"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
)

// Chunk is what the map generator of 2011 recorded about a part of the map.
type Chunk struct {
	X, Z  int16 // in chunks
	Flags uint8
}

// chunkMetaVersion is the only version that exists.
const chunkMetaVersion = 0

// ParseChunkMeta parses chunk_meta, a file of worlds of early 2011: a byte 0, the number of chunks, and two
// coordinates and the flags of each chunk.
func ParseChunkMeta(data []byte) ([]Chunk, error) {
	r := bin.NewReader(data, bin.BigEndian)
	if version := r.U8("version"); r.Err() == nil && version != chunkMetaVersion {
		r.FailAt(0, "version", fault.ErrVersion, "0", fmt.Sprint(version))
	}
	list := make([]Chunk, 0, r.Count32("num_chunks", 5))
	for i := range cap(list) {
		r.EnterIndex("chunks", i)
		list = append(list, Chunk{r.Int16("x"), r.Int16("z"), r.U8("flags")})
		r.Leave()
	}
	if r.Err() == nil && r.Len() > 0 {
		r.Fail("chunks", fault.ErrFormat, "the end of the file", fmt.Sprintf("%s more", words.Count(r.Len(), "byte")))
	}
	if err := r.Err(); err != nil {
		return nil, fault.InFile(err, "chunk_meta")
	}
	return list, nil
}

// AppendChunkMeta appends chunk_meta to dst.
func AppendChunkMeta(dst []byte, list []Chunk) []byte {
	w := bin.NewWriter(bin.BigEndian, 5+5*len(list))
	w.U8(chunkMetaVersion)
	w.U32(uint32(len(list)))
	for _, c := range list {
		w.U16(uint16(c.X))
		w.U16(uint16(c.Z))
		w.U8(c.Flags)
	}
	return append(dst, w.Data()...)
}
