package plan

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mpp"
)

// near is the greatest distance of a pointer from a mark, in pixels.
const near = 3

// Under returns the marks of a picture at a point, including those whose area reaches the point. Shown marks come
// before hidden ones, marks at the point before those that only reach it, and otherwise the nearest ones come first.
func (p *Plan) Under(pic Picture, at [2]float64) []*Mark {
	if !(pic.Scale > 0) {
		return nil
	}
	shown := pic.layers(p.Layers)
	type hit struct {
		*Mark
		index    int
		rank     int
		distance float64
	}
	var hits []hit
	slack := near / pic.Scale
	around := nowhere
	around.add(at, slack)
	for i := range p.Marks {
		m := &p.Marks[i]
		if !m.reach.meets(around) {
			continue
		}
		first := slices.IndexFunc(m.shapes, func(s shape) bool { return s.touches(at, slack) })
		if first < 0 {
			continue
		}
		h := hit{Mark: m, index: i, distance: math.Hypot(at[0]-m.At[0], at[1]-m.At[1])}
		if !shown[m.layer] {
			h.rank = 2
		}
		if first < m.areas && !slices.ContainsFunc(m.shapes[m.areas:], func(s shape) bool { return s.touches(at, slack) }) {
			h.rank++
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.distance, b.distance), cmp.Compare(b.index, a.index))
	})
	marks := make([]*Mark, len(hits))
	for i, h := range hits {
		marks[i] = h.Mark
	}
	return marks
}

// touches reports whether a point is in a shape or at most slack away from it.
func (s *shape) touches(at [2]float64, slack float64) bool {
	if s.form == writing {
		e, point := nowhere, nowhere
		s.extend(&e)
		point.add(at, slack)
		return e.meets(point)
	}
	return s.distance()([2]float64{at[0] - s.at[0], at[1] - s.at[1]}) <= slack+s.width/2
}

// Layer returns the layer of a mark of the plan.
func (p *Plan) Layer(m *Mark) Layer { return p.Layers[m.layer] }

// NameOf returns the kind of an object, followed by the name of the object if it has one.
func NameOf(o *layout.Object) string {
	name := kindOf(o)
	if o.Name != "" && o.Name != name {
		name += " " + strconv.Quote(short(o.Name, 100))
	}
	return name
}

// NumberOf returns a numeric property of an object, or absent if the object does not have it.
func NumberOf(o *layout.Object, name string, absent float64) float64 {
	return values{o, layout.DescriptorOf(o.Descriptor)}.number(name, absent)
}

// Bounds returns the rectangle around the mark of the object, without its areas.
func (m *Mark) Bounds() (low, high [2]float64) {
	e := nowhere
	for i := range m.shapes[m.areas:] {
		m.shapes[m.areas+i].extend(&e)
	}
	return e.min, e.max
}

// Angle returns the direction of the object in degrees, from the z of the world towards its x, from -180 to 180, or
// false if it has no direction.
func (m *Mark) Angle() (float64, bool) {
	if m.forward == [2]float64{} {
		return 0, false
	}
	return math.Atan2(m.forward[0], -m.forward[1]) * 180 / math.Pi, true
}

// Scale returns the scale of the object along its x and z axes.
func (m *Mark) Scale() [2]float64 { return m.scale }

// Blocked reports whether the position of the object is not walkable.
func (m *Mark) Blocked() bool { return m.blocked }

// Relations between objects.
const (
	Parent = "parent"
	Named  = "refers to" // by a timeline or a logic group
	Naming = "referenced by"
)

// Relation is an object that is related to another.
type Relation struct {
	What   string // Parent, Named or Naming
	Object *layout.Object
	Mark   *Mark // nil if the object is not in the plan
}

// index holds the relations between the objects of all layouts.
type index struct {
	marks   map[markKey]*Mark
	parents map[*layout.Object]*layout.Object
	naming  map[*layout.Object][]*layout.Object
	named   map[*layout.Object][]*layout.Object
}

// markKey identifies a mark: a layout that is linked to twice has two marks for each object.
type markKey struct {
	instance int
	object   *layout.Object
}

func (p *Plan) newIndex() *index {
	x := &index{make(map[markKey]*Mark), make(map[*layout.Object]*layout.Object),
		make(map[*layout.Object][]*layout.Object), make(map[*layout.Object][]*layout.Object)}
	for i := range p.Marks {
		x.marks[markKey{p.Marks[i].instance, p.Marks[i].Object}] = &p.Marks[i]
	}
	x.add(p.root)
	for _, f := range p.files {
		if f != nil && f != p.root {
			x.add(f)
		}
	}
	return x
}

func (x *index) add(f *layout.File) {
	byID := make(map[int64]*layout.Object)
	for o := range f.All() {
		if _, twice := byID[o.ID]; !o.Empty && !twice {
			byID[o.ID] = o
		}
		for _, c := range o.Children {
			x.parents[c] = o
		}
	}
	for o := range f.All() {
		for _, id := range o.Names() {
			if other := byID[id]; other != nil && other != o {
				x.naming[other] = append(x.naming[other], o)
				x.named[o] = append(x.named[o], other)
			}
		}
	}
}

// Relations returns the objects that contain the object of a mark, the innermost first, those that it names, and those
// that name it: timelines and logic groups.
func (p *Plan) Relations(m *Mark) []Relation {
	x := p.index()
	var list []Relation
	add := func(what string, o *layout.Object) {
		list = append(list, Relation{what, o, x.marks[markKey{m.instance, o}]})
	}
	for o := x.parents[m.Object]; o != nil; o = x.parents[o] {
		add(Parent, o)
	}
	for _, o := range x.named[m.Object] {
		add(Named, o)
	}
	for _, o := range x.naming[m.Object] {
		add(Naming, o)
	}
	return list
}

// Cell is a cell of a pathing grid.
type Cell struct {
	X, Z  int // in cells, from the corner of the grid
	Value byte
}

// Cell returns the cell of the uppermost grid that has one at a point, or false if there is none. Cells without ground
// do not hide cells of lower grids.
func (p *Plan) Cell(at [2]float64) (c Cell, ok bool) {
	for i := range p.grids {
		g := &p.grids[i]
		if x, z, inside := g.place(at); inside {
			if v := g.cells.Cells[z*g.cells.Width+x]; !ok || v != mpp.Outside {
				c, ok = Cell{x, z, v}, true
			}
		}
	}
	return c, ok
}
