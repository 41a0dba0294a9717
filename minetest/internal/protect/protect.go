// Package protect reads the protection data of common mods: areas.dat of the mod areas, in both of its formats, and
// the metadata of protectors, which are nodes.
package protect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"trowel.example/fault"
	"trowel.example/internal/text/luatable"
	"trowel.example/internal/text/strictjson"
)

// AreasFile is the name of the file of the mod areas in the world's folder.
const AreasFile = "areas.dat"

// Area is an area of the mod areas: a box that a player owns.
type Area struct {
	ID       int // as displayed to players, from 1
	Name     string
	Owner    string
	Min, Max [3]int   // the corners in nodes, both inside the area
	Parent   int      // the area that contains this one, 0 for none
	Open     bool     // everybody may build
	Factions []string // factions whose members may build as well

	owner literal
}

// literal is the position of the owner in the file.
type literal struct {
	start, end int
	name       string
}

// Contains reports whether a node is in the area.
func (a *Area) Contains(pos [3]int) bool {
	for i, v := range pos {
		if v < a.Min[i] || v > a.Max[i] {
			return false
		}
	}
	return true
}

// Areas is the content of areas.dat.
type Areas struct {
	// List has all areas, in the order of their numbers. Callers may change only their Owner.
	List []Area

	text []byte
	lua  bool
}

// ParseAreas reads areas.dat: JSON, or the output of core.serialize in older versions of the mod. It does not run the
// Lua code.
func ParseAreas(text []byte) (*Areas, error) {
	a := &Areas{text: bytes.Clone(text)}
	start := bytes.TrimSpace(text)
	if string(start) == "null" { // no areas
		return a, nil
	}
	if len(bytes.Trim(start, "\x00")) == 0 {
		return nil, &fault.Error{File: AreasFile, Offset: -1, Want: "areas, or null", Got: "an empty file, or zero bytes: the areas are lost " +
			"(restore the file from a backup, or remove it if there are none)", Err: fault.ErrFormat}
	}
	a.lua = !bytes.HasPrefix(start, []byte("[")) && !json.Valid(start)
	if err := a.read(); err != nil {
		return nil, fault.InFile(err, AreasFile)
	}
	sort.SliceStable(a.List, func(i, j int) bool { return a.List[i].ID < a.List[j].ID })
	return a, nil
}

// wrong returns the error about a field of an area.
func wrong(id int, field string, at int, want string) error {
	return &fault.Error{Path: fmt.Sprintf("areas[%d].%s", id, field), Offset: int64(at), Want: want, Got: "something else",
		Err: fault.ErrFormat}
}

// corners sets Min and Max from two opposite corners.
func (a *Area) corners(p, q [3]int) {
	for i := range p {
		a.Min[i], a.Max[i] = min(p[i], q[i]), max(p[i], q[i])
	}
}

// whole rounds a coordinate to that of a node.
func whole(v float64) int { return int(math.Round(min(max(v, math.MinInt32), math.MaxInt32))) }

// parseJSON parses a text of JSON as if it were a Lua table.
func parseJSON(text []byte) (luatable.Value, error) {
	v, bad := strictjson.Parse(text)
	if bad != nil {
		return luatable.Value{}, &fault.Error{Path: "json", Offset: -1, Want: "a list of areas", Got: bad.Error(), Err: fault.ErrFormat}
	}
	return tableOf(v), nil
}

func tableOf(v strictjson.Value) luatable.Value {
	t := luatable.Value{Text: v.Text, Start: v.At, End: v.End}
	switch v.Kind {
	case '"':
		t.Kind = luatable.String
	case 't', 'f':
		t.Kind, t.Bool = luatable.Bool, v.Kind == 't'
	case '0':
		if n, err := strconv.ParseFloat(v.Text, 64); err == nil {
			t.Kind, t.Number = luatable.Number, n
		}
	case '{', '[':
		t.Kind, t.Table = luatable.TableKind, new(luatable.Table)
		for i, e := range v.List {
			key := luatable.Value{Kind: luatable.Number, Number: float64(i + 1)}
			t.Table.Entries = append(t.Table.Entries, luatable.Entry{Key: key, Value: tableOf(e)})
		}
		for _, m := range v.Members {
			key := luatable.Value{Kind: luatable.String, Text: m.Key, Start: m.At}
			t.Table.Entries = append(t.Table.Entries, luatable.Entry{Key: key, Value: tableOf(m.Value)})
		}
	}
	return t
}

// add adds an area. An area without corners or an owner is an error.
func (a *Areas) add(area Area, corners [2][3]int, has [2]bool, at int) error {
	if area.owner.end == 0 {
		return wrong(area.ID, "owner", at, "a name")
	}
	for i, field := range []string{"pos1", "pos2"} {
		if !has[i] {
			return wrong(area.ID, field, at, "a position")
		}
	}
	area.corners(corners[0], corners[1])
	a.List = append(a.List, area)
	return nil
}

func (a *Areas) read() error {
	parse := parseJSON
	if a.lua {
		parse = luatable.Parse
	}
	root, err := parse(a.text)
	if err != nil {
		return err
	}
	if root.Kind != luatable.TableKind {
		return wrong(0, "", root.Start, "a list of areas")
	}
	for _, e := range root.Table.Entries {
		id := whole(e.Key.Number)
		if e.Key.Kind == luatable.String {
			id, err = strconv.Atoi(e.Key.Text)
		}
		if e.Key.Kind != luatable.Number && (e.Key.Kind != luatable.String || err != nil) {
			return wrong(0, "", e.Key.Start, "the number of an area")
		}
		if e.Value.Kind == luatable.Nil {
			continue
		}
		if e.Value.Kind != luatable.TableKind {
			return wrong(id, "", e.Value.Start, "a table")
		}
		t := e.Value.Table
		owner, open := t.Get("owner"), t.Get("open")
		area := Area{ID: id, Name: t.Get("name").Text, Owner: owner.Text, Parent: whole(t.Get("parent").Number), Open: open.Bool}
		if owner.Kind == luatable.String {
			area.owner = literal{owner.Start, owner.End, owner.Text}
		}
		if f := t.Get("faction_open"); f.Kind == luatable.TableKind {
			for _, v := range f.Table.List() {
				area.Factions = append(area.Factions, v.Text)
			}
		}
		var corners [2][3]int
		var has [2]bool
		for i, field := range []string{"pos1", "pos2"} {
			pos := t.Get(field)
			if pos.Kind != luatable.TableKind {
				continue
			}
			has[i] = true
			for axis, name := range []string{"x", "y", "z"} {
				v := pos.Table.Get(name)
				has[i] = has[i] && v.Kind == luatable.Number
				corners[i][axis] = whole(v.Number)
			}
		}
		if err := a.add(area, corners, has, e.Value.Start); err != nil {
			return err
		}
	}
	return nil
}

// At returns the areas that contain a node.
func (a *Areas) At(pos [3]int) (list []*Area) {
	for i := range a.List {
		if a.List[i].Contains(pos) {
			list = append(list, &a.List[i])
		}
	}
	return list
}

// Of returns the areas of an owner.
func (a *Areas) Of(owner string) (list []*Area) {
	for i := range a.List {
		if a.List[i].Owner == owner {
			list = append(list, &a.List[i])
		}
	}
	return list
}

// Rename changes the owner of all areas of an owner, and returns their number.
func (a *Areas) Rename(from, to string) int {
	list := a.Of(from)
	for _, area := range list {
		area.Owner = to
	}
	return len(list)
}

// Append appends the file to dst, unchanged except for changed owners.
func (a *Areas) Append(dst []byte) []byte {
	changed := make(map[int]*Area) // by the position of the owner: areas can share a table
	for i := range a.List {
		if area := &a.List[i]; area.Owner != area.owner.name {
			changed[area.owner.start] = area
		}
	}
	at := 0
	starts := make([]int, 0, len(changed))
	for start := range changed {
		starts = append(starts, start)
	}
	slices.Sort(starts)
	for _, start := range starts {
		area := changed[start]
		dst = append(dst, a.text[at:start]...)
		dst = append(dst, a.quote(area.Owner)...)
		at = area.owner.end
	}
	return append(dst, a.text[at:]...)
}

// quote encodes a name in the format of the file.
func (a *Areas) quote(name string) []byte {
	if !a.lua {
		text, _ := json.Marshal(name) // strings never cause an error
		return text
	}
	text := []byte{'"'}
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			text = append(text, '\\', c)
		case c < ' ' || c == 0x7f:
			text = fmt.Appendf(text, "\\%03d", c)
		default:
			text = append(text, c)
		}
	}
	return append(text, '"')
}
