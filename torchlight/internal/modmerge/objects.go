package modmerge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/internal/values/merge3"
	"trowel.example/torchlight/text"
)

// object is an object of a layout.
type object struct {
	node, properties *text.Node
	parent           int64
}

// objects are the objects of a layout by their IDs.
type objects struct {
	by    map[int64]*object
	below map[int64][]int64 // IDs of the children of each object, in order
	all   []int64           // parents before their children
}

// rootID is the parent of objects that are not in another object.
const rootID = -1

// objectsOf returns the objects of a layout, or false if their IDs are not unique.
func objectsOf(root *text.Node) (*objects, bool) {
	os := &objects{by: make(map[int64]*object), below: make(map[int64][]int64)}
	lists := 0
	for c := range root.Children() {
		if !strings.EqualFold(c.Name, "OBJECTS") {
			return nil, false
		}
		lists++
	}
	list := root.Child("OBJECTS")
	if list == nil || lists != 1 || !os.note(list, rootID) {
		return nil, false
	}
	return os, true
}

func (os *objects) note(list *text.Node, parent int64) bool {
	for n := range list.Children() {
		properties := n.Child("PROPERTIES")
		if !strings.EqualFold(n.Name, "BASEOBJECT") || properties == nil {
			return false
		}
		s, _ := properties.Get("ID")
		id, ok := text.ParseInt64(s)
		if !ok || id == rootID || os.by[id] != nil {
			return false
		}
		os.by[id] = &object{n, properties, parent}
		os.below[parent] = append(os.below[parent], id)
		os.all = append(os.all, id)
		if children := n.Child("CHILDREN"); children != nil && !os.note(children, id) {
			return false
		}
	}
	return true
}

// contents returns the contents of an object, without its children, and the ID of its parent.
func (o *object) contents() string {
	var b strings.Builder
	sign(&b, o.properties, true)
	return b.String() + strconv.FormatInt(o.parent, 10)
}

func (o *object) kind() string {
	s, _ := o.properties.Get("DESCRIPTOR")
	return s
}

// layout merges layouts by their objects. It returns false, without changes, if the objects have no unique IDs, or an
// object has different kinds on both sides: the layout must then be taken as a whole.
func (m *merger) layout(base, ours, theirs *text.Node) bool {
	b, ok := objectsOf(base)
	o, okO := objectsOf(ours)
	t, okT := objectsOf(theirs)
	if !ok || !okO || !okT {
		return false
	}
	for id, x := range o.by {
		y := t.by[id]
		if was := b.by[id]; y != nil && x.kind() != y.kind() && (was == nil || was.kind() != x.kind() && was.kind() != y.kind()) {
			return false
		}
	}
	parents, nodes := make(map[int64]int64), make(map[int64]*object) // of the merged layout
	all := merge3.Union(slices.Values(o.all), slices.Values(t.all))
	for _, id := range all {
		if keeps, parent := m.objectOf(id, b.by[id], o.by[id], t.by[id]); keeps != nil {
			nodes[id], parents[id] = keeps, parent
		}
	}
	m.root(all, nodes, parents, merge3.Of(m.log.Prefer, o, t))
	below := make(map[int64][]int64)
	for _, id := range all {
		if parent, keeps := parents[id]; keeps {
			below[parent] = append(below[parent], id)
		}
	}
	changed := false
	for _, parent := range append([]int64{rootID}, all...) {
		if parent != rootID && nodes[parent] == nil {
			continue
		}
		list := m.siblings(parent, below[parent], b, o, t)
		if parent != rootID && o.by[parent] == nodes[parent] || parent == rootID {
			if slices.Equal(list, o.below[parent]) && !slices.ContainsFunc(list, func(id int64) bool { return nodes[id] != o.by[id] }) {
				continue
			}
		}
		changed = true
		setChildren(ours, parent, list, nodes)
	}
	if changed {
		for p := range ours.Keys("COUNT") {
			p.Value = strconv.Itoa(len(nodes))
		}
	}
	return true
}

// objectOf returns a merged object, or nil if it is removed, and the ID of its parent.
func (m *merger) objectOf(id int64, b, o, t *object) (*object, int64) {
	m.object = id
	defer func() { m.object = 0 }()
	if o != nil && t != nil {
		var was *text.Node
		if b != nil {
			was = b.properties
		}
		m.atomic = true
		m.node(was, o.properties, t.properties, "")
		m.atomic = false
		parent := merge3.Value(b.up(), o.up(), t.up(), func() { m.take("") }, func() merge3.Side {
			return m.conflict("", fmt.Sprintf("both sides moved the object: to %d and to %d", o.parent, t.parent), nil, o.parent, t.parent)
		})
		return o, parent.Item
	}
	what := "the object was changed by ours, removed by theirs"
	if o == nil {
		what = "the object was removed by ours, changed by theirs"
	}
	side := pick(m, "", b, o, t, merge3.Item(func(x, y *object) bool { return x.contents() == y.contents() }), what)
	kept := merge3.Of(side, o, t)
	return kept, kept.up().Item
}

// up returns the parent of an object that may be missing.
func (o *object) up() (parent merge3.Maybe[int64]) {
	if o != nil {
		parent.Item, parent.There = o.parent, true
	}
	return parent
}

// root makes sure that every object has an existing parent and does not contain itself.
func (m *merger) root(all []int64, nodes map[int64]*object, parents map[int64]int64, winner *objects) {
	reported := make(map[int64]bool)
	for again := true; again; {
		again = false
		for _, id := range all {
			if nodes[id] == nil {
				continue
			}
			up := parents[id]
			switch {
			case up != rootID && nodes[up] == nil:
				if m.object = up; !reported[up] {
					reported[up] = true
					m.conflict("", "the object was removed by one side and contains objects of the other", nil, nil, nil)
				}
				if w := winner.by[up]; w != nil {
					nodes[up], parents[up] = w, w.parent
				} else {
					delete(nodes, id)
					delete(parents, id)
				}
				again = true
			default:
				for _, inside := range circle(id, parents) {
					if parents[inside] = rootID; winner.by[inside] != nil {
						parents[inside] = winner.by[inside].parent
					}
					if again = true; inside == id {
						m.object = id
						m.conflict("", "both sides moved the objects into each other", nil, nil, nil)
					}
				}
			}
		}
	}
	m.object = 0
}

// circle returns the objects that contain an object if it contains itself.
func circle(id int64, parents map[int64]int64) []int64 {
	list := []int64{id}
	at := id
	for range len(parents) {
		up, ok := parents[at]
		switch {
		case !ok || up == rootID:
			return nil
		case up == id:
			return list
		}
		list, at = append(list, up), up
	}
	return nil
}

// siblings returns the IDs of the merged children of an object, which are given in any order, in order.
func (m *merger) siblings(parent int64, children []int64, b, o, t *objects) []int64 {
	is := merge3.Has(children)
	list, other := merge3.Filter(o.below[parent], is), merge3.Filter(t.below[parent], is)
	// Objects that both sides have get the order of the side that changed it.
	inO, inT := merge3.Has(list), merge3.Has(other)
	common := merge3.Filter(b.below[parent], func(id int64) bool { return inO(id) && inT(id) })
	inCommon := merge3.Has(common)
	commonT := merge3.Filter(other, inCommon)
	m.object = max(parent, 0)
	if pick(m, "", common, merge3.Filter(list, inCommon), commonT, slices.Equal,
		"both sides changed the order of the objects") == merge3.Theirs {
		merge3.Arrange(list, commonT)
	}
	m.object = 0
	// Objects of theirs come after the same object as in theirs.
	known := merge3.Has(b.below[parent])
	for i, id := range other {
		if !inO(id) {
			at := merge3.Place(list, other[:i], func(id int64) bool { return o.by[id] != nil && !known(id) })
			list = slices.Insert(list, at, id)
		}
	}
	there := merge3.Has(list)
	return append(list, merge3.Filter(children, func(id int64) bool { return !there(id) })...) // restored objects
}

// setChildren sets the children of an object.
func setChildren(root *text.Node, parent int64, list []int64, nodes map[int64]*object) {
	in := root.Child("OBJECTS")
	if parent != rootID {
		at := nodes[parent].node
		if in = at.Child("CHILDREN"); in == nil {
			in = at.AddNode("CHILDREN")
		}
	}
	in.Items = slices.DeleteFunc(in.Items, isNode)
	for _, id := range list {
		in.Items = append(in.Items, nodes[id].node)
		for p := range nodes[id].properties.Keys("PARENTID") {
			p.Value = strconv.FormatInt(parent, 10)
		}
	}
}
