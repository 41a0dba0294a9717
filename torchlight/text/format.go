package text

import (
	"bytes"
	"sync"
)

// Format returns the text of a tree as GUTS writes it: UTF-16LE with a byte
// order mark, CRLF, a tab for each level.
func Format(root *Node) []byte {
	return (&File{Root: root, BOM: true, LineEnd: "\r\n"}).format()
}

// Bytes returns the text of f. If the tree and the form are unchanged, these are exactly the bytes that were parsed;
// otherwise it is the tree in the form of f, without the comments.
func (f *File) Bytes() []byte {
	if f.source != nil {
		if old, err := Parse(f.source); err == nil && old.sameForm(f) && Equal(old.Root, f.Root) {
			return bytes.Clone(f.source)
		}
	}
	return f.format()
}

func (f *File) sameForm(g *File) bool {
	return f.Encoding == g.Encoding && f.BOM == g.BOM && f.LineEnd == g.LineEnd && f.Unended == g.Unended
}

// drafts are texts in UTF-8 that are converted to another encoding.
var drafts = sync.Pool{New: func() any { return new([]byte) }}

func (f *File) format() []byte {
	draft := drafts.Get().(*[]byte)
	defer drafts.Put(draft)
	text := appendNode((*draft)[:0], f.Root, 0, f.LineEnd)
	*draft = text
	if f.Unended {
		text = text[:len(text)-len(f.LineEnd)]
	}
	// Reserve two bytes for each byte: more would be waste, because text is mostly ASCII.
	out := make([]byte, 0, 2*len(text)+3)
	if f.BOM {
		out = append(out, boms[f.Encoding]...)
	}
	if out, ok := encode(out, text, f.Encoding); ok {
		return out
	}
	out, _ = encode(append(out[:0], boms[UTF16LE]...), text, UTF16LE)
	return out
}

func appendNode(b []byte, n *Node, depth int, end string) []byte {
	b = append(appendTabs(b, depth), '[')
	b = append(append(append(b, n.Name...), ']'), end...)
	for _, it := range n.Items {
		switch it := it.(type) {
		case *Property:
			b = append(appendTabs(b, depth+1), '<')
			b = append(append(b, it.Type.String()...), '>')
			b = append(append(b, it.Key...), ':')
			b = append(append(b, it.Value...), ending(it.Value, end)...)
		case *Node:
			b = appendNode(b, it, depth+1, end)
		}
	}
	b = append(appendTabs(b, depth), "[/"...)
	return append(append(append(b, n.Name...), ']'), end...)
}

func appendTabs(b []byte, n int) []byte {
	for range n {
		b = append(b, '\t')
	}
	return b
}

// Survives reports whether a text can represent the tree, so that Format followed by Parse returns an equal tree.
func Survives(n *Node) bool {
	if !FitsName(n.Name) {
		return false
	}
	for _, it := range n.Items {
		switch it := it.(type) {
		case *Property:
			if !it.Type.Known() || !FitsKey(it.Key) || !fitsValue(it.Value) {
				return false
			}
		case *Node:
			if !Survives(it) {
				return false
			}
		}
	}
	return true
}
