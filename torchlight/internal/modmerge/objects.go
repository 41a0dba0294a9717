package modmerge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// says returns the contents of an object, without its children, and the ID of its parent.
func (o *object) says() string {
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
	for _, id := range union(o.all, t.all) {
		if keeps, parent := m.objectOf(id, b.by[id], o.by[id], t.by[id]); keeps != nil {
			nodes[id], parents[id] = keeps, parent
		}
	}
	m.root(nodes, parents, o, t)
	changed := false
	for _, parent := range append([]int64{rootID}, union(o.all, t.all)...) {
		if parent != rootID && nodes[parent] == nil {
			continue
		}
		list := m.siblings(parent, parents, b, o, t)
		if parent != rootID && o.by[parent] == nodes[parent] || parent == rootID {
			if slices.Equal(list, o.below[parent]) && !slices.ContainsFunc(list, func(id int64) bool { return nodes[id] != o.by[id] }) {
				continue
			}
		}
		changed = true
		setChildren(ours, parent, list, nodes)
	}
	if changed {
		for p := range ours.Properties() {
			if strings.EqualFold(p.Key, "COUNT") {
				p.Value = strconv.Itoa(len(nodes))
			}
		}
	}
	return true
}

// objectOf returns a merged object, or nil if it is removed, and the ID of its parent.
func (m *merger) objectOf(id int64, b, o, t *object) (*object, int64) {
	m.object = id
	defer func() { m.object = 0 }()
	switch {
	case o != nil && t != nil:
		var was *text.Node
		parent := o.parent
		if b != nil {
			was = b.properties
		}
		m.atomic = true
		m.node(was, o.properties, t.properties, "")
		m.atomic = false
		switch {
		case o.parent == t.parent || b != nil && b.parent == t.parent:
		case b != nil && b.parent == o.parent:
			parent = t.parent
			m.take("")
		default:
			m.conflict("", fmt.Sprintf("the object is now in %d and in %d", o.parent, t.parent), nil, o.parent, t.parent)
			if m.theirs {
				parent = t.parent
			}
		}
		return o, parent
	case o != nil && b == nil:
		return o, o.parent
	case o != nil && b.says() == o.says():
		m.take("")
		return nil, 0
	case o != nil:
		m.conflict("", "the object was changed by ours, removed by theirs", nil, nil, nil)
		if !m.theirs {
			return o, o.parent
		}
	case b == nil:
		m.take("")
		return t, t.parent
	case b.says() != t.says():
		m.conflict("", "the object was removed by ours, changed by theirs", nil, nil, nil)
		if m.theirs {
			return t, t.parent
		}
	}
	return nil, 0
}

// root makes sure that every object has an existing parent and does not contain itself.
func (m *merger) root(nodes map[int64]*object, parents map[int64]int64, o, t *objects) {
	winner := o
	if m.theirs {
		winner = t
	}
	told := make(map[int64]bool)
	for again := true; again; {
		again = false
		for _, id := range union(o.all, t.all) {
			if nodes[id] == nil {
				continue
			}
			up := parents[id]
			switch {
			case up != rootID && nodes[up] == nil:
				if m.object = up; !told[up] {
					told[up] = true
					m.conflict("", "the object was removed by one side, and has objects of the other in it", nil, nil, nil)
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
						m.conflict("", "the objects were put into each other", nil, nil, nil)
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

// siblings returns the IDs of the merged children of an object, in order.
func (m *merger) siblings(parent int64, parents map[int64]int64, b, o, t *objects) []int64 {
	is := func(id int64) bool { p, ok := parents[id]; return ok && p == parent }
	keep := func(list []int64) []int64 {
		return slices.DeleteFunc(slices.Clone(list), func(id int64) bool { return !is(id) })
	}
	was, list, other := keep(b.below[parent]), keep(o.below[parent]), keep(t.below[parent])
	in := func(list []int64) func(int64) bool { // reports whether an ID is absent from list
		there := setOf(list)
		return func(id int64) bool { return !there[id] }
	}
	// Objects that both sides have get the order of the side that changed it.
	commonB := slices.DeleteFunc(slices.DeleteFunc(slices.Clone(was), in(list)), in(other))
	commonO := slices.DeleteFunc(slices.Clone(list), in(commonB))
	commonT := slices.DeleteFunc(slices.Clone(other), in(commonB))
	if !slices.Equal(commonB, commonT) && !slices.Equal(commonO, commonT) {
		takes := slices.Equal(commonB, commonO)
		m.object = max(parent, 0)
		if takes {
			m.take("")
		} else {
			m.conflict("", "the objects have another order on both sides", nil, nil, nil)
			takes = m.theirs
		}
		m.object = 0
		if takes {
			next, common := 0, setOf(commonB)
			for i, id := range list {
				if common[id] {
					list[i] = commonT[next]
					next++
				}
			}
		}
	}
	// Objects of theirs come after the same object as in theirs.
	there, known := setOf(list), setOf(b.below[parent])
	for i, id := range other {
		if there[id] {
			continue
		}
		there[id] = true
		at := 0
		for j := i - 1; j >= 0 && at == 0; j-- {
			at = slices.Index(list, other[j]) + 1
		}
		for at < len(list) && o.by[list[at]] != nil && !known[list[at]] {
			at++ // after the objects that ours added there
		}
		list = slices.Insert(list, at, id)
	}
	for _, id := range union(o.all, t.all) { // removed objects that are restored
		if is(id) && !there[id] {
			list = append(list, id)
		}
	}
	return list
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
		for p := range nodes[id].properties.Properties() {
			if strings.EqualFold(p.Key, "PARENTID") {
				p.Value = strconv.FormatInt(parent, 10)
			}
		}
	}
}

// union returns the elements of both lists, those of the first list first.
func union(a, b []int64) []int64 {
	seen := setOf(a)
	out := slices.Clone(a)
	for _, id := range b {
		if !seen[id] {
			out = append(out, id)
		}
	}
	return out
}

func setOf(list []int64) map[int64]bool {
	set := make(map[int64]bool, len(list))
	for _, id := range list {
		set[id] = true
	}
	return set
}
