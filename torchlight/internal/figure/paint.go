package figure

import (
	"image"
	"image/color"
	"math"

	"trowel.example/internal/picture/raster"
)

// paint returns the texture of a material in the size at which a pixel shows about one texel.
func (m *Material) paint(texels float64) *raster.Texture {
	m.prepare.Do(func() { m.sizes = m.paints() })
	i := 0
	if texels > 1 {
		i = min(len(m.sizes)-1, int(math.Log2(texels)+.5))
	}
	return m.sizes[i]
}

// paints returns the texture of a material in all sizes, each half of the one before.
func (m *Material) paints() (sizes []*raster.Texture) {
	img := m.image()
	mode := map[Alpha]raster.Mode{Opaque: raster.Opaque, Mask: raster.Clip, Blend: raster.Blend, Add: raster.Blend}[m.Alpha]
	for {
		shown := img
		if m.Alpha == Mask {
			shown = m.cut(img)
		}
		sizes = append(sizes, &raster.Texture{Image: shown, Mode: mode, RepeatU: true, RepeatV: true})
		if img.Rect.Dx() == 1 && img.Rect.Dy() == 1 {
			return sizes
		}
		img = half(img, m.Alpha != Opaque)
	}
}

// image returns the texture as it is drawn, with its glow.
func (m *Material) image() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.SetNRGBA(0, 0, color.NRGBA{255, 255, 255, 255})
	if m.Texture != nil {
		img = m.Texture.Image
	}
	if m.Glow != nil {
		img = glowing(img, m.Glow.Image)
	}
	if m.Alpha == Add {
		img = added(img)
	}
	return img
}

// change returns a picture with other pixels, from 0,0 on.
func change(img *image.NRGBA, to func(x, y int, c color.NRGBA) color.NRGBA) *image.NRGBA {
	made := image.NewNRGBA(image.Rectangle{Max: img.Rect.Size()})
	for y := range made.Rect.Dy() {
		for x := range made.Rect.Dx() {
			made.SetNRGBA(x, y, to(x, y, img.NRGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y)))
		}
	}
	return made
}

// cut makes pixels completely opaque or transparent, by the bound of a Mask.
func (m *Material) cut(img *image.NRGBA) *image.NRGBA {
	return change(img, func(_, _ int, c color.NRGBA) color.NRGBA {
		if c.A > m.Cutoff {
			c.A = 255
		} else {
			c.A = 0
		}
		return c
	})
}

// added returns a picture that, if it is mixed with what is behind it, looks similar to the sum of both: the brighter a
// pixel is, the more it covers.
func added(img *image.NRGBA) *image.NRGBA {
	return change(img, func(_, _ int, c color.NRGBA) color.NRGBA {
		bright := max(c.R, c.G, c.B)
		if bright == 0 {
			return color.NRGBA{}
		}
		full := func(v uint8) uint8 { return uint8((int(v)*255 + int(bright)/2) / int(bright)) }
		return color.NRGBA{full(c.R), full(c.G), full(c.B), bright}
	})
}

// glowing returns the sum of a picture and another one, which is stretched over it.
func glowing(img, glow *image.NRGBA) *image.NRGBA {
	size, other := img.Rect.Size(), glow.Rect.Size()
	return change(img, func(x, y int, c color.NRGBA) color.NRGBA {
		g := glow.NRGBAAt(glow.Rect.Min.X+x*other.X/size.X, glow.Rect.Min.Y+y*other.Y/size.Y)
		sum := func(a, b uint8) uint8 { return uint8(min(255, int(a)+int(b))) }
		return color.NRGBA{sum(c.R, g.R), sum(c.G, g.G), sum(c.B, g.B), c.A}
	})
}

// half returns a picture with half of the width and height. If it is weighted, transparent pixels do not add their colour.
func half(img *image.NRGBA, weighted bool) *image.NRGBA {
	size := img.Rect.Size()
	made := image.NewNRGBA(image.Rect(0, 0, max(1, size.X/2), max(1, size.Y/2)))
	for y := range made.Rect.Dy() {
		for x := range made.Rect.Dx() {
			var sum [4]int
			weights := 0
			for k := range 4 {
				c := img.NRGBAAt(img.Rect.Min.X+min(2*x+k%2, size.X-1), img.Rect.Min.Y+min(2*y+k/2, size.Y-1))
				w := 1
				if weighted {
					w = int(c.A)
				}
				weights += w
				sum[0], sum[1], sum[2], sum[3] = sum[0]+w*int(c.R), sum[1]+w*int(c.G), sum[2]+w*int(c.B), sum[3]+int(c.A)
			}
			mean := func(v int) uint8 { return uint8((v + weights/2) / max(1, weights)) }
			made.SetNRGBA(x, y, color.NRGBA{mean(sum[0]), mean(sum[1]), mean(sum[2]), uint8((sum[3] + 2) / 4)})
		}
	}
	return made
}
