package mod_test

import (
	"bytes"
	"io"
)

// memory is a target in memory.
type memory struct{ b []byte }

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	if n := int(at) + len(p); n > len(m.b) {
		m.b = append(m.b, make([]byte, n-len(m.b))...)
	}
	return copy(m.b[at:], p), nil
}

func (m *memory) ReadAt(p []byte, at int64) (int, error) { return bytes.NewReader(m.b).ReadAt(p, at) }

var _ interface {
	io.WriterAt
	io.ReaderAt
} = (*memory)(nil)
