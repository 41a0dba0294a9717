package work

import (
	"bytes"
	"context"
	"io"
	"iter"
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
