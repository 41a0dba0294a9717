package modscene

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/torchlight/layout"
)

// The screen that menus are made for, in pixels.
const (
	screenWidth  = 1024
	screenHeight = 768
)

const (
	most    = 1 << 15 // greatest coordinate of a widget that is drawn
	maximum = 1 << 14 // greatest number of widgets

	maxLayers = 256
	maxArea   = 1 << 28 // greatest sum of the areas of widgets with a sprite, in pixels
)

// menuRect is a rectangle on the screen: left, top, width and height in pixels.
type menuRect [4]float64

// Contains reports whether a point is in the rectangle.
func (r menuRect) Contains(x, y float64) bool {
	return x >= r[0] && y >= r[1] && x < r[0]+r[2] && y < r[1]+r[3]
}

// menuWidget is an object of a menu with its place on the screen.
type menuWidget struct {
	*layout.Object
	Kind   string // name of the descriptor, such as "Button"
	Parent *menuWidget
	Rect   menuRect
	Layer  int // in menu.Layers
}

// menu is the widgets of a layout.
type menu struct {
	Widgets []*menuWidget // in the order of drawing
	Layers  []menuLayer   // at least one: first the widgets that are always visible
	Left    int           // number of widgets that are too far away, too large or too many

	area  float64        // of all widgets with a sprite
	names map[string]int // of the layers, with the number of those that would have the name
}

// menuLayer is widgets that are shown and hidden together.
type menuLayer struct {
	Name    string
	Shown   bool
	Instead int // number of the shown layer with the same rectangle, such as another tab; -1: none
}

// newMenu computes the rectangles of a layout's widgets.
func newMenu(f *layout.File) *menu {
	m := &menu{Layers: []menuLayer{{"menu", true, -1}}, names: map[string]int{"menu": 1}}
	screen := &menuWidget{Rect: menuRect{0, 0, screenWidth, screenHeight}}
	m.children(f.Objects, screen)
	return m
}

// children adds the widgets among some objects, and those inside them, sorted by SORT OFFSET. Objects that are no
// widgets have no rectangle; the widgets inside them are those of the parent.
func (m *menu) children(objects []*layout.Object, parent *menuWidget) {
	var list []*menuWidget
	var collect func(objects []*layout.Object)
	collect = func(objects []*layout.Object) {
		for _, o := range objects {
			d := layout.DescriptorOf(o.Descriptor)
			switch {
			case o.Empty || d == nil:
			case d.Has("WIDTH") && d.Has("OFFSET X"):
				w := &menuWidget{Object: o, Kind: d.Name, Parent: parent, Layer: parent.Layer}
				w.Rect = w.place(parent.Rect)
				list = append(list, w)
			default:
				collect(o.Children)
			}
		}
	}
	collect(objects)
	m.separate(list)
	slices.SortStableFunc(list, func(a, b *menuWidget) int { return cmp.Compare(a.number("SORT OFFSET", 0), b.number("SORT OFFSET", 0)) })
	// Widgets with a negative offset are behind their parent, which has been added last.
	own := len(m.Widgets)
	for _, w := range list {
		fits := w.fits()
		if fits && w.Image() != "" {
			m.area += w.Rect[2] * w.Rect[3]
		}
		if !fits || len(m.Widgets) >= maximum || m.area > maxArea {
			m.Left++
			continue
		}
		first := len(m.Widgets)
		m.Widgets = append(m.Widgets, w)
		m.children(w.Children, w)
		if own > 0 && parent.Object != nil && w.number("SORT OFFSET", 0) < 0 {
			behind := slices.Clone(m.Widgets[first:])
			at := slices.Index(m.Widgets, parent)
			m.Widgets = slices.Insert(m.Widgets[:first], at, behind...)
		}
	}
}

// separate gives hidden widgets, and those that they can replace, which have the same rectangle, separate layers.
func (m *menu) separate(list []*menuWidget) {
	hidden := make(map[menuRect]bool)
	for _, w := range list {
		if w.hidden() {
			hidden[w.Rect] = true
		}
	}
	replaced := make(map[menuRect]int) // the layers of visible widgets
	for _, w := range list {
		if _, again := replaced[w.Rect]; !w.hidden() && !again && hidden[w.Rect] {
			m.add(w, m.Layers[w.Layer].Shown, -1)
			replaced[w.Rect] = w.Layer
		}
	}
	for _, w := range list {
		if w.hidden() {
			instead, ok := replaced[w.Rect]
			if !ok {
				instead = -1
			}
			m.add(w, false, instead)
		}
	}
}

func (w *menuWidget) hidden() bool { return w.Word("VISIBLE") == "false" }

// add makes a layer for a widget, with a name that no other layer has. If there are too many layers, the last one is shared.
func (m *menu) add(w *menuWidget, shown bool, instead int) {
	name := strings.ReplaceAll(cmp.Or(strings.TrimSpace(w.Title()), "widget"), ",", " ")
	if len(m.Layers) >= maxLayers {
		name, shown, instead = "other hidden widgets", false, -1
	}
	if len(m.Layers) <= maxLayers {
		for m.names[name]++; m.names[name] > 1; m.names[name]++ {
			name += " " + strconv.Itoa(m.names[name])
		}
		m.Layers = append(m.Layers, menuLayer{name, shown, instead})
	}
	w.Layer = len(m.Layers) - 1
}

// place returns the rectangle inside that of the parent.
func (w *menuWidget) place(in menuRect) (r menuRect) {
	for i, axis := range [2]struct{ size, scale, offset, percent, align string }{
		{"WIDTH", "SCALE WIDTH", "OFFSET X", "PERCENT X", "HORIZONTAL"},
		{"HEIGHT", "SCALE HEIGHT", "OFFSET Y", "PERCENT Y", "VERTICAL"},
	} {
		r[2+i] = w.number(axis.size, 0) + w.number(axis.scale, 0)*in[2+i]
		r[i] = in[i] + w.number(axis.offset, 0) + w.number(axis.percent, 0)*in[2+i]
		switch strings.ToUpper(w.Word(axis.align)) {
		case "CENTER":
			r[i] += (in[2+i] - r[2+i]) / 2
		case "RIGHT", "BOTTOM":
			r[i] += in[2+i] - r[2+i]
		}
	}
	return r
}

func (w *menuWidget) fits() bool {
	for _, v := range w.Rect {
		if !(math.Abs(v) <= most) {
			return false
		}
	}
	return w.Rect[2] >= 0 && w.Rect[3] >= 0
}

// property returns a property by its name, and its kind; 0 if the widget has no such property.
func (w *menuWidget) property(name string) (layout.Property, layout.Kind) {
	if info := layout.DescriptorOf(w.Descriptor).Named(name); info != nil {
		for _, p := range w.Properties {
			if p.Code == info.Code {
				return p, info.Kind
			}
		}
	}
	return layout.Property{}, 0
}

// number returns a numeric property, or absent.
func (w *menuWidget) number(name string, absent float64) float64 {
	switch p, kind := w.property(name); kind {
	case layout.Float:
		if f, _ := p.Floats(); len(f) == 1 {
			return float64(f[0])
		}
	case layout.Integer:
		if n, ok := p.Uint32(); ok {
			return float64(int32(n))
		}
	case layout.Unsigned:
		if n, ok := p.Uint32(); ok {
			return float64(n)
		}
	}
	return absent
}

// Word returns a property that is a text, or "true" or "false"; "" without one.
func (w *menuWidget) Word(name string) string {
	switch p, kind := w.property(name); kind {
	case layout.String, layout.Translate:
		s, _ := p.Text()
		return s
	case layout.Bool:
		if b, ok := p.Bool(); ok {
			return strconv.FormatBool(b)
		}
	}
	return ""
}

// Image returns the name of the sprite that the widget shows, in its usual state; "" for none.
func (w *menuWidget) Image() string {
	for _, name := range []string{"IMAGE", "NORMAL", "STATE " + strconv.Itoa(int(w.number("CURRENT STATE", 0))), "STATE 0", "ANCHOR"} {
		if s := strings.TrimSpace(w.Word(name)); s != "" {
			return s
		}
	}
	return ""
}

// HoldsSkill reports whether the widget shows the icon of a skill that players drag from it.
func (w *menuWidget) HoldsSkill() bool { return strings.EqualFold(w.Word("ALLOWED TYPES"), "SKILL") }

// Named returns the nearest widget around this one, or the widget itself, that match accepts by its name for scripts.
func (w *menuWidget) Named(match func(name string) bool) *menuWidget {
	for ; w != nil && w.Object != nil; w = w.Parent {
		if name := w.Word("WIDGET NAME"); name != "" && match(name) {
			return w
		}
	}
	return nil
}

// Bounds returns the rectangle around all widgets.
func (m *menu) Bounds() (r menuRect) {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, w := range m.Widgets {
		if w.Rect[2] == 0 || w.Rect[3] == 0 {
			continue
		}
		for i := range 2 {
			low[i], high[i] = min(low[i], math.Floor(w.Rect[i])), max(high[i], math.Ceil(w.Rect[i]+w.Rect[2+i]))
		}
	}
	if !(high[0] > low[0] && high[1] > low[1]) {
		return menuRect{0, 0, screenWidth, screenHeight}
	}
	return menuRect{low[0], low[1], high[0] - low[0], high[1] - low[1]}
}
