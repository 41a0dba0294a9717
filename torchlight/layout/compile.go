package layout

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"trowel.example/fault"
	"trowel.example/torchlight/text"
)

// Residue holds everything about a compiled file that its text form does not contain. It belongs to exactly that text
// and does not apply to an edited one.
type Residue struct {
	Patches []Patch `json:"patches,omitempty"` // in ascending order, not overlapping
	Whole   []byte  `json:"whole,omitempty"`   // the file, if patches cannot reproduce it

	// Floats maps the numbers that have six digits in the text to all their digits in the file. They apply to an edited
	// text, too.
	Floats map[string]string `json:"floats,omitempty"`
}

// Patch is a run of bytes in the file that differs from what the text compiles to.
type Patch struct {
	At int    `json:"at"` // offset
	Is string `json:"is"` // the bytes, in hexadecimal
}

// Decompile returns the text form of a compiled layout and its residue: everything that the text does not contain, or
// nil if it contains all. Decompile fails where [Decode] fails.
func Decompile(data []byte, o Options) (form []byte, residue *Residue, err error) {
	f, err := Decode(data)
	if err != nil {
		return nil, nil, err
	}
	root := f.Text(o)
	form = text.Format(root)
	if !o.FormOnly {
		residue = residueOf(data, root)
	}
	if o.Floats != text.Short {
		return form, residue, nil
	}
	if floats := text.ShortFloats(root); floats != nil {
		if residue == nil {
			residue = new(Residue)
		}
		form, residue.Floats = text.Format(root), floats
	}
	return form, residue, nil
}

// residueOf returns the residue of a file with respect to the tree of a text, or nil if there is none.
func residueOf(data []byte, root *text.Node) *Residue {
	plain, err := recompile(root)
	if err == nil && bytes.Equal(plain, data) {
		return nil
	}
	if err == nil && len(plain) == len(data) {
		residue := &Residue{Patches: difference(plain, data)}
		if back, err := residue.apply(plain); err == nil && bytes.Equal(back, data) {
			return residue
		}
	}
	return &Residue{Whole: bytes.Clone(data)}
}

// ResidueOf returns everything in a compiled layout that the text form does not contain, so that Compile of both
// reproduces the layout; nil if the text contains all. It returns false if the text has different contents. Digits of
// numbers beyond the six that the editor writes are not compared.
func ResidueOf(data, form []byte, o Options) (residue *Residue, same bool) {
	f, err := Decode(data)
	if err != nil {
		return nil, false
	}
	t, err := text.Parse(form)
	if err != nil {
		return nil, false
	}
	compiled, err := FromText(t.Root, func(text.Item, *text.Error) {})
	if err != nil {
		return nil, false
	}
	o.Floats = text.GUTS
	if !text.Equal(f.Text(o), compiled.Text(o)) {
		return nil, false
	}
	residue = residueOf(data, t.Root)
	return residue, residue == nil || residue.Whole == nil
}

var errLine = errors.New("a text that fits into one line")

// recompile is Compile for the form of a tree that Text has created. It does not parse the form: the tree is known to
// survive parsing unchanged.
func recompile(root *text.Node) ([]byte, error) {
	if !text.Survives(root) {
		return nil, errLine
	}
	f, err := FromText(root, func(text.Item, *text.Error) {})
	if err != nil {
		return nil, err
	}
	return f.Encode()
}

// Compile returns the compiled layout of its text form. With the residue of exactly that form it reproduces the
// original file byte for byte.
//
// Compile fails where [text.Parse], [FromText] or [File.Encode] fail, for a residue that cannot belong to the form, and
// for a number out of range.
func Compile(form []byte, residue *Residue, o Options) ([]byte, error) {
	if residue != nil && residue.Whole != nil {
		return bytes.Clone(residue.Whole), nil
	}
	f, problems, err := readText(form, residue, nil)
	if err == nil {
		err = problems.Settle(o.Warn)
	}
	if err != nil {
		return nil, err
	}
	data, err := f.Encode()
	if err != nil || residue == nil {
		return data, err
	}
	return residue.apply(data)
}

// difference returns the runs of bytes in which b differs from a. Both have the same length.
func difference(a, b []byte) []Patch {
	// Runs closer than this are joined, because a separate patch takes more space.
	const near = 8
	var patches []Patch
	for i := 0; i < len(a); i++ {
		if a[i] == b[i] {
			continue
		}
		start, end := i, i+1
		for ; i < len(a) && i < end+near; i++ {
			if a[i] != b[i] {
				end = i + 1
			}
		}
		patches = append(patches, Patch{start, hex.EncodeToString(b[start:end])})
		i = end
	}
	return patches
}

func (r *Residue) apply(data []byte) ([]byte, error) {
	data = slices.Clone(data)
	for _, p := range r.Patches {
		is, err := hex.DecodeString(p.Is)
		if err != nil || p.At < 0 || p.At > len(data)-len(is) {
			return nil, &fault.Error{Path: "residue", Offset: int64(p.At),
				Want: fmt.Sprintf("bytes of a file of %d", len(data)), Got: fmt.Sprintf("%q",
					p.Is), Err: fault.ErrFormat}
		}
		copy(data[p.At:], is)
	}
	return data, nil
}
