package nodemesh

import "math"

// decoded are the levels of light, as the client draws them.
var decoded = [16]int{0, 6, 15, 30, 50, 73, 98, 120, 139, 155, 168, 181, 196, 213, 234, 255}

// pair is the light of day and night at a point, 0 to 255.
type pair struct{ day, night float32 }

// taken collects the light around a corner.
type taken struct {
	day, night, count, occlusion, source int
	sun                                  bool // full daylight falls on the corner
}

// take adds the light of a cell, and reports whether light passes through it.
func (t *taken) take(v *Volume, i int) bool {
	c := v.unset
	if i >= 0 && v.cells[i].kind != 0 {
		c = v.cells[i]
	}
	k := v.kinds[c.kind]
	if k.absent {
		return true
	}
	t.source = max(t.source, k.source)
	if k.clear && k.solid != 2 {
		day, night := max(int(c.param1&15), k.source), max(int(c.param1>>4), k.source)
		t.sun = t.sun || day == 15
		t.day += decoded[day]
		t.night += decoded[night]
		t.count++
	} else {
		t.occlusion++
	}
	return k.clear
}

// shadow is the part of the light that is left where 5, 6 or 7 nodes around a corner take light away.
var shadow = func() (all [3]float64) {
	for i, part := range []float64{.75, .5, .25} {
		all[i] = math.Pow(part, 1/1.8)
	}
	return all
}()

// corner returns the light at a corner of an open node. The signs are those of the corner's coordinates.
func (v *Volume) corner(p, signs [3]int) pair {
	if v.FullLight {
		return pair{255, 0}
	}
	var t taken
	var step [3]int // of the index of a cell; 0 if a neighbour may be outside
	middle := v.cellAt(p)
	if v.inside(p) {
		step = [3]int{signs[0], signs[1] * v.size[0], signs[2] * v.size[0] * v.size[1]}
	}
	cell := func(x, y, z int) int { // 1: the neighbour on this axis
		if step[0] != 0 {
			return middle + x*step[0] + y*step[1] + z*step[2]
		}
		return v.cellAt([3]int{p[0] + x*signs[0], p[1] + y*signs[1], p[2] + z*signs[2]})
	}
	t.take(v, middle)
	through := [3]bool{t.take(v, cell(1, 0, 0)), t.take(v, cell(0, 1, 0)), t.take(v, cell(0, 0, 1))}
	edges := [3][2]int{{0, 1}, {0, 2}, {1, 2}}
	beside := [3]int{cell(1, 1, 0), cell(1, 0, 1), cell(0, 1, 1)}
	open := false
	var reached [3]bool
	for i, e := range edges {
		if reached[i] = through[e[0]] || through[e[1]]; !reached[i] {
			t.occlusion++
		} else if t.take(v, beside[i]) {
			open = true
		}
	}
	switch {
	case !open:
		t.occlusion++
	case t.take(v, cell(1, 1, 1)):
		t.occlusion -= 3
		for i := range edges {
			if reached[i] {
				t.occlusion++
			} else {
				t.take(v, beside[i])
			}
		}
	}
	day, night := 0, 0
	if t.count > 0 {
		day, night = t.day/t.count, t.night/t.count
	}
	if t.sun {
		day = 255
	}
	dark := 1.0
	if t.occlusion > 4 {
		dark = shadow[min(t.occlusion, 7)-5]
	}
	weaken := func(light int) float32 {
		if s := decoded[min(t.source, 15)]; s >= light {
			return float32(s)
		}
		return float32(math.Round(float64(light) * dark))
	}
	return pair{weaken(day), weaken(night)}
}

// frame is the light at the eight corners of a node.
type frame struct {
	corners [8]pair // the bits of the index are for x, y and z
	sunny   [8]bool
}

func (v *Volume) frame(p [3]int) (f frame) {
	for i := range f.corners {
		f.corners[i] = v.corner(p, signsOf(i))
	}
	for i := range f.corners {
		f.sunny[i] = f.corners[i].day == 255 || f.corners[i^2].day == 255
	}
	return f
}

func signsOf(corner int) [3]int {
	return [3]int{corner&1*2 - 1, corner>>1&1*2 - 1, corner>>2&1*2 - 1}
}

// at returns the light at a point of the node. A surface that faces up, by a part of at most 1, gets the light of the
// sun.
func (f *frame) at(p Vec, facing float32) (at pair) {
	var part [3]float32
	corner, exact := 0, true
	for a := range part {
		part[a] = max(-1, min(2, p[a]+.5))
		switch part[a] {
		case 0:
		case 1:
			corner |= 1 << a
		default:
			exact = false
		}
	}
	if exact {
		at = f.corners[corner]
		if facing > 0 && f.sunny[corner] {
			at.day = round(at.day*(1-facing) + 255*facing)
		}
		return at
	}
	for i, c := range f.corners {
		weight := float32(1)
		for a := range part {
			if i>>a&1 == 1 {
				weight *= part[a]
			} else {
				weight *= 1 - part[a]
			}
		}
		if facing > 0 && f.sunny[i] {
			c.day = c.day*(1-facing) + 255*facing
		}
		at.day += weight * c.day
		at.night += weight * c.night
	}
	return pair{round(max(0, min(255, at.day))), round(max(0, min(255, at.night)))}
}

func round(f float32) float32 { return float32(math.Floor(float64(f) + .5)) }

// shade is the part of the light that a surface shows, by its normal.
func shade(n Vec) float32 {
	if n[0] > -1e-4 && n[0] < 1e-4 && n[2] > -1e-4 && n[2] < 1e-4 && n[1] >= 0 {
		return 1
	}
	vertical := float32(1)
	if n[1] < 0 {
		vertical = .447213
	}
	return .67082*n[0]*n[0] + vertical*n[1]*n[1] + .83666*n[2]*n[2]
}

// faceShade is [shade] for the faces of a cube.
var faceShade = [6]float32{1, .447213, .67082, .67082, .83666, .83666}

// color returns the colour of a vertex: its light, shaded and tinted.
func (l pair) color(k *look, shaded float32, tint [3]uint8) [4]uint8 {
	night := min(255, int(l.night)+k.source*5/2)
	day := max(0, int(l.day)-night)
	var sun uint8
	if day+night > 0 {
		sun = uint8(255 * day / (day + night))
	}
	light := (day + night) / 2
	if k.source == 0 && !k.unshaded {
		light = int(round(float32(light) * shaded))
	}
	var c [4]uint8
	for i := range tint {
		c[i] = uint8(light * int(tint[i]) / 255)
	}
	c[3] = sun
	return c
}

// Daylight is the light at a time of day.
type Daylight struct {
	sun   [3]float32
	unlit bool
}

// newDaylight returns the light for a day-night ratio of 0 (midnight) to 1 (noon).
func newDaylight(ratio float64) Daylight {
	r := float32(ratio)
	return Daylight{sun: [3]float32{r - .04, r - .04, .98*r + .078}}
}

// Daylight is [newDaylight] for the faces of a volume, which may be unlit.
func (v *Volume) Daylight(ratio float64) Daylight {
	d := newDaylight(ratio)
	d.unlit = v.Unlit
	return d
}

// bluer is added to the blue of dark colours, by an eighth of their brightness.
var bluer = [32]float32{1, 4, 6, 6, 6, 5, 4, 3, 2, 1}

// Color returns the colour by which texels are multiplied, for the Color of a vertex.
func (d *Daylight) Color(c [4]uint8) (rgb [3]uint8) {
	if d.unlit {
		return [3]uint8(c[:3])
	}
	var v [3]float32
	sun, sum := float32(c[3])/255, float32(0)
	for i := range v {
		v[i] = float32(c[i]) / 255 * (sun*d.sun[i] + (1-sun)*1.04) * 2
		sum += v[i]
	}
	v[2] += bluer[max(0, min(255, int(sum/3*255)))/8] / 255
	for i := range v {
		rgb[i] = uint8(max(0, min(255, int(v[i]*255))))
	}
	return rgb
}
