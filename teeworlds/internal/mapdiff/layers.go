package mapdiff

import (
	"fmt"
	"strings"

	"trowel.example/internal/text/words"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/internal/mapmatch"
	"trowel.example/teeworlds/twmap"
)

// where is the position of a layer in a map: its group, or -1 for an orphan, and its index in the group.
type where struct{ group, layer int }

func placesOf(m *twmap.Map) map[twmap.Layer]where {
	places := make(map[twmap.Layer]where)
	for i, g := range m.Groups {
		for j, l := range g.Layers {
			places[l] = where{i, j}
		}
	}
	for j, l := range m.Orphans {
		places[l] = where{-1, j}
	}
	return places
}

func (c *comparison) oldPath(at where) string {
	if at.group < 0 {
		return c.old.Orphan(at.layer)
	}
	return c.old.Layer(at.group, at.layer)
}

func (c *comparison) newPath(at where) string {
	if at.group < 0 {
		return c.new.Orphan(at.layer)
	}
	return c.new.Layer(at.group, at.layer)
}

func (c *comparison) groups() error {
	text := func(groups []*twmap.Group) func(int) string {
		return func(i int) string {
			g := groups[i]
			var names []string
			for _, l := range g.Layers {
				name := l.Base().Name
				if name == "" {
					name = mapmatch.KindOf(l)
				}
				names = append(names, name)
			}
			if len(names) > 6 {
				names = append(names[:5], fmt.Sprintf("%d more", len(names)-5))
			}
			s := fmt.Sprintf("parallax %d, %d, %s", g.ParallaxX, g.ParallaxY, words.Count(len(g.Layers), "layer"))
			if len(names) > 0 {
				s += ": " + strings.Join(names, ", ")
			}
			return s
		}
	}
	err := c.list(kindOfPart{typ: "group", nOld: len(c.a.Groups), to: c.Groups, oldPath: c.old.Group, newPath: c.new.Group,
		oldName: func(i int) string { return c.a.Groups[i].Name }, newName: func(j int) string { return c.b.Groups[j].Name },
		oldText: text(c.a.Groups), newText: text(c.b.Groups),
		both: func(path string, part Part, i, j int) error {
			return c.fields(path, part, groupFields(c.a.Groups[i]), groupFields(c.b.Groups[j]))
		}})
	if err != nil {
		return err
	}
	olds := placesOf(c.a)
	for j, g := range c.b.Groups {
		if err := c.layers(olds, c.Groups[j], j, g.Layers); err != nil {
			return err
		}
	}
	return c.reportRemoved(olds)
}

func (c *comparison) orphans() error { return c.layers(placesOf(c.a), -1, -1, c.b.Orphans) }

func groupFields(g *twmap.Group) []field {
	var clip, zoom any
	if g.Clip != nil {
		clip = []int32{g.Clip.X, g.Clip.Y, g.Clip.Width, g.Clip.Height}
	}
	if g.ParallaxZoom != nil {
		zoom = g.ParallaxZoom.Percent
	}
	return []field{{"version", g.Version, nil}, {"offset", []int32{g.OffsetX, g.OffsetY}, nil},
		{"parallax", []int32{g.ParallaxX, g.ParallaxY}, nil},
		{"clip", clip, nil}, {"parallax zoom", zoom, nil}}
}

// layers compares the layers of a group of the new map with those of the old group from.
func (c *comparison) layers(olds map[twmap.Layer]where, from, to int, layers []twmap.Layer) error {
	places := make([]int, len(layers)) // in the old version of the group
	for j, l := range layers {
		places[j] = -1
		if was, ok := olds[c.Layers[l]]; ok && was.group == from && (from >= 0 || to < 0) {
			places[j] = was.layer
		}
	}
	stays := merge3.InOrder(places)
	for j, l := range layers {
		old := c.Layers[l]
		is := where{to, j}
		if old == nil {
			if to >= 0 && from < 0 {
				continue // its new group was already reported
			}
			if err := c.yield(Change{Path: c.newPath(is), Part: c.layerPart(l, nil, &is), Kind: Added, New: c.describe(l, c.b)}); err != nil {
				return err
			}
			continue
		}
		was := olds[old]
		path, part := c.oldPath(was), c.layerPart(l, &was, &is)
		switch {
		case places[j] < 0:
			if err := c.yield(Change{Path: path, Part: part, Kind: Moved, Field: "group", Old: c.oldPath(was), New: c.newPath(is)}); err != nil {
				return err
			}
		case !stays[j]:
			if err := c.yield(Change{Path: path, Part: part, Kind: Moved, Old: was.layer, New: j}); err != nil {
				return err
			}
		}
		if err := c.layer(path, part, old, l); err != nil {
			return err
		}
	}
	return nil
}

// reportRemoved reports the layers that the new map does not have.
func (c *comparison) reportRemoved(olds map[twmap.Layer]where) error {
	there := make(map[twmap.Layer]bool)
	for _, old := range c.Layers {
		there[old] = true
	}
	groups := make(map[int]bool)
	for _, i := range c.Groups {
		groups[i] = true
	}
	for _, l := range c.a.Layers() {
		at := olds[l]
		if there[l] || at.group >= 0 && !groups[at.group] { // its removed group was already reported
			continue
		}
		if err := c.yield(Change{Path: c.oldPath(at), Part: c.layerPart(l, &at, nil), Kind: Removed, Old: c.describe(l, c.a)}); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) layerPart(l twmap.Layer, was, is *where) Part {
	p := Part{Type: "layer", Name: l.Base().Name}
	group := Part{Type: "group"}
	if was != nil {
		p.Was = &was.layer
		p.wasCalled = c.layerName(was)
		if was.group >= 0 {
			group.Was, group.Name = &was.group, c.a.Groups[was.group].Name
			group.wasCalled = &c.a.Groups[was.group].Name
		}
	}
	if is != nil {
		p.Is = &is.layer
		if is.group >= 0 {
			group.Is, group.Name = &is.group, c.b.Groups[is.group].Name
		}
	}
	if group.Was != nil || group.Is != nil {
		p.Group = &group
	}
	return p
}

// layerName returns a pointer to the name of a layer in the old map.
func (c *comparison) layerName(at *where) *string {
	if at.group < 0 {
		return &c.a.Orphans[at.layer].Base().Name
	}
	return &c.a.Groups[at.group].Layers[at.layer].Base().Name
}

// describe returns a short description of a layer.
func (c *comparison) describe(l twmap.Layer, m *twmap.Map) string {
	image := func(i int) string {
		if i >= 0 && i < len(m.Images) {
			return fmt.Sprintf(", image %q", m.Images[i].Name)
		}
		return ""
	}
	switch l := l.(type) {
	case *twmap.TileLayer:
		return fmt.Sprintf("%s layer, %d x %d%s", l.Kind(), l.Width(), l.Height(), image(l.Image))
	case *twmap.QuadLayer:
		return words.Count(l.NumQuads(), "quad") + image(l.Image)
	case *twmap.SoundLayer:
		return words.Count(l.NumSources(), "sound source")
	}
	return "a layer of an unknown type"
}

// refField returns a field that refers to a part of a list. It is equal for the same part, whatever the position of
// the part is.
func refField(name string, refs []uint64, index int32, path func(int) string) field {
	if index >= 0 && int(index) < len(refs) {
		return field{name, path(int(index)), refs[index]}
	}
	if index == -1 {
		return field{name, nil, uint64(1)}
	}
	return field{name, index, uint64(uint32(index)) | 1<<63}
}

// side is one of both maps, for references to its parts.
type side struct {
	prints                 *mapmatch.Prints
	image, sound, envelope func(int) string
}

func (c *comparison) sides() (old, new side) {
	return side{c.Old, c.old.Image, c.old.Sound, c.old.Envelope}, side{c.New, c.new.Image, c.new.Sound, c.new.Envelope}
}

func (s side) layerFields(l twmap.Layer) []field {
	b := l.Base()
	fields := []field{{"detail", b.Flags&twmap.Detail != 0, nil}, {"flags", int32(b.Flags &^ twmap.Detail), nil}}
	switch l := l.(type) {
	case *twmap.TileLayer:
		var auto any
		if a := l.AutoMapper; a != nil {
			auto = fmt.Sprintf("configuration %d, seed %d, automatic %v", a.Config, a.Seed, a.Automatic)
		}
		fields = append(fields, field{"version", l.Version, nil}, field{"color", []int32{l.Color.R, l.Color.G, l.Color.B, l.Color.A}, nil},
			refField("color envelope", s.prints.Envelopes, l.ColorEnv, s.envelope), field{"color envelope offset", l.ColorEnvOffset, nil},
			refField("image", s.prints.Images, int32(l.Image), s.image), field{"automapper", auto, nil})
	case *twmap.QuadLayer:
		fields = append(fields, field{"version", l.Version, nil}, refField("image", s.prints.Images, int32(l.Image), s.image))
	case *twmap.SoundLayer:
		fields = append(fields, field{"version", l.Version, nil}, field{"deprecated", l.Deprecated, nil},
			refField("sound", s.prints.Sounds, int32(l.Sound), s.sound))
	case *twmap.UnknownLayer:
		fields = append(fields, field{"type", l.Type, nil}, field{"data", l.Data, nil})
	}
	return fields
}

// layer compares two versions of a layer, which have the same kind.
func (c *comparison) layer(path string, part Part, a, b twmap.Layer) error {
	if was, is := a.Base().Name, b.Base().Name; was != is {
		if err := c.yield(Change{Path: path, Part: part, Kind: Renamed, Old: was, New: is}); err != nil {
			return err
		}
	}
	old, new := c.sides()
	if err := c.fields(path, part, old.layerFields(a), new.layerFields(b)); err != nil {
		return err
	}
	report := func(change Change) error {
		change.Path, change.in = path, &part
		if change.Part.Type == "" {
			change.Part = part
		}
		return c.yield(change)
	}
	switch b := b.(type) {
	case *twmap.TileLayer:
		return c.tiles(a.(*twmap.TileLayer), b, report)
	case *twmap.QuadLayer:
		return c.quads(a.(*twmap.QuadLayer), b, report)
	case *twmap.SoundLayer:
		return c.sources(a.(*twmap.SoundLayer), b, report)
	}
	return nil
}
