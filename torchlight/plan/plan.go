// Package plan draws layouts of Torchlight II from above: where the objects of a level
// stand, how they are turned and how far they reach.
//
// A unit is one of the game's world. x grows to the right, and the z of the world upwards,
// so that y, which grows downwards, is its negative.
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

	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mpp"
)

// Limits of what is drawn.
const (
	MaxLinks   = 8       // layouts inside each other
	MaxObjects = 1 << 18 // objects of the layout; as many of those that it links to
	MaxLayers  = 10000
	MaxPlace   = 1e6 // units from the origin, and the largest reach of an object
)

// Limits of what covers much of a plan, so that no plan takes very long to draw.
const (
	maxGrids = 256
	maxCells = 1 << 26 // of all grids
	maxWide  = 4096    // objects that reach far
)

// Options say where to find what belongs to a layout. Paths are as the game has them, such
// as "MEDIA/LAYOUTS/X.LAYOUT"; what is not there is fs.ErrNotExist.
type Options struct {
	Path   string                                  // of the layout; "" if it is not known
	Layout func(path string) (*layout.File, error) // another one; nil: links are not followed
	Grid   func(path string) (*mpp.File, error)    // that of a layout with this path; nil: there are none
}

// The layers that are no groups.
const (
	GridLayer    = "grid"
	ObjectsLayer = "objects"
	LegendLayer  = "legend"
)

// Layer is a part of a plan that can be left out.
type Layer struct {
	Name  string // its name alone, such as "objects" or "groups/Ambush/Left"
	Title string // for people
}

// Mark is what a plan has of an object.
type Mark struct {
	Object *layout.Object
	File   string     // the layout that links led to; "" for the one that is drawn
	At     [2]float64 // x and y of the plan
	Height float64    // y of the world

	forward [2]float64 // which way it looks; 0,0 if it has no direction
	layer   int
	scale   [2]float64 //  along its own x and z
	label   string     // "" or the file that a link leads to and is not drawn
	blocked bool       // its place is none that one can walk to
	shapes  []shape
	areas   int    // how many of the shapes, the first ones, say how far it reaches
	reach   extent // of the shapes

	instance int // of the layout that it is in: a number for each link that was followed
}

// Left is something that is not drawn.
type Left struct {
	Kind  string // "layout", "grid", "position", "size" or "limit"
	Name  string // the path of a file, or which object
	Count int    // how often
	Why   string
}

// Plan is a layout from above. Nothing of it changes any more: all of its methods may be
// called at the same time.
type Plan struct {
	Layers   []Layer
	Marks    []Mark // from back to front
	Left     []Left // by kind and name
	Min, Max [2]float64

	grids  []grid
	legend []shape
	unit   float64 // a length that can just be seen

	root  *layout.File
	files map[string]*layout.File // those that links led to, by path in capitals; nil: it is not there
	index func() *index
}

// frame is a place in the world and the axes there.
type frame struct{ at, x, y, z [3]float64 }

var world = frame{x: [3]float64{1, 0, 0}, y: [3]float64{0, 1, 0}, z: [3]float64{0, 0, 1}}

func (f frame) turn(v [3]float64) (w [3]float64) {
	for i := range w {
		w[i] = f.x[i]*v[0] + f.y[i]*v[1] + f.z[i]*v[2]
	}
	return w
}

// inside returns a frame that is told in f as one of the world.
func (f frame) inside(g frame) frame {
	at := f.turn(g.at)
	for i := range at {
		at[i] += f.at[i]
	}
	return frame{at, f.turn(g.x), f.turn(g.y), f.turn(g.z)}
}

// flat returns a vector of the world as one of the plan.
func flat(v [3]float64) [2]float64 { return [2]float64{v[0], -v[2]} }

type builder struct {
	Plan
	Options
	linked   int
	links    int // that were followed
	cells    int // of all grids
	wide     int // shapes that are large
	left     map[[2]string]*Left
	unplaced map[string]int // by kind
	names    map[string]bool
}

// New makes the plan of a layout. What does not stop it from being drawn is in Left.
func New(f *layout.File, o Options) *Plan {
	b := &builder{Plan: Plan{root: f, files: make(map[string]*layout.File)}, Options: o, left: make(map[[2]string]*Left), unplaced: make(map[string]int), names: make(map[string]bool)}
	b.Layers = []Layer{{GridLayer, "where one can walk"}, {ObjectsLayer, "what is in no group"}}
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
	b.Layers = append(b.Layers, Layer{LegendLayer, "what the colours mean"})
	slices.SortStableFunc(b.Marks, func(a, c Mark) int {
		return cmp.Or(cmp.Compare(a.layer, c.layer), cmp.Compare(a.look().rank, c.look().rank))
	})
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

// clean returns a path as files are known by: the game's files write them in any case, some
// with backslashes.
func clean(path string) string { return strings.ToUpper(strings.ReplaceAll(path, "\\", "/")) }

// leave notes something that is not drawn.
func (b *builder) leave(kind, name, format string, args ...any) {
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

// place is where objects of a file are.
type place struct {
	frame
	layer  int
	name   string // of the layer, if it is a group
	choice string // how the group around chooses what comes into being; "" if all does
	file   string // "" for the layout itself
	number int    // of the link that led there
	groups map[*layout.Object]*layout.Group
	open   []string // the layouts around
}

func (b *builder) objects(list []*layout.Object, p place) {
	for _, o := range list {
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

// newLayer begins a layer: a group, or an object that a group chooses by itself.
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
	for n := 2; b.names[name]; n++ { // two objects with an ID are wrong, but may be
		name = fmt.Sprintf("%s #%d (%d)", short(p.name, 150), o.ID, len(b.Layers)+n)
	}
	b.names[name] = true
	p.layer, p.name = len(b.Layers), name
	b.Layers = append(b.Layers, Layer{name, strings.Join(title, ", ")})
}

// object makes the mark of an object that has a place, and follows links.
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
	scale := [3]float64{v.number("X", 1), v.number("Y", 1), v.number("Z", 1)}
	for i, all := 0, v.number("SCALE", 1); i < 3; i++ {
		scale[i] *= all
	}
	m := Mark{Object: o, File: p.file, At: flat(f.at), Height: f.at[1], instance: p.number, layer: p.layer, scale: [2]float64{scale[0], scale[2]}}
	if !sane(f.at[:]...) {
		b.leave("position", m.Name(), "its position is not in the world")
		return
	}
	if directed {
		m.forward = direction(flat(f.z), flat(f.x))
	}
	link, linked := v.text("LAYOUT FILE")
	var file *layout.File
	if linked && link != "" {
		if file = b.follow(link, p); file == nil {
			m.label = link[strings.LastIndexAny(link, `/\`)+1:]
		}
	}
	if p.file == "" && len(b.Marks)-b.linked >= MaxObjects {
		b.leave("limit", "objects", "no more than %d objects are drawn", MaxObjects)
		return
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

// follow returns the layout that a link leads to, or nil.
func (b *builder) follow(link string, p place) *layout.File {
	path := clean(link)
	switch {
	case b.Layout == nil:
		return nil
	case slices.Contains(p.open, path):
		b.leave("limit", link, "a layout that leads back to itself is not drawn once more")
		return nil
	case len(p.open) > MaxLinks:
		b.leave("limit", link, "no more than %d layouts are drawn inside each other", MaxLinks)
		return nil
	case b.linked >= MaxObjects:
		b.leave("limit", link, "no more than %d objects of other layouts are drawn", MaxObjects)
		return nil
	}
	f, known := b.files[path]
	if !known {
		var err error
		if f, err = b.Layout(path); err != nil {
			f = nil
			b.leave("layout", link, "%s: a box stands for it", reason(err))
		}
		b.files[path] = f
	} else if f == nil {
		b.leave("layout", link, "")
	}
	return f
}

func reason(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "it is not there"
	}
	return err.Error()
}

// sane reports whether numbers are such that something can be drawn there.
func sane(v ...float64) bool {
	return !slices.ContainsFunc(v, func(v float64) bool { return !(math.Abs(v) <= MaxPlace) })
}

// direction returns a vector of length 1 towards forward, or a quarter to the left of right
// if that is too short to tell: what looks up or down.
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

// measure finds out what length can just be seen.
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

// bounds finds what rectangle holds all.
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
		e.add([2]float64{}, 0) // there is the legend
	}
	for i := range 2 {
		b.Min[i], b.Max[i] = e.min[i]-2*b.unit, e.max[i]+2*b.unit
	}
}

// extent is a rectangle that grows.
type extent struct{ min, max [2]float64 }

var nowhere = extent{[2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}}

func (e *extent) add(at [2]float64, reach float64) {
	for i := range 2 {
		e.min[i], e.max[i] = min(e.min[i], at[i]-reach), max(e.max[i], at[i]+reach)
	}
}

// meets reports whether two rectangles have something in common.
func (e extent) meets(o extent) bool {
	return e.min[0] <= o.max[0] && o.min[0] <= e.max[0] && e.min[1] <= o.max[1] && o.min[1] <= e.max[1]
}
