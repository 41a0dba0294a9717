package mapdraw

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
)

// spending counts the pixels drawn for a part of a picture, and limits the sum of all parts.
type spending struct {
	ctx   context.Context
	meter effort.Meter
	own   int64 // not yet counted by meter
}

// begin begins to count the effort of a part of a picture that is halved n times. It returns the error of a picture whose layers of
// tiles draw too much: they draw each pixel, so that this is known before any part is drawn.
func (c *canvas) begin(ctx context.Context, n int) error {
	spent, size := c.picture.Spent, c.picture.Size
	if spent == nil {
		spent, size = new(atomic.Int64), c.dst.Rect.Size()
	}
	pixels := int64(size.X) * int64(size.Y) << (2 * n)
	c.effort = &spending{ctx: ctx, meter: effort.MapPicture.Resume(spent, pixels).Times(c.o.Effort)}
	var layers []*layer
	all, most := int64(0), float64(effort.MapPicture.Limit(pixels))*float64(max(1, c.o.Effort))
	for g, list := range c.layers {
		for i, l := range list {
			if l.tiles != nil && c.color(l)[3] > 0 && c.m.Groups[g].Clip == nil && c.shows(g, i, l) {
				layers = append(layers, l)
				all += strataOf(l.tiles.Kind())
			}
		}
	}
	if float64(all)*float64(pixels) <= most {
		return nil
	}
	meter := effort.MapPicture.Start(pixels).Times(c.o.Effort)
	for _, l := range layers {
		if err := cmp.Or(meter.Spend(int64(c.visible(l))*pixels), ctx.Err()); err != nil {
			return c.named(err)
		}
	}
	return nil
}

// visible returns the number of strata of a layer of tiles.
func (c *canvas) visible(l *layer) int {
	if l.strata.Load() == 0 {
		l.strata.Store(1)
		c.with(l, func(content *content) { l.strata.Store(int32(1 + len(content.strata))) })
	}
	return int(l.strata.Load()) - 1
}

// named names a part of the map in the error of a picture that draws too much.
func (c *canvas) named(err error) error {
	if errors.Is(err, effort.ErrMet) {
		err.(*fault.Error).Path = c.thickest()
	}
	return err
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
