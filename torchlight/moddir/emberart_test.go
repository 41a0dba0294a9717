package moddir_test

import (
	"image"
	"image/color"
	"math"
)

// ink is a colour with an opacity, from 0 to 1, not multiplied.
type ink struct{ r, g, b, a float64 }

// over puts a colour, with an opacity, over another one.
func (below ink) over(c ink, opacity float64) ink {
	a := c.a * min(1, max(0, opacity))
	all := a + below.a*(1-a)
	if all == 0 {
		return ink{}
	}
	mix := func(top, bottom float64) float64 { return (top*a + bottom*below.a*(1-a)) / all }
	return ink{mix(c.r, below.r), mix(c.g, below.g), mix(c.b, below.b), all}
}

func (c ink) gray() ink {
	v := .9 * (.3*c.r + .59*c.g + .11*c.b)
	return ink{v, v, v, c.a}
}

// ramp returns the colour of a list, whose first is at 0 and last at 1.
func ramp(at float64, list ...ink) ink {
	at = min(1, max(0, at)) * float64(len(list)-1)
	i := min(int(at), len(list)-2)
	c := list[i+1]
	c.a = 1
	return list[i].over(c, at-float64(i))
}

// glow returns 1 at a place and less around it.
func glow(dx, dy, radius float64) float64 { return math.Exp(-(dx*dx + dy*dy) / (radius * radius)) }

// edge is 1 within a shape and 0 outside, by the distance from its edge, which is negative within.
func edge(distance float64) float64 { return min(1, max(0, .5-distance*40)) }

// paint draws a part of a picture with a function of places from -1 to 1, right and up.
func paint(m *image.NRGBA, part image.Rectangle, at func(x, y float64) ink) {
	const fine = 4 // samples of a pixel, each way
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			var sum ink
			for i := range fine * fine {
				px := (float64(x-part.Min.X) + (float64(i%fine)+.5)/fine) * 2 / float64(part.Dx())
				py := (float64(y-part.Min.Y) + (float64(i/fine)+.5)/fine) * 2 / float64(part.Dy())
				c := at(px-1, 1-py)
				sum.r, sum.g, sum.b, sum.a = sum.r+c.r*c.a, sum.g+c.g*c.a, sum.b+c.b*c.a, sum.a+c.a
			}
			if sum.a > 0 {
				byte := func(v float64) uint8 { return uint8(math.Round(255 * min(1, v))) }
				m.SetNRGBA(x, y, color.NRGBA{R: byte(sum.r / sum.a), G: byte(sum.g / sum.a), B: byte(sum.b / sum.a),
					A: byte(sum.a / (fine * fine))})
			}
		}
	}
}

var (
	emberColors = []ink{{.25, .02, .02, 1}, {.75, .12, .03, 1}, {1, .45, .05, 1}, {1, .82, .25, 1}, {1, .98, .8, 1}}
	metalColors = []ink{{.14, .09, .08, 1}, {.42, .28, .18, 1}, {.78, .58, .33, 1}, {1, .92, .7, 1}}
)

// ringIcon is a ring with a glowing gem, before nothing.
func ringIcon(x, y float64) ink {
	const gemY, gem = .47, .3
	c := ink{}.over(ink{1, .4, .05, 1}, .75*glow(x, y-gemY, .5))
	d := math.Hypot(x, (y+.22)/.95)
	tube := (d - .56) / .14 // from -1, the inner edge, to 1
	light := .45 + .5*math.Sqrt(max(0, 1-tube*tube))*(.3+.7*math.Abs(math.Sin(math.Atan2(y+.22, x)-.7))) -
		.25*tube*(y+.22) + .35*glow(x, y-gemY, .5)
	if light -= .3; math.Abs(tube) < 1.15 {
		c = c.over(metalColors[0], edge((math.Abs(tube)-1.12)*.14))
		c = c.over(ramp(light*1.2, metalColors...), edge((math.Abs(tube)-.9)*.14))
	}
	// The gem is a cut stone: a square on its corner, in a setting.
	size := math.Abs(x)*1.05 + math.Abs(y-gemY)
	c = c.over(metalColors[0], edge(size-gem-.12)).over(ramp(.55+.4*(y-gemY)/gem, metalColors...), edge(size-gem-.07))
	facet := .55 + .25*(y-gemY)/gem
	if x > 0 {
		facet -= .14
	}
	facet += .6 * glow(x+.06, y-gemY-.05, .14)
	return c.over(ramp(facet, emberColors...), edge(size-gem+.02))
}

// leapIcon is a flame that leaps in an arc above the ground, within a frame.
func leapIcon(x, y float64) ink {
	c := ramp(.5+.5*y, ink{.16, .05, .05, 1}, ink{.07, .05, .11, 1})
	c = c.over(emberColors[2], .55*glow(x-.35, y-.15, .6)).over(emberColors[1], .6*glow(x*.7, (y+.95)*2.2, .8))
	heat := -1.
	for i := range 61 { // round pieces of the flame, from its tail to its head
		t := float64(i) / 60
		px, py := -.78+1.18*t, -.72+2.25*t-1.32*t*t
		r := .03 + .29*t*t
		heat = max(heat, 1-math.Hypot(x-px, y-py)/r)
	}
	// Tongues of the head: each becomes thinner to its tip, up and back.
	for _, tongue := range [][3]float64{{.12, .62, .17}, {-.2, .42, .12}, {.42, .86, .2}} {
		for i := range 31 {
			t := float64(i) / 30
			bend := .16 * math.Sin(3*t)
			px, py := .4+(tongue[0]-.4)*t+bend, .2+(tongue[1]-.2)*t
			heat = max(heat, 1-t*.5-math.Hypot(x-px, y-py)/(.03+tongue[2]*(1-t)))
		}
	}
	c = c.over(ramp(.3+.85*heat, emberColors...), (heat+.03)*12)
	sparks := [][3]float64{{-.72, -.28, .05}, {-.45, .2, .06}, {-.32, -.5, .045}, {.05, -.32, .055}, {.72, -.25, .04}, {-.75, .55, .035}}
	for i, spark := range sparks {
		hot := glow(x-spark[0], y-spark[1], spark[2]*1.6)
		c = c.over(ramp(.4+.6*hot-.04*float64(i), emberColors...), 1.3*hot)
	}
	frame := .95 - max(math.Abs(x), math.Abs(y)) // negative outside of the inner edge
	return c.over(ramp(.35+.25*(y-x), metalColors...), edge(frame-.04)).over(metalColors[0], edge(frame+.02))
}

// ringTexture is the metal of the ring, with the fire of its gem above.
func ringTexture(x, y float64) ink {
	if y > .5 {
		return ramp(.2+.75*glow(x*.8, (y-.9)*1.5, .8), emberColors...)
	}
	scratch := .07 * math.Sin(x*9.42+2*math.Sin(y*12)) * math.Sin(y*31)
	rune := edge(math.Abs(math.Abs(y+.25)-.3)-.04) + edge(math.Abs(x*.5+.25*math.Sin(y*20))+math.Abs(y+.25)*.4-.1)
	return ramp(.55+.2*math.Sin(y*7)+scratch, metalColors...).over(emberColors[2], .8*rune)
}

// panel is dark stone that becomes warmer to its bottom, within a frame of metal.
func panel(x, y float64) ink {
	c := ramp(.5+.5*y, ink{.2, .1, .07, 1}, ink{.09, .08, .11, 1})
	frame := .97 - max(math.Abs(x), math.Abs(y))
	return c.over(ramp(.35+.25*(y-x), metalColors...), edge(frame-.06)).over(metalColors[0], edge(frame))
}
