package work

import (
	"bytes"
	"context"
	"io"
	"iter"
	"slices"
	"sync"
)

const (
	// maxAhead is the number of results that are opened before their turn: a request to a bucket takes some milliseconds.
	maxAhead = 32
	// maxEarly is the number of bytes of a result that are read before its turn.
	maxEarly = 64 << 10
)

// opened is a result that was opened before its turn.
type opened struct {
	Part
	r   io.Reader
	end io.Closer // nil: the whole result is in memory
	err error
}

func (o *opened) close() {
	if o.end != nil {
		o.end.Close()
	}
}

// ahead opens the results of parts, and yields them in order. All must be received; when the context ends, no more are
// opened.
func ahead(ctx context.Context, parts iter.Seq2[Part, error], open func(Part) (io.ReadCloser, error)) <-chan chan *opened {
	queue := make(chan chan *opened, maxAhead)
	go func() {
		defer close(queue)
		for p, err := range parts {
			next := make(chan *opened, 1)
			select {
			case queue <- next:
			case <-ctx.Done():
				return
			}
			if err != nil {
				next <- &opened{Part: p, err: err}
				return
			}
			go func() { next <- openEarly(p, open) }()
		}
	}()
	return queue
}

// openEarly opens a result and reads its begin.
func openEarly(p Part, open func(Part) (io.ReadCloser, error)) *opened {
	r, err := open(p)
	if err != nil {
		return &opened{Part: p, err: err}
	}
	var begin bytes.Buffer
	n, err := begin.ReadFrom(io.LimitReader(r, maxEarly))
	if err == nil && n == maxEarly {
		return &opened{Part: p, r: io.MultiReader(&begin, r), end: r}
	}
	r.Close()
	return &opened{Part: p, r: &begin, err: err}
}

// maxDelayed is the number of records that are read before one that names a file is taken.
const maxDelayed = 16

// delay takes records some records later, in order, so that [Early] has time to read the files that they name.
type delay[R any] struct{ records []delayed[R] }

type delayed[R any] struct {
	Part
	record R
}

// take takes a record now, unless it or an earlier one is late.
func (d *delay[R]) take(ctx context.Context, v Verb[R], p Part, record R, late bool) error {
	if !late && len(d.records) == 0 {
		return v.Take(ctx, p, record)
	}
	d.records = append(d.records, delayed[R]{p, record})
	return d.end(ctx, v, maxDelayed)
}

// end takes all records but the last few.
func (d *delay[R]) end(ctx context.Context, v Verb[R], but int) error {
	for len(d.records) > but {
		next := d.records[0]
		d.records = d.records[1:]
		if err := v.Take(ctx, next.Part, next.record); err != nil {
			return err
		}
	}
	return nil
}

const (
	// maxEarlyFiles is the number of files that Early has in memory. A census names the files of a part before it reads them.
	maxEarlyFiles = 2 * maxDelayed
	// maxEarlyFile is the size of the largest of them in bytes: for larger ones the time of a request is negligible.
	maxEarlyFile = 1 << 20
)

// Early is a [Store] that answers slowly. [Finish] reads the small files that records name, several at the same time, shortly
// before the records are taken.
type Early struct {
	Store
	mu    sync.Mutex
	files []*earlyFile // the oldest first
}

// earlyFile is a file of which done is closed once it was read.
type earlyFile struct {
	name string
	done chan struct{}
	data bytes.Buffer
	err  error
}

// read begins to read a file.
func (e *Early) read(ctx context.Context, ref Ref) {
	if ref.Size > maxEarlyFile {
		return
	}
	f := &earlyFile{name: ref.Name(), done: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.files = append(e.files, f); len(e.files) > maxEarlyFiles {
		e.files = e.files[1:] // nobody needs it
	}
	go func() {
		defer close(f.done)
		var r io.ReadCloser
		if r, f.err = e.Store.Open(ctx, f.name); f.err == nil {
			_, f.err = f.data.ReadFrom(io.LimitReader(r, ref.Size+1))
			r.Close()
		}
	}()
}

// Open opens a file, and forgets it if it was read before.
func (e *Early) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	e.mu.Lock()
	i := slices.IndexFunc(e.files, func(f *earlyFile) bool { return f.name == name })
	if i < 0 {
		e.mu.Unlock()
		return e.Store.Open(ctx, name)
	}
	f := e.files[i]
	e.files = slices.Delete(e.files, i, i+1)
	e.mu.Unlock()
	<-f.done
	if f.err != nil {
		return nil, f.err
	}
	return io.NopCloser(&f.data), nil
}
