package mapmerge

import (
	"slices"

	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

// groups merges the groups and all layers.
func (m *merger) groups() {
	where := make(map[twmap.Layer]int)
	for side, one := range []*twmap.Map{m.b, m.o, m.t} {
		ids := make(map[int]int)
		for i, t := range m.group.triples {
			ids[[]int{t.b, t.o, t.t}[side]] = i
		}
		for i, g := range one.Groups {
			for _, l := range g.Layers {
				where[l] = ids[i]
			}
		}
		for _, l := range one.Orphans {
			where[l] = -1
		}
	}

	stays := make(map[int]bool)
	home := make(map[int]int) // the group of each layer that is kept
	for i, l := range m.layer {
		var b, o, t any
		for _, one := range []struct {
			l  twmap.Layer
			to *any
		}{{l.b, &b}, {l.o, &o}, {l.t, &t}} {
			if one.l != nil {
				*one.to = one.l
			}
		}
		stays[i] = m.stays(b, o, t, func() bool { return m.sameLayer(l.b, l.o) }, func() bool { return m.sameLayer(l.b, l.t) })
		if !stays[i] {
			continue
		}
		switch {
		case l.o != nil && l.t != nil:
			g := where[l.o]
			if l.b != nil {
				field(m, l.b, "group", where[l.b], &g, where[l.t])
			}
			home[i] = g
			m.mergeLayer(l)
		case l.o != nil:
			if home[i] = where[l.o]; l.b == nil {
				m.fitLayer(l.o, false)
			}
		default:
			if home[i] = where[l.t]; l.b == nil {
				m.fitLayer(l.t, true)
			}
		}
	}
	needed := make(map[int]bool)
	for _, g := range home {
		needed[g] = true
	}
	order := m.group.merge(m, func(a, b *twmap.Group) bool { return sameGroup(a, b) }, m.mergeGroup)
	for i := range m.group.triples { // a group that one side removed while the other added layers to it
		if needed[i] && !slices.Contains(m.group.order, i) {
			m.group.order, order = append(m.group.order, i), append(order, m.group.part(i))
		}
	}

	of := func(one *twmap.Map, side func(layerTriple) twmap.Layer) map[int][]int {
		id := make(map[twmap.Layer]int)
		for i, l := range m.layer {
			if at := side(l); at != nil {
				id[at] = i
			}
		}
		lists := make(map[int][]int)
		for _, l := range one.Layers() {
			lists[where[l]] = append(lists[where[l]], id[l])
		}
		return lists
	}
	b, o, t := of(m.b, func(l layerTriple) twmap.Layer { return l.b }), of(m.o, func(l layerTriple) twmap.Layer { return l.o }), of(m.t, func(l layerTriple) twmap.Layer { return l.t })
	layersOf := func(g int) []twmap.Layer {
		in := make(map[int]bool)
		for i := range stays {
			in[i] = stays[i] && home[i] == g
		}
		var list []twmap.Layer
		for _, i := range m.order("layers", b[g], o[g], t[g], in) {
			l := m.layer[i].o
			if l == nil {
				l = m.layer[i].t
			}
			list = append(list, l)
		}
		return list
	}
	for at, i := range m.group.order {
		order[at].Layers = layersOf(i)
	}
	m.o.Groups, m.o.Orphans = order, layersOf(-1)
}

func (m *merger) fitLayer(l twmap.Layer, theirs bool) {
	if t, is := l.(*twmap.TileLayer); is {
		m.fit(t, theirs)
	}
}

func sameGroup(a, b *twmap.Group) bool {
	return a.Name == b.Name && a.Version == b.Version && a.OffsetX == b.OffsetX && a.OffsetY == b.OffsetY && a.ParallaxX == b.ParallaxX && a.ParallaxY == b.ParallaxY &&
		sameClip(a.Clip, b.Clip) && sameZoom(a.ParallaxZoom, b.ParallaxZoom)
}

var (
	sameClip = same(func(a, b *twmap.Clip) bool { return *a == *b })
	sameZoom = same(func(a, b *twmap.ParallaxZoom) bool { return a.Percent == b.Percent })
	sameAuto = same(func(a, b *twmap.AutoMapper) bool {
		return a.Config == b.Config && a.Seed == b.Seed && a.Automatic == b.Automatic
	})
)

func (m *merger) mergeGroup(b, o, t *twmap.Group) {
	field(m, b, "name", b.Name, &o.Name, t.Name)
	field(m, b, "version", b.Version, &o.Version, t.Version)
	type point struct{ X, Y int32 }
	offset := point{o.OffsetX, o.OffsetY}
	field(m, b, "offset", point{b.OffsetX, b.OffsetY}, &offset, point{t.OffsetX, t.OffsetY})
	o.OffsetX, o.OffsetY = offset.X, offset.Y
	parallax := point{o.ParallaxX, o.ParallaxY}
	field(m, b, "parallax", point{b.ParallaxX, b.ParallaxY}, &parallax, point{t.ParallaxX, t.ParallaxY})
	o.ParallaxX, o.ParallaxY = parallax.X, parallax.Y
	fieldFunc(m, b, "clip", b.Clip, &o.Clip, t.Clip, sameClip)
	fieldFunc(m, b, "parallax zoom", b.ParallaxZoom, &o.ParallaxZoom, t.ParallaxZoom, sameZoom)
}

// sameLayer reports whether a layer is unchanged since base.
func (m *merger) sameLayer(a, b twmap.Layer) bool {
	x, y := a.Base(), b.Base()
	if x.Name != y.Name || x.Flags != y.Flags {
		return false
	}
	switch a := a.(type) {
	case *twmap.TileLayer:
		b := b.(*twmap.TileLayer)
		return a.Version == b.Version && a.Color == b.Color && a.ColorEnv == b.ColorEnv && a.ColorEnvOffset == b.ColorEnvOffset && a.Image == b.Image && sameAuto(a.AutoMapper, b.AutoMapper) && sameCells(a, b)
	case *twmap.QuadLayer:
		b := b.(*twmap.QuadLayer)
		p, _ := a.Quads()
		q, _ := b.Quads()
		return a.Version == b.Version && a.Image == b.Image && slices.Equal(p, q)
	case *twmap.SoundLayer:
		b := b.(*twmap.SoundLayer)
		p, _ := a.Sources()
		q, _ := b.Sources()
		return a.Version == b.Version && a.Sound == b.Sound && a.Deprecated == b.Deprecated && slices.Equal(p, q)
	case *twmap.UnknownLayer:
		b := b.(*twmap.UnknownLayer)
		return a.Type == b.Type && slices.Equal(a.Data, b.Data)
	}
	return false
}

// mergeLayer merges a layer that both sides have into that of ours.
func (m *merger) mergeLayer(l layerTriple) {
	if l.b == nil { // both added it: physics layers are merged tile by tile, others are equal
		if o, is := l.o.(*twmap.TileLayer); is && o.Kind().Physics() {
			m.cells(nil, o, l.t.(*twmap.TileLayer))
		}
		return
	}
	x, y, z := l.b.Base(), l.o.Base(), l.t.Base()
	field(m, l.b, "name", x.Name, &y.Name, z.Name)
	field(m, l.b, "flags", x.Flags, &y.Flags, z.Flags)
	switch b := l.b.(type) {
	case *twmap.TileLayer:
		o, t := l.o.(*twmap.TileLayer), l.t.(*twmap.TileLayer)
		field(m, b, "version", b.Version, &o.Version, t.Version)
		field(m, b, "color", b.Color, &o.Color, t.Color)
		field(m, b, "color envelope", b.ColorEnv, &o.ColorEnv, t.ColorEnv)
		field(m, b, "color envelope offset", b.ColorEnvOffset, &o.ColorEnvOffset, t.ColorEnvOffset)
		field(m, b, "image", b.Image, &o.Image, t.Image)
		fieldFunc(m, b, "automapper", b.AutoMapper, &o.AutoMapper, t.AutoMapper, sameAuto)
		m.cells(b, o, t)
	case *twmap.QuadLayer:
		o, t := l.o.(*twmap.QuadLayer), l.t.(*twmap.QuadLayer)
		field(m, b, "version", b.Version, &o.Version, t.Version)
		field(m, b, "image", b.Image, &o.Image, t.Image)
		pb, e1 := b.Quads()
		po, e2 := o.Quads()
		pt, e3 := t.Quads()
		if merged, changed := things(m, b, "quad", twmap.ThingQuad, pb, po, pt, m.quads[l.o], e1 == nil && e2 == nil && e3 == nil, m.quad); changed {
			o.SetQuads(merged)
		}
	case *twmap.SoundLayer:
		o, t := l.o.(*twmap.SoundLayer), l.t.(*twmap.SoundLayer)
		field(m, b, "version", b.Version, &o.Version, t.Version)
		field(m, b, "sound", b.Sound, &o.Sound, t.Sound)
		field(m, b, "deprecated", b.Deprecated, &o.Deprecated, t.Deprecated)
		pb, e1 := b.Sources()
		po, e2 := o.Sources()
		pt, e3 := t.Sources()
		if merged, changed := things(m, b, "source", twmap.ThingSource, pb, po, pt, matchSources(pb, po, pt), e1 == nil && e2 == nil && e3 == nil, m.source); changed {
			o.SetSources(merged)
		}
	case *twmap.UnknownLayer:
		o, t := l.o.(*twmap.UnknownLayer), l.t.(*twmap.UnknownLayer)
		field(m, b, "type", b.Type, &o.Type, t.Type)
		fieldFunc(m, b, "data", b.Data, &o.Data, t.Data, slices.Equal)
	}
}

// things merges the quads or sources of a layer, and reports whether those of ours changed.
func things[T comparable](m *merger, part any, what string, thing twmap.Thing, b, o, t []T, match quadMatch, whole bool, both func(part any, at []check.Place, b, o, t T) T) ([]T, bool) {
	switch {
	case slices.Equal(b, t) || slices.Equal(o, t):
		return nil, false
	case slices.Equal(b, o):
		m.took(part, "the %ss: %d became %d", what, len(b), len(t))
		return t, true
	case !whole:
		if m.conflict(part, nil, "both changed the "+what+"s, and not all of them can be read", nil, nil, nil) == "ours" {
			return nil, false
		}
		return t, true
	}
	pb, po, pt := pointers(b), pointers(o), pointers(t)
	first := make(map[T]int)
	for i := len(o) - 1; i >= 0; i-- {
		first[o[i]] = i
	}
	none := make([]int, len(t)) // new ones of both sides are the same if they are equal
	for j := range none {
		none[j] = -1
		if i, there := first[t[j]]; there {
			none[j] = i
		}
	}
	l := newList(twmap.PartLayer, pb, po, pt, match.ours, match.theirs, none, func(i, j int) bool { return o[i] == t[j] })
	stays := make(map[int]bool)
	for i, tr := range l.triples {
		x, y, z := at(pb, tr.b), at(po, tr.o), at(pt, tr.t)
		var place []check.Place
		if p := m.parts[part]; p != nil && tr.b >= 0 {
			place = []check.Place{p.Thing(thing, tr.b)}
		}
		switch {
		case x != nil && y != nil && z != nil:
			*y = both(part, place, *x, *y, *z)
			stays[i] = true
		case x == nil && y == nil:
			m.took(part, "a %s was added", what)
			stays[i] = true
		case x == nil:
			stays[i] = true
		case y == nil && z == nil:
		case z == nil && *x == *y:
			m.took(part, "%s %d was removed", what, tr.b)
		case z == nil:
			stays[i] = m.conflict(part, place, "ours changed it, and theirs removed it", nil, nil, nil) == "ours"
		case *x != *z:
			stays[i] = m.conflict(part, place, "ours removed it, and theirs changed it", nil, nil, nil) == "theirs"
		}
	}
	order := m.order(what+"s", l.ids(func(t triple) int { return t.b }), l.ids(func(t triple) int { return t.o }), l.ids(func(t triple) int { return t.t }), stays)
	merged := make([]T, len(order))
	for k, i := range order {
		merged[k] = *l.part(i)
	}
	return merged, true
}

func pointers[T any](list []T) []*T {
	all := make([]*T, len(list))
	for i := range list {
		all[i] = new(list[i])
	}
	return all
}

// value merges one value of a quad or source.
func value[T comparable](m *merger, part any, at []check.Place, name string, b, o, t T) T {
	switch {
	case b == t || o == t:
		return o
	case b == o:
		m.OnTook(check.Change{Path: m.paths[part], What: name, Count: 1, At: at})
		return t
	case m.conflict(part, at, "both changed "+name, b, o, t) == "theirs":
		return t
	}
	return o
}

func (m *merger) quad(part any, at []check.Place, b, o, t twmap.Quad) twmap.Quad {
	type place struct {
		Points [4]twmap.Point
		Pivot  twmap.Point
	}
	where := value(m, part, at, "the place", place{b.Points, b.Pivot}, place{o.Points, o.Pivot}, place{t.Points, t.Pivot})
	o.Points, o.Pivot = where.Points, where.Pivot
	o.Colors = value(m, part, at, "the colors", b.Colors, o.Colors, t.Colors)
	o.Texture = value(m, part, at, "the texture", b.Texture, o.Texture, t.Texture)
	o.PosEnv = value(m, part, at, "the position envelope", b.PosEnv, o.PosEnv, t.PosEnv)
	o.PosEnvOffset = value(m, part, at, "the offset of the position envelope", b.PosEnvOffset, o.PosEnvOffset, t.PosEnvOffset)
	o.ColorEnv = value(m, part, at, "the color envelope", b.ColorEnv, o.ColorEnv, t.ColorEnv)
	o.ColorEnvOffset = value(m, part, at, "the offset of the color envelope", b.ColorEnvOffset, o.ColorEnvOffset, t.ColorEnvOffset)
	return o
}

func (m *merger) source(part any, at []check.Place, b, o, t twmap.SoundSource) twmap.SoundSource {
	type shape struct {
		Shape         twmap.SoundShape
		Width, Height int32
	}
	o.Position = value(m, part, at, "the place", b.Position, o.Position, t.Position)
	is := value(m, part, at, "the shape", shape{b.Shape, b.Width, b.Height}, shape{o.Shape, o.Width, o.Height}, shape{t.Shape, t.Width, t.Height})
	o.Shape, o.Width, o.Height = is.Shape, is.Width, is.Height
	o.Loop = value(m, part, at, "whether it loops", b.Loop, o.Loop, t.Loop)
	o.Pan = value(m, part, at, "whether it pans", b.Pan, o.Pan, t.Pan)
	o.Delay = value(m, part, at, "the delay", b.Delay, o.Delay, t.Delay)
	o.Falloff = value(m, part, at, "the falloff", b.Falloff, o.Falloff, t.Falloff)
	o.PosEnv = value(m, part, at, "the position envelope", b.PosEnv, o.PosEnv, t.PosEnv)
	o.PosEnvOffset = value(m, part, at, "the offset of the position envelope", b.PosEnvOffset, o.PosEnvOffset, t.PosEnvOffset)
	o.SoundEnv = value(m, part, at, "the sound envelope", b.SoundEnv, o.SoundEnv, t.SoundEnv)
	o.SoundEnvOffset = value(m, part, at, "the offset of the sound envelope", b.SoundEnvOffset, o.SoundEnvOffset, t.SoundEnvOffset)
	return o
}
