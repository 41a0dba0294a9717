package layout

import (
	"slices"

	"trowel.example/internal/deep"
	"trowel.example/torchlight/text"
)

// Edit changes a layout by its text. The function gets the tree that [File.Text] gives, with
// all the digits of numbers, and does to it what it likes. Objects that it leaves as they are
// keep their bits as long as it adds and takes away no objects. If the function fails, or
// [FromText] does because the layout cannot hold what it made, nothing has changed.
func (f *File) Edit(o Options, change func(root *text.Node) error) error {
	o.Floats = text.Exact
	root := f.Text(o)
	if err := change(root); err != nil {
		return err
	}
	before, err := FromText(f.Text(o), nil)
	if err != nil {
		return err
	}
	after, err := FromText(root, nil)
	if err != nil {
		return err
	}
	if !sameObjects(before.Objects, after.Objects) || !sameObjects(f.Objects, after.Objects) {
		f.Objects, f.Groups = after.Objects, after.Groups
		return nil
	}
	its := make(map[*Object]*Object) // those of f by those of after
	is, was, now := slices.Collect(f.All()), slices.Collect(before.All()), slices.Collect(after.All())
	for i, o := range now {
		its[o] = is[i]
	}
	if !deep.Equal(before.Groups.bare(), after.Groups.bare()) {
		f.Groups = after.Groups.pointing(its)
	}
	for i, o := range now {
		is[i].take(was[i], o)
	}
	return nil
}

// sameObjects reports whether there are as many objects in each other.
func sameObjects(a, b []*Object) bool {
	return slices.EqualFunc(a, b, func(a, b *Object) bool { return a.Empty == b.Empty && sameObjects(a.Children, b.Children) })
}

// take gives o what is otherwise in after than it was before.
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
	default:
		o.Properties = after.Properties
	}
}

// bare returns the nodes of the tree without the objects that they point to.
func (g *Group) bare() *Group { return g.pointing(nil) }

// pointing returns the tree with others in place of the objects that it points to.
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
