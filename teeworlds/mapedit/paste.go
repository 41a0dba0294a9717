package mapedit

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// PasteArea copies everything visible and playable in an area of another map, or of the same map, to x, y, both in
// tiles of the game layer. Both maps must have the same groups with the same kinds of layers. Quads and sound sources
// whose middle is inside the area are copied with their envelopes, and replace those at the target.
//
// In groups that do not move with the game, it copies what a camera over the middle of the area shows.
func (e *Editor) PasteArea(from *twmap.Map, area Area, x, y int, a Across) error {
	switch {
	case area.Width < 1 || area.Height < 1:
		return fmt.Errorf("the area %v is empty", area)
	case from.Physics(twmap.KindGame) == nil || e.m.Physics(twmap.KindGame) == nil:
		return errors.New("without a game layer the position of an area is undefined")
	}
	if is07 := Is07(from); is07 != Is07(e.m) {
		from = from.Clone()
		if err := e.sameForm(from, is07, a); err != nil {
			return err
		}
	}
	if err := sameStructure(from, e.m); err != nil {
		return err
	}
	for _, m := range []*twmap.Map{from, e.m} {
		for _, l := range m.Layers() {
			if _, err := visit(l, func(*slot) {}); err != nil {
				return fmt.Errorf("%s: not all of it can be read: %w", e.Path(l), err)
			}
		}
	}
	source := New(from.Clone(), nil)
	if err := e.settle(twmap.PartEnvelope); err != nil {
		return err
	}
	envelopes := make(map[int32]int32)
	to := Area{x, y, area.Width, area.Height}
	for i, g := range e.m.Groups {
		sg := source.m.Groups[i]
		sa, da := source.seen(i, area), e.seen(i, to)
		for j, l := range g.Layers {
			p := pasting{e, source, LayerAt{i, j}, sa, da, envelopes}
			switch l := l.(type) {
			case *twmap.TileLayer:
				p.tiles(sg.Layers[j].(*twmap.TileLayer), l)
			case *twmap.QuadLayer:
				p.quads(sg.Layers[j].(*twmap.QuadLayer), l)
			case *twmap.SoundLayer:
				p.sources(sg.Layers[j].(*twmap.SoundLayer), l)
			}
		}
	}
	return nil
}

// sameStructure returns an error unless the maps have the same groups with the same kinds of layers.
func sameStructure(a, b *twmap.Map) error {
	if len(a.Groups) != len(b.Groups) {
		return fmt.Errorf("the other map has %s, and this one %d: expected the same groups and layers",
			words.Count(len(a.Groups), "group"), len(b.Groups))
	}
	kind := func(l twmap.Layer) string {
		if t, ok := l.(*twmap.TileLayer); ok {
			return t.Kind().String()
		}
		return reflect.TypeOf(l).Elem().Name()
	}
	for i, g := range a.Groups {
		h := b.Groups[i]
		if len(g.Layers) != len(h.Layers) {
			return fmt.Errorf("group %d has %s in the other map, but %d in this one: expected the same groups and layers",
				i, words.Count(len(g.Layers), "layer"), len(h.Layers))
		}
		for j := range g.Layers {
			if kind(g.Layers[j]) != kind(h.Layers[j]) {
				return fmt.Errorf("layer %d/%d has a different kind in the other map: expected the same groups and layers", i, j)
			}
		}
	}
	return nil
}

// seen returns the tiles of a group that are visible in an area of the game layer.
func (e *Editor) seen(group int, area Area) Area {
	if group == e.gameGroup() {
		return area
	}
	g := e.m.Groups[group]
	// Position x of the group is drawn at x - offset - camera * parallax / 100.
	place := func(at, size int, offset, parallax int32) int {
		middle := at*tileUnits + size*tileUnits/2
		return floorDiv(at*tileUnits-middle+int(offset)+percent(middle, int(parallax))+tileUnits/2, tileUnits)
	}
	return Area{place(area.X, area.Width, g.OffsetX, g.ParallaxX), place(area.Y, area.Height, g.OffsetY, g.ParallaxY), area.Width, area.Height}
}

// pasting copies an area of a layer to a layer of another map.
type pasting struct {
	e, source *Editor
	at        LayerAt
	from, to  Area
	envelopes map[int32]int32 // numbers of envelopes of the other map, and their numbers in this map
}

func (p *pasting) tiles(source, l *twmap.TileLayer) {
	cells := openGrid(source)
	right, bottom, kind := source.Width()-1, source.Height()-1, source.Kind()
	n := p.e.edit(p.at, &p.to, "came from the other map", func(x, y int, _ Cell) Cell {
		x, y = x-p.to.X+p.from.X, y-p.to.Y+p.from.Y
		if cx, cy := min(max(x, 0), right), min(max(y, 0), bottom); cx != x || cy != y {
			return repeated(kind, cells.at(cx, cy))
		}
		return cells.at(x, y)
	})
	if here, there := p.e.imageName(l.Image), p.source.imageName(source.Image); n > 0 && here != there && isSeen(l) {
		p.e.reportChange(l, 1, "", "shows %s, and %s in the other map", here, there)
	}
}

// contains reports whether a point of 22.10 fixed-point is in an area.
func (a Area) contains(p twmap.Point) bool {
	const unit = tileUnits * fixed
	x, y := floorDiv(int(p.X), unit), floorDiv(int(p.Y), unit)
	return x >= a.X && x < a.X+a.Width && y >= a.Y && y < a.Y+a.Height
}

func (p *pasting) by() twmap.Point {
	const unit = tileUnits * fixed
	return twmap.Point{X: int32((p.to.X - p.from.X) * unit), Y: int32((p.to.Y - p.from.Y) * unit)}
}

func (p *pasting) quads(source, l *twmap.QuadLayer) {
	read, _ := l.Quads()
	theirs, _ := source.Quads()
	place := func(q twmap.Quad) twmap.Point { return q.Pivot }
	if quads, changed := pasted(p, l, "quads", read, theirs, place, func(q *twmap.Quad) {
		for i := range q.Points {
			q.Points[i] = plus(q.Points[i], p.by())
		}
		q.Pivot = plus(q.Pivot, p.by())
		q.PosEnv, q.ColorEnv = p.envelope(q.PosEnv), p.envelope(q.ColorEnv)
	}); changed {
		l.SetQuads(quads)
	}
}

func (p *pasting) sources(source, l *twmap.SoundLayer) {
	read, _ := l.Sources()
	theirs, _ := source.Sources()
	place := func(s twmap.SoundSource) twmap.Point { return s.Position }
	if sources, changed := pasted(p, l, "sources", read, theirs, place, func(s *twmap.SoundSource) {
		s.Position = plus(s.Position, p.by())
		s.PosEnv, s.SoundEnv = p.envelope(s.PosEnv), p.envelope(s.SoundEnv)
	}); changed {
		l.SetSources(sources)
	}
}

// pasted returns quads or sources of a layer with those in the area replaced, and reports whether they changed.
func pasted[T comparable](p *pasting, l twmap.Layer, what string, read, theirs []T, place func(T) twmap.Point, move func(*T)) ([]T, bool) {
	list := slices.DeleteFunc(slices.Clone(read), func(v T) bool { return p.to.contains(place(v)) })
	gone := len(read) - len(list)
	for _, v := range theirs {
		if p.from.contains(place(v)) {
			move(&v)
			list = append(list, v)
		}
	}
	if slices.Equal(list, read) {
		return nil, false
	}
	p.e.reportChange(l, gone, what, "removed, as they were in the area")
	p.e.reportChange(l, len(list)-len(read)+gone, what, "came from the other map")
	return list, true
}

// envelope returns the number of an envelope of the other map in this map: that of an equal one, or otherwise of a
// copy.
func (p *pasting) envelope(n int32) int32 {
	if n < 0 || int(n) >= len(p.source.m.Envelopes) {
		return -1
	}
	if is, known := p.envelopes[n]; known {
		return is
	}
	env := p.source.m.Envelopes[n]
	same := func(o *twmap.Envelope) bool {
		return o.Name == env.Name && o.Channels == env.Channels && o.Synchronized == env.Synchronized && slices.Equal(o.Points, env.Points)
	}
	m := p.e.m
	is := int32(slices.IndexFunc(m.Envelopes, same))
	if int(n) < len(m.Envelopes) && same(m.Envelopes[n]) {
		is = n
	}
	if is < 0 {
		is = int32(len(m.Envelopes))
		own := twmap.NewEnvelope(env.Name, env.Channels, slices.Clone(env.Points)...)
		own.Synchronized = env.Synchronized
		m.Envelopes = append(m.Envelopes, own)
		p.e.reportChange(own, 1, "", "the envelope came from the other map")
	}
	p.envelopes[n] = is
	return is
}
