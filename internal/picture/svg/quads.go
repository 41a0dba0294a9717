package svg

import (
	"image/color"

	"trowel.example/internal/picture/outline"
)

// Quads divides the picture into quads, from back to front, in units. Parts may overlap, but not those of a group with an
// opacity. Errors are those of [outline.Divide].
func (p *Picture) Quads(limits outline.Limits) ([]outline.Quad, error) {
	var list []outline.Quad
	for i := range p.Parts {
		var t tree
		t.add(&p.Parts[i])
		quads, err := outline.Divide(t.areas, func(inside []bool) color.NRGBA {
			t.inside = inside
			c, _ := t.color(&p.Parts[i], 0)
			return c.straight()
		}, &limits)
		if err != nil {
			return nil, err
		}
		list = append(list, quads...)
	}
	return list, nil
}

// tree is a part with all areas in it.
type tree struct {
	areas  []outline.Area
	inside []bool
}

func (t *tree) add(p *part) {
	if p.Parts == nil {
		t.areas = append(t.areas, p.Area)
	}
	for i := range p.Parts {
		t.add(&p.Parts[i])
	}
}

// blend is a colour multiplied by its alpha, from 0 to 1.
type blend [4]float64

// color returns the colour of a part, whose first area has a number, and the number of the area after it.
func (t *tree) color(p *part, area int) (blend, int) {
	if p.Parts == nil {
		if !t.inside[area] {
			return blend{}, area + 1
		}
		a := float64(p.Color.A) / 255
		return blend{float64(p.Color.R) / 255 * a, float64(p.Color.G) / 255 * a, float64(p.Color.B) / 255 * a, a}, area + 1
	}
	var sum blend
	for i := range p.Parts {
		var over blend
		over, area = t.color(&p.Parts[i], area)
		for j := range sum {
			sum[j] = over[j] + sum[j]*(1-over[3])
		}
	}
	for j := range sum {
		sum[j] *= p.Opacity
	}
	return sum, area
}

func (b blend) straight() color.NRGBA {
	if b[3] <= 0 {
		return color.NRGBA{}
	}
	level := func(v float64) uint8 { return uint8(min(v, 1)*255 + 0.5) }
	return color.NRGBA{level(b[0] / b[3]), level(b[1] / b[3]), level(b[2] / b[3]), level(b[3])}
}
