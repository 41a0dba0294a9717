package plan

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/torchlight/layout"
)

// values reads the properties of an object by their names.
type values struct {
	o *layout.Object
	d *layout.Descriptor
}

func (v values) property(name string, kind layout.Kind) (layout.Property, bool) {
	info := v.d.Named(name)
	if info == nil || info.Kind != kind {
		return layout.Property{}, false
	}
	for _, p := range v.o.Properties {
		if p.Code == info.Code {
			return p, true
		}
	}
	return layout.Property{}, false
}

// vector returns a property that is a vector of three numbers, and whether it exists.
func (v values) vector(name string) (w [3]float64, ok bool) {
	p, ok := v.property(name, layout.Vector3)
	if f, _ := p.Floats(); len(f) == 3 {
		return [3]float64{float64(f[0]), float64(f[1]), float64(f[2])}, true
	}
	return w, ok
}

// number returns a numeric property, or absent if it does not exist.
func (v values) number(name string, absent float64) float64 {
	p, _ := v.property(name, layout.Float)
	if f, _ := p.Floats(); len(f) == 1 {
		return float64(f[0])
	}
	return absent
}

// scale returns the scale of an object along its axes.
func (v values) scale() (scale [3]float64) {
	prefix := ""
	if v.d.Name == genericModel {
		prefix = "SCALE "
	}
	for i, axis := range [3]string{"X", "Y", "Z"} {
		scale[i] = v.number(prefix+axis, 1) * v.number("SCALE", 1)
	}
	return scale
}

// The kinds of objects that have a mesh.
const (
	roomPiece    = "Room Piece"
	genericModel = "Generic Model"
)

func (v values) text(name string) (string, bool) {
	p, _ := v.property(name, layout.String)
	return p.Text()
}

// axes reads the orientation of an object, and reports whether the object can be rotated.
func (v values) axes(f *frame) bool {
	if v.d.Named("FORWARD") == nil && v.d.Named("YAW") == nil {
		return false
	}
	right, hasRight := v.vector("RIGHT")
	forward, hasForward := v.vector("FORWARD")
	if !hasRight && !hasForward {
		sin, cos := math.Sincos(v.number("YAW", 0) * math.Pi / 180)
		f.x, f.z = [3]float64{cos, 0, -sin}, [3]float64{sin, 0, cos}
		return true
	}
	if hasRight {
		f.x = right
	}
	if hasForward {
		f.z = forward
	}
	if up, ok := v.vector("UP"); ok {
		f.y = up
	}
	return true
}

// kindOf returns the kind of an object in words.
func kindOf(o *layout.Object) string {
	if d := layout.DescriptorOf(o.Descriptor); d != nil {
		return d.Name
	}
	return fmt.Sprintf("descriptor %d", o.Descriptor)
}

// Kind returns the kind of the object, for example "Room Piece".
func (m *Mark) Kind() string { return kindOf(m.Object) }

// Name returns the kind of the object, its name and its ID.
func (m *Mark) Name() string {
	return fmt.Sprintf("%s, id %d", NameOf(m.Object), m.Object.ID)
}

// Title describes the object: its name and position, and its texts, such as the file that it shows or the monster that
// it creates.
func (m *Mark) Title() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nat %s, %s, %s", m.Name(), number(m.At[0]), number(m.Height), number(-m.At[1]))
	d := layout.DescriptorOf(m.Object.Descriptor)
	lines := 0
	for _, p := range m.Object.Properties {
		info := d.Property(p.Code)
		if info == nil || info.Kind != layout.String && info.Kind != layout.Translate || lines == 8 {
			continue
		}
		if s, ok := p.Text(); ok && s != "" {
			lines++
			fmt.Fprintf(&b, "\n%s: %s", info.Name, short(s, 120))
		}
	}
	if m.blocked {
		b.WriteString("\nplayers cannot walk to this position")
	}
	if m.File != "" {
		fmt.Fprintf(&b, "\nin %s", short(m.File, 200))
	}
	return b.String()
}

// short truncates a text after most letters.
func short(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

func number(v float64) string { return strconv.FormatFloat(v+0, 'g', 6, 64) } // adding 0 turns -0 into 0

// look is the style of a kind of objects. Kinds with a higher rank are drawn over those with a lower one.
type look struct {
	color uint32
	rank  int
}

// looks are the styles of the kinds that are common in levels.
var looks = map[string]look{
	"Room Piece": {0x8d8577, 0}, "Generic Model": {0x8a5a33, 1}, "Group": {0x666666, 1},
	"Layout Link": {0x2f6fb5, 2}, "Layout Link Controller": {0x1d4d85, 2}, "Layout Link Timeline": {0x5a86b8, 2},
	"Layout Link Particle": {0x4fb3c9, 2},
	"Light":                {0xd9a400, 3}, "Sound": {0x8d5bb0, 3}, "Particle": {0x4fb3c9, 3},
	"Property Node": {0x12826f, 4}, "Regional Area": {0x67a35f, 4}, "Pathing": {0x12826f, 4}, "Path Node": {0x12826f, 4},
	"Player Box Trigger": {0x2f8f3a, 4}, "Player Sphere Trigger": {0x57a81f, 4}, "Quest Controller": {0xb08a00, 4},
	"Unit Trigger": {0xe07b12, 5}, "Unit Spawner": {0xb0123f, 5}, "Monster": {0xd62b20, 5},
	"Warper": {0xc2259b, 6}, "Teleport": {0xe05cc0, 6}, "Waypoint Activator": {0x7a1fd1, 6},
}

func (m *Mark) look() look {
	if l, ok := looks[m.Kind()]; ok {
		return l
	}
	// Other kinds get hues that differ strongly even if their codes are close.
	h := math.Mod(float64(m.Object.Descriptor)*0.618034, 1) * 6
	c := uint32(0)
	for _, at := range [3]float64{0, 4, 2} {
		c = c<<8 | uint32(60+120*min(1, max(0, math.Abs(math.Mod(h+at, 6)-3)-1)))
	}
	return look{c, 3}
}

func opaque(c uint32, alpha uint8) color.NRGBA {
	return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), alpha}
}

// shape adds the shapes of a mark.
func (b *builder) shape(m *Mark) {
	c := m.look().color
	r := b.unit / 2
	forward := m.forward
	if forward == [2]float64{} {
		forward = [2]float64{0, -1}
	}
	right := [2]float64{-forward[1], forward[0]}
	if !b.area(m, forward, right) {
		b.omit("size", m.Name(), "invalid size")
	}
	m.areas = len(m.shapes)
	line := color.NRGBA{A: 150}
	switch kind := m.Kind(); {
	case m.mesh != nil && b.isNarrow(2*max(math.Hypot(m.foot.u[0], m.foot.u[1]), math.Hypot(m.foot.v[0], m.foot.v[1]))):
		m.foot.fill, m.foot.stroke, m.foot.width = opaque(c, 24), opaque(c, 150), b.unit/16
		m.shapes = append(m.shapes, m.foot)
		r /= 2
	case kind == roomPiece:
		w, d := limit(m.scale[0]), limit(m.scale[1])
		m.shapes = append(m.shapes, shape{form: box, at: m.At, u: times(right, r*w), v: times(forward, r*d),
			fill: opaque(c, 170), stroke: line, width: b.unit / 12})
		r *= d
	case kind == "Group":
		m.shapes = append(m.shapes, shape{form: box, at: m.At, u: [2]float64{r, r}, v: [2]float64{r, -r},
			stroke: opaque(c, 255), width: b.unit / 6})
	case m.label != "":
		m.shapes = append(m.shapes,
			shape{form: box, at: m.At, u: times(right, 1.4*r), v: times(forward, 1.4*r), fill: opaque(c, 60),
				stroke: opaque(c, 255), width: b.unit / 8},
			shape{form: writing, at: [2]float64{m.At[0] + 2*r, m.At[1] + r/3}, text: short(m.label, 40), r: b.unit / 2,
				fill: opaque(c, 255)})
	default:
		m.shapes = append(m.shapes, shape{form: disc, at: m.At, r: r, fill: opaque(c, 230), stroke: line, width: b.unit / 12})
	}
	if m.forward != [2]float64{} {
		m.shapes = append(m.shapes, shape{form: stroke, at: m.At, u: times(forward, 1.3*r), stroke: color.NRGBA{A: 200}, width: b.unit / 8})
	}
	if m.blocked {
		x := shape{form: stroke, at: m.At, u: [2]float64{r, r}, stroke: color.NRGBA{255, 255, 255, 255}, width: b.unit / 6}
		y := x
		x.at, y.at = [2]float64{m.At[0] - r/2, m.At[1] - r/2}, [2]float64{m.At[0] - r/2, m.At[1] + r/2}
		y.u = [2]float64{r, -r}
		m.shapes = append(m.shapes, x, y)
	}
}

// limit restricts a scale so that the mark of a very small or large object is visible and hides no others.
func limit(scale float64) float64 {
	if scale = math.Abs(scale); !(scale >= 0.3) {
		return 0.3
	}
	return min(scale, 4)
}

// area adds shapes for the area that an object reaches, and reports whether its values are plausible.
func (b *builder) area(m *Mark, forward, right [2]float64) bool {
	v := values{m.Object, layout.DescriptorOf(m.Object.Descriptor)}
	c := m.look().color
	area := shape{at: m.At, fill: opaque(c, 18), stroke: opaque(c, 200), width: b.unit / 8}
	good := true
	add := func(s shape, sizes ...float64) {
		if !drawable(sizes...) {
			good = false
			return
		}
		if b.isNarrow(slices.Max(sizes)) && slices.Min(sizes) > 0 {
			m.shapes = append(m.shapes, s)
		}
	}
	around := func(r float64) {
		area.form, area.r = disc, r
		add(area, r)
	}
	across := func(w, d float64) {
		area.form, area.u, area.v = box, times(right, w/2), times(forward, d/2)
		add(area, w, d)
	}
	// A property node has both a box and a radius, and the names of most types show which of them applies.
	kind, _ := v.text("TYPE")
	if v.d.Named("BOX WIDTH") == nil || !strings.HasSuffix(kind, " Box") {
		around(v.number("RADIUS", 0))
	}
	if !strings.HasSuffix(kind, " Circle") {
		across(v.number("BOX WIDTH", 0), v.number("BOX LENGTH", 0))
	}
	if size, ok := v.vector("DIMENSIONS"); ok {
		across(size[0], size[2])
	}
	form, ok := v.text("SHAPE")
	size, sized := v.vector("SIZE")
	switch {
	case !ok && !sized:
	case strings.EqualFold(form, "Box"), !ok:
		across(size[0], size[2])
	case strings.EqualFold(form, "Line"):
		s := area
		s.form, s.at, s.u = stroke, plus(m.At, times(right, -size[0]/2)), times(right, size[0])
		add(s, size[0])
	default: // Sphere, Angle: a sector of a circle
		r := v.number("MAX RADIUS", 0)
		around(r)
		area.fill.A = 0
		around(v.number("MIN RADIUS", 0))
		if strings.EqualFold(form, "Angle") {
			half, middle := v.number("ANGLE", 0)/2, v.number("ANGLE OFFSET", 0)
			for _, degrees := range []float64{middle - half, middle + half} {
				sin, cos := math.Sincos(degrees * math.Pi / 180)
				s := area
				s.form, s.u = stroke, times(plus(times(forward, cos), times(right, sin)), r)
				add(s, r, math.Abs(s.u[0])+math.Abs(s.u[1]))
			}
		}
	}
	return good
}

// isNarrow reports whether a shape of some size is drawn: there can be any number of small ones.
func (b *builder) isNarrow(size float64) bool {
	if size <= 10*b.unit {
		return true
	}
	if b.wide++; b.wide > maxWide {
		b.lose("limit", "areas", "the range or size of only %d of the large objects is drawn", maxWide)
		return false
	}
	return true
}

func times(v [2]float64, k float64) [2]float64 { return [2]float64{v[0] * k, v[1] * k} }
func plus(v, w [2]float64) [2]float64          { return [2]float64{v[0] + w[0], v[1] + w[1]} }
