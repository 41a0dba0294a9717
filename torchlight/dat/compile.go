package dat

import (
	"bytes"
	"fmt"

	"trowel/internal/bin"
	"trowel/torchlight/text"
)

// Decompile returns the text of a compiled file, and what that text does not
// say: nil if it says all. Compile of both is the very file again. The error is a
// *[bin.Error]: the file cannot be decoded, or it is one that blows up beyond all
// measure as a text, because it has a long string in very many places.
func Decompile(data []byte, o Options) (form []byte, relic *Relic, err error) {
	f, err := Decode(data)
	if err != nil {
		return nil, nil, err
	}
	root := f.Text(o)
	if size, most := formSize(root, 0), 1<<20+100*len(data); size > most {
		return nil, nil, &bin.Error{Path: "root", Offset: -1, Want: fmt.Sprintf("a text of at most %d characters", most), Got: fmt.Sprint(size), Err: bin.ErrLimit}
	}
	form = text.Format(root)
	return form, findRelic(f, data, root, form, o), nil
}

// Compile makes the compiled file of a text. With the relic of that very text it
// is the file again that the text was made from. Errors are about the text
// (*[text.Error]), or about what no compiled file can hold (*[bin.Error]).
func Compile(form []byte, relic *Relic, o Options) (data []byte, err error) {
	if relic != nil && relic.Whole != nil {
		return bytes.Clone(relic.Whole), nil
	}
	f, err := compile(form, relic, o)
	if err != nil {
		return nil, err
	}
	if relic != nil {
		if err := relic.apply(f); err != nil {
			return nil, err
		}
	}
	return f.Encode()
}

// compile makes the file that a text says by itself.
func compile(form []byte, relic *Relic, o Options) (*File, error) {
	t, err := text.Parse(form)
	if err != nil {
		return nil, err
	}
	return compileTree(t.Root, relic, o), nil
}

func compileTree(root *text.Node, relic *Relic, o Options) *File {
	version := o.version()
	if relic != nil && relic.Version != 0 {
		version = relic.Version
	}
	return FromText(root, version)
}

// formSize returns about how many characters the text of a tree takes.
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
