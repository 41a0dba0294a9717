package codex

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"trowel.example/torchlight/text"
)

// The kinds of files that name classes and are not things themselves.
const kindQuest, kindLayout = "quest", "layout"

// named is a class that a quest or a layout names.
type named struct {
	class string
	at    place
}

// mayName reports whether a layout can name a class: most do not, and their texts need not be parsed.
func mayName(data []byte) bool {
	s := string(data)
	return !text.Recognize(data) || strings.Contains(s, "SPAWN") || strings.Contains(s, "S\x00P\x00A\x00W\x00N")
}

// readNames reads the classes that a quest or a layout names. Its tree is no longer needed.
func (f *file) readNames() {
	if f.root == nil {
		return
	}
	title, _ := f.root.Get("DISPLAYNAME")
	f.title = cmp.Or(strings.TrimSpace(title), strings.TrimSuffix(path.Base(f.path), path.Ext(f.path)))
	eachNode(f.root, place{f.path, f.root.Name}, func(n *text.Node, at place) {
		for p := range n.Properties() {
			name := strings.TrimSpace(p.Value)
			key := strings.ReplaceAll(strings.ToUpper(p.Key), " ", "")
			if strings.Contains(key, "SPAWNCLASS") && p.Type.IsString() && name != "" && !strings.EqualFold(name, "NONE") {
				f.names = append(f.names, named{name, at.key(p.Key)})
			}
		}
	})
	f.root = nil
}

// eachNode calls see with a node and each node below it, and their places.
func eachNode(n *text.Node, at place, see func(n *text.Node, at place)) {
	see(n, at)
	count := make(map[string]int)
	for below := range n.Children() {
		name := strings.ToUpper(below.Name)
		if count[name]++; count[name] > 1 {
			name += fmt.Sprintf("[%d]", count[name])
		}
		eachNode(below, at.key(name), see)
	}
}

// buildMentions adds the quests and layouts that name classes to the classes.
func (r *reader) buildMentions() {
	byID := make(map[string]*Class)
	for _, c := range r.Classes {
		byID[c.ID] = c
	}
	for _, f := range r.list {
		m := mention{Kind: f.kind, Title: f.title, Mod: f.source, File: f.path}
		for _, v := range f.names {
			l := r.link(KindClass, v.class, v.at)
			if c := byID[l.ID]; c != nil && !slices.Contains(c.NamedBy, m) {
				c.NamedBy = append(c.NamedBy, m)
			}
		}
	}
}
