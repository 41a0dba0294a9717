package mapdraw

import (
	"context"
	"image"
	"sync"
	"sync/atomic"
)

// In the pictures of a film, layers of tiles differ only in their colour. So the filtered texels of each layer are kept
// for each part of the picture.

// maxStill limits the kept texels of a renderer, in bytes.
const maxStill = 96 << 20

// stillKey identifies a part of a layer in a picture.
type stillKey struct {
	stratum         *stratum
	sheet           *sheet
	area            image.Rectangle
	left, top, step float64
}

// still holds the visible shades of a layer of tiles, without its colour.
type still struct {
	runs   []stillRun
	shades []shade
}

// stillRun is a number of shades in a row of the picture.
type stillRun struct{ x, y, n int32 }

// add keeps a line of shades, without the transparent ones.
func (s *still) add(x, y int, line []shade) {
	for i := 0; i < len(line); {
		if line[i].alpha() == 0 {
			i++
			continue
		}
		from := i
		for i < len(line) && line[i].alpha() != 0 {
			i++
		}
		s.runs = append(s.runs, stillRun{int32(x + from), int32(y), int32(i - from)})
		s.shades = append(s.shades, line[from:i]...)
	}
}

// size returns the memory that s takes, in bytes.
func (s *still) size() int64 { return 12*int64(cap(s.runs)) + 8*int64(cap(s.shades)) }

// stills holds the kept parts of a renderer.
type stills struct {
	parts sync.Map // of *still, by stillKey
	size  atomic.Int64
}

// keep keeps a part while there is room.
func (s *stills) keep(key stillKey, part *still) {
	if s.size.Add(part.size()) > maxStill {
		s.size.Add(-part.size())
		return
	}
	s.parts.Store(key, part)
}

// drawStill draws a stratum of a film.
func (c *canvas) drawStill(ctx context.Context, f *frame, s *stratum, sheet *sheet, tint tint) {
	key := stillKey{s, sheet, f.Rectangle, f.left, f.top, f.step}
	if kept, ok := c.stills.parts.Load(key); ok {
		t := tiling{dst: c.dst, area: f.Rectangle, tint: tint, tinted: tint != noTint}
		shades := kept.(*still).shades
		for _, r := range kept.(*still).runs {
			t.lay(int(r.x), int(r.y), shades[:r.n])
			shades = shades[r.n:]
		}
		return
	}
	t := newTiling(c, f, s, sheet, tint)
	if t.scaled == nil && c.stills.size.Load() < maxStill/8*7 {
		t.still = new(still)
	}
	t.draw(ctx)
	if t.still != nil && ctx.Err() == nil {
		c.stills.keep(key, t.still)
	}
}
