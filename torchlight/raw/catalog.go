package raw

import (
	"fmt"
	"iter"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/text"
)

// Catalog lists the findings that [Check] and [CheckFiles] can report.
var Catalog check.Catalog

var (
	foundUnreadable = Catalog.Add("tl-raw-unreadable", check.Error,
		"The table cannot be read.",
		"Delete the table and build it again from the sources.")
	foundGUID = Catalog.Add("tl-raw-guid", check.Error,
		"Two records of a table have the same GUID, so the game uses only one of them.",
		"Give one of the sources a new GUID and build the table again.")
	foundNoGUID = Catalog.Add("tl-raw-no-guid", check.Warning,
		"A skill or unit has no GUID: saved games cannot refer to it.",
		"Give the source a GUID and build the table again.")
	foundFile = Catalog.Add("tl-raw-file", check.Warning,
		"Two records name the same file, but each file must have one record.",
		"Build the table again from the sources.")
	foundEnum = Catalog.Add("tl-raw-enum", check.Error,
		"A menu has a type or game state that the game does not have.",
		"Correct TYPE or GAME STATE in the layout and build the table again.")
	foundFlags = Catalog.Add("tl-raw-flags", check.Warning,
		"A byte of flags has a bit without a meaning.",
		"Build the table again from the sources.")
	foundCase = Catalog.Add("tl-raw-case", check.Error,
		"The path of a source is not in upper case, so the game does not find the file.",
		"Build the table again from the sources.")
	foundRange = Catalog.Add("tl-raw-range", check.Warning,
		"A lowest level is above the highest level.",
		"Correct the levels in the source and build the table again.")
	foundMissing = Catalog.Add("tl-raw-missing", check.Warning,
		"A table names a missing file.",
		"Build the table again from the sources.")
)

// Check reports problems that are visible in a table alone. The path, for example "MEDIA/SKILLS.RAW", gives the kind of
// the table.
func Check(data []byte, path string, sink check.Sink) {
	sink = text.AtNodes(sink)
	k, err := kindOf(data, path)
	if err != nil {
		sink.Add(foundUnreadable, "", -1, "%v", err)
		return
	}
	t, err := Decode(data, k)
	if err != nil {
		sink.Add(foundUnreadable, "", -1, "%v", err)
		return
	}
	c := checker{Sink: sink, guids: map[GUID]string{}, files: map[string]string{}}
	for place, file := range Records(t) {
		c.file(place, file)
	}
	switch t := t.(type) {
	case *Affixes:
		for i, a := range t.Affixes {
			c.levels(fmt.Sprintf("affixes[%d]", i), a.MinSpawnRange, a.MaxSpawnRange)
		}
	case *RoomPieces:
		for i, s := range t.LevelSets {
			clear(c.guids) // different level sets may share pieces
			for j, g := range s.Pieces {
				c.guid(fmt.Sprintf("levelsets[%d].pieces[%d]", i, j), g)
			}
		}
	case *Skills:
		for i, s := range t.Skills {
			c.guid(fmt.Sprintf("skills[%d]", i), s.GUID)
		}
	case *UI:
		for i, m := range t.Menus {
			c.menu(fmt.Sprintf("menus[%d]", i), m)
		}
	case *UnitData:
		for _, s := range t.Sections() {
			for i, u := range *s.Units {
				c.unit(fmt.Sprintf("%s[%d]", s.Name, i), u)
			}
		}
	}
}

type checker struct {
	check.Sink
	guids map[GUID]string   // path of the first occurrence of each GUID
	files map[string]string // the same for each file
}

func (c *checker) file(place, file string) {
	if file != strings.ToUpper(file) {
		c.Add(foundCase, place, -1, "the path %q is not in upper case", file)
	}
	if first, twice := c.files[file]; twice {
		c.Add(foundFile, place, -1, "%s is already in %s", file, first)
		return
	}
	c.files[file] = place
}

func (c *checker) guid(place string, g GUID) {
	if g == -1 {
		c.Add(foundNoGUID, place, -1, "the GUID is missing")
		return
	}
	if first, twice := c.guids[g]; twice {
		c.Add(foundGUID, place, -1, "the GUID %d already belongs to %s", g, first)
		return
	}
	c.guids[g] = place
}

func (c *checker) levels(place string, lowest, highest int32) {
	if lowest > highest {
		c.Add(foundRange, place, -1, "the lowest level is %d, the highest %d", lowest, highest)
	}
}

func (c *checker) menu(place string, m Menu) {
	if !m.Type.Known() {
		c.Add(foundEnum, place+".type", -1, "the menu %q has the unknown type %d", m.Name, int32(m.Type))
	}
	if !m.GameState.Known() {
		c.Add(foundEnum, place+".game_state", -1, "the menu %q has the unknown game state %d", m.Name, int32(m.GameState))
	}
	if m.CreateOnLoad > 1 || m.MultiplayerOnly > 1 || m.SingleplayerOnly > 1 {
		c.Add(foundFlags, place, -1, "a flag of the menu %q is neither 0 nor 1", m.Name)
	}
}

func (c *checker) unit(place string, u Unit) {
	c.guid(place, u.GUID)
	if u.MaxLevel != 0 { // 0 means that the unit has no MAXLEVEL
		c.levels(place, u.MinLevel, u.MaxLevel)
	}
	if bits := u.Flags.Unknown(); bits != 0 {
		c.Add(foundFlags, place+".flags", -1, "the unit %q has the unknown flags %#x", u.Name, uint8(bits))
	}
}

// Records yields the place of each record, for example "skills[3]", and the file that the record describes, in the
// order of the table.
func Records(t Table) iter.Seq2[string, string] {
	switch t := t.(type) {
	case *Affixes:
		return records("affixes", t.Affixes, func(a Affix) string { return a.File })
	case *Missiles:
		return records("layouts", t.Layouts, func(l MissileLayout) string { return l.File })
	case *RoomPieces:
		return records("levelsets", t.LevelSets, func(s LevelSet) string { return s.File })
	case *Skills:
		return records("skills", t.Skills, func(s Skill) string { return s.File })
	case *Triggerables:
		return records("triggerables", t.Triggerables, func(a Triggerable) string { return a.File })
	case *UI:
		return records("menus", t.Menus, func(m Menu) string { return m.File })
	case *UnitData:
		return func(yield func(string, string) bool) {
			for _, s := range t.Sections() {
				for place, file := range records(s.Name, *s.Units, func(u Unit) string { return u.File }) {
					if !yield(place, file) {
						return
					}
				}
			}
		}
	}
	return func(func(string, string) bool) {}
}

func records[T any](name string, items []T, file func(T) string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i, item := range items {
			if !yield(fmt.Sprintf("%s[%d]", name, i), file(item)) {
				return
			}
		}
	}
}

// CheckFiles reports the files that a table names and that do not exist. It calls exist with paths in upper case, for
// example "MEDIA/SKILLS/X.DAT".
func CheckFiles(t Table, exist func(path string) bool, sink check.Sink) {
	sink = text.AtNodes(sink)
	for place, file := range Records(t) {
		if !exist(strings.ToUpper(file)) {
			sink.Add(foundMissing, place, -1, "%s is missing", file)
		}
	}
}
