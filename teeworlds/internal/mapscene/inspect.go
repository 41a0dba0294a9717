package mapscene

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/internal/mapdiff"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

var _ format.Placer = mapdiff.Change{}

// Limits for the description of a point, which keep it readable.
const (
	maxThings = 64  // quads or sources of a layer
	maxLinks  = 500 // of a tile
)

// farOut exceeds the coordinates of a map, in units.
const farOut = 1 << 32

// Inspect returns the tiles, quads and sound sources at a point: first those of the drawn layers, then of the others.
// Beyond the edge of a tile layer it returns the tile at the edge, as in the game.
func (s *scene) Inspect(ctx context.Context, look format.Look, at [2]float64) ([]format.Thing, error) {
	p, err := s.picture(look)
	if err != nil {
		return nil, err
	}
	x, y := at[0]*mapdraw.TileSize, at[1]*mapdraw.TileSize
	found := make([][]format.Thing, len(s.layers))
	clipped := make([]bool, len(s.layers))
	parallel.Each(len(s.layers), func(i int) {
		l := s.layers[i]
		h := here{scene: s, sceneLayer: l, time: look.Time, part: s.part(l), placing: s.Placing(p.Camera, l.group)}
		h.x, h.y = h.placing.In(x, y)
		h.clipped = h.placing.Clipped(x, y)
		clipped[i] = h.clipped
		if ctx.Err() != nil || !(math.Abs(h.x) <= farOut && math.Abs(h.y) <= farOut) {
			return
		}
		switch l := s.m.Groups[l.group].Layers[l.number].(type) {
		case *twmap.TileLayer:
			found[i] = h.tile(l)
		case *twmap.QuadLayer:
			found[i] = h.quads(l)
		case *twmap.SoundLayer:
			found[i] = h.sources(l)
		}
	})
	var drawn, others []format.Thing
	for i, l := range slices.Backward(s.layers) {
		if p.Draws(l.group, l.number) && !clipped[i] {
			drawn = append(drawn, found[i]...)
		} else {
			others = append(others, found[i]...)
		}
	}
	return append(drawn, others...), ctx.Err()
}

// part returns a layer as a part of the map.
func (s *scene) part(l sceneLayer) *twmap.Part {
	g := s.m.Groups[l.group]
	return &twmap.Part{Kind: twmap.PartLayer, Number: l.number, Name: g.Layers[l.number].Base().Name,
		Group: &twmap.Part{Kind: twmap.PartGroup, Number: l.group, Name: g.Name}}
}

// where returns the rectangle of a tile, a quad, a sound source, a layer, a group, or the part in a line of the tree,
// at time 0, as a camera shows it.
func (s *scene) where(camera mapdraw.Camera, place check.Place) (format.Rect, bool) {
	var first, last twmap.Place
	ok := true
	switch p := place.(type) {
	case twmap.Place:
		first, last = p, p
	case *twmap.Place:
		if ok = p != nil; ok {
			first, last = *p, *p
		}
	case check.Line:
		first, last, ok = s.names.Places(p)
		ok = ok && s.current
	case check.File:
		first, last, ok = s.names.Places(check.Line{Path: string(p)})
		ok = ok && s.current
	default:
		ok = false
	}
	if !ok || first.Part == nil {
		return format.Rect{}, false
	}
	var box bounds
	number := first.Part.Number
	switch {
	case first.Part.Kind == twmap.PartGroup && number >= 0 && number < len(s.m.Groups):
		for _, l := range s.m.Groups[number].Layers {
			box.layer(s, l)
		}
	case first.Part.Kind == twmap.PartLayer && first.Part.Group != nil:
		number = first.Part.Group.Number
		box.thing(s, s.m.LayerAt(first.Part), first, last)
	}
	if !box.any {
		return format.Rect{}, false
	}
	return box.in(s.Placing(camera, number)), true
}

// bounds is a rectangle that grows, in the units of a group.
type bounds struct {
	format.Rect
	any bool
}

func (b *bounds) add(x, y float64) {
	if !b.any {
		b.Min, b.Max, b.any = [2]float64{x, y}, [2]float64{x, y}, true
	}
	b.Min[0], b.Min[1] = min(b.Min[0], x), min(b.Min[1], y)
	b.Max[0], b.Max[1] = max(b.Max[0], x), max(b.Max[1], y)
}

func (b *bounds) shape(s mapdraw.Shape) {
	for _, c := range s.Corners {
		b.add(c[0], c[1])
	}
}

// tiles adds a rectangle of cells.
func (b *bounds) tiles(x0, y0, x1, y1 int) {
	b.add(float64(x0)*mapdraw.TileSize, float64(y0)*mapdraw.TileSize)
	b.add(float64(x1+1)*mapdraw.TileSize, float64(y1+1)*mapdraw.TileSize)
}

// layer adds all contents of a layer.
func (b *bounds) layer(s *scene, l twmap.Layer) {
	switch l := l.(type) {
	case *twmap.TileLayer:
		if l.Width() > 0 && l.Height() > 0 {
			b.tiles(0, 0, l.Width()-1, l.Height()-1)
		}
	case *twmap.QuadLayer:
		l.Look(func(quads []twmap.Quad, _ error) {
			for i := range quads {
				b.shape(s.Quad(&quads[i], 0))
			}
		})
	case *twmap.SoundLayer:
		l.Look(func(sources []twmap.SoundSource, _ error) {
			for i := range sources {
				_, heard := s.Source(&sources[i], 0)
				b.shape(heard)
			}
		})
	}
}

// thing adds the contents of a layer from one place to another, if they exist.
func (b *bounds) thing(s *scene, l twmap.Layer, first, last twmap.Place) {
	i := int(first.Index)
	switch l := l.(type) {
	case *twmap.TileLayer:
		if first.X >= 0 {
			if first.Y >= 0 && int(last.X) < l.Width() && int(last.Y) < l.Height() {
				b.tiles(int(first.X), int(first.Y), int(last.X), int(last.Y))
			}
			return
		}
	case *twmap.QuadLayer:
		if first.Thing == twmap.ThingQuad {
			l.Look(func(quads []twmap.Quad, _ error) {
				if i >= 0 && i < len(quads) {
					b.shape(s.Quad(&quads[i], 0))
				}
			})
			return
		}
	case *twmap.SoundLayer:
		if first.Thing == twmap.ThingSource {
			l.Look(func(sources []twmap.SoundSource, _ error) {
				if i >= 0 && i < len(sources) {
					_, heard := s.Source(&sources[i], 0)
					b.shape(heard)
				}
			})
			return
		}
	}
	if first.X < 0 && first.Thing == twmap.WholePart {
		b.layer(s, l)
	}
}

// in returns the rectangle, in tiles, in a view that shows the group with a placing.
func (b *bounds) in(p mapdraw.Placing) (r format.Rect) {
	r.Min, r.Max = tilesOf(p, b.Min[0], b.Min[1]), tilesOf(p, b.Max[0], b.Max[1])
	return r
}

// tilesOf returns the position, in tiles, at which a point of a group is shown.
func tilesOf(p mapdraw.Placing, x, y float64) [2]float64 {
	x, y = p.Out(x, y)
	return [2]float64{x / mapdraw.TileSize, y / mapdraw.TileSize}
}

// pointText formats a point in tiles.
func pointText(x, y float64) string {
	tiles := func(v float64) float64 { return math.Round(v/mapdraw.TileSize*1000) / 1000 }
	return fmt.Sprintf("%g, %g", tiles(x), tiles(y))
}

// title returns the title of a thing in the layer.
func (l sceneLayer) title(what string) string { return path.Base(l.Name) + ": " + what }
