package twmap

import (
	"bytes"
	"slices"

	"trowel.example/internal/values/deep"
	"trowel.example/teeworlds/datafile"
)

// Clone returns an independent copy of the map that comes from the same file: changes to one do not affect the other.
// It inflates nothing.
func (m *Map) Clone() *Map {
	c := *m
	c.Info = deep.Clone(m.Info)
	c.Images = cloneAll(m.Images, func(im *Image) *Image { return new(*im) }) // pictures are replaced, never changed
	c.Sounds = cloneAll(m.Sounds, func(s *Sound) *Sound { return new(*s) })
	c.Envelopes = cloneAll(m.Envelopes, (*Envelope).Clone)
	c.Groups = cloneAll(m.Groups, (*Group).Clone)
	c.Orphans = cloneAll(m.Orphans, CloneLayer)
	c.Extras = deep.Clone(m.Extras)
	return &c
}

func cloneAll[T any](list []T, clone func(T) T) []T {
	if list == nil {
		return nil
	}
	all := make([]T, len(list))
	for i := range list {
		all[i] = clone(list[i])
	}
	return all
}

// Clone returns an independent copy of the envelope.
func (e *Envelope) Clone() *Envelope {
	c := *e
	c.Points = slices.Clone(e.Points)
	return &c
}

// Clone returns an independent copy of the group, with copies of its layers.
func (g *Group) Clone() *Group {
	c := *g
	if g.Clip != nil {
		c.Clip = new(*g.Clip)
	}
	if g.ParallaxZoom != nil {
		c.ParallaxZoom = new(*g.ParallaxZoom)
	}
	c.Layers = cloneAll(g.Layers, CloneLayer)
	return &c
}

// CloneLayer returns an independent copy of the layer.
func CloneLayer(l Layer) Layer {
	switch l := l.(type) {
	case *TileLayer:
		return l.Clone()
	case *QuadLayer:
		return l.Clone()
	case *SoundLayer:
		return l.Clone()
	case *UnknownLayer:
		return deep.Clone(l)
	}
	return l
}

// Clone returns an independent copy of the layer. Cells that were read from a file are read again, so reading the
// cells of a clone does not keep any in the original.
func (l *TileLayer) Clone() *TileLayer {
	c := *l
	if l.AutoMapper != nil {
		c.AutoMapper = new(*l.AutoMapper)
	}
	if l.cells != nil {
		c.cells = l.cells.clone(&c.data[c.dataKind()])
	}
	return &c
}

// Clone returns an independent copy of the layer.
func (l *QuadLayer) Clone() *QuadLayer {
	c := &QuadLayer{LayerBase: l.LayerBase, Version: l.Version, Image: l.Image, num: l.num, data: l.data}
	c.quads.copy(&l.quads)
	return c
}

// Clone returns an independent copy of the layer.
func (l *SoundLayer) Clone() *SoundLayer {
	c := &SoundLayer{LayerBase: l.LayerBase, Version: l.Version, Deprecated: l.Deprecated, Sound: l.Sound, num: l.num, data: l.data}
	c.sources.copy(&l.sources)
	return c
}

// copy copies items that were set. Items that were read are read again when they are needed.
func (l *list[T]) copy(from *list[T]) {
	if from.changed {
		l.set(slices.Clone(from.items))
	}
}

// Equal reports whether both maps have the same contents: if so, they encode to identical bytes after [Map.Clean].
// Broken layers are compared as far as they can be read. A map that cannot be encoded equals no map.
func (m *Map) Equal(other *Map) bool {
	if m.validate(true) != nil || other.validate(true) != nil {
		return false
	}
	return slices.EqualFunc(m.place(true), other.place(true), func(a, b placed) bool {
		sameType := a.uuid == nil && b.uuid == nil && a.typ == b.typ || a.uuid != nil && b.uuid != nil && *a.uuid == *b.uuid
		return sameType && a.id == b.id && slices.Equal(a.ints, b.ints) &&
			slices.EqualFunc(a.refs, b.refs, func(x, y placedRef) bool { return x.sameContent(&y) })
	})
}

// sameContent reports whether both refer to blocks with the same contents.
func (r *placedRef) sameContent(o *placedRef) bool {
	if x, y := r.ref.block, o.ref.block; !r.changed && !o.changed && x != nil && y != nil &&
		(x == y || x.Stream() != nil && bytes.Equal(x.Stream(), y.Stream())) {
		return true
	}
	x, y := r.content(), o.content()
	return x.None == y.None && (x.None || sameContent(x, y))
}

// sameContent reports whether the contents are equal. Either may end in zeros that are not stored yet.
func sameContent(x, y datafile.Content) bool {
	if len(x.Bytes) > len(y.Bytes) {
		x, y = y, x
	}
	n := len(x.Bytes)
	rest := y.Bytes[n:]
	return len(y.Bytes)+y.Zeros == n+x.Zeros && bytes.Equal(x.Bytes, y.Bytes[:n]) &&
		len(bytes.TrimLeft(rest, "\x00")) == 0
}
