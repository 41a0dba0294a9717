// Package schematic reads, writes and places pieces of worlds that are stored in separate files: the schematics of
// the engine (.mts, and the form in Lua) and the files of WorldEdit (.we).
package schematic

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
)

// Form is the file format of a schematic.
type Form string

// The forms.
const (
	MTS       Form = "mts"       // the engine's file, versions 1 to 4
	Lua       Form = "lua"       // the engine's schematic as a table in Lua; it has no version
	WorldEdit Form = "worldedit" // the file of WorldEdit, versions 1 to 5
)

// Newest returns the version of a form that current programs write.
func (f Form) Newest() int {
	switch f {
	case MTS:
		return 4
	case WorldEdit:
		return 5
	}
	return 0
}

// Probabilities of nodes and slices, in 127ths.
const (
	Never  = 0
	Always = 127
)

// MaxSide is the greatest number of nodes along one axis. Decoding allocates memory for the declared size only as far as
// the file has nodes or, in .we, as far as the nodes are apart.
const MaxSide = 65535

// slotSize is the number of bytes of [effort.SchematicMeta] that a slot of an inventory uses, in addition to its text.
const slotSize = 16

// Schematic is a piece of a world.
type Schematic struct {
	Form    Form
	Version int // of the form; 0 means the newest

	Size   [3]int  // nodes along x, y and z, 0 to MaxSide each
	Origin [3]int  // the position of the corner, in .we; 0 in nearly all files
	Header string  // the header of .we after the version: fields separated by commas
	Slices []uint8 // the probability of each y; nil means Always

	// Names of nodes. Name holds the index of each node's name.
	Names []string

	// For each node, in the order of [Schematic.Index].
	Name   []uint16
	Param1 []uint8 // the light, in .we; nil means 0
	Param2 []uint8
	Prob   []uint8 // the probability; a node that is Never placed leaves the existing node
	Force  []bool  // the node replaces any existing node, not only air; nil means none

	Meta []Meta // for nodes with metadata, in .we, sorted by Index
}

// Meta is the metadata of a node.
type Meta struct {
	Index  int
	Fields []Field
	Lists  []List // the inventory
}

// Field is a value of metadata.
type Field struct{ Key, Value string }

// List is a list of an inventory, with an itemstring for each slot; "" is an empty slot.
type List struct {
	Name  string
	Items []string
}

// New returns a schematic of air with probability Never.
func New(form Form, size [3]int) (*Schematic, error) {
	n, err := volume(size)
	if err != nil {
		return nil, err
	}
	s := &Schematic{Form: form, Version: form.Newest(), Size: size}
	s.Name, s.Param2, s.Prob = make([]uint16, n), make([]uint8, n), make([]uint8, n)
	if n > 0 {
		s.Names = []string{"air"}
	}
	return s, nil
}

// volume returns the number of nodes of a size.
func volume(size [3]int) (int, error) {
	n := 1
	for _, v := range size {
		if v < 0 || v > MaxSide {
			return 0, &fault.Error{Path: "size", Offset: -1, Want: fmt.Sprintf("0 to %d nodes along each axis", MaxSide),
				Got: fmt.Sprint(v), Err: fault.ErrFormat}
		}
	}
	for _, v := range size {
		n *= v // at most 48 bits
	}
	if err := effort.SchematicVolume.Check("size", int64(n)); err != nil {
		return 0, err
	}
	return n, nil
}

// volumeOf returns the number of nodes of a file. A few bytes of it can be many nodes.
func volumeOf(size [3]int, file int) (int, error) {
	n, err := volume(size)
	if err != nil {
		return 0, err
	}
	if err := effort.SchematicNodes.Start(int64(file)).Spend(int64(n)); err != nil {
		err.(*fault.Error).Path = "size"
		return 0, err
	}
	return n, nil
}

// spendText counts the text that the nodes become in a form of Lua.
func (s *Schematic) spendText() error {
	all := 64 * int64(len(s.Name))
	for _, id := range s.Name {
		all += int64(len(s.Names[id]))
	}
	err := effort.SchematicText.Start(0).Spend(all)
	if met, ok := errors.AsType[*fault.Error](err); ok {
		met.Path = "nodes"
	}
	return err
}

// Index returns the index of a node in the lists, by its coordinates from the corner with the least coordinates: x
// first, then y, then z.
func (s *Schematic) Index(x, y, z int) int { return (z*s.Size[1]+y)*s.Size[0] + x }

// Coordinates is the inverse of Index.
func (s *Schematic) Coordinates(index int) (x, y, z int) {
	return index % s.Size[0], index / s.Size[0] % s.Size[1], index / s.Size[0] / s.Size[1]
}

// At returns the name of a node.
func (s *Schematic) At(index int) string { return s.Names[s.Name[index]] }

// light returns the param1 of a node.
func (s *Schematic) light(index int) uint8 {
	if index >= len(s.Param1) {
		return 0
	}
	return s.Param1[index]
}

func (s *Schematic) forced(index int) bool { return index < len(s.Force) && s.Force[index] }

// slice returns the probability of a slice.
func (s *Schematic) slice(y int) uint8 {
	if y >= len(s.Slices) {
		return Always
	}
	return s.Slices[y]
}

// SetForce sets whether a node replaces any existing node.
func (s *Schematic) SetForce(index int, force bool) {
	if s.Force == nil && force {
		s.Force = make([]bool, len(s.Name))
	}
	if s.Force != nil {
		s.Force[index] = force
	}
}

// SetParam1 sets the light of a node.
func (s *Schematic) SetParam1(index int, light uint8) {
	if s.Param1 == nil && light != 0 {
		s.Param1 = make([]uint8, len(s.Name))
	}
	if s.Param1 != nil {
		s.Param1[index] = light
	}
}

// Namer returns a function that returns the index of a name in Names. It adds missing names.
func (s *Schematic) Namer() func(name string) (uint16, error) {
	ids := make(map[string]uint16)
	for i, name := range slices.Backward(s.Names) {
		ids[name] = uint16(i)
	}
	return func(name string) (uint16, error) {
		id, ok := ids[name]
		if !ok {
			if len(s.Names) > 0xffff {
				return 0, &fault.Error{Path: "names", Offset: -1, Want: "at most 65536 names of nodes", Got: "more", Err: fault.ErrFormat}
			}
			id = uint16(len(s.Names))
			name = strings.Clone(name) // a copy, not a part of a file
			ids[name] = id
			s.Names = append(s.Names, name)
		}
		return id, nil
	}
}

// Tidy sorts Names by first occurrence and removes unused names.
func (s *Schematic) Tidy() {
	order := make([]int, len(s.Names))
	var names []string
	for i, id := range s.Name {
		if order[id] == 0 {
			names = append(names, s.Names[id])
			order[id] = len(names)
		}
		s.Name[i] = uint16(order[id] - 1)
	}
	s.Names = names
}

// Clone returns a deep copy.
func (s *Schematic) Clone() *Schematic {
	c := *s
	c.Slices, c.Names = slices.Clone(s.Slices), slices.Clone(s.Names)
	c.Name, c.Param1, c.Param2, c.Prob, c.Force = slices.Clone(s.Name), slices.Clone(s.Param1), slices.Clone(s.Param2),
		slices.Clone(s.Prob), slices.Clone(s.Force)
	c.Meta = slices.Clone(s.Meta)
	for i := range c.Meta {
		c.Meta[i] = c.Meta[i].clone()
	}
	return &c
}

func (m Meta) clone() Meta {
	m.Fields, m.Lists = slices.Clone(m.Fields), slices.Clone(m.Lists)
	for i := range m.Lists {
		m.Lists[i].Items = slices.Clone(m.Lists[i].Items)
	}
	return m
}

// MetaOf returns the metadata of a node, or nil if it has none.
func (s *Schematic) MetaOf(index int) *Meta {
	i, ok := slices.BinarySearchFunc(s.Meta, index, func(m Meta, index int) int { return m.Index - index })
	if !ok {
		return nil
	}
	return &s.Meta[i]
}

// Equal reports whether two schematics have the same content, ignoring the order of their names.
func (s *Schematic) Equal(t *Schematic) bool {
	if s.Form != t.Form || s.version() != t.version() || s.Size != t.Size || s.Origin != t.Origin || s.Header != t.Header ||
		len(s.Name) != len(t.Name) || !slices.Equal(s.Param2, t.Param2) || !slices.Equal(s.Prob, t.Prob) ||
		!slices.EqualFunc(s.Meta, t.Meta, Meta.Equal) {
		return false
	}
	for y := range max(len(s.Slices), len(t.Slices)) {
		if s.slice(y) != t.slice(y) {
			return false
		}
	}
	name := func(s *Schematic, i int) string {
		if int(s.Name[i]) < len(s.Names) {
			return s.At(i)
		}
		return ""
	}
	for i := range s.Name {
		if name(s, i) != name(t, i) || s.light(i) != t.light(i) || s.forced(i) != t.forced(i) {
			return false
		}
	}
	return true
}

// Equal reports whether two metadata are the same and belong to the same node; the order counts.
func (m Meta) Equal(o Meta) bool {
	return m.Index == o.Index && slices.Equal(m.Fields, o.Fields) && slices.EqualFunc(m.Lists, o.Lists, func(a, b List) bool {
		return a.Name == b.Name && slices.Equal(a.Items, b.Items)
	})
}

func (s *Schematic) version() int {
	if s.Version == 0 {
		return s.Form.Newest()
	}
	return s.Version
}

// valid returns an error if the schematic cannot be written.
func (s *Schematic) valid() error {
	fail := func(path, want, got string) error {
		return &fault.Error{Path: path, Offset: -1, Want: want, Got: got, Err: fault.ErrFormat}
	}
	n, err := volume(s.Size)
	if err != nil {
		return err
	}
	for _, l := range []int{len(s.Name), len(s.Param2), len(s.Prob)} {
		if l != n {
			return fail("nodes", fmt.Sprintf("%d of them", n), fmt.Sprint(l))
		}
	}
	if s.Param1 != nil && len(s.Param1) != n || s.Force != nil && len(s.Force) != n {
		return fail("nodes", "lists of the same length", "others")
	}
	if s.Slices != nil && len(s.Slices) != s.Size[1] {
		return fail("slices", fmt.Sprintf("%d of them", s.Size[1]), fmt.Sprint(len(s.Slices)))
	}
	for _, p := range append(slices.Clone(s.Slices), s.Prob...) {
		if p > Always {
			return fail("probabilities", "0 to 127", fmt.Sprint(p))
		}
	}
	for i, id := range s.Name {
		if int(id) >= len(s.Names) {
			return fail(fmt.Sprintf("nodes[%d]", i), fmt.Sprintf("a name below %d", len(s.Names)), fmt.Sprint(id))
		}
	}
	last := -1
	for _, m := range s.Meta {
		if m.Index <= last || m.Index >= n {
			return fail("meta", fmt.Sprintf("each node once, in order, below %d", n), fmt.Sprint(m.Index))
		}
		last = m.Index
	}
	return nil
}

// Decode reads a schematic of any form.
func Decode(data []byte) (*Schematic, error) {
	switch form, _ := Recognize(data); form {
	case MTS:
		return decodeMTS(data)
	case Lua:
		return decodeLua(data)
	case WorldEdit:
		return decodeWorldEdit(data)
	}
	kind := fault.ErrFormat
	if bytes.HasPrefix(magic, data[:min(len(data), len(magic))]) {
		kind = fault.ErrShort
	}
	return nil, &fault.Error{Want: "a schematic", Got: fmt.Sprintf("%.16q", data), Err: kind}
}

// Encode returns the file in the schematic's form and version. Data that the form cannot hold is left out: see
// [Schematic.Convert].
func (s *Schematic) Encode() ([]byte, error) {
	if err := s.valid(); err != nil {
		return nil, err
	}
	switch s.Form {
	case MTS:
		return s.encodeMTS()
	case Lua:
		return s.encodeLua()
	case WorldEdit:
		return s.encodeWorldEdit()
	}
	return nil, &fault.Error{Path: "form", Offset: -1, Want: "mts, lua or worldedit", Got: string(s.Form), Err: fault.ErrFormat}
}
