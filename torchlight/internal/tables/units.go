package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/internal/hole"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// itemBase is the file of the game that all its items are based on. It is the only one with a value that is known
// without the game: the tables of all mods show that items based on it are equipment.
const itemBase = "MEDIA/UNITS/ITEMS/BASE.DAT"

// known replaces files of the game that are unavailable.
var known = map[string]*text.Node{
	itemBase: {Items: []text.Item{&text.Property{Type: text.String, Key: "CREATEAS", Value: "EQUIPMENT"}}},
}

// unitKeys are the keys of a unit that tables use.
var unitKeys = []string{"BASEFILE", "UNIT_GUID", "NAME", "CREATEAS", "SET", "LEVEL", "MINLEVEL", "MAXLEVEL",
	"RARITY", "RARITY_HARDCORE", "UNITTYPE", "DONTCREATE"}

// keysOf returns a copy of the tree of a file that contains only the values that a table takes from it.
func keysOf(tree *text.Node) *text.Node {
	n := new(text.Node)
	for _, key := range unitKeys {
		if value, ok := tree.Get(key); ok && value != "" {
			n.Add(text.String, key, value)
		}
	}
	return n
}

// unitBuilder builds UNITDATA.
type unitBuilder struct {
	*builder
	bases   map[string]*text.Node   // keys of base files by path; nil if there is none
	missing map[string]*missingBase // missing files by path
}

// missingBase is a missing file, and what units need of it.
type missingBase struct {
	units []string
	lacks map[string]int // units by the keys that they may have from the file
}

func (b *builder) unitData() *raw.UnitData {
	u := unitBuilder{builder: b, bases: map[string]*text.Node{}, missing: map[string]*missingBase{}}
	t := new(raw.UnitData)
	for _, section := range t.Sections() {
		for file, tree := range b.scan("MEDIA/UNITS/"+strings.ToUpper(section.Name)+"/", ".DAT", byName) {
			if flag(tree, "DONTCREATE") {
				continue // it exists only as a base of others
			}
			*section.Units = append(*section.Units, u.record(file, keysOf(tree)))
		}
	}
	for _, base := range slices.Sorted(maps.Keys(u.missing)) {
		m := u.missing[base]
		from := ""
		for _, key := range unitKeys[1:] {
			if n := m.lacks[key]; n > 0 {
				from += fmt.Sprintf(", %s (%d)", key, n)
			}
		}
		if from != "" {
			from = "; their records lack its values of " + from[2:]
		}
		b.add(foundBase, m.units[0], "%s, the base of %s, is missing%s", base, words.Count(len(m.units), "unit"), from)
	}
	return t
}

// record returns the record of a unit. Values that the unit does not have come from its base files, the nearest first.
// A number that equals the default counts as absent.
func (u *unitBuilder) record(file string, own *text.Node) raw.Unit {
	chain := u.chain(file, own)
	integer := func(key string, absent int32) int32 {
		for _, link := range chain.Links {
			if value, has := link.Root.Get(key); has {
				if n := number(u.builder, link.File, key, value, text.ParseInt); n != absent {
					return n
				}
			}
		}
		return absent
	}
	r := raw.Unit{
		GUID:     -1,
		Name:     upper(chain.Get("NAME")),
		File:     file,
		Level:    integer("LEVEL", 1),
		MinLevel: integer("MINLEVEL", 0),
		MaxLevel: integer("MAXLEVEL", 0),
		Rarity:   integer("RARITY", 1),
		UnitType: chain.Get("UNITTYPE"),
	}
	r.RarityHC = integer("RARITY_HARDCORE", r.Rarity)
	if guid := chain.Get("UNIT_GUID"); guid != "" {
		r.GUID = raw.GUID(number(u.builder, file, "UNIT_GUID", guid, text.ParseInt64))
	}
	if strings.EqualFold(chain.Get("CREATEAS"), "EQUIPMENT") {
		r.Flags |= raw.Equipment
	}
	if chain.Get("SET") != "" {
		r.Flags |= raw.Set
	}
	return r
}

// chain returns a unit and its base files.
func (u *unitBuilder) chain(file string, own *text.Node) inherit.Chain {
	c := inherit.Follow(file, own, func(base string) (*text.Node, error) {
		if n := cmp.Or(u.base(base), known[base]); n != nil {
			return n, nil
		}
		return nil, fs.ErrNotExist
	})
	if errors.Is(c.Err, fs.ErrNotExist) {
		m := u.missing[c.Missing]
		if m == nil {
			m = &missingBase{lacks: make(map[string]int)}
			u.missing[c.Missing] = m
		}
		m.units = append(m.units, file)
		for _, key := range unitKeys {
			if _, has := c.Find(key); !has && key != "DONTCREATE" {
				m.lacks[key]++
			}
		}
	}
	if errors.Is(c.Err, inherit.ErrLoop) {
		at := []check.Place{text.Place{Node: inherit.Key}}
		check.Sink(func(f check.Finding) { u.found = append(u.found, f) }).AddAt(foundLoop, at, file, -1, "%s", hole.BaseLoop(c.Missing))
	}
	return c
}

// base reads a base file from the mod or else from the game; it returns nil if there is none.
func (u *unitBuilder) base(file string) *text.Node {
	if n, ok := u.bases[file]; ok {
		return n
	}
	u.bases[file] = nil
	for _, s := range []Sources{u.mod, u.builder.base} {
		if s == nil {
			continue
		}
		tree, err := s.Tree(file)
		if err == nil {
			u.bases[file] = keysOf(tree)
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			u.add(foundSource, file, "cannot be read: %v", err)
			break
		}
	}
	return u.bases[file]
}
