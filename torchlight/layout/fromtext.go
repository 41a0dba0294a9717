package layout

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/text"
)

// FromText reads the text form of a layout. Names may be in any case, and values are interpreted as in the editor: an
// invalid value is 0. Properties and parts that the descriptor does not have are left out. FromText calls report for
// each of these; if report is nil, the first of them is the error. Properties that the editor does not compile are left
// out without a report, and so are VERSION, COUNT and PARENTID, which follow from the rest.
//
// Errors are of type [*fault.Error]: an unknown descriptor, an unreadable value after a mark (described in the
// documentation of the format), objects nested too deep.
func FromText(root *text.Node, report func(text.Item, *text.Error)) (*File, error) {
	var first error
	if report == nil {
		report = func(_ text.Item, e *text.Error) {
			if first == nil {
				first = e
			}
		}
	}
	t := textReader{report: func(_ *check.Kind, it text.Item, e *text.Error) { report(it, e) }}
	f, err := t.file(root)
	return f, cmp.Or(err, first)
}

// readText is FromText for a form. It returns errors and problems with their lines, and uses the long numbers of the
// residue.
func readText(form []byte, residue *Residue, report func(k *check.Kind, it text.Item, e *text.Error)) (f *File,
	problems text.Errors, err error) {
	var failed error
	problems, err = text.Read(form, func(root *text.Node, see func(text.Item, *text.Error)) {
		if residue != nil {
			text.LongFloats(root, residue.Floats)
		}
		t := textReader{report: func(k *check.Kind, it text.Item, e *text.Error) {
			see(it, e)
			if report != nil {
				report(k, it, e)
			}
		}}
		if f, failed = t.file(root); t.err != nil { // add the error to the problems, which have lines
			see(t.at, &text.Error{Want: t.err.Want, Got: t.err.Got, Err: t.err})
		}
	})
	if err == nil && failed != nil {
		i := slices.IndexFunc(problems, func(e *text.Error) bool { return e.Err == failed })
		err = problems[i]
		if problems[i].Line == 0 {
			err = failed
		}
	}
	return f, problems, err
}

// file reads a layout. The returned error is t.err.
func (t *textReader) file(root *text.Node) (*File, error) {
	t.groups = make(map[*Object]*Group)
	f := &File{Version: Version}
	t.only(root, "the layout", []string{"VERSION", "COUNT"}, []string{"OBJECTS"})
	for n := range root.Nodes("OBJECTS") {
		f.Objects = append(f.Objects, t.objects(n, 0)...)
	}
	if t.err != nil {
		return nil, t.err
	}
	f.Groups = arrange(f.Objects, func(o *Object) *Group { return t.groups[o] })
	return f, nil
}

type textReader struct {
	report func(k *check.Kind, it text.Item, e *text.Error)
	groups map[*Object]*Group
	path   []string
	at     text.Item    // the item that is being read
	err    *fault.Error // the first error; it belongs to the item at that time
}

func (t *textReader) fail(err error, want, got string) {
	if t.err == nil {
		t.err = &fault.Error{Path: strings.Join(t.path, "."), Offset: -1, Want: want, Got: got, Err: err}
	}
}

// only reports the items of a node that are neither in keys nor in names.
func (t *textReader) only(n *text.Node, of string, keys, names []string) {
	in := func(list []string, name string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
	}
	for _, it := range n.Items {
		switch it := it.(type) {
		case *text.Property:
			if !in(keys, it.Key) {
				t.leaveOut(foundLeftOut, it, of+" has no property "+strconv.Quote(it.Key))
			}
		case *text.Node:
			if !in(names, it.Name) {
				t.leaveOut(foundLeftOut, it, of+" has no part ["+it.Name+"]")
			}
		}
	}
}

// leaveOut reports an item that is not compiled.
func (t *textReader) leaveOut(k *check.Kind, it text.Item, why string) {
	t.report(k, it, &text.Error{Got: why + ": omitted", Err: fault.ErrFormat})
}

// value reports a value that is interpreted differently from its spelling.
func (t *textReader) value(it text.Item, e *text.Error) {
	switch {
	case e == nil:
	case e.Wrong:
		t.report(foundWrong, it, e)
	default:
		t.report(foundText, it, e)
	}
}

// reads records the item that is being read.
func (t *textReader) reads(it text.Item) {
	if t.err == nil {
		t.at = it
	}
}

func (t *textReader) objects(parent *text.Node, depth int) []*Object {
	if parent.Child("BASEOBJECT") != nil {
		if e := effort.LayoutDepth.Over(int64(depth) + 1); e != nil {
			t.fail(e.Err, e.Want, e.Got)
			return nil
		}
	}
	var list []*Object
	t.only(parent, "["+parent.Name+"]", nil, []string{"BASEOBJECT"})
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
	t.only(n, "an object", nil, []string{"PROPERTIES", "CHILDREN"})
	for c := range n.Children() {
		switch {
		case strings.EqualFold(c.Name, "PROPERTIES"):
			if !o.Empty {
				t.leaveOut(foundLeftOut, c, "the object already has [PROPERTIES]")
				continue
			}
			o.Empty = false
			t.properties(o, c)
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
	group  *Group       // node of an object of kind Group
	named  bool         // whether the first NAME was seen
	filled uint8        // bits of the components of the last property that were seen, if it is a vector
	seen   uint         // bits of the group fields with two lines of which the first was seen
	kept   map[int]bool // indexes of properties that are compiled whatever their value is
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

// leftOut reports whether the editor does not compile a property of the text: ALLOWED, the list of what a container
// accepts, which only the editor uses, and an UP that has its default value.
func leftOut(info *PropertyInfo, data []byte) bool {
	switch info.Name {
	case "ALLOWED":
		return true // only Drag And Drop Containers have it
	case "UP":
		return string(data) == up
	}
	return false
}

// identity reads the properties that identify the object, and reports whether its descriptor is known. Without a known
// descriptor the other properties cannot be interpreted.
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
		want, least := "the name of a descriptor", 3
		for d := range Descriptors() {
			if n := words.Distance(strings.ToLower(name), strings.ToLower(d.Name), least); n < least && n*4 < len(name) {
				want, least = "the name of a descriptor, such as "+strconv.Quote(d.Name), n
			}
		}
		r.fail(fault.ErrFormat, want, strconv.Quote(name))
		return false
	}
	if id := n.Property("ID"); id != nil {
		r.o.ID = r.int64(id)
	}
	if r.o.Name = r.string(n, "NAME"); r.desc != nil && r.o.Name == r.desc.Name {
		r.o.Name = ""
	}
	return true
}

func (r *propertyReader) property(p *text.Property) {
	if code, ok := strings.CutPrefix(p.Key, mark); ok {
		r.marked(code, p)
		return
	}
	switch key := strings.ToUpper(p.Key); {
	case key == "DESCRIPTOR" || key == "ID" || key == "PARENTID":
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
		of := "an object of unknown kind"
		if r.desc != nil {
			of = r.desc.Name
		}
		r.leaveOut(foundProperty, p, of+" has no property "+strconv.Quote(p.Key))
	case t.component >= 0:
		r.component(t, p)
	case t.info.Name == "NAME":
		data, _ := parseValue(String, &text.Property{Type: text.String, Value: r.o.Title()})
		r.add(t.info.Code, data)
	default:
		data, problem := parseValue(t.info.Kind, p)
		r.value(p, problem)
		r.add(t.info.Code, data)
	}
}

func (r *propertyReader) add(code uint8, data []byte) {
	r.o.Properties = append(r.o.Properties, Property{code, data})
	r.filled = 0
}

// component sets a component of the last property, or of a new one if the last has the component already. Components
// without a line are 0.
func (r *propertyReader) component(t textName, p *text.Property) {
	bit := uint8(1) << t.component
	if n := len(r.o.Properties); n == 0 || r.o.Properties[n-1].Code != t.info.Code || r.filled == 0 || r.filled&bit != 0 {
		r.add(t.info.Code, make([]byte, 4*t.info.Kind.components()))
	}
	r.filled |= bit
	v := r.float(p)
	data := r.o.Properties[len(r.o.Properties)-1].Data
	binary.LittleEndian.PutUint32(data[4*t.component:], math.Float32bits(v))
}

// groupField reads a line of the tree of groups. It reports whether the line has no other use.
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
	r.setGroup(f, p)
	return f.place != forBoth
}

// setGroup sets a field of the group, and reports an invalid value.
func (r *propertyReader) setGroup(f groupField, p *text.Property) {
	if fits := f.set(r.group, p.Value); !fits {
		if e := f.problem(p.Value); e != nil {
			r.value(p, e)
			return
		}
		k := foundText
		if f.name == "TAG" {
			k = foundTag
		}
		r.report(k, p, &text.Error{Got: "a Group has no " + f.name + " " + strconv.Quote(p.Value) +
			": it is read as " + strconv.Quote(f.get(r.group)), Err: fault.ErrFormat})
	}
}

// marked reads a line with a mark, which the editor does not have.
func (r *propertyReader) marked(key string, p *text.Property) {
	if i := groupFieldNamed(key); r.group != nil && i >= 0 {
		r.setGroup(groupFields[i], p)
		return
	}
	if strings.EqualFold(key, "NAME") {
		return // identity has read it
	}
	value := p.Value
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
	case r.o.Descriptor == logicCode && r.o.Extra == nil && strings.EqualFold(n.Name, "LOGICGROUP"):
		r.o.Extra = r.logic(n)
	case r.o.Descriptor == timelineCode && r.o.Extra == nil && strings.EqualFold(n.Name, "TIMELINEDATA"):
		r.o.Extra = r.timeline(n)
	default:
		r.leaveOut(foundLeftOut, n, "the object has no part ["+n.Name+"]")
	}
}
