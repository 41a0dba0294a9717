// Package layout reads and writes the layouts of Torchlight II: the trees of objects that define its levels, menus and
// particle effects. A layout exists as text, for the editor, and compiled, for the game (.LAYOUT.BINLAYOUT next to the
// text, or under the name of the text in archives).
//
// [Decompile] and [Compile] convert between the two. [Decode] and [File.Encode] convert between the compiled form and
// its model, [File.Text] and [FromText] between the model and the text.
//
// The format is described in docs/formats/torchlight-layout.md.
package layout

import (
	"encoding/binary"
	"math"

	"trowel.example/internal/bytes/bin"
)

// Version is the version of the files that Encode writes for texts.
const Version = 4

// File is a layout.
type File struct {
	Version uint8 // the current editor writes 4; older ones also wrote 54; the game ignores it
	Objects []*Object
	Groups  *Group // root of the tree of groups, nil if there is none

	spare spare
}

// spare are the bytes of the file that belong to no part.
type spare struct {
	objects []byte // after the objects
	end     []byte // at the end of the file
}

// Object is an object of a layout.
type Object struct {
	Empty      bool   // only a length of 0; all other fields are ignored
	Descriptor uint8  // kind of the object, see [DescriptorOf]
	ID         int64  // unique within the layout
	Name       string // "" if it is that of the descriptor
	Properties []Property
	Extra      Extra // the extra part of Timelines and Logic Groups; else nil
	Children   []*Object

	at, length int64 // offset of the object's length in the file that it was read from, and that length
}

// Span returns the position of the object, with all its parts, in the compiled file that it was read from. The length
// is 0 for objects that were not read from a file.
func (o *Object) Span() (offset, length int64) { return o.at, o.length }

// Names returns the IDs of the objects that the object's extra part refers to: those that a timeline moves, or those
// that a logic group connects. It returns none for objects without an extra part.
func (o *Object) Names() []int64 {
	var ids []int64
	switch x := o.Extra.(type) {
	case *Timeline:
		for _, t := range x.Objects {
			ids = append(ids, t.ObjectID)
		}
	case *LogicGroup:
		for _, t := range x.Objects {
			ids = append(ids, t.ObjectID)
		}
	}
	return ids
}

// Title returns the name of the object, or the name of its descriptor if it has none.
func (o *Object) Title() string {
	if d := DescriptorOf(o.Descriptor); d != nil && o.Name == "" {
		return d.Name
	}
	return o.Name
}

// Property is the value of a property of an object. The meaning of the code depends on the object's descriptor.
type Property struct {
	Code uint8
	Data []byte // the value as in the file, at most 65534 bytes
}

// Bool returns a value of kind Bool and reports whether it is 4 bytes long.
func (p Property) Bool() (value, ok bool) {
	v, ok := p.Uint32()
	return v != 0, ok
}

// Uint32 returns a value of kind Integer or Unsigned and reports whether it is 4 bytes long.
func (p Property) Uint32() (uint32, bool) {
	if len(p.Data) != 4 {
		return 0, false
	}
	return binary.LittleEndian.Uint32(p.Data), true
}

// Int64 returns a value of kind Integer64 and reports whether it is 8 bytes long.
func (p Property) Int64() (int64, bool) {
	if len(p.Data) != 8 {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(p.Data)), true
}

// Floats returns the single of a Float, or the components of a vector, and reports whether the length is valid for one
// of these. Lists are read by [Property.List].
func (p Property) Floats() ([]float32, bool) {
	switch len(p.Data) {
	case 4, 8, 12, 16:
		return floats(p.Data), true
	}
	return nil, false
}

func floats(data []byte) []float32 {
	v := make([]float32, len(data)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return v
}

// List returns the elements of a list of Float or Unsigned as bits, and reports whether the value is a list.
func (p Property) List() ([]uint32, bool) {
	if !isList(p.Data) {
		return nil, false
	}
	v := make([]uint32, len(p.Data)/4)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(p.Data[2+4*i:])
	}
	return v, true
}

func isList(data []byte) bool {
	return len(data) >= 2 && len(data) == 2+4*int(binary.LittleEndian.Uint16(data))
}

// Text returns a value of kind String or Translate and reports whether it is valid: the number of units that it states
// must agree with its length.
func (p Property) Text() (string, bool) {
	if !isText(p.Data) {
		return "", false
	}
	return bin.DecodeUTF16(p.Data[2:]), true
}

func isText(data []byte) bool {
	return len(data) >= 2 && len(data) == 2+2*int(binary.LittleEndian.Uint16(data))
}

// Extra is the part of an object besides its properties: a [*LogicGroup], a [*Timeline], or [RawExtra].
type Extra interface{ isExtra() }

// RawExtra is an extra part that cannot be decoded, or that belongs to an object that should not have one.
type RawExtra []byte

// LogicGroup is the extra part of an object of kind Logic Group: a graph that
// connects outputs of objects with inputs of others.
type LogicGroup struct {
	Objects []LogicObject // at most 255

	badEnd bool // the offsets in the file it was read from are wrong
}

// LogicObject is a node of a logic group.
type LogicObject struct {
	ID       uint8 // number of the node in the graph
	ObjectID int64 // the object that the node represents
	X, Y     float32
	Links    []LogicLink // at most 255
}

// LogicLink connects an output of a node with an input of another.
type LogicLink struct {
	To            uint8 // ID of the other node
	Output, Input string
}

// Timeline is the extra part of an object of kind Timeline: changes and events over time.
type Timeline struct {
	Objects []TimelineObject // at most 255
}

// TimelineObject holds the tracks of a timeline for one object.
type TimelineObject struct {
	ObjectID int64
	Tracks   []Track // at most 255
}

// Track is a property that changes over time, or an event that occurs at certain times. It is an event if Event is not
// "".
type Track struct {
	Property, Event string
	Points          []Point // at most 255
}

// Point is a moment of a track.
type Point struct {
	Time          float32 // fraction of the duration, 0 to 1
	Interpolation uint8   // index into interpolations
	Value         string  // value of the property; unused in events
}

func (RawExtra) isExtra()    {}
func (*LogicGroup) isExtra() {}
func (*Timeline) isExtra()   {}

// Group is a node of the tree of groups, which comes after the objects. With it the game chooses which objects of a
// layout to create. Every object of kind Group has a node, below the node of the nearest Group that contains it.
type Group struct {
	ID            int64 // ID of the object; -1 for the root
	Choice        uint8 // index into choices
	Randomization uint32
	Number        uint8
	Object        *Object // nil for the root, or if the file points to no Group
	Tag           int32   // see [TagName]; -1 for none
	NoTagFound    uint8   // 0 or 1
	LevelUnique   uint8   // 0 or 1
	GameMode      uint8   // 0 any, 1 normal, 2 new game plus
	Active        []int64 // themes
	Deactive      []int64 // themes
	Children      []*Group
}

// newGroup returns the node of an object with default values.
func newGroup(o *Object) *Group {
	return &Group{ID: o.ID, Randomization: 1, Number: 1, Object: o, Tag: -1}
}

// arrange returns the root of a tree with the nodes of the Groups in objects, or nil if there are none.
func arrange(objects []*Object, node func(*Object) *Group) *Group {
	root := &Group{ID: -1, Tag: -1}
	addGroups(root, objects, node)
	if root.Children == nil {
		return nil
	}
	return root
}

func addGroups(parent *Group, objects []*Object, node func(*Object) *Group) {
	for _, o := range objects {
		g := parent
		if o.Descriptor == groupCode && !o.Empty {
			g = node(o)
			parent.Children = append(parent.Children, g)
		}
		addGroups(g, o.Children, node)
	}
}

// byObject returns the nodes of a tree by the objects that they point to.
func (g *Group) byObject() map[*Object]*Group {
	m := make(map[*Object]*Group)
	var visit func(*Group)
	visit = func(g *Group) {
		if _, ok := m[g.Object]; g.Object != nil && !ok {
			m[g.Object] = g
		}
		for _, c := range g.Children {
			visit(c)
		}
	}
	if g != nil {
		visit(g)
	}
	return m
}
