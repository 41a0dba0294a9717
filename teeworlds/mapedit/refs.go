package mapedit

import (
	"fmt"
	"iter"
	"slices"

	"trowel.example/teeworlds/twmap"
)

// Ref is a reference of a map to an image, a sound or an envelope by its number.
type Ref struct {
	To       twmap.PartKind // PartImage, PartSound or PartEnvelope
	Number   int            // from 0; the part may be missing in the map
	Channels twmap.Channels // the kind of envelope that is expected
	Idle     bool           // it is in a physics layer, where the game ignores it
	At       twmap.Place    // the layer, or a quad or source of the layer
}

// Refs yields all references of a map to images, sounds and envelopes, in the order of its layers. It omits
// references to none, those in layers of unknown types, and quads and sources that cannot be read.
func Refs(m *twmap.Map) iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for l, part := range layers(m) {
			going := true
			visit(l, func(s *slot) {
				if n := s.get(); going && n >= 0 {
					at := part.Whole()
					if s.thing != twmap.WholePart {
						at = part.Thing(s.thing, s.index)
					}
					going = yield(Ref{s.to, n, s.channels, s.idle, at})
				}
			})
			if !going {
				return
			}
		}
	}
}

// Users returns the references to a part of a map that the game uses.
func Users(m *twmap.Map, kind twmap.PartKind, number int) []Ref {
	var users []Ref
	for r := range Refs(m) {
		if r.To == kind && r.Number == number && !r.Idle {
			users = append(users, r)
		}
	}
	return users
}

// Renumber changes all references of a map to the parts of one kind: PartImage, PartSound or PartEnvelope. to returns
// the new number of each, or -1 for none. Renumber returns the number of changes. It fails for a layer whose quads or
// sources cannot all be read, if any of them would change; then it changes nothing. It does not move the parts.
func Renumber(m *twmap.Map, kind twmap.PartKind, to func(number int) int) (int, error) {
	n := 0
	change := func(s *slot) {
		if was := s.get(); s.to == kind && was >= 0 {
			if is := to(was); is != was {
				s.put(is)
				n++
			}
		}
	}
	var changed []twmap.Layer
	for l, part := range layers(m) {
		before := n
		_, err := visit(l, change)
		if n == before {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("%s: some references to the %ss of the map cannot be read: %w", part.Path(), kind, err)
		}
		changed = append(changed, l)
	}
	all := n
	for _, l := range changed { // read again, so that only one of many large lists is in memory
		write, _ := visit(l, change)
		write()
	}
	return all, nil
}

// DropDangling changes dangling references to none, which is how the game treats them, and returns their number. It
// is called before parts are added, which would otherwise become the targets of these references.
func DropDangling(m *twmap.Map, kind twmap.PartKind) (int, error) {
	have := numberOf(m, kind)
	return Renumber(m, kind, func(i int) int {
		if i >= have {
			return -1
		}
		return i
	})
}

// numberOf returns the number of parts of a kind in a map.
func numberOf(m *twmap.Map, kind twmap.PartKind) int {
	switch kind {
	case twmap.PartImage:
		return len(m.Images)
	case twmap.PartSound:
		return len(m.Sounds)
	case twmap.PartEnvelope:
		return len(m.Envelopes)
	}
	panic(fmt.Sprintf("mapedit: nothing refers to a %s by its number", kind))
}

// slot is a field of a layer with a reference. Either wide or narrow points to the number.
type slot struct {
	to       twmap.PartKind
	channels twmap.Channels
	idle     bool
	thing    twmap.Thing
	index    int
	wide     *int   // the number, or
	narrow   *int32 // the number
}

func (s *slot) get() int {
	if s.wide != nil {
		return *s.wide
	}
	return int(*s.narrow)
}

func (s *slot) put(n int) {
	if s.wide != nil {
		*s.wide = n
	} else {
		*s.narrow = int32(n)
	}
}

// visit calls see with the references of a layer. see changes a copy; write stores the copy in the layer. On an error
// some quads or sources could not be read.
func visit(l twmap.Layer, see func(*slot)) (write func(), err error) {
	switch l := l.(type) {
	case *twmap.TileLayer:
		image, env, idle := l.Image, l.ColorEnv, l.Kind().Physics()
		see(&slot{to: twmap.PartImage, idle: idle, wide: &image})
		see(&slot{to: twmap.PartEnvelope, channels: twmap.ChannelsColor, idle: idle, narrow: &env})
		return func() { l.Image, l.ColorEnv = image, env }, nil
	case *twmap.QuadLayer:
		read, err := l.Quads()
		image, quads := l.Image, slices.Clone(read)
		see(&slot{to: twmap.PartImage, wide: &image})
		for i := range quads {
			q := &quads[i]
			see(&slot{to: twmap.PartEnvelope, channels: twmap.ChannelsPosition, thing: twmap.ThingQuad, index: i, narrow: &q.PosEnv})
			see(&slot{to: twmap.PartEnvelope, channels: twmap.ChannelsColor, thing: twmap.ThingQuad, index: i, narrow: &q.ColorEnv})
		}
		return func() {
			l.Image = image
			if !slices.Equal(quads, read) {
				l.SetQuads(quads)
				l.Store()
			}
		}, err
	case *twmap.SoundLayer:
		read, err := l.Sources()
		sound, sources := l.Sound, slices.Clone(read)
		see(&slot{to: twmap.PartSound, wide: &sound})
		for i := range sources {
			s := &sources[i]
			see(&slot{to: twmap.PartEnvelope, channels: twmap.ChannelsPosition, thing: twmap.ThingSource, index: i, narrow: &s.PosEnv})
			see(&slot{to: twmap.PartEnvelope, channels: twmap.ChannelsSound, thing: twmap.ThingSource, index: i, narrow: &s.SoundEnv})
		}
		return func() {
			l.Sound = sound
			if !slices.Equal(sources, read) {
				l.SetSources(sources)
			}
		}, err
	}
	return func() {}, nil
}

// layers yields the layers of a map with their parts, orphans last.
func layers(m *twmap.Map) iter.Seq2[twmap.Layer, *twmap.Part] {
	return func(yield func(twmap.Layer, *twmap.Part) bool) {
		for i, g := range m.Groups {
			group := &twmap.Part{Kind: twmap.PartGroup, Number: i, Name: g.Name}
			for j, l := range g.Layers {
				if !yield(l, &twmap.Part{Kind: twmap.PartLayer, Number: j, Name: l.Base().Name, Group: group}) {
					return
				}
			}
		}
		for i, l := range m.Orphans {
			if !yield(l, &twmap.Part{Kind: twmap.PartLayer, Number: i, Name: l.Base().Name}) {
				return
			}
		}
	}
}
