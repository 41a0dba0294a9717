package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Index knows on which lines of a text its nodes, keys and objects stand.
type Index struct {
	root    *Node
	lines   map[Item]int
	objects map[int64]int // lines of [PROPERTIES] by the ID in them
}

// NewIndex reads a text. Its error is that of [Parse].
func NewIndex(data []byte) (*Index, error) {
	f, lines, err := ParseLines(data)
	if err != nil {
		return nil, err
	}
	x := &Index{f.Root, lines, make(map[int64]int)}
	x.note(f.Root)
	return x, nil
}

func (x *Index) note(n *Node) {
	if id, ok := n.Get("ID"); ok && strings.EqualFold(n.Name, "PROPERTIES") {
		if v, _ := ParseInt64(id); x.objects[v] == 0 {
			x.objects[v] = x.lines[n]
		}
	}
	for c := range n.Children() {
		x.note(c)
	}
}

// Line returns the line, from 1, of a node or key, or else of the nearest node around it; of an
// object that of its [PROPERTIES]. It returns 0 for a place of which there is nothing.
func (x *Index) Line(p Place) int {
	if p.Node != "" {
		s := search{whole: p.Node}
		rest, ok := cutName(p.Node, x.root.Name, 1)
		if !ok {
			rest = "." + p.Node // what findings call a key of the root
		}
		if s.find(x.root, rest) || ok && p.Object == 0 {
			return x.lines[s.best]
		}
	}
	return x.objects[p.Object]
}

// search goes down a way of names.
type search struct {
	whole string
	best  Item // the last one of the longest part of the way
	depth int  // of best
}

// find looks for what rest names below n, and reports whether it is there.
func (s *search) find(n *Node, rest string) bool {
	if at := len(s.whole) - len(rest) + 1; at > s.depth {
		s.best, s.depth = n, at
	}
	if rest == "" {
		return true
	}
	if rest = rest[1:]; rest == "" {
		return false
	}
	for p := range n.Properties() {
		if after, ok := cutName(rest, p.Key, 1); ok && after == "" {
			s.best, s.depth = p, len(s.whole)+2
			return true
		}
	}
	times := make(map[string]int)
	for c := range n.Children() {
		name := strings.ToUpper(c.Name)
		times[name]++
		if after, ok := cutName(rest, c.Name, times[name]); ok && s.find(c, after) {
			return true
		}
	}
	return false
}

// maxName is how much of a long name findings tell.
const maxName = 40

// cutName takes a name from the front of a way: in any case, with the number of one of several
// or without, or as findings shorten it. What is left is "" or begins with a point.
func cutName(way, name string, number int) (rest string, ok bool) {
	forms := []string{name}
	if number > 1 {
		forms = append(forms, name+"["+strconv.Itoa(number)+"]")
	}
	if utf8.RuneCountInString(name) > maxName {
		forms = append(forms, string([]rune(name)[:maxName])+"...")
	}
	for _, f := range forms {
		if len(way) >= len(f) && strings.EqualFold(way[:len(f)], f) && (len(way) == len(f) || way[len(f)] == '.') {
			return way[len(f):], true
		}
	}
	return way, false
}
