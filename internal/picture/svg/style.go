package svg

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"golang.org/x/image/colornames"

	"trowel.example/internal/picture/outline"
)

// style is how elements are drawn.
type style struct {
	matrix                   outline.Matrix
	fill, line               paint
	fillOpacity, lineOpacity float64
	rule                     outline.Rule
	stroke                   outline.Stroke
	current                  color.NRGBA // currentColor
	opacity                  float64     // of this element
	visible, shown           bool
}

// paint is a colour, or that of the style.
type paint struct {
	painted, current bool
	is               color.NRGBA
}

func (p paint) color(s style) color.NRGBA {
	if p.current {
		return s.current
	}
	return p.is
}

func usual(current color.NRGBA) style {
	return style{matrix: outline.Identity, fill: paint{painted: true, is: color.NRGBA{A: 255}}, fillOpacity: 1, lineOpacity: 1,
		stroke: outline.Stroke{Width: 1, Miter: 4}, current: current, visible: true}
}

// ignored are properties that change nothing of what is read, or whose usual value is meant.
var ignored = []string{"clip-path", "mask", "filter", "marker", "marker-start", "marker-mid", "marker-end", "mix-blend-mode"}

// read reads the attributes of an element.
func (s *style) read(r *reader, a map[string]string) {
	s.opacity, s.shown = 1, true
	properties := make(map[string]string, len(a))
	for name, value := range a {
		properties[name] = strings.TrimSpace(value)
	}
	for _, declared := range strings.Split(a["style"], ";") {
		name, value, _ := strings.Cut(declared, ":")
		value, _, _ = strings.Cut(value, "!")
		properties[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if a["class"] != "" && r.picture.hasStyle() {
		r.leave("the class of an element")
	}
	for _, name := range ignored {
		if v := properties[name]; v != "" && v != "none" && v != "normal" {
			r.leave("the property %s", name)
		}
	}
	if v := properties["vector-effect"]; v != "" && v != "none" {
		r.leave("the property vector-effect")
	}
	if v := properties["paint-order"]; v != "" && !strings.HasPrefix(v, "fill") && v != "normal" {
		r.leave("the property paint-order")
	}
	if text := properties["transform"]; text != "" {
		m, ok := parseTransform(text)
		if !ok {
			r.leave("the transform %.40q", text)
		}
		s.matrix = s.matrix.Times(m)
	}
	if c, ok := parseColor(properties["color"]); ok {
		s.current = c
	}
	s.paints(r, properties)
	s.lines(r, properties)
	switch properties["visibility"] {
	case "hidden", "collapse":
		s.visible = false
	case "visible":
		s.visible = true
	}
	if properties["display"] == "none" {
		s.shown = false
	}
}

func (p *Picture) hasStyle() bool {
	return slices.ContainsFunc(p.LeftOut, func(l LeftOut) bool { return l.What == "<style>" })
}

// paints reads colours and opacities.
func (s *style) paints(r *reader, properties map[string]string) {
	for _, p := range []struct {
		name string
		to   *paint
	}{{"fill", &s.fill}, {"stroke", &s.line}} {
		text := properties[p.name]
		if strings.HasPrefix(text, "url(") {
			r.leave("a %s that is not a colour", p.name)
			_, text, _ = strings.Cut(text, ")")
			if text = strings.TrimSpace(text); text == "" {
				text = "none"
			}
		}
		switch c, ok := parseColor(text); {
		case text == "" || text == "inherit":
		case text == "none":
			*p.to = paint{}
		case strings.EqualFold(text, "currentcolor"):
			*p.to = paint{painted: true, current: true}
		case ok:
			*p.to = paint{painted: true, is: c}
		default:
			r.leave("the %s %.40q", p.name, text)
		}
	}
	for _, p := range []struct {
		name string
		to   *float64
	}{{"opacity", &s.opacity}, {"fill-opacity", &s.fillOpacity}, {"stroke-opacity", &s.lineOpacity}} {
		if v, ok := parseShare(properties[p.name]); ok {
			*p.to = min(max(v, 0), 1)
		}
	}
	switch properties["fill-rule"] {
	case "nonzero":
		s.rule = outline.NonZero
	case "evenodd":
		s.rule = outline.EvenOdd
	}
}

// lines reads how lines are drawn.
func (s *style) lines(r *reader, properties map[string]string) {
	if v, ok := r.length(properties, "stroke-width", 2); ok && v >= 0 {
		s.stroke.Width = v
	}
	if v, ok := r.length(properties, "stroke-miterlimit", 2); ok && v >= 1 {
		s.stroke.Miter = v
	}
	if v, ok := r.length(properties, "stroke-dashoffset", 2); ok {
		s.stroke.Offset = v
	}
	if i := slices.Index([]string{"butt", "round", "square"}, properties["stroke-linecap"]); i >= 0 {
		s.stroke.Cap = outline.Cap(i)
	}
	switch properties["stroke-linejoin"] {
	case "miter":
		s.stroke.Join = outline.MiterJoin
	case "round":
		s.stroke.Join = outline.RoundJoin
	case "bevel":
		s.stroke.Join = outline.BevelJoin
	case "arcs", "miter-clip":
		r.leave("the property stroke-linejoin")
	}
	switch dashes := properties["stroke-dasharray"]; dashes {
	case "", "inherit":
	case "none":
		s.stroke.Dashes = nil
	default:
		s.stroke.Dashes = nil
		for _, word := range strings.FieldsFunc(dashes, func(c rune) bool { return c == ',' || c == ' ' || c == '\n' || c == '\t' }) {
			v, ok := r.length(map[string]string{"": word}, "", 2)
			if !ok || v < 0 {
				r.leave("the dashes %.40q", dashes)
				s.stroke.Dashes = nil
				return
			}
			s.stroke.Dashes = append(s.stroke.Dashes, v)
		}
	}
}

// parseTransform parses a list of transforms.
func parseTransform(text string) (m outline.Matrix, ok bool) {
	m = outline.Identity
	for text = strings.Trim(text, " \t\r\n,"); text != ""; text = strings.TrimLeft(text, " \t\r\n,") {
		name, rest, _ := strings.Cut(text, "(")
		list, after, closed := strings.Cut(rest, ")")
		v, valid := parseNumbers(list)
		if !closed || !valid {
			return outline.Identity, false
		}
		text = after
		n := len(v)
		v = append(v, 0, 0, 0, 0, 0, 0)
		next := outline.Identity
		sin, cos := math.Sincos(v[0] * math.Pi / 180)
		switch name = strings.TrimSpace(name); {
		case name == "matrix" && n == 6:
			next = outline.Matrix(v[:6])
		case name == "translate" && (n == 1 || n == 2):
			next[4], next[5] = v[0], v[1]
		case name == "scale" && n == 1:
			next[0], next[3] = v[0], v[0]
		case name == "scale" && n == 2:
			next[0], next[3] = v[0], v[1]
		case name == "rotate" && (n == 1 || n == 3):
			next = outline.Matrix{1, 0, 0, 1, v[1], v[2]}.Times(outline.Matrix{cos, sin, -sin, cos, 0, 0}).Times(
				outline.Matrix{1, 0, 0, 1, -v[1], -v[2]})
		case name == "skewX" && n == 1:
			next[2] = math.Tan(v[0] * math.Pi / 180)
		case name == "skewY" && n == 1:
			next[1] = math.Tan(v[0] * math.Pi / 180)
		default:
			return outline.Identity, false
		}
		m = m.Times(next)
	}
	return m, true
}

// parseColor parses a colour: a name, #rgb, #rrggbb, both with alpha, rgb(), rgba(), hsl() or hsla().
func parseColor(text string) (c color.NRGBA, ok bool) {
	text = strings.ToLower(text)
	switch text {
	case "transparent":
		return c, true
	case "rebeccapurple": // is newer than the list of names
		return color.NRGBA{0x66, 0x33, 0x99, 255}, true
	}
	if named, ok := colornames.Map[text]; ok {
		return color.NRGBA(named), true // all are opaque
	}
	if digits, ok := strings.CutPrefix(text, "#"); ok {
		return parseHex(digits)
	}
	name, list, _ := strings.Cut(text, "(")
	list, _, closed := strings.Cut(list, ")")
	words := strings.FieldsFunc(list, func(c rune) bool { return strings.ContainsRune(" ,/\t\r\n", c) })
	if !closed || len(words) != 3 && len(words) != 4 {
		return c, false
	}
	alpha := 1.
	if len(words) == 4 {
		if alpha, ok = parseShare(words[3]); !ok {
			return c, false
		}
	}
	var v [3]float64
	for i, word := range words[:3] {
		number, percent := strings.CutSuffix(strings.TrimSuffix(word, "deg"), "%")
		list, ok := parseNumbers(number)
		if !ok || len(list) != 1 {
			return c, false
		}
		if v[i] = list[0]; percent {
			v[i] /= 100
		} else if strings.HasPrefix(name, "rgb") {
			v[i] /= 255
		}
	}
	switch strings.TrimSpace(name) {
	case "hsl", "hsla":
		v = fromHSL(v[0], v[1], v[2])
	case "rgb", "rgba":
	default:
		return c, false
	}
	level := func(v float64) uint8 { return uint8(math.Round(min(max(v, 0), 1) * 255)) }
	return color.NRGBA{level(v[0]), level(v[1]), level(v[2]), level(alpha)}, true
}

// fromHSL returns red, green and blue for a hue in degrees, a saturation and a lightness.
func fromHSL(h, s, l float64) (rgb [3]float64) {
	for i, shift := range []float64{0, 8, 4} {
		k := math.Mod(math.Mod(shift+h/30, 12)+12, 12)
		rgb[i] = l - s*min(l, 1-l)*max(-1, min(k-3, 9-k, 1))
	}
	return rgb
}

func parseHex(digits string) (color.NRGBA, bool) {
	var v [8]uint8
	for i := range digits {
		at := strings.IndexByte("0123456789abcdef", digits[i])
		if at < 0 || i >= len(v) {
			return color.NRGBA{}, false
		}
		v[i] = uint8(at)
	}
	pair := func(i int) uint8 { return v[i]<<4 | v[i+1] }
	switch len(digits) {
	case 3:
		return color.NRGBA{v[0] * 17, v[1] * 17, v[2] * 17, 255}, true
	case 4:
		return color.NRGBA{v[0] * 17, v[1] * 17, v[2] * 17, v[3] * 17}, true
	case 6:
		return color.NRGBA{pair(0), pair(2), pair(4), 255}, true
	case 8:
		return color.NRGBA{pair(0), pair(2), pair(4), pair(6)}, true
	}
	return color.NRGBA{}, false
}
