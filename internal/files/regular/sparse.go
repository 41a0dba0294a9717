package regular

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
)

// Sparse writes a file from front to end. It leaves holes for zeros on systems that support holes, so that a copy of a
// sparse file takes no more space on disk than the original.
type Sparse struct{ f *os.File }

// NewSparse returns a writer that appends to f, which must be at its end.
func NewSparse(f *os.File) Sparse { return Sparse{f} }

// leastHole is the minimum length of a hole: the usual block size of file systems.
const leastHole = 4096

func (s Sparse) Write(b []byte) (int, error) {
	if len(b) < leastHole || b[0] != 0 || !bytes.Equal(b[1:], b[:len(b)-1]) {
		return s.f.Write(b)
	}
	if _, err := s.f.Seek(int64(len(b)), io.SeekCurrent); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Finish sets the size of the file, which lacks a hole at the end until then.
func (s Sparse) Finish() error {
	size, err := s.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	return s.f.Truncate(size)
}

// Copy appends all of r to f with [Sparse]. It stops when ctx ends.
func Copy(ctx context.Context, f *os.File, r io.Reader) error {
	w := NewSparse(f)
	_, err := io.Copy(w, Reader(ctx, r))
	return errors.Join(err, w.Finish())
}

// Reader returns a reader of r that fails when ctx ends.
func Reader(ctx context.Context, r io.Reader) io.Reader { return reader{ctx, r} }

type reader struct {
	ctx context.Context
	io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}
