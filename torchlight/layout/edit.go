package layout

import (
	"cmp"
	"slices"

	"trowel.example/internal/values/deep"
	"trowel.example/torchlight/text"
)

// Edit changes a layout by its text. The function change receives the tree that [File.Text] returns, with all digits of
// numbers, and may modify it. Unchanged objects keep their bits, unless objects are added or removed. If change fails,
// or [FromText] fails because the layout cannot hold the result, the layout is unchanged.
func (f *File) Edit(o Options, change func(root *text.Node) error) error {
	o.Floats = text.Exact
	root := f.Text(o)
	if err := change(root); err != nil {
		return err
	}
	known := make(map[string]int) // problems of the layout itself, which are no reason to refuse a change
	before, err := FromText(f.Text(o), func(_ text.Item, e *text.Error) { known[e.Error()]++ })
	if err != nil {
		return err
	}
	var problem error
	after, err := FromText(root, func(_ text.Item, e *text.Error) {
		if known[e.Error()]--; known[e.Error()] < 0 && problem == nil {
			problem = e
		}
	})
	if err = cmp.Or(err, problem); err != nil {
		return err
	}
	if !sameObjects(before.Objects, after.Objects) || !sameObjects(f.Objects, after.Objects) {
		f.Objects, f.Groups = after.Objects, after.Groups
		return nil
	}
	edited := make(map[*Object]*Object) // objects of f by the objects of after
	is, was, now := slices.Collect(f.All()), slices.Collect(before.All()), slices.Collect(after.All())
	for i, o := range now {
		edited[o] = is[i]
	}
	if !deep.Equal(before.Groups.bare(), after.Groups.bare()) {
		f.Groups = after.Groups.pointing(edited)
	}
	for i, o := range now {
		is[i].take(was[i], o)
	}
	return nil
}

// sameObjects reports whether two lists of objects have the same shape, at all depths.
func sameObjects(a, b []*Object) bool {
	return slices.EqualFunc(a, b, func(a, b *Object) bool { return a.Empty == b.Empty && sameObjects(a.Children, b.Children) })
}

// take sets the parts of o in which after differs from before.
func (o *Object) take(before, after *Object) {
	if before.Descriptor != after.Descriptor {
		o.Descriptor = after.Descriptor
	}
	if before.ID != after.ID {
		o.ID = after.ID
	}
	if before.Name != after.Name {
		o.Name = after.Name
	}
	if !deep.Equal(before.Extra, after.Extra) {
		o.Extra = after.Extra
	}
	switch {
	case deep.Equal(before.Properties, after.Properties):
	case len(before.Properties) == len(after.Properties) && len(o.Properties) == len(after.Properties):
		for i, p := range after.Properties {
			if !deep.Equal(before.Properties[i], p) {
				o.Properties[i] = p
			}
		}
	case slices.EqualFunc(before.Properties, after.Properties, sameCode) && o.holds(before.Properties):
		at := 0 // the index in o, which may have properties that FromText leaves out
		for i, p := range after.Properties {
			for !sameCode(o.Properties[at], p) {
				at++
			}
			if !deep.Equal(before.Properties[i], p) {
				o.Properties[at] = p
			}
			at++
		}
	default:
		o.Properties = after.Properties
	}
}

func sameCode(a, b Property) bool { return a.Code == b.Code }

// holds reports whether o has properties with the codes of these, in this order.
func (o *Object) holds(list []Property) bool {
	for _, p := range o.Properties {
		if len(list) > 0 && sameCode(p, list[0]) {
			list = list[1:]
		}
	}
	return len(list) == 0
}

// bare returns a copy of the tree in which no node points to an object.
func (g *Group) bare() *Group { return g.pointing(nil) }

// pointing returns a copy of the tree in which the nodes point to other objects, as listed in to.
func (g *Group) pointing(to map[*Object]*Object) *Group {
	if g == nil {
		return nil
	}
	out := *g
	out.Object, out.Children = to[g.Object], nil
	for _, c := range g.Children {
		out.Children = append(out.Children, c.pointing(to))
	}
	return &out
}
