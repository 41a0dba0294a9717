// Package mapmerge merges the work of two people on a map part by part (package mapmatch): groups, layers, images and
// envelopes; a layer tile by tile; quads by their properties; settings line by line.
package mapmerge

import (
	"fmt"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/values/deep"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/internal/mapmatch"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Merge returns base with the changes of both sides. It does not modify the three maps. It fails if a map refers to
// its parts in layers that cannot be read.
//
// A change of one side is taken from that side, and equal changes of both sides are taken once. Parts that nobody
// changed, or only ours, keep their compressed bytes. Rows and columns that a side added or removed move the changes
// of the other side. If a side mirrored, rotated, extended or cropped the map, or turned a layer, the same is done to the
// changes of the other side.
func Merge(base, ours, theirs *twmap.Map, o merge3.Options) (*twmap.Map, []check.Conflict, error) {
	m := &merger{log: merge3.Log{Options: o}, b: base.Clone(), o: ours.Clone(), t: theirs.Clone(),
		paths: make(map[any]string), parts: make(map[any]*twmap.Part)}
	err := m.merge()
	if err == nil && len(ours.Misfits())+len(theirs.Misfits()) == 0 {
		for _, l := range m.o.Fit() {
			m.took(l, "version 4 became 3, which the other parts of the merged map need")
		}
	}
	if err == nil {
		err = m.references()
	}
	conflicts, err := m.log.End(err)
	return m.o, conflicts, err
}

// merge merges all parts; references still have the numbers of renumber.
func (m *merger) merge() error {
	m.ours, m.yours = mapmatch.Match(m.b, m.o), mapmatch.Match(m.b, m.t)
	turned, err := m.turnSides()
	if err != nil {
		return err
	}
	framed, err := m.frameSides()
	if err != nil {
		return err
	}
	m.ours, m.yours = mapmatch.Match(m.b, m.o), mapmatch.Match(m.b, m.t)
	m.name()
	m.match()
	m.reportTurn(turned)
	m.reportFrame(framed)
	if err := m.renumber(); err != nil {
		return err
	}
	m.version()
	m.info()
	m.images()
	m.sounds()
	m.envelopes()
	m.gameGeometry()
	m.groups()
	m.extras()
	return nil
}

// merger merges maps. It works on clones, and turns the clone of ours into the merged map. After renumber, equal
// images, sounds and envelopes have the same numbers in all maps.
type merger struct {
	log     merge3.Log
	b, o, t *twmap.Map

	ours, yours *mapmatch.Matches // matches of ours and theirs with base
	image       *list[twmap.Image]
	sound       *list[twmap.Sound]
	envelope    *list[twmap.Envelope]
	group       *list[twmap.Group]
	layer       []layerTriple
	game        *geometry // of physics layers; nil if no side resized them

	paths map[any]string      // of all parts of the three maps
	parts map[any]*twmap.Part // for places
}

type layerTriple = three[twmap.Layer] // nil where it is missing

// mapFile and settingsFile are the paths for the information and the settings of a map, which are separate files.
const mapFile, settingsFile = "map", "settings"

// name assigns paths to the parts of the maps: those of base if it has the part, otherwise their own.
func (m *merger) name() {
	m.paths[mapFile], m.paths[settingsFile] = mapFile, settingsFile
	for _, one := range []*twmap.Map{m.t, m.o, m.b} {
		names := mapdir.NamesOf(one)
		give := func(part any, path string, kind twmap.PartKind, i int, name string, group *twmap.Part) *twmap.Part {
			m.paths[part] = path
			p := &twmap.Part{Kind: kind, Number: i, Name: name, Group: group}
			m.parts[part] = p
			return p
		}
		for i, im := range one.Images {
			give(im, names.Image(i), twmap.PartImage, i, im.Name, nil)
		}
		for i, s := range one.Sounds {
			give(s, names.Sound(i), twmap.PartSound, i, s.Name, nil)
		}
		for i, e := range one.Envelopes {
			give(e, names.Envelope(i), twmap.PartEnvelope, i, e.Name, nil)
		}
		for i, g := range one.Groups {
			group := give(g, names.Group(i), twmap.PartGroup, i, g.Name, nil)
			for j, l := range g.Layers {
				give(l, names.Layer(i, j), twmap.PartLayer, j, l.Base().Name, group)
			}
		}
		for i, l := range one.Orphans {
			give(l, names.Orphan(i), twmap.PartLayer, i, l.Base().Name, nil)
		}
	}
}

// match finds the parts that are the same.
func (m *merger) match() {
	both := mapmatch.Match(m.o, m.t)
	m.image = newList(twmap.PartImage, three[[]*twmap.Image]{m.b.Images, m.o.Images, m.t.Images},
		matches{m.ours.Images, m.yours.Images, both.Images}, func(o, t *twmap.Image) bool {
			return o.Name == t.Name && samePicture(o, t)
		})
	m.sound = newList(twmap.PartSound, three[[]*twmap.Sound]{m.b.Sounds, m.o.Sounds, m.t.Sounds},
		matches{m.ours.Sounds, m.yours.Sounds, both.Sounds}, func(o, t *twmap.Sound) bool {
			return o.Name == t.Name && sameSound(o, t)
		})
	m.envelope = newList(twmap.PartEnvelope, three[[]*twmap.Envelope]{m.b.Envelopes, m.o.Envelopes, m.t.Envelopes},
		matches{m.ours.Envelopes, m.yours.Envelopes, both.Envelopes}, deep.Equal)
	m.group = newList(twmap.PartGroup, three[[]*twmap.Group]{m.b.Groups, m.o.Groups, m.t.Groups},
		matches{m.ours.Groups, m.yours.Groups, both.Groups}, func(o, t *twmap.Group) bool {
			return o.Name == t.Name && both.Old.GroupAttributes(o) == both.New.GroupAttributes(t)
		})

	from := make(map[twmap.Layer]*layerTriple) // by the layer of base
	var all []*layerTriple
	for _, l := range m.b.Layers() {
		from[l] = &layerTriple{b: l}
		all = append(all, from[l])
	}
	of := make(map[twmap.Layer]*layerTriple) // new layers, by the layer of ours
	for _, l := range m.o.Layers() {
		if b := m.ours.Layers[l]; b != nil {
			from[b].o = l
			continue
		}
		of[l] = &layerTriple{o: l}
		all = append(all, of[l])
	}
	for _, l := range m.t.Layers() {
		if b := m.yours.Layers[l]; b != nil {
			from[b].t = l
			continue
		}
		if o := both.Layers[l]; o != nil && of[o] != nil && of[o].t == nil &&
			both.Old.Attributes(o) == both.New.Attributes(l) && both.Old.Content(o).Sum == both.New.Content(l).Sum {
			of[o].t = l
			continue
		}
		all = append(all, &layerTriple{t: l})
	}
	m.layer = make([]layerTriple, 0, len(all))
	for _, l := range all {
		m.layer = append(m.layer, *l)
	}
	m.joinPhysics()
}

// joinPhysics joins physics layers of the same kind that both sides added, because a map can have only one.
func (m *merger) joinPhysics() {
	added := make(map[twmap.Kind]int)
	for i, l := range m.layer {
		if t, ok := l.o.(*twmap.TileLayer); ok && l.b == nil && l.t == nil && t.Kind().Physics() {
			added[t.Kind()] = i
		}
	}
	m.layer = slices.DeleteFunc(m.layer, func(l layerTriple) bool {
		t, ok := l.t.(*twmap.TileLayer)
		if !ok || l.b != nil || l.o != nil {
			return false
		}
		i, both := added[t.Kind()]
		if both {
			m.layer[i].t = t
			delete(added, t.Kind())
		}
		return both
	})
}

// dangling is added to references to parts that a map does not have, where another map has such a part.
const dangling = 1 << 24

// renumber gives the same images, sounds and envelopes the same numbers in all three maps.
func (m *merger) renumber() error {
	for _, kind := range []struct {
		kind twmap.PartKind
		list []triple
	}{{twmap.PartImage, m.image.triples}, {twmap.PartSound, m.sound.triples}, {twmap.PartEnvelope, m.envelope.triples}} {
		for side, one := range []*twmap.Map{m.b, m.o, m.t} {
			lost := -1
			to := make(map[int]int)
			for i, t := range kind.list {
				to[t.sides()[side]] = i
			}
			_, err := mapedit.Renumber(one, kind.kind, func(i int) int {
				is, known := to[i]
				switch {
				case known:
					return is
				case i < len(kind.list):
					return i + dangling
				case i >= dangling && i < dangling+len(kind.list):
					lost = i
				}
				return i
			})
			if lost >= 0 {
				err = fmt.Errorf("a layer refers to %s %d, which does not exist: correct the number, then merge", kind.kind, lost)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// references updates the references of the merged map to the final numbers of its parts. A part that one side removed
// and the other uses is kept.
func (m *merger) references() error {
	err := finish(m, m.image, &m.o.Images)
	if err == nil {
		err = finish(m, m.sound, &m.o.Sounds)
	}
	if err == nil {
		err = finish(m, m.envelope, &m.o.Envelopes)
	}
	return err
}

func finish[T any](m *merger, l *list[T], parts *[]*T) error {
	is := make(map[int]int)
	for at, i := range l.order {
		is[i] = at
	}
	for r := range mapedit.Refs(m.o) {
		if _, there := is[r.Number]; r.To != l.kind || r.Idle || there || r.Number >= len(l.triples) {
			continue
		}
		is[r.Number] = len(*parts)
		p := l.part(r.Number)
		*parts = append(*parts, p)
		m.took(p, "kept, because it is used")
	}
	_, err := mapedit.Renumber(m.o, l.kind, func(i int) int {
		switch at, there := is[i]; {
		case i >= dangling && i < dangling+len(l.triples):
			return i - dangling
		case i >= len(l.triples):
			return i
		case there:
			return at
		}
		return -1
	})
	return err
}
