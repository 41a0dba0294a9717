package mapmerge

import (
	"slices"

	"trowel.example/check"
	"trowel.example/internal/values/deep"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/internal/mapmatch"
	"trowel.example/teeworlds/twmap"
)

// groups merges the groups and all layers.
func (m *merger) groups() {
	where := make(map[twmap.Layer]int)
	for side, one := range []*twmap.Map{m.b, m.o, m.t} {
		ids := make(map[int]int)
		for i, t := range m.group.triples {
			ids[t.sides()[side]] = i
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
		stays[i] = partStays(m, l.b, l.o, l.t, sameLayer)
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
				m.fit(l.o, merge3.Ours)
			}
		default:
			if home[i] = where[l.t]; l.b == nil {
				m.fit(l.t, merge3.Theirs)
			}
		}
	}
	needed := make(map[int]bool)
	for _, g := range home {
		needed[g] = true
	}
	groups := m.group.merge(m, sameGroup, m.mergeGroup)
	for i := range m.group.triples { // a group that one side removed while the other added layers to it
		if needed[i] && !slices.Contains(m.group.order, i) {
			m.group.order, groups = append(m.group.order, i), append(groups, m.group.part(i))
		}
	}

	var lists [3]map[int][]int // the layers of each group
	for side, one := range []*twmap.Map{m.b, m.o, m.t} {
		id := make(map[twmap.Layer]int)
		for i, l := range m.layer {
			id[l.sides()[side]] = i
		}
		lists[side] = make(map[int][]int)
		for _, l := range one.Layers() {
			lists[side][where[l]] = append(lists[side][where[l]], id[l])
		}
	}
	layersOf := func(g int) []twmap.Layer {
		var list []twmap.Layer
		for _, i := range order(m, "layers", three[[]int]{lists[0][g], lists[1][g], lists[2][g]},
			func(i int) bool { return stays[i] && home[i] == g }) {
			l := m.layer[i].o
			if l == nil {
				l = m.layer[i].t
			}
			list = append(list, l)
		}
		return list
	}
	for at, i := range m.group.order {
		groups[at].Layers = layersOf(i)
	}
	m.o.Groups, m.o.Orphans = groups, layersOf(-1)
}

// sameGroup reports whether two groups are equal, except for their layers.
func sameGroup(a, b *twmap.Group) bool {
	x, y := *a, *b
	x.Layers, y.Layers = nil, nil
	return deep.Equal(x, y)
}

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
	field(m, b, "clip", b.Clip, &o.Clip, t.Clip)
	field(m, b, "parallax zoom", b.ParallaxZoom, &o.ParallaxZoom, t.ParallaxZoom)
}

// sameLayer reports whether a layer is unchanged since base.
func sameLayer(a, b twmap.Layer) bool {
	if !deep.Equal(a, b) {
		return false
	}
	switch a := a.(type) {
	case *twmap.TileLayer:
		return sameCells(a, b.(*twmap.TileLayer))
	case *twmap.QuadLayer:
		p, _ := a.Quads()
		q, _ := b.(*twmap.QuadLayer).Quads()
		return slices.Equal(p, q)
	case *twmap.SoundLayer:
		p, _ := a.Sources()
		q, _ := b.(*twmap.SoundLayer).Sources()
		return slices.Equal(p, q)
	}
	return true
}

// mergeLayer merges a layer that both sides have into that of ours.
func (m *merger) mergeLayer(l layerTriple) {
	if l.b == nil { // both added it: physics layers are merged tile by tile, others are equal
		if o, ok := l.o.(*twmap.TileLayer); ok && o.Kind().Physics() {
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
		field(m, b, "automapper", b.AutoMapper, &o.AutoMapper, t.AutoMapper)
		m.cells(b, o, t)
	case *twmap.QuadLayer:
		o, t := l.o.(*twmap.QuadLayer), l.t.(*twmap.QuadLayer)
		field(m, b, "version", b.Version, &o.Version, t.Version)
		field(m, b, "image", b.Image, &o.Image, t.Image)
		pb, e1 := b.Quads()
		po, e2 := o.Quads()
		pt, e3 := t.Quads()
		quads := things[twmap.Quad]{b, "quad", twmap.ThingQuad, three[[]twmap.Quad]{pb, po, pt}, e1 == nil && e2 == nil && e3 == nil}
		match := func() matches { return matches{ours: mapmatch.Quads(pb, po), theirs: mapmatch.Quads(pb, pt)} }
		if merged, changed := quads.merge(m, match, m.quad); changed {
			o.SetQuads(merged)
			o.Store()
		}
	case *twmap.SoundLayer:
		o, t := l.o.(*twmap.SoundLayer), l.t.(*twmap.SoundLayer)
		field(m, b, "version", b.Version, &o.Version, t.Version)
		field(m, b, "sound", b.Sound, &o.Sound, t.Sound)
		field(m, b, "deprecated", b.Deprecated, &o.Deprecated, t.Deprecated)
		pb, e1 := b.Sources()
		po, e2 := o.Sources()
		pt, e3 := t.Sources()
		sources := things[twmap.SoundSource]{b, "source", twmap.ThingSource, three[[]twmap.SoundSource]{pb, po, pt},
			e1 == nil && e2 == nil && e3 == nil}
		place := func(s twmap.SoundSource) twmap.Point { return s.Position }
		match := func() matches {
			return matches{ours: mapmatch.InOrder(pb, po, place), theirs: mapmatch.InOrder(pb, pt, place)}
		}
		if merged, changed := sources.merge(m, match, m.source); changed {
			o.SetSources(merged)
		}
	case *twmap.UnknownLayer:
		o, t := l.o.(*twmap.UnknownLayer), l.t.(*twmap.UnknownLayer)
		field(m, b, "type", b.Type, &o.Type, t.Type)
		field(m, b, "data", b.Data, &o.Data, t.Data)
	}
}

// things are the quads or sources of a layer.
type things[T comparable] struct {
	layer twmap.Layer
	what  string
	kind  twmap.Thing
	three[[]T]
	complete bool // all of them can be read
}

// merge merges the things, and reports whether those of ours changed.
func (l things[T]) merge(m *merger, find func() matches, both func(at spot, b, o, t T) T) ([]T, bool) {
	switch {
	case slices.Equal(l.b, l.t) || slices.Equal(l.o, l.t):
		return nil, false
	case slices.Equal(l.b, l.o):
		m.took(l.layer, "the %ss: %d became %d", l.what, len(l.b), len(l.t))
		return l.t, true
	case !l.complete:
		side := m.conflict(l.layer, check.Conflict{What: "both changed the " + l.what + "s, and some of them cannot be read"})
		return l.t, side == merge3.Theirs
	}
	match := find()
	first := make(map[T]int)
	for i, v := range slices.Backward(l.o) {
		first[v] = i
	}
	match.both = make([]int, len(l.t)) // new ones of both sides are the same if they are equal
	for j, v := range l.t {
		match.both[j] = -1
		if i, there := first[v]; there {
			match.both[j] = i
		}
	}
	equal := func(x, y *T) bool { return *x == *y }
	list := newList(twmap.PartLayer, three[[]*T]{pointers(l.b), pointers(slices.Clone(l.o)), pointers(l.t)}, match, equal)
	keep := make([]bool, len(list.triples))
	for i, tr := range list.triples {
		at := spot{layer: l.layer}
		if p := m.parts[l.layer]; p != nil && tr.b >= 0 {
			at.places = []check.Place{p.Thing(l.kind, tr.b)}
		}
		b, o, t := list.versions(i)
		if b != nil && o != nil && t != nil {
			*o = both(at, *b, *o, *t)
		}
		keep[i] = stays(b, o, t, equal, func(what string) {
			if what == added {
				m.took(l.layer, "a %s was added", l.what)
			} else {
				m.took(l.layer, "%s %d was removed", l.what, tr.b)
			}
		}, func(what string) merge3.Side {
			return m.conflict(l.layer, check.Conflict{At: at.places, What: what})
		})
	}
	sorted := list.sort(m, l.what+"s", keep)
	merged := make([]T, len(sorted))
	for i, p := range sorted {
		merged[i] = *p
	}
	return merged, true
}

func pointers[T any](list []T) []*T {
	all := make([]*T, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}

// spot is a quad or source of a layer.
type spot struct {
	layer  twmap.Layer
	places []check.Place
}

// value merges one value of a quad or source.
func value[T comparable](m *merger, at spot, name string, b, o, t T) T {
	return merge3.Value(b, o, t, func() {
		m.log.Took(m.paths[at.layer], at.places, "%s", name)
	}, func() merge3.Side {
		return m.conflict(at.layer, check.Conflict{At: at.places, What: "both changed " + name, Base: b, Ours: o, Theirs: t})
	})
}

func (m *merger) quad(at spot, b, o, t twmap.Quad) twmap.Quad {
	type place struct {
		Points [4]twmap.Point
		Pivot  twmap.Point
	}
	where := value(m, at, "the place", place{b.Points, b.Pivot}, place{o.Points, o.Pivot}, place{t.Points, t.Pivot})
	o.Points, o.Pivot = where.Points, where.Pivot
	o.Colors = value(m, at, "the colors", b.Colors, o.Colors, t.Colors)
	o.Texture = value(m, at, "the texture", b.Texture, o.Texture, t.Texture)
	o.PosEnv = value(m, at, "the position envelope", b.PosEnv, o.PosEnv, t.PosEnv)
	o.PosEnvOffset = value(m, at, "the offset of the position envelope", b.PosEnvOffset, o.PosEnvOffset, t.PosEnvOffset)
	o.ColorEnv = value(m, at, "the color envelope", b.ColorEnv, o.ColorEnv, t.ColorEnv)
	o.ColorEnvOffset = value(m, at, "the offset of the color envelope", b.ColorEnvOffset, o.ColorEnvOffset, t.ColorEnvOffset)
	return o
}

func (m *merger) source(at spot, b, o, t twmap.SoundSource) twmap.SoundSource {
	type shape struct {
		Shape         twmap.SoundShape
		Width, Height int32
	}
	o.Position = value(m, at, "the place", b.Position, o.Position, t.Position)
	is := value(m, at, "the shape", shape{b.Shape, b.Width, b.Height}, shape{o.Shape, o.Width, o.Height}, shape{t.Shape, t.Width, t.Height})
	o.Shape, o.Width, o.Height = is.Shape, is.Width, is.Height
	o.Loop = value(m, at, "whether it loops", b.Loop, o.Loop, t.Loop)
	o.Pan = value(m, at, "whether it pans", b.Pan, o.Pan, t.Pan)
	o.Delay = value(m, at, "the delay", b.Delay, o.Delay, t.Delay)
	o.Falloff = value(m, at, "the falloff", b.Falloff, o.Falloff, t.Falloff)
	o.PosEnv = value(m, at, "the position envelope", b.PosEnv, o.PosEnv, t.PosEnv)
	o.PosEnvOffset = value(m, at, "the offset of the position envelope", b.PosEnvOffset, o.PosEnvOffset, t.PosEnvOffset)
	o.SoundEnv = value(m, at, "the sound envelope", b.SoundEnv, o.SoundEnv, t.SoundEnv)
	o.SoundEnvOffset = value(m, at, "the offset of the sound envelope", b.SoundEnvOffset, o.SoundEnvOffset, t.SoundEnvOffset)
	return o
}
