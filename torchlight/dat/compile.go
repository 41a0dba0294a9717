package dat

import (
	"bytes"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/text"
)

// Decompile returns the text of a compiled file and its residue: everything that the text does not contain, or nil if
// it contains all. Compile of both reproduces the file exactly. The error is a *[fault.Error]: the file cannot be
// decoded, or its text would be enormous, because it has a long string in very many places.
func Decompile(data []byte, o Options) (form []byte, residue *Residue, err error) {
	f, err := Decode(data)
	if err != nil {
		return nil, nil, err
	}
	root := f.Text(o)
	if err := effort.DataText.Start(int64(len(data))).Spend(int64(formSize(root, 0))); err != nil {
		err.(*fault.Error).Path = "root"
		return nil, nil, err
	}
	form = text.Format(root)
	if !o.FormOnly {
		residue = findResidue(f, data, root, form, o)
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

// ResidueOf returns everything in a compiled file that the text form does not contain, so that Compile of both
// reproduces the file; nil if the text contains all. It returns false if the text has different contents. Digits of
// numbers beyond the six that GUTS writes are not compared.
func ResidueOf(data, form []byte, o Options) (residue *Residue, same bool) {
	f, err := Decode(data)
	if err != nil {
		return nil, false
	}
	t, err := text.Parse(form)
	if err != nil {
		return nil, false
	}
	six := o
	six.Floats = text.GUTS
	if !text.Equal(f.Text(six), fromText(t.Root, f.Version, true, func(text.Item, *text.Error) {}).Text(six)) {
		return nil, false
	}
	residue = findResidue(f, data, t.Root, form, o)
	return residue, residue == nil || residue.Whole == nil
}

// Compile returns the compiled file of a text. With the residue of exactly that text it reproduces the file that the
// text was made from. Errors are about the text (*[text.Error] or [text.Errors]), or about values that no compiled file
// can hold (*[fault.Error]).
func Compile(form []byte, residue *Residue, o Options) (data []byte, err error) {
	if residue != nil && residue.Whole != nil {
		return bytes.Clone(residue.Whole), nil
	}
	f, err := compile(form, residue, o)
	if err != nil {
		return nil, err
	}
	if residue != nil {
		if err := residue.apply(f); err != nil {
			return nil, err
		}
	}
	return f.Encode()
}

// compile returns the file of a text without applying a residue, except its version and long numbers.
func compile(form []byte, residue *Residue, o Options) (f *File, err error) {
	problems, err := text.Read(form, func(root *text.Node, report func(text.Item, *text.Error)) {
		if residue != nil {
			text.LongFloats(root, residue.Floats)
		}
		f = fromText(root, residue.version(o), residue != nil && residue.NoEmpty, report)
	})
	if err == nil {
		err = problems.Settle(o.Warn)
	}
	return f, err
}

// version returns the version of the file with a residue, which may be nil.
func (r *Residue) version(o Options) uint32 {
	if r != nil && r.Version != 0 {
		return r.Version
	}
	return o.version()
}

// formSize estimates the number of characters in the text of a tree.
func formSize(n *text.Node, depth int) int {
	size := 2 * (depth + len(n.Name) + 4)
	for p := range n.Properties() {
		size += depth + len(p.Key) + len(p.Value) + 12
	}
	for c := range n.Children() {
		size += formSize(c, depth+1)
	}
	return size
}
