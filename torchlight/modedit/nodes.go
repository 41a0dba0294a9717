package modedit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/text"
)

// Parts of layouts.
const (
	partObjects    = "OBJECTS"
	partObject     = "BASEOBJECT"
	partProperties = "PROPERTIES"
)

// ParseKey parses a key with its type and value as in source files: <STRING>NAME:Wolf.
func ParseKey(source string) (*text.Property, error) {
	f, err := text.Parse([]byte("[A]\n" + source + "\n[/A]"))
	if err != nil || strings.ContainsAny(source, "\r\n") || len(f.Root.Items) != 1 {
		return nil, fmt.Errorf("expected a key such as <STRING>NAME:Wolf, not %s", shown(source))
	}
	p, ok := f.Root.Items[0].(*text.Property)
	if !ok {
		return nil, fmt.Errorf("expected a key such as <STRING>NAME:Wolf, not %s", shown(source))
	}
	if p.Value, err = typed(p.Type, p.Value); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Key, err)
	}
	return p, fitsKey(p.Key)
}

// AddNode adds a node with keys, which have the form of [ParseKey], to the selected nodes in some files, after all they
// contain. Without Choice.Node it adds to the root of a data file, and to the list of objects of a layout. The keys of a
// BASEOBJECT of a layout are those of the object, which gets an unused ID unless they contain one.
func (e *Editor) AddNode(files, name string, keys []string, choice Choice) (int, error) {
	if err := fitsNode(name); err != nil {
		return 0, err
	}
	added := &text.Node{Name: e.spelled(name)}
	in := added
	if strings.EqualFold(name, partObject) {
		in = added.AddNode(partProperties)
	}
	for _, key := range keys {
		p, err := ParseKey(key)
		if err != nil {
			return 0, err
		}
		p.Key = e.spelled(p.Key)
		in.Items = append(in.Items, p)
	}
	return e.reshape(files, choice, func(r *reshaping) error {
		for _, n := range r.receivers(choice.Node) {
			r.add(n.way[len(n.way)-1], -1, added.Clone())
			r.note(n, "", fmt.Sprintf("added %s with %s", name, words.Count(len(keys), "key")))
		}
		return nil
	})
}

// CopyNodes copies the selected nodes in some files. Without from and into, each copy is placed after its original.
// Into is the path of other nodes, as in Choice.Node, to the end of which the copies are added. From is the path of
// another file, of the mod or of the game, from which the nodes are copied instead; without into they are added as by
// AddNode. The copies get the name as, unless it is "". Copies of objects of a layout get unused IDs; references between
// them follow.
func (e *Editor) CopyNodes(files, as, from, into string, choice Choice) (int, error) {
	if as != "" {
		if err := fitsNode(as); err != nil {
			return 0, err
		}
	}
	copied := func(n *text.Node) *text.Node {
		if n = n.Clone(); as != "" {
			n.Name = e.spelled(as)
		}
		return n
	}
	if from == "" && into == "" {
		return e.reshape(files, choice, func(r *reshaping) error {
			for _, n := range r.selected {
				node, parent := n.way[len(n.way)-1], n.parent()
				if parent == nil {
					return errRoot
				}
				r.add(parent, slices.Index(parent.Items, text.Item(node))+1, copied(node))
				r.note(n, "", strings.TrimSuffix("copied as "+as, " as "))
			}
			return nil
		})
	}
	var source []nodePlace
	if from != "" {
		root, err := e.treeOfAny(from)
		if err != nil {
			return 0, err
		}
		if source, err = choice.places(root); err == nil && len(source) == 0 {
			err = fmt.Errorf("%s: no node %s", from, choice.Node)
		}
		if err != nil {
			return 0, err
		}
	}
	return e.reshape(files, Choice{Node: into}, func(r *reshaping) error {
		list := source
		if from == "" {
			var err error
			if list, err = choice.places(r.root); err != nil {
				return err
			}
		}
		for _, to := range r.receivers(into) {
			for _, n := range list {
				if n.parent() == nil {
					return errRoot
				}
				node := n.way[len(n.way)-1]
				r.add(to.way[len(to.way)-1], -1, copied(node))
				r.note(to, "", "added a copy of "+n.name)
			}
		}
		return nil
	})
}

// RemoveNodes removes the selected nodes in some files, with all they contain.
func (e *Editor) RemoveNodes(files string, choice Choice) (int, error) {
	return e.reshape(files, choice, func(r *reshaping) error {
		removed := make(map[*text.Node]bool)
		for _, n := range r.selected {
			node, parent := n.way[len(n.way)-1], n.parent()
			if parent == nil {
				return errRoot
			}
			if extension(r.file) == ".LAYOUT" && (n.depth == 1 || n.object != 0 && strings.EqualFold(node.Name, partProperties)) {
				return fmt.Errorf("%s: every layout and every object has this part: remove the %s", n.name, partObject)
			}
			if slices.ContainsFunc(n.way, func(n *text.Node) bool { return removed[n] }) {
				continue
			}
			removed[node] = true
			parent.Items = slices.DeleteFunc(parent.Items, func(it text.Item) bool { return it == text.Item(node) })
			r.note(n, "", "removed")
		}
		return nil
	})
}

var errRoot = errors.New("the root of a file cannot be copied or removed")

func fitsNode(name string) error {
	if name == "" || strings.ContainsAny(name, "[]\r\n\x00") || name[0] == '/' || strings.TrimSpace(name) != name {
		return fmt.Errorf("%q cannot be the name of a node", name)
	}
	return nil
}

// parent returns the node that contains the node, or nil for the root.
func (n nodePlace) parent() *text.Node {
	if len(n.way) < 2 {
		return nil
	}
	return n.way[len(n.way)-2]
}

// places returns the places of the selected nodes.
func (c Choice) places(root *text.Node) (list []nodePlace, err error) {
	pick, err := c.compile()
	if err != nil {
		return nil, err
	}
	for _, at := range pick.nodes(root) {
		at.way = slices.Clone(at.way)
		list = append(list, at)
	}
	return list, nil
}

// treeOfAny returns the tree of a file of the mod or of the game.
func (e *Editor) treeOfAny(name string) (*text.Node, error) {
	for _, name := range []string{gameName(name), "MEDIA/" + gameName(name)} {
		root, err := e.Tree(name)
		if errors.Is(err, errNotThere) && e.Base != nil {
			root, err = e.Base.Tree(name)
		}
		if !errors.Is(err, errNotThere) {
			return root, err
		}
	}
	_, err := e.selected(name, isTree)
	return nil, err
}

// reshaping is a change of the nodes of a file.
type reshaping struct {
	changeCounts
	root     *text.Node
	selected []nodePlace
	added    []*text.Node
}

// add inserts a node into another at an index of its items, or -1 for their end.
func (r *reshaping) add(into *text.Node, at int, n *text.Node) {
	if at < 0 {
		at = len(into.Items)
	}
	into.Items = slices.Insert(into.Items, at, text.Item(n))
	r.added = append(r.added, n)
}

// receivers returns the selected nodes that receive others: without a path of nodes, the root of a data file or the
// objects of a layout.
func (r *reshaping) receivers(path string) []nodePlace {
	if path != "" {
		return r.selected
	}
	return slices.DeleteFunc(slices.Clone(r.selected), func(n nodePlace) bool {
		if extension(r.file) == ".LAYOUT" {
			return n.depth != 1 || !strings.EqualFold(n.way[1].Name, partObjects)
		}
		return n.depth != 0
	})
}

// reshape changes the nodes of files.
func (e *Editor) reshape(files string, choice Choice, change func(r *reshaping) error) (int, error) {
	list, err := e.selected(files, isTree)
	if err != nil {
		return 0, err
	}
	return e.each(list, func(f *file, root *text.Node) ([]check.Change, error) {
		r := &reshaping{changeCounts: changeCounts{file: f.path, unit: "nodes"}, root: root}
		var err error
		if r.selected, err = choice.places(root); err != nil {
			return nil, err
		}
		if extension(f.path) == ".LAYOUT" {
			err = r.inLayout(change)
		} else {
			err = change(r)
		}
		return r.changes(), err
	})
}
