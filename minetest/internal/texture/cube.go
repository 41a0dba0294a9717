package texture

import (
	"image"
	"image/color"
	"strings"
)

// crack lays a frame of the image of cracks on each frame of the base.
func (j *job) crack(base layer, a *arguments) layer {
	mix := j.blend
	if strings.HasPrefix(a.text[a.at:], "o") { // only where the base is opaque
		over := mix
		mix = func(d, s color.NRGBA) color.NRGBA {
			if d.A != 255 {
				return d
			}
			return over(d, s)
		}
	}
	a.next(":")
	tiles, frames, index := 1, a.number(":"), a.number(":")
	if third := a.next(":"); third != "" {
		tiles, frames, index = int(uint8(frames)), index, atoi(third)
	}
	if index < 0 || frames <= 0 || tiles == 0 {
		return base
	}
	strip := j.file(Crack)
	if strip.none() || strip.Rect.Empty() {
		return base
	}
	w := strip.Rect.Dx()
	size := image.Pt(base.Rect.Dx(), base.Rect.Dy()/frames)
	tile := size.Div(tiles)
	if tile.X == 0 || tile.Y == 0 {
		return base
	}
	index = max(0, min(index, strip.Rect.Dy()/w-1))
	cracks := j.scale(j.crop(strip, image.Rect(0, index*w, w, (index+1)*w)), tile)
	for i := 0; i < frames && j.spend(partWork) && !cracks.none(); i++ {
		for y := range tiles {
			for x := range tiles {
				base = j.combine(base, cracks, image.Pt(x*tile.X, i*size.Y+y*tile.Y), cracks.Rect, mix)
				if base.none() {
					return base
				}
			}
		}
	}
	return base
}

// A cubeFace is a side of an inventory cube: a texel (u, v) paints spans of pixels at (x, y).
type cubeFace struct {
	shade     float32
	x, xu, xv int
	y, yu, yv int
	spans     [][2]int // from, to: in rows from y on
}

// cubeFaces returns the three visible sides of a cube whose textures have sides of n pixels.
func cubeFaces(n int) [3]cubeFace {
	return [3]cubeFace{
		{1, 4 * (n - 1), 4, -4, 0, 2, 2, [][2]int{{2, 5}, {0, 7}, {2, 5}}},
		{0.83666, 0, 4, 0, 2 * n, 2, 5, [][2]int{{0, 1}, {0, 3}, {0, 3}, {0, 3}, {0, 3}, {2, 3}}},
		{0.67082, 4 * n, 4, 0, 4*n - 2, -2, 5, [][2]int{{2, 3}, {0, 3}, {0, 3}, {0, 3}, {0, 3}, {0, 1}}},
	}
}

// inventoryCube makes the image of a cube from the textures of its top, left and right side.
func (j *job) inventoryCube(base layer, a *arguments) layer {
	if !base.none() {
		return base
	}
	a = &arguments{text: strings.ReplaceAll(a.text, "&", "^"), at: a.at}
	a.next("{")
	var sides [3]layer
	whole, n := true, 4
	for i := range sides {
		sides[i] = j.make(a.next("{"))
		if whole = whole && !sides[i].none(); whole {
			for n < 64 && n < max(sides[i].Rect.Dx(), sides[i].Rect.Dy()) {
				n *= 2
			}
		}
	}
	if !whole {
		return sides[0]
	}
	dst := j.blank(image.Pt(9*n, 9*n))
	for i, f := range cubeFaces(n) {
		m := j.scale(sides[i], image.Pt(n, n))
		if dst.none() || m.none() {
			return layer{}
		}
		bright := int(256 * f.shade)
		for v := range n {
			for u := range n {
				c := pixelAt(m.Pix, m.PixOffset(u, v))
				shade := func(v uint8) uint8 { return uint8(int(v) * bright / 256) }
				c = color.NRGBA{shade(c.R), shade(c.G), shade(c.B), c.A}
				x, y := f.x+f.xu*u+f.xv*v+n/2, f.y+f.yu*u+f.yv*v
				for dy, span := range f.spans {
					for dx := span[0]; dx <= span[1]; dx++ {
						setPixel(dst.Pix, dst.PixOffset(x+dx, y+dy), c)
					}
				}
			}
		}
	}
	return dst
}
