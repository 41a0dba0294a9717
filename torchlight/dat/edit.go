package dat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/text"
)

// Edit changes a file by its text. The function change receives the tree that [File.Text] returns, with all digits of
// numbers, and may modify it. Unchanged parts keep their bits: hashes, values that no text can represent, the IDs of
// strings. A string that is changed everywhere keeps its ID, other strings get new IDs after the existing ones, and
// unused strings are removed. If change fails, or sets a value that does not fit its type, Edit returns an error and
// the file is unchanged.
func (f *File) Edit(o Options, change func(root *text.Node) error) error {
	o.Floats = text.Exact
	root := f.Text(o)
	e := editor{f: f, noEmpty: f.Version != Torchlight1 || f.noEmpty(), kept: make(map[uint32]bool), nodes: make(map[*text.Node]*editedNode),
		properties: make(map[*text.Property]*editedProperty)}
	e.note(root, f.Root)
	if err := change(root); err != nil {
		return err
	}
	before := e.used(f.Root, make(map[uint32]bool))
	e.keep(root)
	e.strings = slices.Clone(f.Strings)
	e.ids = make(map[string]uint32, len(f.Strings))
	for _, s := range slices.Backward(f.Strings) {
		e.ids[s.Text] = s.ID
		e.last = max(e.last, s.ID)
	}
	made := e.node(root)
	if e.err != nil {
		return e.err
	}
	after := e.used(made, make(map[uint32]bool))
	f.Root = made
	f.Strings = slices.DeleteFunc(e.strings, func(s String) bool { return before[s.ID] && !after[s.ID] })
	return nil
}

// editor builds the nodes of a file from those of a text, some of which have known originals.
type editor struct {
	f          *File
	nodes      map[*text.Node]*editedNode
	properties map[*text.Property]*editedProperty
	strings    []String
	ids        map[string]uint32 // of strings
	last       uint32            // the highest ID
	noEmpty    bool              // empty strings have the ID None
	kept       map[uint32]bool   // IDs whose meaning is unchanged
	err        error
}

type editedNode struct {
	name string // before the edit
	hash uint32
}

type editedProperty struct {
	text.Property // before the edit
	edited        Property
}

// note records the original of each node and property of the text.
func (e *editor) note(n *text.Node, is *Node) {
	e.nodes[n] = &editedNode{n.Name, is.Name}
	i, j := 0, 0
	for p := range n.Properties() {
		e.properties[p] = &editedProperty{*p, is.Properties[i]}
		i++
	}
	for c := range n.Children() {
		e.note(c, is.Children[j])
		j++
	}
}

// keep records the strings of unchanged properties.
func (e *editor) keep(n *text.Node) {
	for c := range n.All() {
		for p := range c.Properties() {
			if was := e.properties[p]; was != nil && p.Type.IsString() && was.Property.Type.IsString() && was.Property.Value == p.Value {
				e.kept[uint32(was.edited.Value)] = true
			}
		}
	}
}

func (e *editor) node(n *text.Node) *Node {
	out := new(Node)
	if was := e.nodes[n]; was != nil && was.name == n.Name {
		out.Name = was.hash
	} else {
		out.Name = e.name(n.Name)
	}
	for p := range n.Properties() {
		out.Properties = append(out.Properties, e.property(p))
	}
	for c := range n.Children() {
		out.Children = append(out.Children, e.node(c))
	}
	return out
}

func (e *editor) property(p *text.Property) Property {
	was := e.properties[p]
	if was != nil && was.Property == *p {
		return was.edited
	}
	out := Property{Type: p.Type}
	if was != nil && was.Property.Key == p.Key {
		out.Key = was.edited.Key
	} else {
		out.Key = e.name(p.Key)
	}
	switch {
	case was != nil && was.Property.Type == p.Type && was.Property.Value == p.Value:
		out.Value = was.edited.Value
	case p.Type.IsString():
		if was != nil && was.edited.Type.IsString() {
			e.reuse(uint32(was.edited.Value), p.Value)
		}
		out.Value = uint64(e.id(p.Value))
	default:
		var clean bool
		if out.Value, clean = number(p); !clean && e.err == nil {
			e.err = fmt.Errorf("%s: %w", p.Key, p.Problem())
		}
	}
	return out
}

func (e *editor) name(s string) uint32 {
	if e.f.Version == Torchlight1 {
		return e.id(strings.ToUpper(s))
	}
	return hash.Of(s)
}

// id returns the ID of a string.
func (e *editor) id(s string) uint32 {
	if s == "" && e.noEmpty {
		return None
	}
	id, ok := e.ids[s]
	if ok {
		return id
	}
	if e.last >= None-1 {
		e.last = e.gap()
	}
	e.last++
	e.ids[s] = e.last
	at, _ := slices.BinarySearchFunc(e.strings, e.last, func(s String, id uint32) int { return cmp.Compare(s.ID, id) })
	e.strings = slices.Insert(e.strings, at, String{e.last, s})
	return e.last
}

// reuse gives a string the ID of a string that is no longer used.
func (e *editor) reuse(id uint32, s string) {
	if _, there := e.ids[s]; there || s == "" || e.kept[id] || e.f.Version == Torchlight1 {
		return
	}
	found := -1
	for i := range e.strings {
		if e.strings[i].ID == id {
			if found >= 0 {
				return
			}
			found = i
		}
	}
	if found < 0 {
		return
	}
	delete(e.ids, e.strings[found].Text)
	e.strings[found].Text, e.ids[s], e.kept[id] = s, id, true
}

// gap returns the lowest ID after which an ID is free.
func (e *editor) gap() uint32 {
	taken := make(map[uint32]bool, len(e.strings))
	for _, s := range e.strings {
		taken[s.ID] = true
	}
	id := uint32(0)
	for taken[id+1] {
		id++
	}
	return id
}

// used collects the IDs of the strings in a node and below it.
func (e *editor) used(n *Node, ids map[uint32]bool) map[uint32]bool {
	if e.f.Version == Torchlight1 {
		ids[n.Name] = true
	}
	for _, p := range n.Properties {
		if e.f.Version == Torchlight1 {
			ids[p.Key] = true
		}
		if p.Type.IsString() {
			ids[uint32(p.Value)] = true
		}
	}
	for _, c := range n.Children {
		e.used(c, ids)
	}
	return ids
}
