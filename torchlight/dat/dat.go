// Package dat reads and writes the compiled form of the data files of Torchlight II: .DAT, .TEMPLATE, .HIE and
// .ANIMATION, which GUTS compiles to .BINDAT. It also reads and writes those of Torchlight I (.ADM).
//
//	f, err := dat.Decode(data)
//	root := f.Text(dat.Options{})
//	name, _ := root.Get("NAME")
//
// A [File] holds the complete contents of a compiled file, so Decode followed by Encode reproduces the file byte for
// byte. [Decompile] and [Compile] convert between a file and its text.
package dat

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/values/deep"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// The versions of the format.
const (
	Torchlight1 uint32 = 1 // .ADM: names are strings of the table
	Torchlight2 uint32 = 2 // .BINDAT: names are hashes
)

// None is the value of an empty string, which is not in the table.
const None uint32 = 0xFFFFFFFF

// File is a compiled data file.
type File struct {
	Version uint32
	Strings []String // the table; GUTS sorts it by ID
	Root    *Node
	Rest    []byte // bytes after the root; normally empty
}

// String is an entry of the string table.
type String struct {
	ID   uint32 `json:"id"` // has a meaning only within this file
	Text string `json:"text"`
}

// Node is a node with its properties, which all come before its children.
type Node struct {
	Name       uint32 // hash of the name; in version 1 the ID of its string
	Properties []Property
	Children   []*Node
}

// Property is a value with its key.
type Property struct {
	Key   uint32 // like Node.Name
	Type  text.Type
	Value uint64 // the bits of the value; for strings the ID, or None
}

// Recognize reports whether head, the first bytes of a file, is the beginning of a compiled data file of either
// version. A file whose string table is one that no compiler writes is recognized only if head is the whole file.
func Recognize(head []byte) bool {
	r := bin.NewReader(head, bin.LittleEndian)
	version := r.U32("version")
	if version != Torchlight1 && version != Torchlight2 {
		return false
	}
	last := int64(-1)
	for range int64(r.U32("num_strings")) {
		id := int64(r.U32("id"))
		s := readText(r, version)
		if r.Err() != nil {
			break
		}
		if id <= last || strings.ContainsRune(s, 0) {
			f, err := decode(bin.NewReader(head, bin.LittleEndian), nil)
			return err == nil && len(f.Rest) == 0
		}
		last = id
	}
	r.U32("name")
	properties, next := r.U32("num_properties"), r.U32("first")
	if properties > 0 {
		next = r.U32("type") // after the first key
	}
	switch {
	case r.Err() != nil: // head ends here
		return last >= 0 && len(head) >= 64
	case properties > 0:
		return next <= 0xFF && text.Type(next).Known()
	}
	return next > 0 || r.Len() == 0
}

// Decode reads a compiled file. An error is a *[fault.Error].
func Decode(data []byte) (*File, error) {
	effort.Decompiled.Add(1)
	return decode(bin.NewReader(data, bin.LittleEndian), nil)
}

// Dump reads a compiled file and reports every field up to the first error.
func Dump(data []byte, t trace.Tracer) error {
	r := bin.NewReader(data, bin.LittleEndian)
	r.Trace(t)
	_, err := decode(r, hash.Known())
	r.Flush()
	return err
}

// decoder reads nodes. If a tracer is set, it also reports the names of hashes.
type decoder struct {
	r       *bin.Reader
	file    *File
	names   *hash.Names // only if a tracer is set
	strings index
}

func decode(r *bin.Reader, names *hash.Names) (*File, error) {
	f := &File{}
	if f.Version = r.U32("version"); r.Err() == nil && f.Version != Torchlight1 && f.Version != Torchlight2 {
		got := strconv.FormatUint(uint64(f.Version), 10)
		if f.Version&0xFF == 6 {
			got = "6, the version of Hob and Rebel Galaxy, in one byte"
		}
		r.FailAt(r.Offset()-4, "version", fault.ErrVersion, "1 or 2", got)
	}
	least := 6
	if f.Version == Torchlight1 {
		least = 8
	}
	if n := r.Count32("num_strings", least); n > 0 {
		f.Strings = make([]String, n)
	}
	for i := range f.Strings {
		r.EnterIndex("strings", i)
		f.Strings[i] = String{ID: r.U32("id"), Text: readText(r, f.Version)}
		r.Leave()
		if r.Err() != nil {
			return nil, r.Err()
		}
	}
	d := decoder{r: r, file: f}
	if r.Tracing() {
		d.names, d.strings = names, indexOf(f.Strings)
	}
	f.Root = &Node{}
	r.Enter("root")
	d.node(f.Root, 1)
	r.Leave()
	if n := r.Len(); n > 0 && r.Err() == nil {
		f.Rest = r.Bytes("rest", n)
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	return f, nil
}

func readText(r *bin.Reader, version uint32) string {
	if version == Torchlight1 {
		return r.Wide32("text")
	}
	return r.Wide16("text")
}

func (d *decoder) node(n *Node, depth int) {
	r := d.r
	if e := effort.DataDepth.Over(int64(depth)); e != nil {
		r.Fail("", e.Err, e.Want, e.Got)
		return
	}
	n.Name = d.name("name")
	if count := r.Count32("num_properties", 12); count > 0 {
		n.Properties = make([]Property, count)
	}
	for i := range n.Properties {
		r.EnterIndex("properties", i)
		d.property(&n.Properties[i])
		r.Leave()
		if r.Err() != nil {
			return
		}
	}
	count := r.Count32("num_children", 12)
	if count == 0 {
		return
	}
	children := make([]Node, count)
	n.Children = make([]*Node, count)
	for i := range children {
		n.Children[i] = &children[i]
		r.EnterIndex("children", i)
		d.node(n.Children[i], depth+1)
		r.Leave()
		if r.Err() != nil {
			return
		}
	}
}

func (d *decoder) property(p *Property) {
	r := d.r
	p.Key = d.name("key")
	at := r.Offset()
	t := r.U32("type")
	if p.Type = text.Type(t); r.Err() == nil && (t > 0xFF || !p.Type.Known()) {
		r.FailAt(at, "type", fault.ErrFormat, "a type from 1 to 9", strconv.FormatUint(uint64(t), 10))
	}
	r.Means(p.Type)
	if wide(p.Type) {
		p.Value = r.U64("value")
	} else {
		p.Value = uint64(r.U32("value"))
	}
	if d.names != nil && r.Err() == nil {
		r.MeansText(valueText(*p, d.strings, text.Exact))
	}
}

// name reads a name and reports its text to the tracer.
func (d *decoder) name(field string) uint32 {
	v := d.r.U32(field)
	if d.names != nil && d.r.Err() == nil {
		if d.file.Version == Torchlight1 {
			s, _ := d.strings.text(v)
			d.r.MeansText(s)
		} else if s, ok := d.names.Name(v); ok {
			d.r.MeansText(s)
		}
	}
	return v
}

// wide reports whether values of a type take eight bytes.
func wide(t text.Type) bool { return t == text.Double || t == text.Integer64 }

// Clone returns an independent copy of the file.
func (f *File) Clone() *File { return deep.Clone(f) }

// Equal reports whether both files have equal contents, including the IDs of strings.
func (f *File) Equal(other *File) bool { return deep.Equal(f, other) }

// Encode returns the compiled file; it does not change f. It fails, with a *[fault.Error] that names the part, if the
// version or a type does not exist, a node is nil, nodes are nested too deep, a value has more bits than its type, or a
// string has more than 65535 UTF-16 units, the limit of version 2.
func (f *File) Encode() ([]byte, error) {
	if f.Version != Torchlight1 && f.Version != Torchlight2 {
		return nil, &fault.Error{Path: "version", Offset: -1, Want: "1 or 2",
			Got: strconv.FormatUint(uint64(f.Version), 10), Err: fault.ErrVersion}
	}
	size := 8 + len(f.Rest)
	for _, s := range f.Strings {
		size += 8 + 2*len(s.Text)
	}
	if f.Root != nil {
		size += f.Root.size()
	}
	w := bin.NewWriter(bin.LittleEndian, size)
	w.U32(f.Version)
	w.U32(uint32(len(f.Strings)))
	for i, s := range f.Strings {
		w.U32(s.ID)
		if f.Version == Torchlight1 {
			w.Wide32(s.Text)
			continue
		}
		if n := len(s.Text); n > 0xFFFF && bin.UTF16Len(s.Text) > 0xFFFF {
			return nil, &fault.Error{Path: fmt.Sprintf("strings[%d].text", i), Offset: -1,
				Want: "at most 65535 UTF-16 units", Got: strconv.Itoa(bin.UTF16Len(s.Text)), Err: fault.ErrFormat}
		}
		w.Wide16(s.Text)
	}
	if err := f.Root.encode(w, 1); err != nil {
		return nil, within("root", err)
	}
	w.Bytes(f.Rest)
	return w.Data(), nil
}

// size estimates the size of a node in bytes, without the nodes below its children.
func (n *Node) size() int {
	size := 12 + 12*len(n.Properties)
	for _, c := range n.Children {
		if c != nil {
			size += 12 + 12*len(c.Properties)
		}
	}
	return size
}

// within puts a step before the path of an error.
func within(step string, err *fault.Error) *fault.Error {
	err.Path = strings.TrimSuffix(step+"."+err.Path, ".")
	return err
}

func (n *Node) encode(w *bin.Writer, depth int) *fault.Error {
	if e := effort.DataDepth.Over(int64(depth)); e != nil {
		return e
	}
	if n == nil {
		return &fault.Error{Offset: -1, Want: "a node", Got: "nil", Err: fault.ErrFormat}
	}
	w.U32(n.Name)
	w.U32(uint32(len(n.Properties)))
	for i, p := range n.Properties {
		path := func(field string) string { return fmt.Sprintf("properties[%d].%s", i, field) }
		if !p.Type.Known() {
			return &fault.Error{Path: path("type"), Offset: -1, Want: "a type from 1 to 9",
				Got: strconv.Itoa(int(p.Type)), Err: fault.ErrFormat}
		}
		if !wide(p.Type) && p.Value>>32 != 0 {
			return &fault.Error{Path: path("value"), Offset: -1, Want: "32 bits", Got: fmt.Sprintf("%#x", p.Value), Err: fault.ErrFormat}
		}
		w.U32(p.Key)
		w.U32(uint32(p.Type))
		if wide(p.Type) {
			w.U64(p.Value)
		} else {
			w.U32(uint32(p.Value))
		}
	}
	w.U32(uint32(len(n.Children)))
	for i, c := range n.Children {
		if err := c.encode(w, depth+1); err != nil {
			return within(fmt.Sprintf("children[%d]", i), err)
		}
	}
	return nil
}

// index is a string table sorted by ID, for lookups.
type index []String

func indexOf(table []String) index {
	byID := func(a, b String) int { return cmp.Compare(a.ID, b.ID) }
	if !slices.IsSortedFunc(table, byID) {
		table = slices.Clone(table)
		slices.SortStableFunc(table, byID)
	}
	return table
}

// text returns the string with an ID; the first one if the table has several.
func (x index) text(id uint32) (string, bool) {
	i, ok := slices.BinarySearchFunc(x, id, func(s String, id uint32) int { return cmp.Compare(s.ID, id) })
	if !ok {
		return "", false
	}
	return x[i].Text, true
}
