package mapdraw

import (
	"context"
	"image"
	"sync/atomic"

	"trowel.example/fault"
)

// What a picture may cost: pixels that it may always draw, and how often it may draw each of its pixels.
// No map of the corpus needs a tenth of it.
const (
	leastEffort = 1 << 25
	pixelEffort = 512
)

// effort counts what a part of a picture draws, and limits what all parts of it draw together. The sum is the
// same on every machine, unlike time.
type effort struct {
	ctx   context.Context
	spent *atomic.Int64 // by all parts
	most  int64
	own   int64 // not in spent yet
}

// newEffort returns what counts for a part of a picture that is halved n times.
func (r *Renderer) newEffort(ctx context.Context, part image.Rectangle, p *Picture, n int) *effort {
	e, size := &effort{ctx: ctx, spent: p.Spent}, p.Size
	if e.spent == nil {
		e.spent, size = new(atomic.Int64), part.Size()
	}
	pixels := int64(size.X) * int64(size.Y) << (2 * n)
	e.most = int64(max(r.o.Effort, 1)) * (leastEffort + pixelEffort*pixels)
	return e
}

// spend returns fault.ErrLimit once too much was drawn, or the error of a context that has ended.
func (e *effort) spend(n int) error {
	if e.own += int64(n); e.own < 1<<16 {
		return nil
	}
	return e.add()
}

// add adds what was spent to what all parts have spent, as at the end of each layer.
func (e *effort) add() error {
	spent := e.spent.Add(e.own)
	if e.own = 0; spent > e.most {
		return fault.ErrLimit
	}
	return e.ctx.Err()
}
