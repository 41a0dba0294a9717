package tables

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"trowel.example/internal/text/words"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// maxChain is the greatest number of base files of a unit.
const maxChain = 30

// itemBase is the file of the game that all its items are based on. It is the only one with a value that is known
// without the game: the tables of all mods show that items based on it are equipment.
const itemBase = "MEDIA/UNITS/ITEMS/BASE.DAT"

// known replaces files of the game that are unavailable.
var known = map[string]*unit{
	itemBase: {values: map[string]string{"CREATEAS": "EQUIPMENT"}},
}

// unit holds the values that a table takes from a file.
type unit struct {
	file   string
	values map[string]string // the values of unitKeys in the file
}

// unitKeys are the keys of a unit that tables use.
var unitKeys = []string{"BASEFILE", "UNIT_GUID", "NAME", "CREATEAS", "SET", "LEVEL", "MINLEVEL", "MAXLEVEL",
	"RARITY", "RARITY_HARDCORE", "UNITTYPE", "DONTCREATE"}

func newUnit(file string, tree *text.Node) *unit {
	u := &unit{file: file, values: map[string]string{}}
	for _, key := range unitKeys {
		if value, ok := tree.Get(key); ok {
			u.values[key] = value
		}
	}
	return u
}

// unitBuilder builds UNITDATA.
type unitBuilder struct {
	*builder
	bases   map[string]*unit    // base files by path; nil if there is none
	missing map[string][]string // missing files, and the units that need them
}

func (b *builder) unitData() *raw.UnitData {
	u := unitBuilder{builder: b, bases: map[string]*unit{}, missing: map[string][]string{}}
	t := new(raw.UnitData)
	for _, section := range t.Sections() {
		for file, tree := range b.scan("MEDIA/UNITS/"+strings.ToUpper(section.Name)+"/", ".DAT", byName) {
			own := newUnit(file, tree)
			if abstract, _ := text.ParseBool(own.values["DONTCREATE"]); abstract {
				continue // it exists only as a base of others
			}
			*section.Units = append(*section.Units, u.record(own))
		}
	}
	for _, base := range slices.Sorted(maps.Keys(u.missing)) {
		units := u.missing[base]
		b.add(foundBase, units[0], "%s, the base of %s, is missing", base, words.Count(len(units), "unit"))
	}
	return t
}

// record returns the record of a unit. Values that the unit does not have come from its base files, the nearest first.
// A number that equals the default counts as absent.
func (u *unitBuilder) record(own *unit) raw.Unit {
	chain := u.chain(own)
	str := func(key string) string {
		for _, link := range chain {
			if value := link.values[key]; value != "" {
				return value
			}
		}
		return ""
	}
	integer := func(key string, absent int32) int32 {
		for _, link := range chain {
			if value := link.values[key]; value != "" {
				if n := number(u.builder, link.file, key, value, text.ParseInt); n != absent {
					return n
				}
			}
		}
		return absent
	}
	r := raw.Unit{
		GUID:     -1,
		Name:     upper(str("NAME")),
		File:     own.file,
		Level:    integer("LEVEL", 1),
		MinLevel: integer("MINLEVEL", 0),
		MaxLevel: integer("MAXLEVEL", 0),
		Rarity:   integer("RARITY", 1),
		UnitType: str("UNITTYPE"),
	}
	r.RarityHC = integer("RARITY_HARDCORE", r.Rarity)
	if guid := str("UNIT_GUID"); guid != "" {
		r.GUID = raw.GUID(number(u.builder, own.file, "UNIT_GUID", guid, text.ParseInt64))
	}
	if strings.EqualFold(str("CREATEAS"), "EQUIPMENT") {
		r.Flags |= raw.Equipment
	}
	if str("SET") != "" {
		r.Flags |= raw.Set
	}
	return r
}

// chain returns a unit and its base files, the nearest first.
func (u *unitBuilder) chain(own *unit) []*unit {
	chain := []*unit{own}
	for link := own; link.values["BASEFILE"] != ""; {
		file := basePath(link.values["BASEFILE"])
		if file == own.file || slices.ContainsFunc(chain, func(l *unit) bool { return l.file == file }) || len(chain) > maxChain {
			u.add(foundLoop, own.file, "BASEFILE leads back to %s, or to more than %d files", file, maxChain)
			break
		}
		if link = u.base(file); link == nil {
			u.missing[file] = append(u.missing[file], own.file)
			if link = known[file]; link == nil {
				break
			}
		}
		chain = append(chain, link)
	}
	return chain
}

// basePath returns the path for the value of a BASEFILE.
func basePath(value string) string {
	file := path.Clean("/" + strings.ReplaceAll(strings.TrimSpace(upper(value)), `\`, "/"))[1:]
	if !strings.HasPrefix(file, "MEDIA/") {
		file = "MEDIA/" + file
	}
	return file
}

// base reads a base file from the mod or else from the game; it returns nil if there is none.
func (u *unitBuilder) base(file string) *unit {
	if link, ok := u.bases[file]; ok {
		return link
	}
	u.bases[file] = nil
	for _, s := range []Sources{u.mod, u.builder.base} {
		if s == nil {
			continue
		}
		tree, err := s.Tree(file)
		if err == nil {
			u.bases[file] = newUnit(file, tree)
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			u.add(foundSource, file, "cannot be read: %v", err)
			break
		}
	}
	return u.bases[file]
}
