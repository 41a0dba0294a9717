package modmerge

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"trowel.example/internal/values/merge3"
	"trowel.example/torchlight/text"
)

// An image set is XML with a tag for the set and one for each image. Image sets are merged as tags, so that the rest of
// the text is preserved.
var (
	anyTag    = regexp.MustCompile(`(?i)<image(?:set)?\b`)
	setTag    = regexp.MustCompile(`(?i)<imageset\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>`)
	imageTag  = regexp.MustCompile(`(?i)<image\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*?)/?>(?:\s*</image\s*>)?`)
	attribute = regexp.MustCompile(`(?s)([A-Za-z_][\w.-]*)\s*=\s*("[^"]*"|'[^']*')`)
)

// tags are the tags of an image set as a tree: the set with its images.
type tags struct {
	text  string
	root  *text.Node
	spans map[text.Item][2]int // positions of tags
	utf16 bool
}

func tagsOf(data []byte) (*tags, bool) {
	t := &tags{spans: make(map[text.Item][2]int)}
	switch {
	case len(data) >= 2 && data[0] == 0xFF && data[1] == 0xFE:
		if len(data)%2 != 0 {
			return nil, false
		}
		units := make([]uint16, 0, len(data)/2)
		for i := 2; i+1 < len(data); i += 2 {
			units = append(units, uint16(data[i])|uint16(data[i+1])<<8)
		}
		t.text, t.utf16 = string(utf16.Decode(units)), true
		if !slices.Equal(utf16.Encode([]rune(t.text)), units) {
			return nil, false
		}
	default:
		t.text = string(data)
	}
	if strings.Contains(t.text, "<!--") || strings.Contains(t.text, "<![") {
		return nil, false // it may contain text that only looks like a tag
	}
	set := setTag.FindAllStringSubmatchIndex(t.text, -1)
	images := imageTag.FindAllStringSubmatchIndex(t.text, -1)
	if len(set) != 1 || len(anyTag.FindAllStringIndex(t.text, -1)) != 1+len(images) || len(images) > 0 && images[0][0] < set[0][0] {
		return nil, false // a tag is malformed
	}
	t.root = &text.Node{Name: "IMAGESET"}
	t.spans[t.root] = [2]int{set[0][0], set[0][1]}
	attributesTo(t.root, t.text[set[0][2]:set[0][3]])
	for _, at := range images {
		n := t.root.AddNode("IMAGE")
		t.spans[n] = [2]int{at[0], at[1]}
		attributesTo(n, t.text[at[2]:at[3]])
	}
	return t, unique(slices.Collect(t.root.Children()), "NAME")
}

func attributesTo(n *text.Node, s string) {
	for _, a := range attribute.FindAllStringSubmatch(s, -1) {
		n.Add(text.String, a[1], a[2][1:len(a[2])-1])
	}
}

// images merges image sets: the images of both sides, by their names. The attributes of an image are merged as a whole:
// its position and size.
func (m *merger) images(base, ours, theirs []byte) ([]byte, From, error) {
	o, okO := tagsOf(ours)
	t, okT := tagsOf(theirs)
	b := &tags{root: new(text.Node)}
	okB := true
	if base != nil {
		b, okB = tagsOf(base)
	}
	if !okO || !okT || !okB {
		return nil, 0, errWhole
	}
	before := make(map[*text.Node]string)
	before[o.root] = attributesOf(o.root)
	was, mine := imagesOf(b.root), imagesOf(o.root)
	old := slices.Collect(o.root.Children())
	for _, n := range old {
		before[n] = attributesOf(n)
	}
	in := newInsertion(o.root, t.root)
	m.properties(b.root, o.root, t.root, in, "IMAGESET")
	theirImages := imagesOf(t.root)
	for name, n := range mine {
		in.added[n] = was[name] == nil
		if theirImages[name] != nil {
			in.counterpart[theirImages[name]] = n
		}
	}
	changed := false
	for _, name := range merge3.Union(imageNames(o.root), imageNames(t.root)) {
		x, y, z := was[name], mine[name], theirImages[name]
		at := "IMAGESET." + name
		side := merge3.Pick(x, y, z, sameAttributes, func() { m.take(at) }, func() merge3.Side {
			return m.conflict(at, name+" was changed to different parts of the picture on both sides", rectangle(x),
				rectangle(y), rectangle(z))
		})
		switch {
		case side == merge3.Ours:
			continue
		case z == nil:
			in.remove(y)
		case y == nil:
			in.insert(z)
		default:
			y.Items = z.Items
		}
		changed = true
	}
	if !changed && attributesOf(o.root) == before[o.root] {
		return ours, Ours, nil
	}
	return o.write(old, before), Merged, nil
}

func imagesOf(root *text.Node) map[string]*text.Node {
	m := make(map[string]*text.Node)
	for n := range root.Children() {
		m[imageName(n)] = n
	}
	return m
}

// imageName returns the name of an image in upper case.
func imageName(n *text.Node) string {
	name, _ := n.Get("NAME")
	return strings.ToUpper(name)
}

// imageNames yields the names of all images.
func imageNames(root *text.Node) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := range root.Children() {
			if !yield(imageName(n)) {
				return
			}
		}
	}
}

func sameAttributes(a, b *text.Node) bool { return attributesOf(a) == attributesOf(b) }

// attributesOf returns the sorted attributes of a tag, or "" for nil.
func attributesOf(n *text.Node) string {
	if n == nil {
		return ""
	}
	list := []string{"<"}
	for p := range n.Properties() {
		list = append(list, strings.ToUpper(p.Key)+"="+p.Value)
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// rectangle describes an image for a conflict.
func rectangle(n *text.Node) any {
	if n == nil {
		return nil
	}
	m := make(map[string]string)
	for p := range n.Properties() {
		m[p.Key] = p.Value
	}
	return m
}

// write returns the text with the tags in their current state.
func (t *tags) write(old []*text.Node, before map[*text.Node]string) []byte {
	stays := make(map[*text.Node]bool)
	behind := make(map[*text.Node][]*text.Node)
	last := t.root
	for n := range t.root.Children() {
		if _, known := t.spans[n]; known {
			stays[n], last = true, n
		} else {
			behind[last] = append(behind[last], n)
		}
	}
	var b strings.Builder
	at := 0
	for _, n := range append([]*text.Node{t.root}, old...) {
		span := t.spans[n]
		if n != t.root && !stays[n] { // together with the space before it
			b.WriteString(strings.TrimRight(t.text[at:span[0]], " \t\r\n"))
		} else {
			b.WriteString(t.text[at:span[0]])
			if before[n] == attributesOf(n) {
				b.WriteString(t.text[span[0]:span[1]])
			} else {
				b.WriteString(tagOf(n, n == t.root))
			}
		}
		at = span[1]
		for _, added := range behind[n] {
			b.WriteString(t.newline() + tagOf(added, false))
		}
	}
	b.WriteString(t.text[at:])
	if !t.utf16 {
		return []byte(b.String())
	}
	out := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(b.String())) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

// newline returns the text between two tags.
func (t *tags) newline() string {
	end := "\n"
	if strings.Contains(t.text, "\r\n") {
		end = "\r\n"
	}
	for n := range t.root.Children() {
		if span, ok := t.spans[n]; ok {
			line := t.text[strings.LastIndexByte(t.text[:span[0]], '\n')+1 : span[0]]
			if strings.TrimLeft(line, " \t") == "" {
				return end + line
			}
		}
	}
	return end + "\t"
}

func tagOf(n *text.Node, open bool) string {
	name, end := "Image", " />"
	if open {
		name, end = "Imageset", " >"
	}
	var b strings.Builder
	b.WriteString("<" + name)
	for p := range n.Properties() {
		quote := `"`
		if strings.Contains(p.Value, `"`) {
			quote = "'"
		}
		b.WriteString(" " + p.Key + "=" + quote + p.Value + quote)
	}
	return b.String() + end
}
