package dat

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/text"
)

// Options control how files are decompiled and compiled. The zero value is valid.
type Options struct {
	Names  *hash.Names     // nil for [hash.Known]
	Floats text.FloatStyle // format of floating-point numbers
	Path   string          // of the file, for example MEDIA/UNITTYPES/TYPE.DAT: its base name is a known name too, and .ADM means Torchlight I

	FormOnly bool // Decompile computes no residue, which takes most of its time

	// Warn receives values that Compile interprets differently from their spelling, such as the INTEGER "1.5", which
	// becomes 1. If Warn is nil, they are errors. Numbers out of range always are.
	Warn func(*text.Error)
}

// version returns the version of a file to compile.
func (o *Options) version() uint32 {
	if strings.EqualFold(path.Ext(o.Path), ".ADM") {
		return Torchlight1
	}
	return Torchlight2
}

// Text returns the tree of f in its text form. A line feed in a string becomes \n, as in the texts of the game.
func (f *File) Text(o Options) *text.Node {
	strings := indexOf(printable(f.Strings))
	t := treeMaker{strings: strings, floats: o.Floats}
	if f.Version == Torchlight1 {
		t.name = func(id uint32) string {
			s, _ := strings.text(id)
			return s
		}
	} else {
		t.name = newNamer(f, o).name
	}
	return t.node(f.Root)
}

type treeMaker struct {
	name    func(uint32) string
	strings index
	floats  text.FloatStyle
}

func (t *treeMaker) node(n *Node) *text.Node {
	out := &text.Node{Name: t.name(n.Name), Items: make([]text.Item, 0, len(n.Properties)+len(n.Children))}
	properties := make([]text.Property, len(n.Properties))
	for i, p := range n.Properties {
		properties[i] = text.Property{Type: p.Type, Key: t.name(p.Key), Value: valueText(p, t.strings, t.floats)}
		out.Items = append(out.Items, &properties[i])
	}
	for _, c := range n.Children {
		out.Items = append(out.Items, t.node(c))
	}
	return out
}

// valueText returns a value in its text form.
func valueText(p Property, table index, floats text.FloatStyle) string {
	switch p.Type {
	case text.Integer:
		return strconv.FormatInt(int64(int32(p.Value)), 10)
	case text.Float:
		return text.FormatFloat(math.Float32frombits(uint32(p.Value)), floats)
	case text.Double:
		return text.FormatDouble(math.Float64frombits(p.Value), floats)
	case text.Unsigned:
		return strconv.FormatUint(uint64(uint32(p.Value)), 10)
	case text.Bool:
		return strconv.FormatBool(p.Value != 0)
	case text.Integer64:
		return strconv.FormatInt(int64(p.Value), 10)
	}
	s, _ := table.text(uint32(p.Value))
	return s
}

// printable returns a table whose strings are valid in a text.
func printable(table []String) []String {
	feeds := func(s String) bool { return strings.Contains(s.Text, "\n") }
	if !slices.ContainsFunc(table, feeds) {
		return table
	}
	table = slices.Clone(table)
	for i := range table {
		table[i].Text = strings.ReplaceAll(table[i].Text, "\n", `\n`)
	}
	return table
}

// namer finds the names of hashes.
type namer struct {
	names *hash.Names
	file  *File
	path  string
	own   *hash.Names // names from the file, set when they are first needed
}

func newNamer(f *File, o Options) *namer {
	if o.Names == nil {
		o.Names = hash.Known()
	}
	return &namer{names: o.Names, file: f, path: o.Path}
}

// name returns the name of a hash. It always has that hash and is valid in a text: a known name, a name in the file
// itself, the number of a broken tag, or an escape.
func (n *namer) name(h uint32) string {
	if s, ok := n.find(h); ok {
		return s
	}
	if s, ok := n.names.BrokenHash(h); ok {
		return strconv.FormatUint(uint64(hash.Of(s)), 10)
	}
	return hash.Escape(h)
}

// find returns a name that is known or in the file.
func (n *namer) find(h uint32) (string, bool) {
	if s, ok := n.names.Name(h); ok && fits(s, h) {
		return s, true
	}
	// Many files use their own name, or one of their strings, as a tag: the root of a unit type is the name of the
	// type.
	if n.own == nil {
		base, _, _ := strings.Cut(path.Base(n.path), ".")
		names := make([]string, 0, len(n.file.Strings)+1)
		for _, s := range n.file.Strings {
			names = append(names, s.Text)
		}
		n.own = n.names.With(append(names, base)...)
	}
	for _, s := range n.own.All(h) {
		if upper := strings.ToUpper(s); fits(upper, h) {
			return upper, true
		}
		if fits(s, h) {
			return s, true
		}
	}
	return "", false
}

func fits(s string, h uint32) bool {
	return text.FitsKey(s) && text.FitsName(s) && hash.Of(s) == h
}

// FromText returns the compiled file of a tree. Strings get their IDs from 1 on in the order in which they are first
// used. FromText calls report for values that it interprets differently from their spelling: by their beginning as the
// game does, so that nonsense is 0, or as the nearest number that fits. If report is nil, the first of them is the
// error.
func FromText(root *text.Node, version uint32, report func(text.Item, *text.Error)) (*File, error) {
	var first error
	if report == nil {
		report = func(it text.Item, e *text.Error) {
			if first == nil {
				first = fmt.Errorf("%s: %w", it.(*text.Property).Key, e)
			}
		}
	}
	f := fromText(root, version, false, report)
	return f, first
}

// fromText is FromText. If noEmpty is set, or in Torchlight II, empty strings are [None]. In Torchlight I they are strings of the
// table, as other compilers write them.
func fromText(root *text.Node, version uint32, noEmpty bool, report func(text.Item, *text.Error)) *File {
	c := compiler{file: &File{Version: version}, ids: map[string]uint32{}, noEmpty: noEmpty || version != Torchlight1, report: report}
	c.file.Root = c.node(root)
	return c.file
}

type compiler struct {
	file    *File
	ids     map[string]uint32
	noEmpty bool
	report  func(text.Item, *text.Error)
}

func (c *compiler) node(n *text.Node) *Node {
	out := &Node{Name: c.name(n.Name)}
	properties, children := 0, 0
	for _, it := range n.Items {
		if _, ok := it.(*text.Property); ok {
			properties++
		} else {
			children++
		}
	}
	if properties > 0 {
		out.Properties = make([]Property, 0, properties)
		for p := range n.Properties() {
			out.Properties = append(out.Properties, Property{Key: c.name(p.Key), Type: p.Type, Value: c.value(p)})
		}
	}
	if children > 0 {
		out.Children = make([]*Node, 0, children)
		for child := range n.Children() {
			out.Children = append(out.Children, c.node(child))
		}
	}
	return out
}

func (c *compiler) name(s string) uint32 {
	if c.file.Version == Torchlight1 {
		return c.id(strings.ToUpper(s))
	}
	return hash.Of(s)
}

// id returns the ID of a string.
func (c *compiler) id(s string) uint32 {
	if s == "" && c.noEmpty {
		return None
	}
	id, ok := c.ids[s]
	if !ok {
		id = uint32(len(c.ids) + 1)
		c.ids[s] = id
		c.file.Strings = append(c.file.Strings, String{id, s})
	}
	return id
}

func (c *compiler) value(p *text.Property) uint64 {
	if p.Type.IsString() {
		return uint64(c.id(p.Value))
	}
	v, clean := number(p)
	if !clean {
		c.report(p, p.Problem())
	}
	return v
}

// number returns the bits of a value that is not a string, and whether the spelling is exact.
func number(p *text.Property) (bits uint64, clean bool) {
	switch p.Type {
	case text.Integer:
		v, clean := text.ParseInt(p.Value)
		return uint64(uint32(v)), clean
	case text.Float:
		v, clean := text.ParseFloat(p.Value)
		return uint64(math.Float32bits(v)), clean
	case text.Double:
		v, clean := text.ParseDouble(p.Value)
		return math.Float64bits(v), clean
	case text.Unsigned:
		v, clean := text.ParseUint(p.Value)
		return uint64(v), clean
	case text.Bool:
		v, clean := text.ParseBool(p.Value)
		if v {
			return 1, clean
		}
		return 0, clean
	}
	v, clean := text.ParseInt64(p.Value)
	return uint64(v), clean
}
