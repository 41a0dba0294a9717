package mapdraw

import (
	"context"
	"image"
	"sync/atomic"

	"trowel.example/fault"
)

// The limits for drawing a picture: the number of pixels that is always allowed, and the number of times that each
// pixel of the picture may be drawn. No map of the corpus needs a tenth of it.
const (
	leastEffort = 1 << 25
	pixelEffort = 512
)

// effort counts the pixels drawn for a part of a picture, and limits the sum of all parts. Unlike a time limit, the
// sum is the same on every machine.
type effort struct {
	ctx   context.Context
	spent *atomic.Int64 // sum of all parts
	most  int64
	own   int64 // not yet added to spent
}

// newEffort returns the effort of a part of a picture that is halved n times.
func (r *Renderer) newEffort(ctx context.Context, part image.Rectangle, p *Picture, n int) *effort {
	e, size := &effort{ctx: ctx, spent: p.Spent}, p.Size
	if e.spent == nil {
		e.spent, size = new(atomic.Int64), part.Size()
	}
	pixels := int64(size.X) * int64(size.Y) << (2 * n)
	e.most = int64(max(r.o.Effort, 1)) * (leastEffort + pixelEffort*pixels)
	return e
}

// spend returns an error that wraps fault.ErrLimit once too much was drawn, or the error of a cancelled context.
func (e *effort) spend(n int) error {
	if e.own += int64(n); e.own < 1<<16 {
		return nil
	}
	return e.add()
}

// add adds the effort of this part to the sum of all parts. It is called at the end of each layer.
func (e *effort) add() error {
	spent := e.spent.Add(e.own)
	if e.own = 0; spent > e.most {
		return fault.ErrLimit
	}
	return e.ctx.Err()
}
