package regular

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
)

// Sparse writes a file from front to end. Where zeros come, the file gets holes, on systems
// that have these: so the copy of a file with holes takes no more of the disk than the file.
type Sparse struct{ f *os.File }

// NewSparse returns a writer that appends to f, which must be at its end.
func NewSparse(f *os.File) Sparse { return Sparse{f} }

// leastHole is how many zeros become a hole: what file systems usually have for a block.
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

// Finish gives the file its size, which lacks a hole at the end until then.
func (s Sparse) Finish() error {
	size, err := s.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	return s.f.Truncate(size)
}

// Copy appends all of r to f with [Sparse], and ends with ctx.
func Copy(ctx context.Context, f *os.File, r io.Reader) error {
	w := NewSparse(f)
	_, err := io.Copy(w, Reader(ctx, r))
	return errors.Join(err, w.Finish())
}

// Reader returns a reader of r that ends with ctx.
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
