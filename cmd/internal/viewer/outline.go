package viewer

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"trowel.example/cmd/internal/service"
	"trowel.example/trace"
)

const (
	maxFields  = 500_000  // fields kept for a file
	maxWords   = 32 << 20 // size of their paths, values and meanings in bytes
	maxPath    = 4000     // size of a path in bytes
	maxMeaning = 1000
)

// outline is a compact list of the fields of a file, or of a file inside it.
type outline struct {
	inside string // the path passed to Dump
	base   string // the space of the requested file
	broken string // why the list of fields ends early
	left   int    // number of fields that were not kept because of the limits

	words   strings.Builder
	all     []noted
	names   []string // of spaces
	spaces  map[string]*space
	account service.FieldAccount
}

// noted is a field. Its texts are stored one after another in the words of the outline.
type noted struct {
	offset, length       int64
	at                   uint32
	path, value, meaning uint16
	space                uint32
	gap                  bool
}

// space is a run of bytes that contains fields: the file, or the inflated bytes of a field.
type space struct {
	size   int64
	fields []int32 // sorted by offset
	reach  []int64 // the largest end of the fields up to each index
	data   []byte  // nil if the bytes are in the source
	number uint32
}

func (o *outline) Close() error { return nil }

func (o *outline) spaceOf(name string) *space {
	s := o.spaces[name]
	if s == nil {
		if o.spaces == nil {
			o.spaces = make(map[string]*space)
		}
		s = &space{number: uint32(len(o.names))}
		o.spaces[name] = s
		o.names = append(o.names, name)
	}
	return s
}

// ofBase reports whether there are fields of the requested path: a dump ignores unknown paths.
func (o *outline) ofBase() bool {
	for _, name := range o.names {
		if service.FieldUnder(name, o.base) {
			return true
		}
	}
	return false
}

func (o *outline) add(f trace.Field) {
	if o.account.Add(f) {
		o.note(f, false)
	}
}

func (o *outline) note(f trace.Field, gap bool) {
	if len(o.all) == maxFields || o.words.Len() > maxWords {
		o.left++
		return
	}
	s := o.spaceOf(f.Space)
	path, value, meaning := cut(f.Path, maxPath), cut(service.FieldText(f.Value), maxMeaning), cut(f.Meaning, maxMeaning)
	o.all = append(o.all, noted{f.Offset, f.Len, uint32(o.words.Len()), uint16(len(path)), uint16(len(value)),
		uint16(len(meaning)), s.number, gap})
	o.words.WriteString(path)
	o.words.WriteString(value)
	o.words.WriteString(meaning)
	s.size = max(s.size, f.Offset+f.Len)
}

func cut(text string, most int) string {
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// end completes the outline after the last field.
func (o *outline) end(src io.ReaderAt) {
	base := o.spaceOf(o.base)
	if o.account.Size > 0 {
		gaps, absent := o.account.Gaps(src)
		for _, f := range append(gaps, absent...) {
			o.note(f, true)
		}
		base.size = o.account.Size
	}
	for i, f := range o.all {
		s := o.spaces[o.names[f.space]]
		s.fields = append(s.fields, int32(i))
	}
	for _, s := range o.spaces {
		slices.SortStableFunc(s.fields, func(a, b int32) int { return cmp.Compare(o.all[a].offset, o.all[b].offset) })
		reach := int64(0)
		s.reach = make([]int64, len(s.fields))
		for i, f := range s.fields {
			reach = max(reach, o.all[f].offset+o.all[f].length)
			s.reach[i] = reach
		}
	}
}

func (o *outline) path(i int32) string {
	f := o.all[i]
	return o.words.String()[f.at:][:f.path]
}

// find returns the index of the field with this offset and length, otherwise of the innermost field at the
// offset.
func (s *space) find(o *outline, at, length int64) (int, bool) {
	i, _ := slices.BinarySearchFunc(s.fields, at, func(f int32, at int64) int {
		if o.all[f].offset <= at {
			return -1
		}
		return 1
	})
	found := -1
	for i--; i >= 0 && (s.reach[i] > at || o.all[s.fields[i]].offset == at); i-- {
		f := o.all[s.fields[i]]
		if f.offset == at && f.length == length && length > 0 {
			return i, true
		}
		if f.offset+f.length > at && (found < 0 || f.length < o.all[s.fields[found]].length) {
			found = i
		}
	}
	return found, found >= 0
}

// group is a run of fields in a space whose paths have a common beginning. A single field is a group, too.
type group struct {
	from, to int
	skip     int // length of the common beginning of their paths
}

// rows returns the rows of an opened group: its subgroups and fields. The common beginning of the fields in a
// subgroup is part of its name.
func (s *space) rows(o *outline, g group) (rows []group) {
	for i := g.from; i < g.to; {
		path := o.path(s.fields[i])
		end := step(path, g.skip)
		one := group{i, i + 1, last(path, end, len(path))}
		for ; end < len(path) && one.to < g.to; one.to++ {
			next := o.path(s.fields[one.to])
			if !begins(next, path[:end]) {
				break
			}
			for one.skip > end && !begins(next, path[:one.skip]) {
				one.skip = last(path, end, one.skip)
			}
		}
		if one.to-one.from == 1 {
			one.skip = len(path)
		}
		rows = append(rows, one)
		i = one.to
	}
	return rows
}

// step returns the end of the path element that begins at i. The elements of items[3].size are items, [3] and
// .size.
func step(path string, i int) int {
	if i < len(path) && path[i] == '[' {
		if n := strings.IndexByte(path[i:], ']'); n > 0 {
			return i + n + 1
		}
	}
	if n := strings.IndexAny(path[min(i+1, len(path)):], ".[/"); n >= 0 {
		return i + 1 + n
	}
	return len(path)
}

// last returns the end of the last element that ends before to, starting with the element that ends at from.
func last(path string, from, to int) int {
	for {
		next := step(path, from)
		if next >= to {
			return from
		}
		from = next
	}
}

// begins reports whether a path begins with the elements parts and has more elements.
func begins(path, parts string) bool {
	return len(path) > len(parts) && strings.HasPrefix(path, parts) &&
		(strings.IndexByte(".[/", path[len(parts)]) >= 0 || parts[len(parts)-1] == ']')
}

// trail returns the row to open at each level to reach a field.
func (s *space) trail(o *outline, field int) (trail []int) {
	for g := (group{0, len(s.fields), 0}); ; {
		rows := s.rows(o, g)
		i, _ := slices.BinarySearchFunc(rows, field, func(one group, field int) int { return cmp.Compare(one.to, field+1) })
		trail = append(trail, i)
		if g = rows[i]; g.to-g.from == 1 {
			return trail
		}
	}
}

// fieldRow is a row of a list of fields: a field or a group of fields.
type fieldRow struct {
	Name    string `json:"name"`
	From    int    `json:"from"`
	To      int    `json:"to"`
	Skip    int    `json:"skip"`
	Offset  int64  `json:"offset"`
	Length  int64  `json:"length"`
	Path    string `json:"path,omitempty"` // of a field
	Value   string `json:"value,omitempty"`
	Meaning string `json:"meaning,omitempty"`
	Opens   string `json:"opens,omitempty"` // the space inflated from the field
	Gap     bool   `json:"gap,omitempty"`   // the row is a gap, not a field
}

func (s *space) row(o *outline, g group, skip int) fieldRow {
	first := o.all[s.fields[g.from]]
	path := o.path(s.fields[g.from])
	row := fieldRow{From: g.from, To: g.to, Skip: g.skip, Offset: first.offset, Length: first.length}
	row.Name = strings.TrimLeft(path[skip:g.skip], "./")
	if g.to-g.from > 1 {
		for _, f := range s.fields[g.from:g.to] {
			row.Length = max(row.Length, o.all[f].offset+o.all[f].length-first.offset)
		}
		return row
	}
	words := o.words.String()[int(first.at)+len(path):]
	row.Path, row.Gap = path, first.gap
	row.Value, row.Meaning = words[:first.value], words[first.value:][:first.meaning]
	for _, name := range o.inflated(path) {
		if o.spaces[name] != nil && name != o.names[first.space] {
			row.Opens = name
		}
	}
	return row
}

// inflated returns the possible names of the space that was inflated from a field.
func (o *outline) inflated(path string) []string { return []string{path, o.base + "." + path} }

// parents returns the fields in which a space is nested, the outermost first. Opens of each is the space that
// contains the field.
func (o *outline) parents(name string) []fieldRow {
	if name == o.base {
		return []fieldRow{}
	}
	for i, f := range o.all {
		in := o.names[f.space]
		if path := o.path(int32(i)); len(in) < len(name) && slices.Contains(o.inflated(path), name) {
			return append(o.parents(in), fieldRow{Offset: f.offset, Length: f.length, Path: path, Opens: in})
		}
	}
	return []fieldRow{}
}
