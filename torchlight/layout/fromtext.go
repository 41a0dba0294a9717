package layout

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/torchlight/text"
)

// FromText reads the text form of a layout. Names may be in any case, and
// values are read as the editor does: what makes no sense is 0. Properties that
// the descriptor does not have are left out, as is what the editor does not compile,
// and VERSION, COUNT and PARENTID: what they say follows from the rest. [CheckText] tells of all that.
//
// Errors are of type [*fault.Error]: an unknown descriptor, a value after a mark
// (see the format's page) that cannot be read, objects nested too deep.
func FromText(root *text.Node) (*File, error) { return fromText(root, nil) }

// fromText is FromText that returns a [*text.Error] with the line that is wrong, for items
// of which the lines are known.
func fromText(root *text.Node, lines map[text.Item]int) (*File, error) {
	t := textReader{groups: make(map[*Object]*Group)}
	f := &File{Version: Version}
	for n := range root.Children() {
		if strings.EqualFold(n.Name, "OBJECTS") {
			f.Objects = append(f.Objects, t.objects(n, 0)...)
		}
	}
	if t.err != nil && lines[t.at] > 0 {
		return nil, &text.Error{Line: lines[t.at], Want: t.err.Want, Got: t.err.Got, Err: t.err}
	}
	if t.err != nil {
		return nil, t.err
	}
	f.Groups = arrange(f.Objects, func(o *Object) *Group { return t.groups[o] })
	return f, nil
}

type textReader struct {
	groups map[*Object]*Group
	path   []string
	at     text.Item    // that is read
	err    *fault.Error // what was wrong first, at the item of then
}

func (t *textReader) fail(err error, want, got string) {
	if t.err == nil {
		t.err = &fault.Error{Path: strings.Join(t.path, "."), Offset: -1, Want: want, Got: got, Err: err}
	}
}

// reads notes what is read.
func (t *textReader) reads(it text.Item) {
	if t.err == nil {
		t.at = it
	}
}

func (t *textReader) objects(parent *text.Node, depth int) []*Object {
	if depth >= MaxDepth {
		if parent.Child("BASEOBJECT") != nil {
			t.fail(fault.ErrLimit, fmt.Sprintf("at most %d objects inside each other", MaxDepth), "another")
		}
		return nil
	}
	var list []*Object
	t.path = append(t.path, "")
	for n := range parent.Children() {
		if strings.EqualFold(n.Name, "BASEOBJECT") && t.err == nil {
			t.path[depth] = strings.ToLower(parent.Name) + "[" + strconv.Itoa(len(list)) + "]"
			list = append(list, t.object(n, depth))
		}
	}
	t.path = t.path[:depth]
	return list
}

func (t *textReader) object(n *text.Node, depth int) *Object {
	o := &Object{Empty: true}
	t.reads(n)
	for c := range n.Children() {
		switch {
		case strings.EqualFold(c.Name, "PROPERTIES"):
			if o.Empty {
				o.Empty = false
				t.properties(o, c)
			}
		case strings.EqualFold(c.Name, "CHILDREN"):
			o.Children = append(o.Children, t.objects(c, depth+1)...)
		}
	}
	if t.reads(n); o.Empty && len(o.Children) > 0 {
		t.fail(fault.ErrFormat, "[PROPERTIES] in an object that has children", "none")
	}
	return o
}

// propertyReader reads the [PROPERTIES] of one object.
type propertyReader struct {
	*textReader
	o      *Object
	desc   *Descriptor
	group  *Group       // of an object of kind Group
	named  bool         // the first NAME was seen
	filled uint8        // components of the last property that were seen, if it is a vector
	seen   uint         // fields of the group of which the first of two lines was seen
	kept   map[int]bool // properties that are there whatever they say, by their index
}

func (t *textReader) properties(o *Object, n *text.Node) {
	r := propertyReader{textReader: t, o: o}
	if !r.identity(n) {
		return
	}
	if o.Descriptor == groupCode {
		r.group = newGroup(o)
		t.groups[o] = r.group
	}
	for _, it := range n.Items {
		r.reads(it)
		switch it := it.(type) {
		case *text.Property:
			r.property(it)
		case *text.Node:
			r.node(it)
		}
	}
	i := -1
	o.Properties = slices.DeleteFunc(o.Properties, func(p Property) bool {
		i++
		info := r.desc.Property(p.Code)
		return info != nil && !r.kept[i] && leftOut(info, p.Data)
	})
}

// up is the vector (0, 1, 0).
const up = "\x00\x00\x00\x00\x00\x00\x80\x3F\x00\x00\x00\x00"

// leftOut reports whether the editor does not compile a property that the text has:
// what a container allows to be dropped into it, which it keeps for itself, and an UP
// that says no more than where up is.
func leftOut(info *PropertyInfo, data []byte) bool {
	switch info.Name {
	case "ALLOWED":
		return true // only Drag And Drop Containers have it
	case "UP":
		return string(data) == up
	}
	return false
}

// identity reads what tells the object from others, and reports whether its descriptor is
// a known one: without that nothing else of it can be understood.
func (r *propertyReader) identity(n *text.Node) bool {
	var name string
	r.reads(n)
	for p := range n.Properties() {
		if strings.EqualFold(p.Key, "DESCRIPTOR") {
			r.reads(p)
			name = p.Value
			break
		}
	}
	if code, ok := strings.CutPrefix(name, mark); ok {
		v, err := strconv.ParseUint(code, 10, 8)
		if err != nil {
			r.fail(fault.ErrFormat, "a number of 0 to 255 after the mark", strconv.Quote(name))
			return false
		}
		r.o.Descriptor = uint8(v)
		r.desc = DescriptorOf(r.o.Descriptor)
	} else if r.desc = DescriptorNamed(name); r.desc != nil {
		r.o.Descriptor = r.desc.Code
	} else {
		r.fail(fault.ErrFormat, "the name of a descriptor", strconv.Quote(name))
		return false
	}
	if id, ok := n.Get("ID"); ok {
		r.o.ID, _ = text.ParseInt64(id)
	}
	if r.o.Name, _ = n.Get("NAME"); r.desc != nil && r.o.Name == r.desc.Name {
		r.o.Name = ""
	}
	return true
}

func (r *propertyReader) property(p *text.Property) {
	if code, ok := strings.CutPrefix(p.Key, mark); ok {
		r.marked(code, p.Value)
		return
	}
	switch {
	case p.Key == "DESCRIPTOR" || p.Key == "ID" || p.Key == "PARENTID":
		return
	case !r.named && strings.EqualFold(p.Key, "NAME"):
		r.named = true
		return
	case r.group != nil && r.groupField(p):
		return
	}
	t := r.desc.named(p.Key)
	switch {
	case t.info == nil:
	case t.component >= 0:
		r.component(t, p.Value)
	case t.info.Name == "NAME":
		r.add(t.info.Code, parseValue(String, text.String, r.o.Title()))
	default:
		r.add(t.info.Code, parseValue(t.info.Kind, p.Type, p.Value))
	}
}

func (r *propertyReader) add(code uint8, data []byte) {
	r.o.Properties = append(r.o.Properties, Property{code, data})
	r.filled = 0
}

// component sets a component of the last property, if it has not got it yet,
// else of a new one. Components that no line names are 0.
func (r *propertyReader) component(t textName, value string) {
	bit := uint8(1) << t.component
	if n := len(r.o.Properties); n == 0 || r.o.Properties[n-1].Code != t.info.Code || r.filled == 0 || r.filled&bit != 0 {
		r.add(t.info.Code, make([]byte, 4*t.info.Kind.components()))
	}
	r.filled |= bit
	v, _ := text.ParseFloat(value)
	data := r.o.Properties[len(r.o.Properties)-1].Data
	binary.LittleEndian.PutUint32(data[4*t.component:], math.Float32bits(v))
}

// groupField reads a line for the tree of groups, and reports whether it is
// for nothing else.
func (r *propertyReader) groupField(p *text.Property) bool {
	i := groupFieldNamed(p.Key)
	if i < 0 {
		return false
	}
	f, bit := groupFields[i], uint(1)<<i
	if f.place == twice && r.seen&bit != 0 {
		return false
	}
	r.seen |= bit
	f.set(r.group, p.Value)
	return f.place != forBoth
}

// marked reads a line that the editor does not have.
func (r *propertyReader) marked(key, value string) {
	if i := groupFieldNamed(key); r.group != nil && i >= 0 {
		groupFields[i].set(r.group, value)
		return
	}
	data, err := hex.DecodeString(value)
	if err != nil {
		r.fail(fault.ErrFormat, "bytes in hexadecimal after "+mark+key, strconv.Quote(value))
		return
	}
	if key == "EXTRA" {
		r.o.Extra = RawExtra(data)
		return
	}
	code, err := strconv.ParseUint(key, 10, 8)
	if err != nil {
		r.fail(fault.ErrFormat, "the code of a property, 0 to 255, after the mark", strconv.Quote(mark+key))
		return
	}
	if r.kept == nil {
		r.kept = make(map[int]bool)
	}
	r.kept[len(r.o.Properties)] = true
	r.add(uint8(code), data)
}

func (r *propertyReader) node(n *text.Node) {
	switch {
	case r.o.Descriptor == logicCode && strings.EqualFold(n.Name, "LOGICGROUP"):
		r.o.Extra = logicFromText(n)
	case r.o.Descriptor == timelineCode && strings.EqualFold(n.Name, "TIMELINEDATA"):
		r.o.Extra = timelineFromText(n)
	}
}
