package modedit

import (
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
)

// inLayout changes the nodes of a layout. New objects get IDs of their own, and the layout must stay one.
func (r *reshaping) inLayout(change func(r *reshaping) error) error {
	_, before := layout.FromText(r.root, nil)
	objects := 0
	for range objectsIn(r.root, -1) {
		objects++
	}
	if err := change(r); err != nil {
		return err
	}
	r.renumber()
	now := 0
	for range objectsIn(r.root, -1) {
		now++
	}
	for p := range r.root.Keys("COUNT") {
		if p.Value == strconv.Itoa(objects) {
			p.Value = strconv.Itoa(now)
		}
	}
	if _, err := layout.FromText(r.root, nil); before == nil && err != nil {
		return err
	}
	return nil
}

// objectsIn yields the properties of all objects at and below a node, with the ID of the object that contains each.
func objectsIn(n *text.Node, parent int64) iter.Seq2[int64, *text.Node] {
	return func(yield func(int64, *text.Node) bool) { walkObjects(n, parent, yield) }
}

func walkObjects(n *text.Node, parent int64, yield func(int64, *text.Node) bool) bool {
	if strings.EqualFold(n.Name, partObject) {
		if p := n.Child(partProperties); p != nil {
			if !yield(parent, p) {
				return false
			}
			parent = p.Int64("ID")
		}
	}
	for c := range n.Children() {
		if !strings.EqualFold(c.Name, partProperties) && !walkObjects(c, parent, yield) {
			return false
		}
	}
	return true
}

// renumber gives new objects IDs that no other object of the layout has, and updates the references between them.
func (r *reshaping) renumber() {
	times := make(map[int64]int)
	for _, p := range objectsIn(r.root, -1) {
		times[p.Int64("ID")]++
	}
	isNew := make(map[*text.Node]bool)
	for i, n := range r.added {
		became := make(map[string]string)
		for _, p := range objectsIn(n, -1) {
			isNew[p] = true
			was := p.Int64("ID")
			if _, has := p.Get("ID"); has && times[was] < 2 {
				continue
			}
			id := int64(0)
			for k := 0; id == 0 || times[id] > 0; k++ {
				id = digest(fmt.Sprint(r.file, "\n", i, "\n", was), k) & math.MaxInt64
			}
			times[id]++
			now := strconv.FormatInt(id, 10)
			if old, has := p.Get("ID"); has {
				became[old] = now
			} else {
				addProperty(p, text.Integer64, "ID", now)
			}
		}
		for n := range n.All() {
			for p := range n.Properties() {
				if now, has := became[p.Value]; has && p.Type == text.Integer64 {
					p.Value = now
				}
			}
		}
	}
	for parent, p := range objectsIn(r.root, -1) {
		for key := range p.Keys("PARENTID") {
			if isNew[p] {
				key.Value = strconv.FormatInt(parent, 10)
			}
		}
	}
}
