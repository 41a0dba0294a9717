package dat

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"trowel.example/fault"
	"trowel.example/torchlight/text"
)

// Residue holds everything about a compiled file that its text does not contain. It belongs to exactly that text and is
// ignored once the text is edited.
type Residue struct {
	Version uint32   `json:"version,omitempty"` // if it differs from the one that the file name implies
	IDs     string   `json:"ids,omitempty"`     // of the strings in the order of their first use, for example "1201-1204 17"
	Table   []String `json:"table,omitempty"`   // the string table, if it does not consist of just the strings of the text sorted by ID
	Values  []Bits   `json:"values,omitempty"`  // values that the text does not reproduce, in the order of the file
	NoEmpty bool     `json:"noEmpty,omitempty"` // of Torchlight I: the table has no empty string, which is [None]
	Rest    []byte   `json:"rest,omitempty"`    // bytes after the root
	Whole   []byte   `json:"whole,omitempty"`   // the file itself, if nothing else reproduces it

	// Floats maps the numbers that have six digits in the text to all their digits in the file. They apply to an edited
	// text, too.
	Floats map[string]string `json:"floats,omitempty"`
}

// Bits are the bits of a value.
type Bits struct {
	At    int    `json:"at"` // index of the property, in the order of the file
	Value uint64 `json:"value"`
}

// findResidue returns the differences between a file, which was decoded from data, and the result of compiling form,
// the text of root; nil if there are none. It rebuilds the file from the text and the residue as Compile does, and
// stores data itself if the result differs. It does not parse the text: [text.Survives] guarantees that parsing gives
// the same tree.
func findResidue(f *File, data []byte, root *text.Node, form []byte, o Options) *Residue {
	r := &Residue{Rest: f.Rest, NoEmpty: f.noEmpty()}
	if f.Version != o.version() {
		r.Version = f.Version
	}
	var c *File
	if text.Survives(root) {
		c = fromText(root, r.version(o), r.NoEmpty, func(text.Item, *text.Error) {})
	} else {
		var err error
		if c, err = compile(form, r, o); err != nil {
			return &Residue{Whole: data}
		}
	}
	r.IDs = findIDs(f, c)
	if !slices.Equal(f.Strings, withIDs(c.Strings, r.IDs)) {
		r.IDs = ""
		if !slices.ContainsFunc(f.Strings, func(s String) bool { return !utf8.ValidString(s.Text) }) {
			r.Table = f.Strings // JSON cannot represent unpaired surrogates
		}
	}
	if r.apply(c) != nil {
		return &Residue{Whole: data}
	}
	at := 0
	alongside(f.Root, c.Root, func(a, b *Node) {
		for i := range min(len(a.Properties), len(b.Properties)) {
			if v := a.Properties[i].Value; v != b.Properties[i].Value {
				r.Values = append(r.Values, Bits{at + i, v})
				b.Properties[i].Value = v
			}
		}
		at += len(b.Properties)
	})
	if back, err := c.Encode(); err != nil || !bytes.Equal(back, data) {
		return &Residue{Whole: data}
	}
	if r.Version == 0 && r.IDs == "" && r.Table == nil && r.Values == nil && !r.NoEmpty && len(r.Rest) == 0 {
		return nil
	}
	return r
}

// noEmpty reports whether a file of Torchlight I has empty strings that are not in its table.
func (f *File) noEmpty() bool {
	return f.Version == Torchlight1 && slices.ContainsFunc(collect(f.Root, nil), func(p *Property) bool {
		return p.Type.IsString() && uint32(p.Value) == None
	}) && !slices.ContainsFunc(f.Strings, func(s String) bool { return s.Text == "" })
}

// alongside walks two trees in parallel, as far as they have the same shape.
func alongside(a, b *Node, see func(a, b *Node)) {
	see(a, b)
	for i := range min(len(a.Children), len(b.Children)) {
		alongside(a.Children[i], b.Children[i], see)
	}
}

// findIDs returns the IDs that the strings of c have in f, in the order of their first use; "" if they are the same.
func findIDs(f, c *File) string {
	ids := make([]uint32, len(c.Strings))
	note := func(a, b uint32) {
		if b-1 < uint32(len(ids)) && ids[b-1] == 0 {
			ids[b-1] = a
		}
	}
	alongside(f.Root, c.Root, func(a, b *Node) {
		if f.Version == Torchlight1 {
			note(a.Name, b.Name)
		}
		for i := range min(len(a.Properties), len(b.Properties)) {
			p, q := &a.Properties[i], &b.Properties[i]
			if f.Version == Torchlight1 {
				note(p.Key, q.Key)
			}
			if q.Type.IsString() {
				note(uint32(p.Value), uint32(q.Value))
			}
		}
	})
	var out []byte
	same := true
	for i := 0; i < len(ids); {
		n := 1
		for i+n < len(ids) && ids[i+n] == ids[i]+uint32(n) {
			n++
		}
		same = same && ids[i] == uint32(i+1)
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = strconv.AppendUint(out, uint64(ids[i]), 10)
		if n > 1 {
			out = strconv.AppendUint(append(out, '-'), uint64(ids[i+n-1]), 10)
		}
		i += n
	}
	if same {
		return ""
	}
	return string(out)
}

// parseIDs returns the n IDs that a list of findIDs represents.
func parseIDs(list string, n int) ([]uint32, error) {
	bad := &fault.Error{Path: "residue.ids", Offset: -1, Want: fmt.Sprintf("%d IDs", n),
		Got: strconv.Quote(list[:min(len(list), 40)]), Err: fault.ErrFormat}
	ids := make([]uint32, 0, n)
	for part := range strings.FieldsSeq(list) {
		from, to, isRange := strings.Cut(part, "-")
		first, err := strconv.ParseUint(from, 10, 32)
		last := first
		if err == nil && isRange {
			last, err = strconv.ParseUint(to, 10, 32)
		}
		if err != nil || last < first || last-first >= uint64(n-len(ids)) {
			return nil, bad
		}
		for id := first; id <= last; id++ {
			ids = append(ids, uint32(id))
		}
	}
	if len(ids) != n {
		return nil, bad
	}
	return ids, nil
}

// withIDs returns a table with other IDs, sorted by them.
func withIDs(table []String, list string) []String {
	table = slices.Clone(table)
	if list == "" {
		return table
	}
	ids, err := parseIDs(list, len(table))
	if err != nil {
		return table
	}
	for i := range table {
		table[i].ID = ids[i]
	}
	slices.SortStableFunc(table, func(a, b String) int { return cmp.Compare(a.ID, b.ID) })
	return table
}

// apply restores the original file from f, the result of compiling the text.
func (r *Residue) apply(f *File) error {
	var to func(id uint32) uint32 // returns the old ID of a new one
	switch {
	case r.IDs != "":
		ids, err := parseIDs(r.IDs, len(f.Strings))
		if err != nil {
			return err
		}
		to = func(id uint32) uint32 { return ids[id-1] }
		f.Strings = withIDs(f.Strings, r.IDs)
	case r.Table != nil:
		old := make(map[string]uint32, len(r.Table))
		for _, s := range slices.Backward(r.Table) {
			old[s.Text] = s.ID
		}
		fresh := f.Strings
		to = func(id uint32) uint32 { return old[fresh[id-1].Text] }
		f.Strings = r.Table
	}
	if to != nil {
		f.renumber(f.Root, to)
	}
	if len(r.Values) > 0 {
		values := collect(f.Root, nil)
		for _, v := range r.Values {
			if v.At < 0 || v.At >= len(values) {
				return &fault.Error{Path: "residue.values", Offset: -1,
					Want: fmt.Sprintf("a property below %d",
						len(values)), Got: strconv.Itoa(v.At), Err: fault.ErrFormat}
			}
			values[v.At].Value = v.Value
		}
	}
	f.Rest = r.Rest
	return nil
}

// renumber changes the IDs of the strings below n.
func (f *File) renumber(n *Node, to func(uint32) uint32) {
	change := func(id uint32) uint32 {
		if id == None {
			return None
		}
		return to(id)
	}
	if f.Version == Torchlight1 {
		n.Name = change(n.Name)
	}
	for i := range n.Properties {
		p := &n.Properties[i]
		if f.Version == Torchlight1 {
			p.Key = change(p.Key)
		}
		if p.Type.IsString() {
			p.Value = uint64(change(uint32(p.Value)))
		}
	}
	for _, c := range n.Children {
		f.renumber(c, to)
	}
}

// collect appends all properties below n in the order of the file.
func collect(n *Node, all []*Property) []*Property {
	for i := range n.Properties {
		all = append(all, &n.Properties[i])
	}
	for _, c := range n.Children {
		all = collect(c, all)
	}
	return all
}
