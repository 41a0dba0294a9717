// Package mapdiff lists the differences between two versions of a map as a person would: parts that were added,
// removed, moved and renamed, and the changes within parts that are the same (package mapmatch). A change is data;
// [Lines] formats changes as text.
package mapdiff

import (
	"bytes"
	"fmt"
	"reflect"

	"trowel.example/internal/text/words"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/internal/mapmatch"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Kind is the kind of a change.
type Kind string

// Kinds of changes.
const (
	Added    Kind = "added"    // New is a summary of the part
	Removed  Kind = "removed"  // Old is a summary of the part
	Moved    Kind = "moved"    // Old and New are the positions in the list
	Renamed  Kind = "renamed"  // Old and New are the names
	Changed  Kind = "changed"  // Old and New are the values of Field
	Replaced Kind = "replaced" // the picture, the sound: Old and New are summaries
	Resized  Kind = "resized"  // Field is height or width
	Shifted  Kind = "shifted"  // all tiles were moved, by By
	Tiles    Kind = "tiles"    // in Area all tiles were Old, and are New
)

// Change is one difference. Old is nil for additions, and New for removals. Path is the path of the part's file
// without extension, with the names of the old map: groups/Tree/Leaves.
type Change struct {
	Path  string `json:"path"`
	Part  Part   `json:"part"`
	Kind  Kind   `json:"change"`
	Field string `json:"field,omitempty"`
	Old   any    `json:"old,omitempty"`
	New   any    `json:"new,omitempty"`
	By    any    `json:"by,omitempty"` // the distance: pixels for quads, columns and rows for tiles
	Area  *Area  `json:"area,omitempty"`
	At    []Cut  `json:"at,omitempty"`

	in         *Part // the layer or envelope of a quad, source or point
	rows, cols []int // for a tile layer: the old index of each row and column of the new layer, -1 for none
}

// Part is a part of a map, or of a layer or envelope.
type Part struct {
	Type string `json:"type"`           // map, setting, image, sound, envelope, group, layer, quad, source, point, item
	Name string `json:"name,omitempty"` // in the map
	Was  *int   `json:"was,omitempty"`  // its number in its list in the old map, from 0
	Is   *int   `json:"is,omitempty"`   // its number in the new map

	Group *Part `json:"group,omitempty"` // the group of a layer

	wasCalled *string // its name in the old map; nil if the name is the same
}

// Cut describes rows or columns that were added or removed.
type Cut struct {
	Unit   string `json:"unit"` // row or column
	Number int    `json:"number"`
	From   int    `json:"from"` // the number of the first, in the old map if removed, or in the new map if added
	Added  bool   `json:"added"`
	First  bool   `json:"-"` // before all others
	Last   bool   `json:"-"` // after all others
}

// Compare calls yield for each difference between two maps, and stops if yield fails. It compares everything that can
// be read; [twmap.Map.ReportLosses] reports the rest.
func Compare(old, new *mapdir.Names, yield func(Change) error) error {
	a, b := old.Map(), new.Map()
	m := match(a, b)
	c := &comparison{Matches: m, a: a, b: b, old: old, new: old.For(b), yield: yield}
	for _, step := range []func() error{c.info, c.images, c.sounds, c.envelopes, c.groups, c.orphans, c.extras} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// match matches the parts of two maps. If the whole map was extended or cropped, the old parts are moved first.
func match(a, b *twmap.Map) *mapmatch.Matches {
	framed := mapedit.Framed(a, b)
	if framed == (mapedit.Sides{}) {
		return mapmatch.Match(a, b)
	}
	moved := a.Clone()
	if mapedit.New(moved, nil).Frame(framed) != nil {
		return mapmatch.Match(a, b)
	}
	m := mapmatch.Match(moved, b)
	was := make(map[twmap.Layer]twmap.Layer)
	olds := a.Layers()
	for i, l := range moved.Layers() {
		was[l] = olds[i]
	}
	for is, l := range m.Layers {
		m.Layers[is] = was[l]
	}
	return m
}

type comparison struct {
	*mapmatch.Matches
	a, b     *twmap.Map
	old, new *mapdir.Names
	yield    func(Change) error
}

// field is a compared property of a part: value is printed, and id is compared if it is not nil.
type field struct {
	name  string
	value any
	id    any
}

// fields compares the fields of two versions of a part.
func (c *comparison) fields(path string, part Part, old, new []field) error {
	for i, f := range new {
		was := old[i]
		if f.id != nil && was.id == f.id || f.id == nil && reflect.DeepEqual(was.value, f.value) {
			continue
		}
		is := f.value
		if f.id != nil && is != nil && reflect.DeepEqual(was.value, is) {
			is = fmt.Sprintf("%v (a different one with that name)", is)
		}
		if err := c.yield(Change{Path: path, Part: part, Kind: Changed, Field: f.name, Old: was.value, New: is}); err != nil {
			return err
		}
	}
	return nil
}

// pairs compares two versions of a list; to holds the old index of each new element. It reports moved, added and
// removed elements, and calls both for elements in both versions.
func (c *comparison) pairs(nOld int, to []int, moved func(i, j int) error, added, removed func(i int) error,
	both func(i, j int) error) error {
	stays := merge3.InOrder(to)
	there := make([]bool, nOld)
	for j, i := range to {
		if i < 0 {
			if err := added(j); err != nil {
				return err
			}
			continue
		}
		there[i] = true
		if !stays[j] {
			if err := moved(i, j); err != nil {
				return err
			}
		}
		if err := both(i, j); err != nil {
			return err
		}
	}
	for i, there := range there {
		if !there {
			if err := removed(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// partOf describes a part with index i in the old map and j in the new one, -1 for none.
func partOf(typ, name string, i, j int) Part {
	p := Part{Type: typ, Name: name}
	if i >= 0 {
		p.Was = &i
	}
	if j >= 0 {
		p.Is = &j
	}
	return p
}

// kindOfPart describes how lists of parts of one kind are compared.
type kindOfPart struct {
	typ              string
	nOld             int
	to               []int
	oldPath, newPath func(int) string
	oldName, newName func(int) string
	oldText, newText func(int) string // a summary of the part
	both             func(path string, part Part, i, j int) error
}

func (c *comparison) list(k kindOfPart) error {
	inBoth := func(i, j int) Part {
		part := partOf(k.typ, k.newName(j), i, j)
		was := k.oldName(i)
		part.wasCalled = &was
		return part
	}
	return c.pairs(k.nOld, k.to,
		func(i, j int) error {
			return c.yield(Change{Path: k.oldPath(i), Part: inBoth(i, j), Kind: Moved, Old: i, New: j})
		},
		func(j int) error {
			return c.yield(Change{Path: k.newPath(j), Part: partOf(k.typ, k.newName(j), -1, j), Kind: Added, New: k.newText(j)})
		},
		func(i int) error {
			return c.yield(Change{Path: k.oldPath(i), Part: partOf(k.typ, k.oldName(i), i, -1), Kind: Removed, Old: k.oldText(i)})
		},
		func(i, j int) error {
			part := inBoth(i, j)
			if was, is := k.oldName(i), k.newName(j); was != is {
				if err := c.yield(Change{Path: k.oldPath(i), Part: part, Kind: Renamed, Old: was, New: is}); err != nil {
					return err
				}
			}
			return k.both(k.oldPath(i), part, i, j)
		})
}

func (c *comparison) info() error {
	a, b := c.a.Info, c.b.Info
	if a == nil {
		a = &twmap.Info{}
	}
	if b == nil {
		b = &twmap.Info{}
	}
	of := func(m *twmap.Map, i *twmap.Info) []field {
		return []field{{"format", m.Version, nil}, {"author", i.Author, nil}, {"version", i.MapVersion, nil},
			{"credits", i.Credits, nil}, {"license", i.License, nil}}
	}
	if err := c.fields("map", Part{Type: "map"}, of(c.a, a), of(c.b, b)); err != nil {
		return err
	}
	to := mapmatch.InOrder(a.Settings, b.Settings, func(line string) string { return line })
	return c.pairs(len(a.Settings), to,
		func(i, j int) error {
			return c.yield(Change{Path: "settings", Part: partOf("setting", b.Settings[j], i, j), Kind: Moved, Old: i, New: j})
		},
		func(j int) error {
			return c.yield(Change{Path: "settings", Part: partOf("setting", "", -1, j), Kind: Added, New: b.Settings[j]})
		},
		func(i int) error {
			return c.yield(Change{Path: "settings", Part: partOf("setting", "", i, -1), Kind: Removed, Old: a.Settings[i]})
		},
		func(int, int) error { return nil })
}

func (c *comparison) images() error {
	text := func(images []*twmap.Image) func(int) string {
		return func(i int) string {
			where := "embedded"
			if images[i].External() {
				where = "external"
			}
			return fmt.Sprintf("%s, %d x %d pixels", where, images[i].Width(), images[i].Height())
		}
	}
	return c.list(kindOfPart{typ: "image", nOld: len(c.a.Images), to: c.Images, oldPath: c.old.Image, newPath: c.new.Image,
		oldName: func(i int) string { return c.a.Images[i].Name }, newName: func(j int) string { return c.b.Images[j].Name },
		oldText: text(c.a.Images), newText: text(c.b.Images),
		both: func(path string, part Part, i, j int) error {
			a, b := c.a.Images[i], c.b.Images[j]
			of := func(im *twmap.Image) []field {
				return []field{{"version", im.Version, nil}, {"variant", im.Variant, nil}}
			}
			if err := c.fields(path, part, of(a), of(b)); err != nil {
				return err
			}
			was, is := text(c.a.Images)(i), text(c.b.Images)(j)
			if was == is && a.External() {
				return nil
			}
			if was == is {
				p, _ := a.Picture()
				q, _ := b.Picture()
				if p == nil && q == nil || p != nil && q != nil && bytes.Equal(p.Pix, q.Pix) {
					return nil
				}
				n := 0
				if p != nil && q != nil {
					for k := 0; k+4 <= min(len(p.Pix), len(q.Pix)); k += 4 {
						if [4]byte(p.Pix[k:]) != [4]byte(q.Pix[k:]) {
							n++
						}
					}
				}
				is = is + ", a difference of " + words.Count(n, "pixel")
			}
			return c.yield(Change{Path: path, Part: part, Kind: Replaced, Old: was, New: is})
		}})
}

func (c *comparison) sounds() error {
	text := func(sounds []*twmap.Sound) func(int) string {
		return func(i int) string {
			opus, _ := sounds[i].Opus()
			return words.Count(len(opus), "byte")
		}
	}
	of := func(s *twmap.Sound) []field {
		return []field{{"version", s.Version, nil}, {"external", s.External(), nil}}
	}
	return c.list(kindOfPart{typ: "sound", nOld: len(c.a.Sounds), to: c.Sounds, oldPath: c.old.Sound, newPath: c.new.Sound,
		oldName: func(i int) string { return c.a.Sounds[i].Name }, newName: func(j int) string { return c.b.Sounds[j].Name },
		oldText: text(c.a.Sounds), newText: text(c.b.Sounds),
		both: func(path string, part Part, i, j int) error {
			if err := c.fields(path, part, of(c.a.Sounds[i]), of(c.b.Sounds[j])); err != nil {
				return err
			}
			a, _ := c.a.Sounds[i].Opus()
			b, _ := c.b.Sounds[j].Opus()
			if bytes.Equal(a, b) {
				return nil
			}
			return c.yield(Change{Path: path, Part: part, Kind: Replaced, Old: text(c.a.Sounds)(i), New: text(c.b.Sounds)(j)})
		}})
}

func (c *comparison) envelopes() error {
	text := func(envelopes []*twmap.Envelope) func(int) string {
		return func(i int) string {
			return fmt.Sprintf("%s, %s", envelopes[i].Channels, words.Count(len(envelopes[i].Points), "point"))
		}
	}
	return c.list(kindOfPart{typ: "envelope", nOld: len(c.a.Envelopes), to: c.Envelopes, oldPath: c.old.Envelope, newPath: c.new.Envelope,
		oldName: func(i int) string { return c.a.Envelopes[i].Name }, newName: func(j int) string { return c.b.Envelopes[j].Name },
		oldText: text(c.a.Envelopes), newText: text(c.b.Envelopes),
		both: func(path string, part Part, i, j int) error {
			a, b := c.a.Envelopes[i], c.b.Envelopes[j]
			of := func(e *twmap.Envelope) []field {
				return []field{{"version", e.Version, nil}, {"synchronized", e.Synchronized, nil}}
			}
			if err := c.fields(path, part, of(a), of(b)); err != nil {
				return err
			}
			return c.points(path, part, a, b)
		}})
}

// extras compares the items of unknown types.
func (c *comparison) extras() error {
	text := func(extras []*twmap.Extra) []string {
		var list []string
		for _, e := range extras {
			typ := fmt.Sprint(e.Type)
			if e.UUID != nil {
				typ = e.UUID.String()
			}
			list = append(list, fmt.Sprintf("type %s, id %d, %d", typ, e.ID, e.Data))
		}
		return list
	}
	a, b := text(c.a.Extras), text(c.b.Extras)
	to := mapmatch.InOrder(a, b, func(s string) string { return s })
	none := func(int, int) error { return nil }
	return c.pairs(len(a), to, none,
		func(j int) error {
			return c.yield(Change{Path: "map", Part: partOf("item", "", -1, j), Kind: Added, New: b[j]})
		},
		func(i int) error {
			return c.yield(Change{Path: "map", Part: partOf("item", "", i, -1), Kind: Removed, Old: a[i]})
		}, none)
}
