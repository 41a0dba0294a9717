package layout

import (
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/torchlight/text"
)

// place states which part a line in the text of a Group belongs to.
type place uint8

const (
	forTree place = iota // for the tree of groups
	forBoth              // for the tree and for the object's properties
	twice                // there are two lines with this name: the first for the tree, the second for the properties
)

// groupField is a field of a [Group] that is a line of the text.
type groupField struct {
	name  string
	typ   text.Type
	place place
	get   func(*Group) string
	set   func(*Group, string) bool // parses a value of the text; for an invalid one it sets the default and returns false
}

var groupFields = []groupField{
	{"RANDOMIZATION", text.Unsigned, forTree,
		func(g *Group) string { return strconv.FormatUint(uint64(g.Randomization), 10) },
		func(g *Group, s string) (ok bool) { g.Randomization, ok = text.ParseUint(s); return ok }},
	{"NUMBER", text.Unsigned, forBoth,
		func(g *Group) string { return strconv.Itoa(int(g.Number)) },
		func(g *Group, s string) bool { n, ok := text.ParseUint(s); g.Number = uint8(n); return ok }},
	{"CHOICE", text.String, twice,
		func(g *Group) string { return choices.name(g.Choice) },
		func(g *Group, s string) (ok bool) { g.Choice, ok = choices.index(s); return ok }},
	{"TAG", text.String, forTree,
		func(g *Group) string { return formatTag(g.Tag) },
		func(g *Group, s string) (ok bool) { g.Tag, ok = parseTag(s); return ok }},
	{"NO TAG FOUND", text.Bool, forTree,
		// Editors leave this byte undefined if the text does not set it: only 1 means true.
		func(g *Group) string { return strconv.FormatBool(g.NoTagFound == 1) },
		func(g *Group, s string) (ok bool) { g.NoTagFound, ok = parseFlag(s); return ok }},
	{"ACTIVE THEMES", text.String, forTree,
		func(g *Group) string { return formatThemes(g.Active) },
		func(g *Group, s string) (ok bool) { g.Active, ok = parseThemes(s); return ok }},
	{"DEACTIVE THEMES", text.String, forTree,
		func(g *Group) string { return formatThemes(g.Deactive) },
		func(g *Group, s string) (ok bool) { g.Deactive, ok = parseThemes(s); return ok }},
	{"LEVEL UNIQUE", text.Bool, forBoth,
		func(g *Group) string { return strconv.FormatBool(g.LevelUnique != 0) },
		func(g *Group, s string) (ok bool) { g.LevelUnique, ok = parseFlag(s); return ok }},
	{"GAME MODE", text.String, twice,
		func(g *Group) string { return gameModes.name(g.GameMode) },
		func(g *Group, s string) (ok bool) { g.GameMode, ok = parseGameMode(s); return ok }},
}

// problem returns the reason why a value is invalid for the field's type, or nil.
func (f groupField) problem(value string) *text.Error {
	if strings.HasSuffix(f.name, "THEMES") {
		return &text.Error{Want: "64-bit numbers with commas between them", Got: strconv.Quote(value),
			Err: fault.ErrFormat, Wrong: true}
	}
	return (&text.Property{Type: f.typ, Value: value}).Problem()
}

// groupFieldNamed returns the index of the field with a name, ignoring case, or -1.
func groupFieldNamed(name string) int {
	return slices.IndexFunc(groupFields, func(f groupField) bool { return strings.EqualFold(f.name, name) })
}

func formatTag(n int32) string {
	if n == -1 {
		return ""
	}
	if name, ok := TagName(n); ok {
		return name
	}
	return strconv.Itoa(int(n))
}

// parseTag parses the name of a tag or its number; other names are invalid. No tag is -1.
func parseTag(s string) (int32, bool) {
	if n, ok := TagNumber(s); ok || s == "" {
		if !ok {
			n = -1
		}
		return n, true
	}
	if n, err := strconv.ParseInt(s, 10, 32); err == nil {
		return int32(n), true
	}
	return -1, false
}

func parseFlag(s string) (uint8, bool) {
	yes, ok := text.ParseBool(s)
	if yes {
		return 1, ok
	}
	return 0, ok
}

// parseGameMode treats every name but NORMAL as the new game plus, as the editor does.
func parseGameMode(s string) (uint8, bool) {
	if mode, ok := gameModes.index(s); ok {
		return mode, true
	}
	return 2, false
}

func formatThemes(ids []int64) string {
	var b []byte
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(b)
}

func parseThemes(s string) (ids []int64, ok bool) {
	ok = true
	for part := range strings.SplitSeq(s, ",") {
		if part != "" {
			id, clean := text.ParseInt64(part)
			ids, ok = append(ids, id), ok && clean
		}
	}
	return ids, ok
}

// addGroup appends to n the values of the tree for a Group that the object's properties do not contain.
func (o *Object) addGroup(n *text.Node, g *Group) {
	usual := newGroup(o)
	for _, f := range groupFields {
		_, has := o.groupProperty(f)
		if f.place != forBoth && f.get(g) != f.get(usual) || f.place == twice && has {
			n.Add(f.typ, f.name, f.get(g))
		}
	}
}

// addGroupMarked appends the fields of g that differ from the object's properties. They come after the properties,
// because the last line is the one that counts.
func (o *Object) addGroupMarked(n *text.Node, g *Group) {
	for _, f := range groupFields {
		if f.place != forBoth {
			continue
		}
		inText := newGroup(o)
		if p, ok := o.groupProperty(f); ok {
			info := DescriptorOf(groupCode).Property(p.Code)
			f.set(inText, p.format(info.Kind, text.Exact))
		}
		if f.get(g) != f.get(inText) {
			n.Add(f.typ, mark+f.name, f.get(g))
		}
	}
}

// groupProperty returns the last property of o whose line has f's name.
func (o *Object) groupProperty(f groupField) (p Property, ok bool) {
	info := DescriptorOf(groupCode).Named(f.name)
	for _, q := range o.Properties {
		if q.Code == info.Code && q.fitsKind(info.Kind) {
			p, ok = q, true
		}
	}
	return p, ok
}
