package modscene

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/internal/plan"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/text"
)

// Limits for the description of one point.
const (
	maxThings  = 50
	maxLinks   = 500
	maxSeconds = 1e6 // of a curve, in seconds
)

// planFile is a layout that is drawn in a plan.
type planFile struct {
	*layout.File
	origin
	lines func() *objectLines
}

// objectLines are the lines of the objects in a layout's text in the tree.
type objectLines struct {
	objects []*layout.Object // in the order of the lines
	lines   []int            // of each object, ascending
	of      map[*layout.Object]int
}

// newPlanFile returns the file of a layout; data is the content that the layout was decoded from.
func newPlanFile(f *layout.File, data []byte, o origin) *planFile {
	if !text.Recognize(data) {
		data = nil // the text is generated when it is needed
	}
	return &planFile{f, o, sync.OnceValue(func() *objectLines {
		l := &objectLines{of: make(map[*layout.Object]int)}
		if o.tree == "" {
			return l
		}
		form := data
		if form == nil {
			form = text.Format(f.Text(layout.Options{}))
		}
		lines, err := layout.Lines(form)
		if err != nil {
			return l
		}
		for object := range f.All() {
			if i := len(l.objects); i < len(lines) {
				l.objects = append(l.objects, object)
				l.lines = append(l.lines, lines[i])
				l.of[object] = lines[i]
			}
		}
		return l
	})}
}

// at returns the object that a line belongs to, or nil.
func (l *objectLines) at(line int) *layout.Object {
	// The text of an object begins one line before its recorded line.
	i := sort.SearchInts(l.lines, line+2) - 1
	if i < 0 {
		return nil
	}
	return l.objects[i]
}

// upperPath returns a path in the form that identifies files of the game: upper-case, with slashes.
func gamePath(name string) string { return strings.ToUpper(strings.ReplaceAll(name, `\`, "/")) }

func (s *planScene) fileOf(m *plan.Mark) *planFile {
	if m.File == "" {
		return s.file
	}
	return s.linked[gamePath(m.File)]
}

// inspect returns the objects at a point, and the cell of the grid there.
func (s *planScene) inspect(_ context.Context, look format.Look, at [2]float64) ([]format.Thing, error) {
	marks := s.Under(s.picture(look), at)
	var things []format.Thing
	for _, m := range marks[:min(len(marks), maxThings)] {
		things = append(things, s.thing(m))
	}
	if more := len(marks) - maxThings; more > 0 {
		things = append(things, format.Thing{Title: fmt.Sprintf("%s farther away", words.Count(more, "more object"))})
	}
	if c, ok := s.Cell(at); ok {
		things = append(things, format.Thing{Title: mpp.Meaning(c.Value), Layer: plan.GridLayer, Facts: cellFacts(c.X, c.Z, c.Value)})
	}
	return things, nil
}

func cellFacts(x, z int, value byte) []format.InfoField {
	return []format.InfoField{format.Fact("cell", "cell", fmt.Sprintf("%d, %d", x, z)), format.Fact("value", "value", int(value))}
}

func (s *planScene) thing(m *plan.Mark) format.Thing {
	o, f := m.Object, s.fileOf(m)
	t := format.Thing{Title: plan.NameOf(o), Layer: s.Layer(m).Name, Place: text.Place{Path: f.place, Object: o.ID}}
	if line := f.lines().of[o]; line > 0 {
		t.Line = check.Line{Path: f.tree, Line: line}
	}
	if offset, length := o.Span(); f.bytes && length > 0 {
		t.Bytes = format.Bytes{Path: f.dump, Space: f.dump, Offset: offset, Len: length}
	}
	fact := func(key, label string, value any) { t.Facts = append(t.Facts, format.Fact(key, label, value)) }
	fact("id", "id", strconv.FormatInt(o.ID, 10))
	fact("position", "position (x, y, z)", numbers(m.At[0], m.Height, -m.At[1]))
	if angle, ok := m.Angle(); ok {
		fact("angle", "angle (degrees)", numbers(angle))
	}
	if scale := m.Scale(); scale != [2]float64{1, 1} {
		fact("scale", "scale (x, z)", numbers(scale[:]...))
	}
	if mesh, size := m.Mesh(); mesh != "" {
		fact("mesh", "mesh", mesh)
		fact("size", "size of the mesh (x, y, z)", numbers(size[:]...))
	}
	if title := s.Layer(m).Title; title != "" && t.Layer != plan.ObjectsLayer {
		fact("group", "group", title)
	}
	if m.Blocked() {
		fact("blocked", "blocked", "players cannot walk to this position")
	}
	if m.File != "" {
		fact("file", "in the layout", m.File)
	}
	parent := int64(-1)
	var around, naming []string
	var curves []format.InfoField
	for i, r := range s.Relations(m) {
		name := plan.NameOf(r.Object)
		switch r.What {
		case plan.Parent:
			if around = append(around, name); i == 0 {
				parent = r.Object.ID
			}
		case plan.Naming:
			naming = append(naming, name)
			curves = append(curves, curvesOf(r.Object, o.ID)...)
		}
		if r.Mark != nil && len(t.Links) < maxLinks {
			t.Links = append(t.Links, format.Link{Title: r.What + ": " + name, At: r.Mark.At})
		}
	}
	if around != nil {
		fact("inside", "inside", around)
	}
	if naming != nil {
		fact("namedBy", "named by", naming)
	}
	var properties []format.InfoField
	for p := range f.TextOf(o, parent, s.floats).Properties() {
		properties = append(properties, format.Fact(p.Key, "<"+p.Type.String()+">"+p.Key, p.Value))
	}
	fact("properties", "properties", properties)
	t.Facts = append(t.Facts, curves...)
	return t
}

// numbers formats numbers with the precision of float32.
func numbers(list ...float64) string {
	var parts []string
	for _, v := range list {
		parts = append(parts, strconv.FormatFloat(v+0, 'g', 6, 64)) // adding 0 turns -0 into 0
	}
	return strings.Join(parts, ", ")
}

// curvesOf returns the curves by which a timeline changes an object, for tracks with numbers.
func curvesOf(timeline *layout.Object, id int64) (facts []format.InfoField) {
	line, ok := timeline.Extra.(*layout.Timeline)
	if !ok {
		return nil
	}
	for _, o := range line.Objects {
		for _, track := range o.Tracks {
			if c, ok := curveOf(track, plan.NumberOf(timeline, "DURATION", 1)); ok && o.ObjectID == id {
				facts = append(facts, format.Fact("curve", track.Property+" by "+plan.NameOf(timeline), c))
			}
		}
	}
	return facts
}

// curveOf returns a track as lines between its points. It returns false if the values are not numbers.
func curveOf(track layout.Track, duration float64) (c format.Curve, ok bool) {
	for _, p := range track.Points {
		values := strings.Split(p.Value, ",")
		if c.Lines == nil {
			c.Lines = make([]format.CurveLine, len(values))
			if len(values) > 1 {
				for i := range c.Lines {
					c.Lines[i].Name = "xyzw"[i%4 : i%4+1]
				}
			}
		}
		seconds := float64(p.Time) * duration
		at := time.Duration(seconds * float64(time.Second))
		if n := len(c.Points); !(math.Abs(seconds) < maxSeconds) || len(values) != len(c.Lines) || len(values) > 4 ||
			n > 0 && c.Points[n-1] > at {
			return c, false
		}
		c.Points = append(c.Points, at)
		for i, s := range values {
			v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return c, false
			}
			l := &c.Lines[i]
			l.Times, l.Values = append(l.Times, at), append(l.Values, v)
		}
	}
	return c, c.Points != nil
}

// where finds objects by their IDs and by lines of their text. For a layout that is linked several times it returns the
// rectangle around all of them, and for the drawn file the whole plan.
func (s *planScene) where(_ context.Context, place check.Place) (format.Rect, bool) {
	files := append([]*planFile{s.file}, s.others...)
	switch p := text.Whole(place).(type) {
	case text.Place:
		for _, f := range files {
			switch {
			case f.place != p.Path:
			case p.Object == 0:
				return s.bounds(f)
			default:
				return s.around(f, func(o *layout.Object) bool { return o.ID == p.Object })
			}
		}
	case check.Line:
		for _, f := range files {
			if p.Path == f.tree || p.Path == "" && f == s.file {
				object := f.lines().at(p.Line)
				return s.around(f, func(o *layout.Object) bool { return o == object })
			}
		}
	case check.File:
		i := slices.IndexFunc(files, func(f *planFile) bool { return string(p) == f.place || string(p) == f.tree })
		if i >= 0 {
			return s.bounds(files[i])
		}
	}
	return format.Rect{}, false
}

// bounds returns the rectangle of a file: the whole plan if the file is the drawn layout.
func (s *planScene) bounds(f *planFile) (format.Rect, bool) {
	if f == s.file {
		return format.Rect{Min: s.Min, Max: s.Max}, true
	}
	return s.around(f, func(*layout.Object) bool { return true })
}

// around returns the rectangle around the marks of the objects of a file that the function object accepts.
func (s *planScene) around(f *planFile, object func(*layout.Object) bool) (r format.Rect, some bool) {
	for i := range s.Marks {
		m := &s.Marks[i]
		if s.fileOf(m) != f || !object(m.Object) {
			continue
		}
		low, high := m.Bounds()
		if !some {
			r, some = format.Rect{Min: low, Max: high}, true
		}
		for k := range 2 {
			r.Min[k], r.Max[k] = min(r.Min[k], low[k]), max(r.Max[k], high[k])
		}
	}
	return r, some
}
