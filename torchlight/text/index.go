package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Index holds the lines of the nodes, keys and objects of a text.
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
	for n := range f.Root.All() {
		if _, ok := n.Get("ID"); ok && strings.EqualFold(n.Name, "PROPERTIES") && x.objects[n.Int64("ID")] == 0 {
			x.objects[n.Int64("ID")] = lines[n]
		}
	}
	return x, nil
}

// Line returns the line, from 1, of a node or key, or of the nearest node that contains it. For an object it is the
// line of its [PROPERTIES]. Line returns 0 for a place that does not exist.
func (x *Index) Line(p Place) int {
	if p.Node != "" {
		s := search{whole: p.Node}
		rest, ok := cutName(p.Node, x.root.Name, 1)
		if !ok {
			rest = "." + p.Node // findings name a key of the root without the root
		}
		if s.find(x.root, rest) || ok && p.Object == 0 {
			return x.lines[s.best]
		}
	}
	return x.objects[p.Object]
}

// search follows a path of names.
type search struct {
	whole string
	best  Item // the item for the longest part of the path that exists
	depth int  // length of that part
}

// find searches below n for the item that rest names, and reports whether it exists.
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

// maxName is the number of characters of a long name that findings contain.
const maxName = 40

// cutName removes a name from the beginning of a path. The name may be in any case, with or without the index of equal
// names, or shortened as in findings. The remaining path is "" or begins with a period.
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
