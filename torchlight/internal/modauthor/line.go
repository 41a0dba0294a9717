package modauthor

import (
	"strings"

	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/text"
)

// part is a part of a line, in bytes.
type part struct{ from, to int }

func (p part) of(s string) string { return s[p.from:p.to] }

// has reports whether a column lies in a part or directly after it.
func (p part) has(column int) bool { return p.from <= column && column <= p.to }

// line is a line of a data file or layout. Unlike package text, it accepts lines that are being typed.
type line struct {
	open, close bool // [NAME] or [/NAME]
	property    bool // <TYPE>KEY:VALUE, or its beginning
	typed       bool // the type has its >
	colon       bool // the key has its colon

	name            part // of a node
	typ, key, value part
}

// parseLine parses a line without its end.
func parseLine(s string) (l line) {
	at := len(s) - len(strings.TrimLeft(s, " \t"))
	end := len(strings.TrimRight(s, " \t\r"))
	switch {
	case strings.HasPrefix(s[at:], "[/"):
		l.close, l.name = true, part{at + 2, max(at+2, end)}
	case strings.HasPrefix(s[at:], "["):
		l.open, l.name = true, part{at + 1, max(at+1, end)}
	case strings.HasPrefix(s[at:], "<"):
		l.property = true
		l.cutProperty(strings.TrimSuffix(s, "\r"), at+1)
		return l
	default:
		return l
	}
	if l.name.to > l.name.from && s[l.name.to-1] == ']' {
		l.name.to--
	}
	return l
}

func (l *line) cutProperty(s string, at int) {
	l.typ = part{at, len(s)}
	l.key, l.value = part{len(s), len(s)}, part{len(s), len(s)}
	i := strings.IndexByte(s[at:], '>')
	if i < 0 {
		return
	}
	l.typed, l.typ.to, l.key.from = true, at+i, at+i+1
	i = strings.IndexByte(s[l.key.from:], ':')
	if i < 0 {
		return
	}
	l.colon, l.key.to = true, l.key.from+i
	l.value.from = l.key.to + 1
}

// event is a line of a text that opens a node or is a property.
type event struct {
	line  int      // from 0
	node  int      // number of the innermost open node
	way   []string // the names of the open nodes, including that of an opening line
	open  bool
	typ   text.Type // 0 if unknown
	key   string
	value string

	keyAt, valueAt int // columns
}

// scan calls see for each node and property of a text, also of a broken one.
func scan(s string, see func(event)) { scanNodes(s, func(int, int, []string) {}, see) }

// scanNodes is scan, and calls begin at the beginning of each line, with the number and the names of the open nodes.
func scanNodes(s string, begin func(line, node int, way []string), see func(event)) {
	var way []string
	nodes := []int{0} // numbers of the open nodes; 0 is the text
	last := 0
	for n, more := 0, true; more; n++ {
		var row string
		row, s, more = strings.Cut(s, "\n")
		begin(n, nodes[len(nodes)-1], way)
		l := parseLine(row)
		switch {
		case l.open && int64(len(way)) < effort.DataDepth.Limit(0):
			last++
			way, nodes = append(way, l.name.of(row)), append(nodes, last)
			see(event{line: n, node: last, way: way, open: true, keyAt: l.name.from})
		case l.close && len(way) > 0:
			way, nodes = way[:len(way)-1], nodes[:len(nodes)-1]
		case l.property && l.colon:
			typ, _ := text.ParseType(l.typ.of(row))
			see(event{n, nodes[len(nodes)-1], way, false, typ, l.key.of(row), l.value.of(row), l.key.from, l.value.from})
		}
	}
}

// walk is scan for the text that [text.Format] makes of a tree.
func walk(root *text.Node, see func(event)) {
	var way []string
	n, nodes := 0, 0
	var visit func(node *text.Node)
	visit = func(node *text.Node) {
		depth := len(way)
		way = append(way, node.Name)
		nodes++
		number := nodes
		see(event{line: n, node: number, way: way, open: true, keyAt: depth + 1})
		n++
		for _, it := range node.Items {
			switch it := it.(type) {
			case *text.Property:
				key := depth + 1 + len("<>") + len(it.Type.String())
				see(event{n, number, way, false, it.Type, it.Key, it.Value, key, key + len(it.Key) + 1})
				n++
			case *text.Node:
				visit(it)
			}
		}
		way = way[:depth]
		n++
	}
	visit(root)
}

// lineOf returns a line of a text, from 0, without its end.
func lineOf(s string, n int) (row string, ok bool) {
	for ; n > 0; n-- {
		_, rest, more := strings.Cut(s, "\n")
		if !more {
			return "", false
		}
		s = rest
	}
	row, _, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(row, "\r"), true
}

// around returns the names of the nodes that are open at a line, from 0, and all properties of the innermost one.
func around(s string, n int) (way []string, props []event) {
	node := -1
	scanNodes(s, func(num, in int, names []string) {
		if num == n {
			node, way = in, append(way, names...)
		}
	}, func(event) {})
	scan(s, func(e event) {
		if !e.open && e.node == node {
			e.way = way
			props = append(props, e)
		}
	})
	return way, props
}

// span returns a part of a line as a span.
func (p part) span(path string, n int) format.Span {
	return format.Span{Path: path, From: format.Spot{Line: n, Column: p.from}, To: format.Spot{Line: n, Column: p.to}}
}
