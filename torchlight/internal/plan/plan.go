// Package plan draws layouts of Torchlight II from above: the positions, orientations and areas of the objects of a
// level.
//
// A unit of a plan is a unit of the game's world. The x axis points to the right. The z axis of the world points
// upwards, so the y axis of the plan, which points downwards, is its negative.
package plan

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"

	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mpp"
)

// Limits of what is drawn.
const (
	MaxLinks   = 8       // greatest nesting depth of linked layouts
	MaxObjects = 1 << 18 // greatest number of objects of the layout, and of objects in linked layouts
	MaxLayers  = 10000
	maxPlace   = 1e6 // greatest distance from the origin and greatest area of an object, in units
)

// Limits for large shapes, which keep the time to draw a plan short.
const (
	maxGrids = 256
	maxCells = 1 << 26 // of all grids
	maxWide  = 4096    // objects with a large area
)

// Options control how files of a layout are found. Paths are those in the game, for example "MEDIA/LAYOUTS/X.LAYOUT";
// the error for a missing file is fs.ErrNotExist.
type Options struct {
	Path   string                                  // of the layout; "" if unknown
	Layout func(path string) (*layout.File, error) // returns a linked layout; nil: links are not followed
	Grid   func(path string) (*mpp.File, error)    // returns the grid of the layout with this path; nil: there are no grids

	// Piece returns the paths of the meshes of a room piece by its GUID; nil: they are unknown.
	Piece func(guid int64) (meshes []string, err error)
	// Bounds returns the corners of the box around a mesh; nil: meshes are unavailable.
	Bounds func(path string) (low, high [3]float64, err error)
}

// The layers that are not groups.
const (
	GridLayer    = "grid"
	ObjectsLayer = "objects"
	legendLayer  = "legend"
)

// Layer is a part of a plan that can be hidden.
type Layer struct {
	Name  string // unique name, for example "objects" or "groups/Ambush/Left"
	Title string // description for users
}

// Mark represents an object in a plan.
type Mark struct {
	Object *layout.Object
	File   string     // the linked layout that contains the object; "" for the layout that is drawn
	At     [2]float64 // position: x and y of the plan
	Height float64    // y of the world

	forward [2]float64 // direction of the object; 0,0 if it has none
	layer   int
	scale   [2]float64 // along the object's x and z axes
	label   string     // the file of a link that is not drawn, or ""
	mesh    *mesh      // nil: unknown
	foot    shape      // the box around the mesh, seen from above
	blocked bool       // the position is not walkable
	shapes  []shape
	areas   int    // the number of shapes, the first ones, that show the object's area
	reach   extent // bounds of the shapes

	instance int // number of the layout that contains the object; each followed link has its own
}

// Left is something that is not drawn.
type Left struct {
	Kind  string // "layout", "grid", "mesh", "position", "size" or "limit"
	Name  string // the path of a file, or the name of an object
	Count int    // number of occurrences
	Why   string
	Loss  bool // it exists, but cannot be read, or is beyond a limit
}

// Plan is a layout seen from above. It is immutable: all of its methods may be called concurrently.
type Plan struct {
	Layers   []Layer
	Marks    []Mark // from back to front
	Left     []Left // by kind and name
	Min, Max [2]float64

	grids  []grid
	legend []shape
	unit   float64 // a length that is just visible

	root  *layout.File
	files map[string]*layout.File // linked layouts, by path in upper case; nil for missing ones
	index func() *index
}

// frame is a position in the world with axes.
type frame struct{ at, x, y, z [3]float64 }

var world = frame{x: [3]float64{1, 0, 0}, y: [3]float64{0, 1, 0}, z: [3]float64{0, 0, 1}}

func (f frame) rotate(v [3]float64) (w [3]float64) {
	for i := range w {
		w[i] = f.x[i]*v[0] + f.y[i]*v[1] + f.z[i]*v[2]
	}
	return w
}

// inside converts a frame relative to f into a frame of the world.
func (f frame) inside(g frame) frame {
	at := f.rotate(g.at)
	for i := range at {
		at[i] += f.at[i]
	}
	return frame{at, f.rotate(g.x), f.rotate(g.y), f.rotate(g.z)}
}

// project projects a vector of the world onto the plan.
func project(v [3]float64) [2]float64 { return [2]float64{v[0], -v[2]} }

type builder struct {
	Plan
	Options
	linked   int
	work     effort.Meter // counts objects of linked layouts, with those that are not drawn
	over     error        // not nil if there are too many of them
	links    int          // number of links followed
	cells    int          // number of cells of all grids
	wide     int          // number of large shapes
	left     map[[2]string]*Left
	unplaced map[string]int // objects without a position, by kind
	names    map[string]bool
	meshes   map[string]*mesh // by path in upper case; nil for missing ones
}

// New returns the plan of a layout. Problems that do not prevent drawing are listed in Left.
func New(f *layout.File, o Options) *Plan {
	b := &builder{Plan: Plan{root: f, files: make(map[string]*layout.File)}, Options: o, work: effort.LinkedObjects.Start(0),
		left: make(map[[2]string]*Left), unplaced: make(map[string]int), names: make(map[string]bool), meshes: make(map[string]*mesh)}
	b.Layers = []Layer{{GridLayer, "where players can walk"}, {ObjectsLayer, "objects without a group"}}
	b.grid(world, clean(o.Path))
	groups := make(map[*layout.Object]*layout.Group)
	var note func(*layout.Group)
	note = func(g *layout.Group) {
		if g != nil {
			groups[g.Object] = g
			for _, c := range g.Children {
				note(c)
			}
		}
	}
	note(f.Groups)
	b.objects(f.Objects, place{frame: world, layer: 1, groups: groups, open: []string{clean(o.Path)}})
	b.Layers = append(b.Layers, Layer{legendLayer, "legend of the colours"})
	slices.SortStableFunc(b.Marks, func(a, c Mark) int {
		return cmp.Or(cmp.Compare(a.above(), c.above()), cmp.Compare(a.layer, c.layer), cmp.Compare(a.look().rank, c.look().rank))
	})
	b.sized()
	b.measure()
	for i := range b.Marks {
		b.shape(&b.Marks[i])
	}
	b.bounds()
	b.drawLegend()
	for _, l := range b.left {
		b.Left = append(b.Left, *l)
	}
	slices.SortFunc(b.Left, func(a, c Left) int { return cmp.Or(cmp.Compare(a.Kind, c.Kind), cmp.Compare(a.Name, c.Name)) })
	b.index = sync.OnceValue(b.newIndex)
	return &b.Plan
}

// clean returns a path in the form that identifies files: the game's files contain paths in any case and some with
// backslashes.
func clean(path string) string { return strings.ToUpper(strings.ReplaceAll(path, "\\", "/")) }

// omit records something that is not drawn.
func (b *builder) omit(kind, name, format string, args ...any) {
	const most = 1000
	key := [2]string{kind, name}
	if b.left[key] == nil && len(b.left) >= most {
		key[1], name = "", "others"
	}
	if b.left[key] == nil {
		b.left[key] = &Left{Kind: kind, Name: name, Why: fmt.Sprintf(format, args...)}
	}
	b.left[key].Count++
}

// lose is omit for something that exists.
func (b *builder) lose(kind, name, format string, args ...any) {
	b.omit(kind, name, format, args...)
	key := [2]string{kind, name}
	if b.left[key] == nil {
		key[1] = ""
	}
	b.left[key].Loss = true
}

// place is the position of the objects of a file.
type place struct {
	frame
	layer  int
	name   string // of the layer, if the layer is a group
	choice string // how the enclosing group chooses the objects to create; "" if it creates all
	file   string // "" for the drawn layout itself
	number int    // number of the link that leads to the file
	groups map[*layout.Object]*layout.Group
	open   []string // the layouts that contain this one
}

func (b *builder) objects(list []*layout.Object, p place) {
	for _, o := range list {
		if p.file != "" {
			if b.over = b.work.Spend(1); b.over != nil {
				return
			}
		}
		if o.Empty {
			continue
		}
		inner := p
		inner.choice = ""
		if g := p.groups[o]; (g != nil || p.choice != "") && len(b.Layers) < MaxLayers {
			b.newLayer(o, g, &inner, p.choice)
		}
		b.object(o, inner)
		b.objects(o.Children, inner)
	}
}

// newLayer begins a layer for a group, or for a single object that a group may choose.
func (b *builder) newLayer(o *layout.Object, g *layout.Group, p *place, among string) {
	var title []string
	if among != "" {
		title = append(title, "chosen, "+among)
	}
	if g != nil {
		if g.Choice != 0 {
			p.choice = fmt.Sprintf("%d of %d by %s", g.Number, len(o.Children), g.ChoiceName())
			title = append(title, "chooses "+p.choice)
		}
		if g.Randomization != 1 {
			title = append(title, fmt.Sprintf("randomization %d", g.Randomization))
		}
		if tag, ok := layout.TagName(g.Tag); ok {
			title = append(title, "tag "+tag)
		}
		if len(g.Active)+len(g.Deactive) > 0 {
			title = append(title, "depends on themes")
		}
	}
	name := p.name + "/" + short(o.Title(), 40)
	if p.name == "" {
		name = "groups" + name
	}
	if len(name) > 200 || b.names[name] {
		name = fmt.Sprintf("%s #%d", short(name, 180), o.ID)
	}
	for n := 2; b.names[name]; n++ { // duplicate IDs are an error, but possible
		name = fmt.Sprintf("%s #%d (%d)", short(p.name, 150), o.ID, len(b.Layers)+n)
	}
	b.names[name] = true
	p.layer, p.name = len(b.Layers), name
	b.Layers = append(b.Layers, Layer{name, strings.Join(title, ", ")})
}

// object adds the mark of an object with a position, and follows its links.
func (b *builder) object(o *layout.Object, p place) {
	d := layout.DescriptorOf(o.Descriptor)
	v := values{o, d}
	at, stated := v.vector("POSITION")
	if !stated && (d.Named("POSITION") == nil || d.Name == "Group") {
		if p.file == "" {
			b.unplaced[kindOf(o)]++
		}
		return
	}
	own := world
	own.at = at
	directed := v.axes(&own)
	f := p.inside(own)
	scale := v.scale()
	m := Mark{Object: o, File: p.file, At: project(f.at), Height: f.at[1], instance: p.number, layer: p.layer,
		scale: [2]float64{scale[0], scale[2]}}
	if !drawable(f.at[:]...) {
		b.omit("position", m.Name(), "the position is outside the world")
		return
	}
	if directed {
		m.forward = direction(project(f.z), project(f.x))
	}
	link, linked := v.text("LAYOUT FILE")
	var file *layout.File
	if linked && link != "" {
		if file = b.follow(link, p); file == nil {
			m.label = link[strings.LastIndexAny(link, `/\`)+1:]
		}
	}
	if p.file == "" && len(b.Marks)-b.linked >= MaxObjects {
		b.lose("limit", "objects", "only %d objects are drawn", MaxObjects)
		return
	}
	if b.mesh(&m, v); m.mesh != nil && !m.stand(f, scale) {
		b.omit("size", m.Name(), "invalid size")
		m.mesh = nil
	}
	m.blocked = (d.Category == "Units" || d.Name == "Unit Spawner") && b.isBlocked(m.At)
	if b.Marks = append(b.Marks, m); p.file != "" {
		b.linked++
	}
	if file == nil {
		return
	}
	for i := range 3 {
		f.x[i], f.y[i], f.z[i] = f.x[i]*scale[0], f.y[i]*scale[1], f.z[i]*scale[2]
	}
	b.grid(f, clean(link))
	b.links++
	b.objects(file.Objects, place{frame: f, layer: p.layer, file: link, number: b.links, open: append(slices.Clip(p.open), clean(link))})
}

// follow returns the layout that a link refers to, or nil.
func (b *builder) follow(link string, p place) *layout.File {
	path := clean(link)
	switch {
	case b.Layout == nil:
		return nil
	case slices.Contains(p.open, path):
		b.omit("limit", link, "the layout links to itself and is drawn only once")
		return nil
	case len(p.open) > MaxLinks:
		b.lose("limit", link, "layouts are drawn only to a depth of %d", MaxLinks)
		return nil
	case b.over != nil:
		b.lose("limit", link, "%v", b.over)
		return nil
	case b.linked >= MaxObjects:
		b.lose("limit", link, "only %d objects of other layouts are drawn", MaxObjects)
		return nil
	}
	f, known := b.files[path]
	if !known {
		var err error
		if f, err = b.Layout(path); errors.Is(err, fs.ErrNotExist) {
			f = nil
			b.omit("layout", link, "not found: a box is drawn instead")
		} else if err != nil {
			f = nil
			b.lose("layout", link, "%v: a box is drawn instead", err)
		}
		b.files[path] = f
	} else if f == nil {
		b.omit("layout", link, "")
	}
	return f
}

// drawable reports whether numbers are within the limits for drawing.
func drawable(v ...float64) bool {
	return !slices.ContainsFunc(v, func(v float64) bool { return !(math.Abs(v) <= maxPlace) })
}

// direction returns a unit vector in the direction forward. If forward is too short, because the object looks up or
// down, it uses the direction a quarter turn to the left of right.
func direction(forward, right [2]float64) [2]float64 {
	const short = 0.1
	l := math.Hypot(forward[0], forward[1])
	if !(l >= short) {
		forward = [2]float64{right[1], -right[0]}
		l = math.Hypot(forward[0], forward[1])
	}
	if !(l > 0 && l < math.Inf(1)) {
		return [2]float64{}
	}
	return [2]float64{forward[0] / l, forward[1] / l}
}

// measure computes the length that is just visible.
func (b *builder) measure() {
	e := nowhere
	for _, m := range b.Marks {
		e.add(m.At, 0)
	}
	for _, g := range b.grids {
		g.extend(&e)
	}
	b.unit = max(1, e.max[0]-e.min[0], e.max[1]-e.min[1]) / 100
}

// bounds computes the rectangle around all marks.
func (b *builder) bounds() {
	e := nowhere
	for i := range b.Marks {
		m := &b.Marks[i]
		m.reach = nowhere
		for k := range m.shapes {
			m.shapes[k].extend(&m.reach)
		}
		e.add(m.reach.min, 0)
		e.add(m.reach.max, 0)
	}
	for _, g := range b.grids {
		g.extend(&e)
	}
	if e == nowhere {
		e.add([2]float64{}, 0) // leave space for the legend
	}
	for i := range 2 {
		b.Min[i], b.Max[i] = e.min[i]-2*b.unit, e.max[i]+2*b.unit
	}
}

// extent is a rectangle that can be enlarged.
type extent struct{ min, max [2]float64 }

var nowhere = extent{[2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}}

func (e *extent) add(at [2]float64, reach float64) {
	for i := range 2 {
		e.min[i], e.max[i] = min(e.min[i], at[i]-reach), max(e.max[i], at[i]+reach)
	}
}

// meets reports whether two rectangles intersect.
func (e extent) meets(o extent) bool {
	return e.min[0] <= o.max[0] && o.min[0] <= e.max[0] && e.min[1] <= o.max[1] && o.min[1] <= e.max[1]
}
