package mapedit

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"trowel.example/teeworlds/twmap"
)

// PasteArea copies everything visible and playable in an area of another map, or of the same map, to x, y, both in
// tiles of the game layer. Quads and sound sources whose middle is inside the area are copied with their envelopes, and
// replace those at the target.
//
// If both maps have the same groups with the same kinds of layers, layers with the same numbers belong together.
// Otherwise groups of the same name do, and in them layers of the same kind and name that show the same image or play
// the same sound; of several, the first with the first. Groups without a name also need the same offset and parallax.
// PasteArea makes the groups and layers that are missing and have something in the area, with their images and sounds,
// and enlarges layers of tiles that are too small. Other layers of the map keep what they have.
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
	for _, m := range []*twmap.Map{from, e.m} {
		for _, l := range m.Layers() {
			if _, err := visit(l, func(*slot) {}); err != nil {
				return fmt.Errorf("%s cannot be read completely: %w", e.Path(l), err)
			}
		}
	}
	p := &pasting{e: e, source: New(from.Clone(), nil), area: area, target: Area{x, y, area.Width, area.Height},
		envelopes: make(map[int32]int32)}
	if !sameStructure(from, e.m) {
		return p.byName()
	}
	if err := e.settle(twmap.PartEnvelope); err != nil {
		return err
	}
	for i, g := range e.m.Groups {
		for j, l := range g.Layers {
			p.paste(LayerAt{i, j}, p.source.m.Groups[i].Layers[j], LayerAt{i, j}, l)
		}
	}
	return nil
}

// sameStructure reports whether maps have the same groups with the same kinds of layers.
func sameStructure(a, b *twmap.Map) bool {
	return slices.EqualFunc(a.Groups, b.Groups, func(g, h *twmap.Group) bool {
		return slices.EqualFunc(g.Layers, h.Layers, func(l, k twmap.Layer) bool { return kindOf(l) == kindOf(k) })
	})
}

// kindOf returns a text that layers of the same kind have.
func kindOf(l twmap.Layer) string {
	if t, ok := l.(*twmap.TileLayer); ok {
		return t.Kind().String()
	}
	return reflect.TypeOf(l).Elem().Name()
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

// pasting copies an area of another map, layer by layer.
type pasting struct {
	e, source    *Editor
	area, target Area            // in tiles of the game layers
	from, to     Area            // in tiles of the layers that are pasted now
	at           LayerAt         // the layer that is pasted now
	envelopes    map[int32]int32 // numbers of envelopes of the other map, and their numbers in this map
}

// paste copies the area of a layer to a layer of the same kind.
func (p *pasting) paste(from LayerAt, source twmap.Layer, at LayerAt, l twmap.Layer) {
	p.at, p.from, p.to = at, p.source.seen(from.Group, p.area), p.e.seen(at.Group, p.target)
	switch l := l.(type) {
	case *twmap.TileLayer:
		p.tiles(source.(*twmap.TileLayer), l)
	case *twmap.QuadLayer:
		p.quads(source.(*twmap.QuadLayer), l)
	case *twmap.SoundLayer:
		p.sources(source.(*twmap.SoundLayer), l)
	}
}

func (p *pasting) tiles(source, l *twmap.TileLayer) {
	shown := endless(source)
	n := p.e.edit(p.at, &p.to, "came from the other map", func(x, y int, _ Cell) Cell {
		return shown(x-p.to.X+p.from.X, y-p.to.Y+p.from.Y)
	})
	if here, there := p.e.imageName(l.Image), p.source.imageName(source.Image); n > 0 && here != there && isSeen(l) {
		p.e.reportChange(l, 1, "", "shows %s, and %s in the other map", here, there)
	}
}

// endless returns the tiles of a layer as the game shows them: outside of the layer, its edges repeat.
func endless(l *twmap.TileLayer) func(x, y int) Cell {
	cells, right, bottom, kind := openGrid(l), l.Width()-1, l.Height()-1, l.Kind()
	return func(x, y int) Cell {
		if cx, cy := min(max(x, 0), right), min(max(y, 0), bottom); cx != x || cy != y {
			return repeated(kind, cells.at(cx, cy))
		}
		return cells.at(x, y)
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
	p.e.reportChange(l, gone, what, "removed, because they were in the area")
	p.e.reportChange(l, len(list)-len(read)+gone, what, "came from the other map")
	return list, true
}

// PasteEnvelopes adds envelopes of another map at the end, in the order of the list, or all if list is nil. Those that
// are in the map already, with the same name, are not added again.
func (e *Editor) PasteEnvelopes(from *twmap.Map, list []int) error {
	if list == nil {
		list = without(len(from.Envelopes), nil)
	}
	if err := allInRange(twmap.PartEnvelope, list, len(from.Envelopes)); err != nil {
		return err
	}
	if err := e.settle(twmap.PartEnvelope); err != nil {
		return err
	}
	p := pasting{e: e, source: New(from, nil), envelopes: make(map[int32]int32)}
	for _, i := range list {
		p.envelope(int32(i))
	}
	return nil
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
