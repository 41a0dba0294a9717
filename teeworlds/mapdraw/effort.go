package mapdraw

import (
	"cmp"
	"context"
	"image"
	"sync/atomic"

	"trowel.example/internal/limits/effort"
)

// spending counts the pixels drawn for a part of a picture, and limits the sum of all parts.
type spending struct {
	ctx   context.Context
	meter effort.Meter
	own   int64 // not yet counted by meter
}

// newEffort returns the effort of a part of a picture that is halved n times.
func (r *Renderer) newEffort(ctx context.Context, part image.Rectangle, p *Picture, n int) *spending {
	spent, size := p.Spent, p.Size
	if spent == nil {
		spent, size = new(atomic.Int64), part.Size()
	}
	return &spending{ctx: ctx, meter: effort.MapPicture.Resume(spent, int64(size.X)*int64(size.Y)<<(2*n)).Times(r.o.Effort)}
}

// spend returns an error that wraps [effort.ErrMet] once too much was drawn, or the error of a cancelled context.
func (s *spending) spend(n int) error {
	if s.own += int64(n); s.own < 1<<16 {
		return nil
	}
	return s.add()
}

// add adds the effort of this part to the sum of all parts. It is called at the end of each layer.
func (s *spending) add() error {
	err := s.meter.Spend(s.own)
	s.own = 0
	return cmp.Or(err, s.ctx.Err())
}

// thickest returns the name of the drawn layer that can cover the picture most often: unlike the layer at which the sum
// of all parts exceeds the limit, it does not depend on the order in which parts are drawn.
func (c *canvas) thickest() (name string) {
	most := 0
	for g, layers := range c.layers {
		for i, l := range layers {
			n := 1
			switch {
			case l.quads != nil:
				n = l.quads.NumQuads()
			case l.sounds != nil:
				n = l.sounds.NumSources()
			}
			if n > most && c.shows(g, i, l) {
				name, most = l.name, n
			}
		}
	}
	return name
}
