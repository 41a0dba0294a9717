package schematic

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/luatable"
)

func decodeWorldEdit(data []byte) (*Schematic, error) {
	_, version := Recognize(data)
	if version < 1 || version > WorldEdit.Newest() {
		return nil, &fault.Error{Path: "version", Want: "1 to 5", Got: fmt.Sprint(version), Err: fault.ErrVersion}
	}
	s := &Schematic{Form: WorldEdit, Version: version}
	base := 0
	if m := headerForm.FindSubmatch(data); m != nil {
		base, s.Header = len(m[0]), strings.TrimPrefix(string(m[2]), ",")
	}
	b := builder{s: s, name: s.Namer(), file: len(data)}
	var err error
	switch version {
	case 1, 2:
		err = b.flat(version, data[base:])
	case 3:
		b.list(data[base:])
	default:
		next := 1
		err = luatable.Each(data[base:], func(e luatable.Entry) error {
			if e.Key.Kind == luatable.Number && e.Key.Number == float64(next) && e.Value.Kind != luatable.Nil {
				b.entry(next-1, e.Value, plain)
				next++
			}
			return b.err
		})
	}
	if at, ok := errors.AsType[*fault.Error](err); ok && at.Offset >= 0 {
		at.Offset += int64(base)
	}
	if err != nil {
		return nil, err
	}
	return b.finish()
}

// A follower returns the table that a value refers to: the value itself, or the table that it names.
type follower func(luatable.Value) luatable.Value

func plain(v luatable.Value) luatable.Value { return v }

// found is a node of a file before its index is known.
type found struct {
	pos           [3]int
	name          uint16
	light, param2 uint8
	meta          *Meta
}

// builder builds a schematic from nodes in any order.
type builder struct {
	s     *Schematic
	name  func(string) (uint16, error)
	nodes []found
	size  int // total size of the metadata
	file  int // size of the file
	err   error
}

func (b *builder) fail(i int, want, got string) {
	if b.err == nil {
		b.err = &fault.Error{Path: fmt.Sprintf("nodes[%d]", i), Offset: -1, Want: want, Got: got, Err: fault.ErrFormat}
	}
}

// describe describes a value.
func describe(v luatable.Value) string {
	switch v.Kind {
	case luatable.Nil:
		return "nothing"
	case luatable.Bool:
		return strconv.FormatBool(v.Bool)
	case luatable.Number:
		return strconv.FormatFloat(v.Number, 'g', -1, 64)
	case luatable.String:
		return fmt.Sprintf("%.40q", v.Text)
	}
	return "a table"
}

// listLine matches a node of version 3.
var listLine = regexp.MustCompile(`([+-]?\d+)\s+([+-]?\d+)\s+([+-]?\d+)\s+([^\s]+)\s+(\d+)\s+(\d+)[^\r\n]*`)

func (b *builder) list(text []byte) {
	for _, m := range listLine.FindAllSubmatch(text, -1) {
		var f found
		for axis := range f.pos {
			v, err := strconv.ParseInt(string(m[1+axis]), 10, 32)
			if err != nil {
				b.fail(len(b.nodes), "a coordinate", fmt.Sprintf("%.40q", m[1+axis]))
			}
			f.pos[axis] = int(v)
		}
		for k, p := range []*uint8{&f.light, &f.param2} {
			v, err := strconv.ParseUint(string(m[5+k]), 10, 8)
			if err != nil {
				b.fail(len(b.nodes), "a number up to 255", fmt.Sprintf("%.40q", m[5+k]))
			}
			*p = uint8(v)
		}
		b.add(f, string(m[4]))
	}
}

func (b *builder) add(f found, name string) {
	id, err := b.name(name)
	if err != nil && b.err == nil {
		b.err = err
	}
	f.name = id
	b.nodes = append(b.nodes, f)
}

// flat reads versions 1 and 2: a list of tables, in which {n} refers to table n. The first table is the list of
// nodes.
func (b *builder) flat(version int, text []byte) error {
	root, err := luatable.Parse(text)
	if err != nil {
		return err
	}
	if root.Kind != luatable.TableKind {
		b.fail(0, "a list of tables", describe(root))
		return nil
	}
	tables := root.Table.List()
	if len(tables) == 0 {
		return nil
	}
	follow := func(v luatable.Value) luatable.Value {
		if v.Kind != luatable.TableKind || len(v.Table.Entries) == 0 {
			return luatable.Value{}
		}
		n := v.Table.Entries[0].Value.Number
		if n < 1 || n > float64(len(tables)) || n != math.Trunc(n) {
			return luatable.Value{}
		}
		return tables[int(n)-1]
	}
	if tables[0].Kind != luatable.TableKind {
		b.fail(0, "a list of nodes first", describe(tables[0]))
		return nil
	}
	for i, v := range tables[0].Table.List() {
		entry := follow(v)
		if version == 1 && entry.Kind == luatable.TableKind {
			whole := new(luatable.Table)
			for _, part := range entry.Table.List() {
				if part = follow(part); part.Kind == luatable.TableKind {
					whole.Entries = append(whole.Entries, part.Table.Entries...)
				}
			}
			entry.Table = whole
		}
		if b.entry(i, entry, follow); b.err != nil {
			break
		}
	}
	return nil
}

// entry reads a node in the form of a table with x, y, z, name and so on.
func (b *builder) entry(i int, v luatable.Value, follow follower) {
	if v.Kind != luatable.TableKind {
		b.fail(i, "a table", describe(v))
		return
	}
	t := v.Table
	var f found
	for axis, key := range [3]string{"x", "y", "z"} {
		v := t.Get(key)
		if v.Kind != luatable.Number || v.Number != math.Trunc(v.Number) || math.Abs(v.Number) > math.MaxInt32 {
			b.fail(i, "a whole number for "+key, describe(v))
			return
		}
		f.pos[axis] = int(v.Number)
	}
	var ok [2]bool
	f.light, ok[0] = param(t.Get("param1"))
	f.param2, ok[1] = param(t.Get("param2"))
	name := t.Get("name")
	if !ok[0] || !ok[1] || name.Kind != luatable.String {
		b.fail(i, "a name, and 0 to 255 for param1 and param2", describe(name)+", "+describe(t.Get("param1"))+", "+describe(t.Get("param2")))
		return
	}
	if m := follow(t.Get("meta")); m.Kind == luatable.TableKind {
		f.meta = b.meta(i, m.Table, follow)
	}
	b.add(f, name.Text)
}

// param reads a number from 0 to 255; the default is 0.
func param(v luatable.Value) (uint8, bool) {
	if v.Kind == luatable.Nil {
		return 0, true
	}
	n, ok := whole(v, 255)
	return uint8(n), ok
}

// meta reads metadata. Metadata shared by several nodes counts for each of them, because it is written for each.
func (b *builder) meta(i int, t *luatable.Table, follow follower) *Meta {
	m := new(Meta)
	if fields := follow(t.Get("fields")); fields.Kind == luatable.TableKind && b.fits(len(fields.Table.Entries)*slotSize) {
		for _, e := range fields.Table.Entries {
			m.Fields = append(m.Fields, Field{b.text(i, e.Key), b.text(i, e.Value)})
		}
	}
	if inv := follow(t.Get("inventory")); inv.Kind == luatable.TableKind && b.fits(len(inv.Table.Entries)*slotSize) {
		for _, e := range inv.Table.Entries {
			items := follow(e.Value)
			if items.Kind != luatable.TableKind {
				b.fail(i, "a list of items", describe(items))
				break
			}
			if !b.fits(len(items.Table.Entries) * slotSize) {
				break
			}
			list := List{Name: b.text(i, e.Key)}
			for _, item := range items.Table.List() {
				list.Items = append(list.Items, b.text(i, item))
			}
			m.Lists = append(m.Lists, list)
		}
	}
	if len(m.Fields) == 0 && len(m.Lists) == 0 {
		return nil
	}
	return m
}

// fits reports whether n more bytes of metadata can be added.
func (b *builder) fits(n int) bool {
	if b.size += n; b.err == nil {
		b.err = effort.SchematicMeta.Check("meta", int64(b.size))
	}
	return b.err == nil
}

// text returns a text, or a number converted as the engine does.
func (b *builder) text(i int, v luatable.Value) string {
	switch v.Kind {
	case luatable.String:
		if !b.fits(len(v.Text)) {
			return ""
		}
		return strings.Clone(v.Text)
	case luatable.Number:
		return strconv.FormatFloat(v.Number, 'g', 14, 64)
	}
	b.fail(i, "a string in the metadata", describe(v))
	return ""
}

// finish puts all nodes in their places. If several have the same position, the last counts.
func (b *builder) finish() (*Schematic, error) {
	if b.err != nil {
		return nil, b.err
	}
	s := b.s
	if len(b.nodes) == 0 {
		return s, nil
	}
	least, most := b.nodes[0].pos, b.nodes[0].pos
	for _, f := range b.nodes {
		for axis, v := range f.pos {
			least[axis], most[axis] = min(least[axis], v), max(most[axis], v)
		}
	}
	for axis := range s.Size {
		s.Size[axis] = most[axis] - least[axis] + 1
	}
	// WorldEdit writes positions relative to the corner of the area, which may contain air.
	for axis, v := range least {
		if v > 0 && v <= MaxSide-s.Size[axis] {
			s.Size[axis] += v
			least[axis] = 0
		}
	}
	n, err := volumeOf(s.Size, b.file)
	if err != nil {
		return nil, err
	}
	s.Origin = least
	s.Name, s.Param2, s.Prob = make([]uint16, n), make([]uint8, n), make([]uint8, n)
	air := uint16(0)
	if len(b.nodes) < n {
		if air, err = b.name("air"); err != nil {
			return nil, err
		}
	}
	for i := range s.Name {
		s.Name[i] = air
	}
	metas := make(map[int]*Meta)
	for _, f := range b.nodes {
		i := s.Index(f.pos[0]-least[0], f.pos[1]-least[1], f.pos[2]-least[2])
		s.Name[i], s.Param2[i], s.Prob[i] = f.name, f.param2, Always
		s.SetParam1(i, f.light)
		delete(metas, i)
		if f.meta != nil {
			metas[i] = f.meta
		}
	}
	for _, i := range slices.Sorted(maps.Keys(metas)) {
		metas[i].Index = i
		s.Meta = append(s.Meta, *metas[i])
	}
	return s, nil
}
