package texture

import (
	"encoding/base64"
	"image"
	"image/color"
	"strings"
)

// A modifier changes the image of the parts before it.
type modifier struct {
	prefix string
	since  Engine // the first version that has it
	alone  bool   // works without a base
	apply  func(j *job, base layer, a *arguments) layer
}

var modifiers []modifier // in the order in which the engine compares prefixes

func init() { // applying a modifier reads the list
	modifiers = []modifier{
		{"[crack", 0, false, (*job).crack},
		{"[combine", 0, true, (*job).combineParts},
		{"[fill", 8, true, (*job).fill},
		{"[brighten", 0, false, eachPixel(func(c color.NRGBA) color.NRGBA {
			half := func(v uint8) uint8 { return uint8((255 + int(v)) / 2) }
			return color.NRGBA{half(c.R), half(c.G), half(c.B), c.A}
		})},
		{"[noalpha", 0, false, eachPixel(func(c color.NRGBA) color.NRGBA { c.A = 255; return c })},
		{"[makealpha:", 0, false, (*job).makeAlpha},
		{"[transform", 0, false, (*job).transform},
		{"[inventorycube", 0, true, (*job).inventoryCube},
		{"[lowpart:", 0, true, (*job).lowPart},
		{"[verticalframe:", 0, false, (*job).verticalFrame},
		{"[mask:", 0, false, (*job).mask},
		{"[multiply:", 0, false, byColor(func(v, c int) int { return v * c / 255 })},
		{"[screen:", 8, false, byColor(func(v, c int) int { return 255 - (255-v)*(255-c)/255 })},
		{"[colorize:", 0, false, (*job).colorize},
		{"[applyfiltersformesh", 0, false, func(_ *job, base layer, _ *arguments) layer { return base }},
		{"[resize", 0, false, (*job).resize},
		{"[opacity:", 0, false, (*job).opacity},
		{"[invert:", 0, false, (*job).invert},
		{"[sheet:", 0, false, (*job).sheet},
		{"[hsl:", 8, false, (*job).hsl},
		{"[colorizehsl:", 8, false, (*job).colorizeHSL},
		{"[overlay:", 8, false, byImage(func(b, t color.NRGBA) color.NRGBA { return overlay(b, t, b.A) })},
		{"[hardlight:", 8, false, byImage(func(b, t color.NRGBA) color.NRGBA { return overlay(t, b, t.A) })},
		{"[contrast:", 8, false, (*job).contrast},
		{"[png:", 5, true, (*job).png},
	}
}

// eachPixel makes a modifier without arguments from the change of a pixel.
func eachPixel(change func(c color.NRGBA) color.NRGBA) func(*job, layer, *arguments) layer {
	return func(j *job, base layer, _ *arguments) layer { return j.each(base, change) }
}

// byColor makes a modifier that mixes red, green and blue of each pixel with those of a color.
func byColor(mix func(v, c int) int) func(*job, layer, *arguments) layer {
	return func(j *job, base layer, a *arguments) layer {
		c, ok := ParseColor(a.next(":"))
		if !ok {
			return base
		}
		var table [3][256]uint8
		for v := range 256 {
			for i, c := range []uint8{c.R, c.G, c.B} {
				table[i][v] = uint8(mix(v, int(c)))
			}
		}
		return j.each(base, func(c color.NRGBA) color.NRGBA {
			return color.NRGBA{table[0][c.R], table[1][c.G], table[2][c.B], c.A}
		})
	}
}

// byImage makes a modifier that mixes each pixel with that of a texture, after both are brought to the larger size.
func byImage(mix func(b, t color.NRGBA) color.NRGBA) func(*job, layer, *arguments) layer {
	return func(j *job, base layer, a *arguments) layer {
		m := j.make(a.texture())
		if m.none() {
			return base
		}
		if base, m = j.match(base, m); base.none() || m.none() {
			return layer{}
		}
		return j.combine(base, m, image.Point{}, m.Rect, mix)
	}
}

// nested returns the image of a texture in an argument, or false if an error ends the job or there is no image.
func (j *job) nested(a *arguments) (layer, bool) {
	m := j.make(a.texture())
	return m, !m.none()
}

func (j *job) combineParts(base layer, a *arguments) layer {
	a.next(":")
	w, h := a.number("x"), a.number(":")
	if base.none() {
		if base = j.blank(image.Pt(w, h)); base.none() {
			return base
		}
	}
	for !a.done() && j.spend(partWork) {
		x, y := a.number(","), a.number("=")
		if m, ok := j.nested(a); ok {
			base = j.lay(base, m, image.Pt(x, y), m.size())
		}
	}
	return base
}

func (j *job) fill(base layer, a *arguments) layer {
	a.next(":")
	size := image.Pt(a.number("x"), a.number(":"))
	var at image.Point
	word := a.next(",")
	c, ok := ParseColor(word)
	if !ok {
		at = image.Pt(atoi(word), a.number(":"))
		if c, ok = ParseColor(a.next(":")); !ok {
			return base
		}
	}
	if size.X <= 0 || size.Y <= 0 {
		return base
	}
	m := j.each(j.blank(size), func(color.NRGBA) color.NRGBA { return c })
	if base.none() || m.none() {
		return m
	}
	return j.lay(base, m, at, size)
}

func (j *job) makeAlpha(base layer, a *arguments) layer {
	r, g, b := a.number(","), a.number(","), a.number("")
	return j.each(base, func(c color.NRGBA) color.NRGBA {
		if int(c.R) == r && int(c.G) == g && int(c.B) == b {
			c.A = 0
		}
		return c
	})
}

// lowPart lays the lower rows of a texture on the base.
func (j *job) lowPart(base layer, a *arguments) layer {
	percent := min(max(0, a.number(":")), 100)
	m, ok := j.nested(a)
	if !ok {
		return base
	}
	if base.none() {
		base = j.blank(m.size())
	}
	if base.none() {
		return base
	}
	h := m.Rect.Dy()
	top := h * (100 - percent) / 100
	return j.combine(base, m, image.Point{}, image.Rect(0, top, m.Rect.Dx(), top+h*percent/100+1), mixOver)
}

func (j *job) verticalFrame(base layer, a *arguments) layer {
	count, index := int(uint32(a.number(":"))), int(uint32(a.number(":")))
	count = max(1, count)
	index = min(index, count-1)
	size := base.size()
	size.Y = max(1, size.Y/count)
	return j.crop(base, image.Rectangle{Max: size}.Add(image.Pt(0, index*size.Y)))
}

func (j *job) sheet(base layer, a *arguments) layer {
	w, h, x, y := a.number("x"), a.number(":"), a.number(","), a.number(":")
	if w <= 0 || h <= 0 {
		return base
	}
	size := image.Pt(max(1, base.Rect.Dx()/w), max(1, base.Rect.Dy()/h))
	return j.crop(base, image.Rectangle{Max: size}.Add(image.Pt(x*size.X, y*size.Y)))
}

func (j *job) resize(base layer, a *arguments) layer {
	a.next(":")
	size := image.Pt(a.number("x"), a.number(""))
	if size.X <= 0 || size.Y <= 0 {
		return base
	}
	return j.scale(base, size)
}

func (j *job) mask(base layer, a *arguments) layer {
	and := func(b, t color.NRGBA) color.NRGBA { return color.NRGBA{b.R & t.R, b.G & t.G, b.B & t.B, b.A & t.A} }
	m, ok := j.nested(a)
	if !ok {
		return base
	}
	if !j.engine.before(10) {
		if base, m = j.match(base, m); base.none() || m.none() {
			return layer{}
		}
	}
	return j.combine(base, m, image.Point{}, m.Rect, and)
}

func (j *job) opacity(base layer, a *arguments) layer {
	ratio := min(max(0, a.number("")), 255)
	return j.each(base, func(c color.NRGBA) color.NRGBA { c.A = uint8(int(c.A) * ratio / 255); return c })
}

func (j *job) invert(base layer, a *arguments) layer {
	var flip [4]uint8
	for i, channel := range "rgba" {
		if strings.ContainsRune(a.text[a.at:], channel) {
			flip[i] = 255
		}
	}
	return j.each(base, func(c color.NRGBA) color.NRGBA {
		return color.NRGBA{c.R ^ flip[0], c.G ^ flip[1], c.B ^ flip[2], c.A ^ flip[3]}
	})
}

func (j *job) colorize(base layer, a *arguments) layer {
	c, ok := ParseColor(a.next(":"))
	if !ok {
		return base
	}
	word := a.next(":")
	ratio := -1
	if isNumber(word) {
		ratio = min(atoi(word), 255)
	}
	if ratio == 255 || ratio < 0 && c.A == 255 {
		keep := word == "alpha"
		return j.each(base, func(v color.NRGBA) color.NRGBA {
			switch {
			case v.A == 0:
				return v
			case keep:
				return color.NRGBA{c.R, c.G, c.B, uint8(int(v.A) * int(c.A) / 255)}
			}
			return c
		})
	}
	if ratio < 0 {
		ratio = int(c.A)
	}
	t := float32(ratio) / 255
	mix := func(v, c uint8) uint8 { return uint8(float32(v)*(1-t) + float32(c)*t + 0.5) }
	return j.each(base, func(v color.NRGBA) color.NRGBA {
		if v.A == 0 {
			return v
		}
		return color.NRGBA{mix(v.R, c.R), mix(v.G, c.G), mix(v.B, c.B), mix(v.A, c.A)}
	})
}

// png lays a picture in base64 on the base.
func (j *job) png(base layer, a *arguments) layer {
	text := strings.TrimRight(a.next(""), "=")
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || !j.spend(len(data)) {
		return base
	}
	m, err := decode("", data)
	if err != nil || !j.spend(len(m.Pix)/4) {
		return base
	}
	return j.cover(base, layer{m, true})
}

// transforms has the names of the eight turns and mirrors of an image. R90 turns counter-clockwise.
var transforms = [8]string{"i", "r90", "r180", "r270", "fx", "", "fy", ""}

// parseTransform returns the product of a sequence of turns and mirrors: 0 to 3 turn by that many quarters, 4 to 7 mirror
// left and right first and then turn.
func parseTransform(text string) (total int) {
	for text = strings.ToLower(text); text != ""; {
		next := -1
		if '0' <= text[0] && text[0] <= '7' {
			next, text = int(text[0]-'0'), text[1:]
		}
		for i := 0; next < 0 && i < len(transforms); i++ {
			if name := transforms[i]; name != "" && strings.HasPrefix(text, name) {
				next, text = i, text[len(name):]
			}
		}
		if next < 0 {
			break
		}
		turned := (next + total) % 4
		if next >= 4 {
			turned = (next - total + 8) % 4
		}
		if (next >= 4) != (total >= 4) {
			turned += 4
		}
		total = turned
	}
	return total
}

func (j *job) transform(base layer, a *arguments) layer {
	t := parseTransform(a.text[a.at:])
	if t == 0 {
		return base
	}
	size := base.size()
	w, h := size.X, size.Y
	if t%2 == 1 {
		size = image.Pt(h, w)
	}
	dst := j.blank(size)
	if dst.none() {
		return dst
	}
	for y := range size.Y {
		for x := range size.X {
			var sx, sy int
			switch t % 4 { // of the source before it is mirrored
			case 0:
				sx, sy = x, y
			case 1:
				sx, sy = w-1-y, x
			case 2:
				sx, sy = w-1-x, h-1-y
			case 3:
				sx, sy = y, h-1-x
			}
			if t >= 4 {
				sx = w - 1 - sx
			}
			setPixel(dst.Pix, dst.PixOffset(x, y), pixelAt(base.Pix, base.PixOffset(sx, sy)))
		}
	}
	return dst
}
