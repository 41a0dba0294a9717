package text

import (
	"bytes"
	"strings"
)

// Edit changes a text by its tree. The function change may modify the tree; lines of unchanged items are preserved,
// with comments, empty lines and indents. If change fails, Edit returns its error. Other errors are those of [Parse].
func Edit(data []byte, change func(root *Node) error) ([]byte, error) {
	e := lineEditor{start: make(map[Item]int), end: make(map[*Node]int), was: make(map[Item]any),
		lines: make(map[int]string), after: make(map[int]*strings.Builder)}
	f, err := parseSeeing(data, func(line int, it Item) { e.start[it] = line }, func(line int, n *Node) { e.end[n] = line })
	if err != nil {
		return nil, err
	}
	e.file = f
	e.note(f.Root)
	if err := change(f.Root); err != nil {
		return nil, err
	}
	e.node(f.Root, 0)
	return e.write(data)
}

// lineEditor holds the lines of the items of a text.
type lineEditor struct {
	file  *File
	start map[Item]int
	end   map[*Node]int
	was   map[Item]any             // the original items: a Property, or the items of a Node
	names map[*Node]string         // original names of nodes
	lines map[int]string           // new tags of lines; "" removes the line
	after map[int]*strings.Builder // lines to insert after a line
}

func (e *lineEditor) note(n *Node) {
	if e.names == nil {
		e.names = make(map[*Node]string)
	}
	e.was[n], e.names[n] = append([]Item(nil), n.Items...), n.Name
	for _, it := range n.Items {
		switch it := it.(type) {
		case *Property:
			e.was[it] = *it
		case *Node:
			e.note(it)
		}
	}
}

// node computes the new lines of a node of the original text.
func (e *lineEditor) node(n *Node, depth int) {
	if n.Name != e.names[n] {
		e.lines[e.start[n]], e.lines[e.end[n]] = "["+n.Name+"]", "[/"+n.Name+"]"
	}
	at := e.start[n] // the line after which the next item is inserted
	stays := make(map[Item]bool)
	for _, it := range n.Items {
		line, known := e.start[it]
		if known && line > at && line < e.end[n] && !stays[it] {
			stays[it] = true
			if p, ok := it.(*Property); ok {
				if *p != e.was[p] {
					e.lines[line] = "<" + p.Type.String() + ">" + p.Key + ":" + p.Value
				}
				at = line
			} else {
				e.node(it.(*Node), depth+1)
				at = e.end[it.(*Node)]
			}
			continue
		}
		e.insert(at, it, depth+1)
	}
	for _, it := range e.was[n].([]Item) {
		if stays[it] {
			continue
		}
		last := e.start[it]
		if c, ok := it.(*Node); ok {
			last = e.end[c]
		}
		for line := e.start[it]; line <= last; line++ {
			e.lines[line] = ""
		}
	}
}

// insert adds a new item after a line.
func (e *lineEditor) insert(line int, it Item, depth int) {
	var b []byte
	switch it := it.(type) {
	case *Property:
		whole := appendNode(nil, &Node{Items: []Item{it}}, depth-1, e.file.LineEnd)
		begin := bytes.IndexByte(whole, '\n') + 1
		end := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
		b = whole[begin:end]
	case *Node:
		b = appendNode(nil, it, depth, e.file.LineEnd)
	}
	if e.after[line] == nil {
		e.after[line] = new(strings.Builder)
	}
	e.after[line].Write(b)
}

// write returns the new text.
func (e *lineEditor) write(data []byte) ([]byte, error) {
	f := e.file
	body := data
	if f.BOM {
		body = body[len(boms[f.Encoding]):]
	}
	s, err := decode(body, f.Encoding)
	if err != nil {
		return nil, err
	}
	var b []byte
	num := 0
	for line := range strings.Lines(s) {
		num++
		tag, changed := e.lines[num]
		switch {
		case !changed:
			b = append(b, line...)
		case tag != "":
			indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
			end := line[len(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")):]
			b = append(append(append(b, indent...), tag...), ending(tag, end)...)
		}
		if more := e.after[num]; more != nil {
			b = append(b, more.String()...)
		}
	}
	return f.encoded(b), nil
}

// encoded returns a text with the encoding and the byte order mark of f, or in UTF-16 if that is not possible.
func (f *File) encoded(b []byte) []byte {
	var head []byte
	if f.BOM {
		head = boms[f.Encoding]
	}
	if out, ok := encode(bytes.Clone(head), b, f.Encoding); ok {
		return out
	}
	out, _ := encode(bytes.Clone(boms[UTF16LE]), b, UTF16LE)
	return out
}
