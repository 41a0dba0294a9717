package mapdraw

import (
	"context"
	"image"

	"trowel.example/fault"
)

// What a call of Render may draw: pixels that it may always draw, and how often it may draw each pixel of its part.
// No map of the corpus needs a tenth of it.
const (
	leastEffort = 1 << 25
	pixelEffort = 512
)

// limit returns how many pixels a picture may cost that is halved n times.
func (o *Options) limit(part image.Rectangle, n int) int64 {
	pixels := int64(part.Dx()) * int64(part.Dy()) << (2 * n)
	return int64(max(o.Effort, 1)) * (leastEffort + pixelEffort*pixels)
}

// effort counts what is drawn for a picture. A count is the same on every machine, unlike time.
type effort struct {
	ctx       context.Context
	left      int64
	unchecked int // what was spent since the context was asked
}

// spend returns fault.ErrLimit once too much was drawn, or the error of a context that has ended.
func (e *effort) spend(n int) error {
	if e.left -= int64(n); e.left < 0 {
		return fault.ErrLimit
	}
	if e.unchecked += n; e.unchecked >= 1<<20 {
		e.unchecked = 0
		return e.ctx.Err()
	}
	return nil
}
