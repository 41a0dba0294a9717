package dds

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
)

// vec is a color, or a direction in the space of colors.
type vec [3]float64

func (a vec) sub(b vec) vec         { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vec) dot(b vec) float64     { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) add(b vec) vec         { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) scale(f float64) vec   { return vec{a[0] * f, a[1] * f, a[2] * f} }
func vecOf(c color.NRGBA) vec       { return vec{float64(c.R), float64(c.G), float64(c.B)} }
func round(v, top float64) uint16   { return uint16(max(0, min(top, math.Round(v*top/255)))) }
func distance(a, b color.NRGBA) int { return square(a.R, b.R) + square(a.G, b.G) + square(a.B, b.B) }
func square(a, b uint8) int         { d := int(a) - int(b); return d * d }

// pack rounds a color to 5, 6 and 5 bits.
func (a vec) pack() uint16 { return round(a[0], 31)<<11 | round(a[1], 63)<<5 | round(a[2], 31) }

func encodeBlocks(data []byte, m *image.NRGBA, f Format) []byte {
	for y := 0; y < m.Rect.Max.Y; y += 4 {
		for x := 0; x < m.Rect.Max.X; x += 4 {
			// Padding repeats the edge of the picture.
			var b [16]color.NRGBA
			for i := range b {
				b[i] = m.NRGBAAt(min(x+i%4, m.Rect.Max.X-1), min(y+i/4, m.Rect.Max.Y-1))
			}
			switch f {
			case DXT3:
				var alpha uint64
				for i, c := range b {
					alpha |= uint64((int(c.A)+8)/17) << (4 * i)
				}
				data = binary.LittleEndian.AppendUint64(data, alpha)
			case DXT5:
				data = appendAlphas(data, &b)
			}
			data = appendColors(data, &b, f == DXT1)
		}
	}
	return data
}

// appendAlphas appends the alpha values of a DXT5 block: between the least and the greatest value in eight steps, or in
// six steps between the values other than 0 and 255, whichever is more accurate.
func appendAlphas(data []byte, b *[16]color.NRGBA) []byte {
	lo, hi, innerLo, innerHi := uint8(255), uint8(0), uint8(255), uint8(0)
	for _, c := range b {
		lo, hi = min(lo, c.A), max(hi, c.A)
		if c.A != 0 && c.A != 255 {
			innerLo, innerHi = min(innerLo, c.A), max(innerHi, c.A)
		}
	}
	innerLo = min(innerLo, innerHi)
	eight, error8 := fitAlphas(b, hi, lo)
	if six, error6 := fitAlphas(b, innerLo, innerHi); error6 < error8 {
		eight = six
	}
	return binary.LittleEndian.AppendUint64(data, eight)
}

// fitAlphas returns a block of alpha with the given end values, and its error.
func fitAlphas(b *[16]color.NRGBA, a0, a1 uint8) (block uint64, off int) {
	steps := alphas(a0, a1)
	block = uint64(a0) | uint64(a1)<<8
	for i, c := range b {
		best, least := 0, math.MaxInt
		for k, a := range steps {
			if d := square(a, c.A); d < least {
				best, least = k, d
			}
		}
		block |= uint64(best) << (16 + 3*i)
		off += least
	}
	return block, off
}

// appendColors appends the colors of a block. In DXT1, pixels that are mostly transparent get the fourth color of a
// block with three colors.
func appendColors(data []byte, b *[16]color.NRGBA, dxt1 bool) []byte {
	var seen []vec // the visible colors
	clear := false
	for _, c := range b {
		if dxt1 && c.A < 128 {
			clear = true
		} else if c.A > 0 {
			seen = append(seen, vecOf(c))
		}
	}
	if len(seen) == 0 {
		if !clear {
			return append(data, 0, 0, 0, 0, 0, 0, 0, 0)
		}
		return append(data, 0, 0, 0, 0, 255, 255, 255, 255)
	}
	from, to := axis(seen)
	best, least := uint64(0), math.MaxInt
	for range 4 {
		block, off := fitColors(b, from.pack(), to.pack(), dxt1, clear)
		if off >= least {
			break
		}
		best, least = block, off
		from, to = refine(b, block, dxt1)
	}
	return binary.LittleEndian.AppendUint64(data, best)
}

// axis returns the ends of the line that approximates the colors: it goes through their mean, in the direction in which
// they differ most.
func axis(colors []vec) (from, to vec) {
	var mean vec
	for _, c := range colors {
		mean = mean.add(c.scale(1 / float64(len(colors))))
	}
	var rows [3]vec // of the covariance matrix
	for _, c := range colors {
		d := c.sub(mean)
		for i := range rows {
			rows[i] = rows[i].add(d.scale(d[i]))
		}
	}
	along := vec{1, 1, 1}
	for range 8 {
		next := vec{rows[0].dot(along), rows[1].dot(along), rows[2].dot(along)}
		length := math.Sqrt(next.dot(next))
		if length < 1e-9 {
			break
		}
		along = next.scale(1 / length)
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range colors {
		t := c.sub(mean).dot(along) / along.dot(along)
		lo, hi = min(lo, t), max(hi, t)
	}
	return mean.add(along.scale(lo)), mean.add(along.scale(hi))
}

// fitColors returns a block with the given end colors, in which each pixel has the nearest of the colors between them,
// and the error of the block.
func fitColors(b *[16]color.NRGBA, c0, c1 uint16, dxt1, clear bool) (block uint64, off int) {
	// The order of the two colors determines the number of colors in the block.
	if (c0 < c1) != clear {
		c0, c1 = c1, c0
	}
	three := dxt1 && c0 <= c1
	p := palette(c0, c1, three)
	choice := p[:]
	if three {
		choice = p[:3]
	}
	block = uint64(c0) | uint64(c1)<<16
	for i, c := range b {
		best, least := 3, math.MaxInt
		if !clear || c.A >= 128 {
			for k := range choice {
				if d := distance(choice[k], c); d < least {
					best, least = k, d
				}
			}
			if c.A > 0 {
				off += least
			}
		}
		block |= uint64(best) << (32 + 2*i)
	}
	return block, off
}

// refine returns the two end colors that fit the choices of a block best, by least squares.
func refine(b *[16]color.NRGBA, block uint64, dxt1 bool) (from, to vec) {
	c0, c1 := uint16(block), uint16(block>>16)
	weights := [4]float64{1, 0, 2. / 3, 1. / 3} // of the first end color
	three := dxt1 && c0 <= c1
	if three {
		weights[2] = 0.5
	}
	var aa, ab, bb float64
	var ax, bx vec
	for i, c := range b {
		k := block >> (32 + 2*i) & 3
		if three && k == 3 || c.A == 0 {
			continue
		}
		w := weights[k]
		aa, ab, bb = aa+w*w, ab+w*(1-w), bb+(1-w)*(1-w)
		ax, bx = ax.add(vecOf(c).scale(w)), bx.add(vecOf(c).scale(1-w))
	}
	det := aa*bb - ab*ab
	if math.Abs(det) < 1e-9 {
		a, b := expand(c0), expand(c1)
		return vec{float64(a[0]), float64(a[1]), float64(a[2])}, vec{float64(b[0]), float64(b[1]), float64(b[2])}
	}
	return ax.scale(bb).sub(bx.scale(ab)).scale(1 / det), bx.scale(aa).sub(ax.scale(ab)).scale(1 / det)
}
