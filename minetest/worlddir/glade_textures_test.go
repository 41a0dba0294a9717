package worlddir

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"
)

// tex is a texture that is being drawn.
type tex struct{ *image.NRGBA }

func newTex(height int) tex { return tex{image.NewNRGBA(image.Rect(0, 0, 16, height))} }

// rgb returns the colour 0xRRGGBB.
func rgb(c uint32) color.NRGBA {
	return color.NRGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255}
}

// shade multiplies the brightness of a colour.
func shade(c color.NRGBA, by float64) color.NRGBA {
	f := func(v uint8) uint8 { return uint8(min(255, max(0, math.Round(float64(v)*by)))) }
	return color.NRGBA{R: f(c.R), G: f(c.G), B: f(c.B), A: c.A}
}

// noise returns a number from 0 to 1 for a place.
func noise(seed, x, y int) float64 {
	n := uint32(seed)*2654435761 + uint32(x)*2246822519 + uint32(y)*3266489917
	n = (n ^ n>>15) * 2246822519
	n = (n ^ n>>13) * 3266489917
	return float64(n^n>>16) / (1 << 32)
}

// smooth returns noise with a grain of 16/cells pixels, which repeats after 16 pixels.
func smooth(seed, cells int, x, y float64) float64 {
	x, y = x*float64(cells)/16, y*float64(cells)/16
	x0, y0 := math.Floor(x), math.Floor(y)
	u, v := x-x0, y-y0
	u, v = u*u*(3-2*u), v*v*(3-2*v)
	at := func(dx, dy int) float64 {
		return noise(seed, (int(x0)+dx+cells)%cells, (int(y0)+dy+cells)%cells)
	}
	return (at(0, 0)*(1-u)+at(1, 0)*u)*(1-v) + (at(0, 1)*(1-u)+at(1, 1)*u)*v
}

// each sets all pixels.
func (t tex) each(f func(x, y int) color.NRGBA) tex {
	for y := range t.Rect.Max.Y {
		for x := range 16 {
			t.SetNRGBA(x, y, f(x, y))
		}
	}
	return t
}

// speckled is a surface of one colour with soft patches and single pixels, each of a strength.
func speckled(seed int, c uint32, patches, pixels float64) tex {
	return newTex(16).each(func(x, y int) color.NRGBA {
		p := smooth(seed, 4, float64(x), float64(y)) - .5
		return shade(rgb(c), 1+math.Round((p*patches+(noise(seed+1, x, y)-.5)*pixels)*12)/12)
	})
}

// stones is a surface of rounded stones: with the number of stones, their colour and that of the gaps.
func stones(seed, n int, c, gap uint32) tex {
	return newTex(16).each(func(x, y int) color.NRGBA {
		first, second, nearest := 99., 99., 0
		for i := range n * n { // a stone in each cell of a grid
			px := (float64(i%n) + .15 + .7*noise(seed, i, 0)) * 16 / float64(n)
			py := (float64(i/n) + .15 + .7*noise(seed, i, 1)) * 16 / float64(n)
			dx, dy := math.Abs(px-float64(x)-.5), math.Abs(py-float64(y)-.5)
			d := math.Hypot(min(dx, 16-dx), min(dy, 16-dy))
			if d < first {
				first, second, nearest = d, first, i
			} else {
				second = min(second, d)
			}
		}
		if second-first < 1 {
			return rgb(gap)
		}
		return shade(rgb(c), .85+.3*noise(seed, nearest, 2)-.04*first+.08*(noise(seed, x, y)-.5))
	})
}

// boards is a surface of rows of a height, each cut at a place.
func boards(seed, height int, c, seam uint32, cut func(row int) int) tex {
	return newTex(16).each(func(x, y int) color.NRGBA {
		row := y / height
		if y%height == height-1 || x == cut(row) {
			return rgb(seam)
		}
		grain := smooth(seed+row, 8, float64(x)/4, float64(y)*1.9)
		return shade(rgb(c), .9+.1*noise(seed, row, 1)+.16*(grain-.5)+.06*noise(seed, x/3, y))
	})
}

// drawing is a texture from rows of letters, which are names of colours; others are transparent. Missing rows above are
// transparent.
func drawing(colors map[rune]uint32, rows string) tex {
	t := newTex(16)
	lines := strings.Split(strings.Trim(rows, "\n"), "\n")
	for i, line := range lines {
		for x, r := range line {
			if c, is := colors[r]; is {
				t.SetNRGBA(x, 16-len(lines)+i, rgb(c))
			}
		}
	}
	return t
}

// gladeTextures returns the textures of the sample world by name.
func gladeTextures() map[string]tex {
	grass := speckled(3, 0x5f9e3c, .5, .3)
	planks := boards(21, 4, 0xb98a52, 0x7d5a31, func(row int) int { return (row*7 + 3) % 16 })
	all := map[string]tex{
		"stone":  speckled(1, 0x8a8a8c, .35, .1),
		"dirt":   speckled(2, 0x7c5a3c, .4, .3),
		"grass":  grass,
		"sand":   speckled(5, 0xdccb94, .14, .14),
		"gravel": stones(7, 5, 0x9a948c, 0x6e6962),
		"cobble": stones(8, 3, 0x8f8f8f, 0x55555a),
		"planks": planks,
		"brick":  boards(12, 4, 0x9c9a94, 0x6f6c68, func(row int) int { return 3 + row%2*8 }),
		"roof": boards(13, 4, 0xa8452f, 0x6c2a1e, func(row int) int { return row % 2 * 2 }).
			over(func(x, y int) (color.NRGBA, bool) { return rgb(0x7a3022), (x+y/4*2)%4 == 0 }),
		"wool": speckled(15, 0xf0f0f0, .06, .16),
		"iron": speckled(16, 0x4a4c52, .2, .2),
		"grass_side": newTex(16).each(func(x, y int) color.NRGBA {
			if float64(y) < 2.5+3*smooth(4, 8, float64(x), 0) {
				return shade(grass.NRGBAAt(x, y), 1-.03*float64(y))
			}
			return color.NRGBA{}
		}),
		"moss": newTex(16).each(func(x, y int) color.NRGBA {
			if smooth(9, 4, float64(x), float64(y)) > .55 && noise(9, x, y) > .2 {
				return shade(rgb(0x6f8f42), .8+.4*noise(10, x, y))
			}
			return color.NRGBA{}
		}),
		"coal": newTex(16).each(func(x, y int) color.NRGBA {
			if s := smooth(11, 4, float64(x), float64(y)); s > .64 {
				return shade(rgb(0x38383c), .7+.7*noise(11, x, y))
			}
			return color.NRGBA{}
		}),
		"log": newTex(16).each(func(x, y int) color.NRGBA {
			return shade(rgb(0x6b4a2c), .7+.5*smooth(17, 8, float64(x), float64(y)/4)+.15*(noise(18, x, y/4)-.5))
		}),
		"log_top": newTex(16).each(func(x, y int) color.NRGBA {
			d := math.Max(math.Abs(float64(x)-7.5), math.Abs(float64(y)-7.5))
			switch {
			case d > 7:
				return shade(rgb(0x6b4a2c), .8+.3*noise(19, x, y))
			case int(d)%3 == 2:
				return rgb(0xa37c4a)
			}
			return shade(rgb(0xc09a62), .95+.1*noise(19, x, y))
		}),
		"birch": newTex(16).each(func(x, y int) color.NRGBA {
			if n := smooth(20, 8, float64(x)/2, float64(y)); n > .74 && noise(20, x/3, y) > .3 {
				return rgb(0x3c3a36)
			}
			return shade(rgb(0xdedacb), .9+.12*noise(22, x, y/3))
		}),
		"leaves": foliage(23, 0x4a8a34, .2), "needles": foliage(24, 0x2e6248, .12),
		"chest": planks.over(func(x, y int) (color.NRGBA, bool) {
			return rgb(0x5c4023), x == 0 || x == 15 || y == 0 || y == 15 || y == 6
		}),
		"lock": drawing(map[rune]uint32{'#': 0xd8c060, '.': 0x6c5a20}, "       ##\n      #..#\n"+
			"      ####\n       ##\n\n\n\n\n"),
		"shelf": planks.over(func(x, y int) (color.NRGBA, bool) {
			books := []uint32{0x9c3a30, 0x3c6a9c, 0x4a7a3c, 0xb89a48, 0x6a4a7c, 0x8c5a34, 0x2e5a5a}
			book := int(noise(25, (x-1)/2, y/8) * 7)
			switch {
			case y%8 == 0 || x == 0 || x == 15:
				return color.NRGBA{}, false
			case y%8 == 1 && noise(25, (x-1)/2, y) > .5 || x%2 == 0 && noise(26, x, y/8) > .7:
				return rgb(0x3a2a1a), true
			}
			return shade(rgb(books[book%7]), 1.1-.2*float64(x%2)), true
		}),
		"glass": newTex(16).each(func(x, y int) color.NRGBA {
			if x == 0 || x == 15 || y == 0 || y == 15 {
				return rgb(0xe8f0f0)
			}
			return color.NRGBA{}
		}),
		"glass_shine": newTex(16).each(func(x, y int) color.NRGBA {
			if s := x + y; (s == 9 || s == 10 || s == 20) && x > 2 && x < 13 && y > 2 && y < 13 {
				return rgb(0xffffff)
			}
			return color.NRGBA{}
		}),
		"door": planks.over(func(x, y int) (color.NRGBA, bool) {
			switch {
			case x >= 12 && x <= 13 && y >= 8 && y <= 9:
				return rgb(0xd8c060), true
			case x%5 == 0 || y == 0 || y == 15:
				return rgb(0x6a4526), true
			case x > 5 && x < 10 && y > 1 && y < 6:
				return rgb(0xa8c8d0), true
			}
			return shade(rgb(0x8f6236), .9+.2*smooth(27, 8, float64(x)*2, float64(y)/4)), true
		}),
		"ladder": newTex(16).each(func(x, y int) color.NRGBA {
			if x == 2 || x == 3 || x == 12 || x == 13 || y%5 == 2 && x > 1 && x < 14 {
				return shade(rgb(0x9c7242), .85+.3*noise(28, x, y))
			}
			return color.NRGBA{}
		}),
		"bed": newTex(16).each(func(x, y int) color.NRGBA {
			if y < 5 {
				return shade(rgb(0xf0ece0), .95+.05*noise(29, x, y))
			}
			return shade(rgb(0xb03c38), .85+.2*noise(29, x, y)+.12*float64((x+y)%4/2))
		}),
		"bed_side": planks.over(func(x, y int) (color.NRGBA, bool) { return rgb(0xa03430), y >= 7 && y < 11 }),
		"sign": planks.over(func(x, y int) (color.NRGBA, bool) {
			return rgb(0x4c3418), (y == 6 || y == 8 || y == 10) && x > 2 && x < 13 && noise(30, x, y) > .25
		}),
		"torch_top": newTex(16).each(func(x, y int) color.NRGBA { return rgb(0xfff2b0) }),
		"torch": newTex(16).each(func(x, y int) color.NRGBA {
			switch {
			case y < 5:
				return rgb(0xffec90)
			case y < 7:
				return rgb(0xffb43c)
			case y < 8:
				return rgb(0x5a3818)
			}
			return shade(rgb(0x8a6236), .9+.2*noise(31, x, y))
		}),
		"lantern": newTex(16).each(func(x, y int) color.NRGBA {
			if x < 6 || x > 9 && x < 12 && y < 7 || y < 7 || y > 12 {
				return rgb(0x3c3e44)
			}
			return shade(rgb(0xffe08c), 1.05-.04*math.Abs(float64(y)-10))
		}),
		"crystal": drawing(map[rune]uint32{'a': 0xe8fcff, 'b': 0x8ce8f4, 'c': 0x48b4d8, 'd': 0x2c7cae},
			"      a\n     abb\n     abc   a\n     abc  abc\n  a  abcd abc\n ab  abcd abcd\n abc abcd abcd\n"+
				" abc abcd abcd\n  bcdabcdabcd\n   cdabcdbcd"),
		"lily": newTex(16).each(func(x, y int) color.NRGBA {
			dx, dy := float64(x)-7.5, float64(y)-7.5
			d := math.Hypot(dx, dy)
			switch {
			case d > 6.5 || dx > 0 && math.Abs(dy) < dx/3:
				return color.NRGBA{}
			case math.Hypot(dx+2, dy+1) < 2:
				return rgb(0xf8d8e8)
			}
			return shade(rgb(0x3f8a48), .85+.3*noise(32, x, y)-.02*d)
		}),
		"hand": newTex(16).each(func(x, y int) color.NRGBA { return shade(rgb(0xd8a888), .95+.1*noise(33, x, y)) }),
		"fern": fronds(34, 0x4f9440, 7, 15, 3), "tall_grass": fronds(35, 0x6cab44, 9, 13, 1),
		"wheat": fronds(36, 0xd2b04c, 8, 15, .5), "reed": fronds(37, 0x8a9c54, 6, 16, .6),
		"palette": newTex(16),
		"water":   ripples(38, 0x3f86d8, 0x9cd8ff, 150), "lava": ripples(39, 0xd8481c, 0xffc83c, 255),
		"fire": newTex(64).each(func(x, y int) color.NRGBA {
			frame, y := y/16, y%16
			height := 15 * (1 - math.Abs(float64(x)-7.5)/9) * (.45 + .8*smooth(40+frame, 8, float64(x), 0))
			switch up := float64(16-y) / height; {
			case up > 1:
				return color.NRGBA{}
			case up > .75:
				return rgb(0xd84a18)
			case up > .4:
				return rgb(0xff9426)
			}
			return rgb(0xffe070)
		}),
		"cart": newTex(16).each(func(x, y int) color.NRGBA {
			switch {
			case y >= 12:
				return shade(rgb(0x2a2a2e), .8+.4*noise(41, x, y)) // coal
			case x%5 == 0 || y == 0 || y == 11:
				return rgb(0x44464c)
			}
			return shade(rgb(0x8a5f38), .85+.25*smooth(42, 8, float64(x), float64(y)/3))
		}),
	}
	for i, c := range []uint32{0xf4f0e4, 0xb8382c, 0x2c5a9a, 0xd8a030, 0x3f7a48, 0x6c4680, 0x8a8a8a, 0x2c2c30} {
		for x := range 32 { // 256 colours: each of eight for 32 values
			all["palette"].SetNRGBA(x%16, 2*i+x/16, rgb(c))
		}
	}
	for name, petals := range map[string][2]uint32{"poppy": {0xd8302a, 0x301818}, "cornflower": {0x4a64d8, 0x28348c},
		"daisy": {0xf8f8f4, 0xe8c030}, "dandelion": {0xf4cc24, 0xd89a18}} {
		colors := map[rune]uint32{'p': petals[0], 'm': petals[1], 's': 0x4a8436, 'l': 0x62a044}
		all[name] = drawing(colors, "      pp\n     pppp\n    ppmmpp\n     pmmp\n      pp\n       s\n"+
			"       s\n   l   s\n   ll  s  l\n    ll s ll\n     lssll\n       s")
	}
	all["mushroom"] = drawing(map[rune]uint32{'r': 0xc83a2c, 'w': 0xf4ece0, 'g': 0xcfc4b0},
		"     rrrr\n    rwrrrr\n   rrrrwrrr\n   rrwrrrrr\n   gggwwggg\n      wg\n      wg\n      wg")
	rail := func(curve func(x, y int) float64) tex {
		return newTex(16).each(func(x, y int) color.NRGBA {
			switch at := curve(x, y); {
			case at >= 3 && at < 5 || at >= 11 && at < 13:
				return shade(rgb(0xb4b8c0), 1.05-.15*math.Mod(at, 2))
			case at >= 1 && at < 15 && tie(curve, x, y):
				return shade(rgb(0x75512e), .85+.3*noise(43, x, y))
			}
			return color.NRGBA{}
		})
	}
	across := func(x, y int) float64 { return float64(x) }
	along := func(x, y int) float64 { return float64(y) }
	all["rail"] = rail(across)
	all["rail_curve"] = rail(func(x, y int) float64 { return math.Hypot(float64(x)+.5, 15.5-float64(y)) })
	all["rail_cross"] = rail(along).lay(rail(across))
	all["rail_t"] = rail(across).lay(rail(func(x, y int) float64 {
		if x > 11 {
			return -1
		}
		return float64(y)
	}))
	return all
}

// tie reports whether a tie is below a rail.
func tie(curve func(x, y int) float64, x, y int) bool {
	if curve(x, 0) == curve(x, 9) {
		return y%4 < 2
	}
	if curve(0, y) == curve(9, y) {
		return x%4 < 2
	}
	return int(math.Atan2(15.5-float64(y), float64(x)+.5)/math.Pi*12+6)%2 == 0
}

// over returns a copy with other pixels.
func (t tex) over(f func(x, y int) (color.NRGBA, bool)) tex {
	return newTex(t.Rect.Max.Y).each(func(x, y int) color.NRGBA {
		if c, is := f(x, y); is {
			return c
		}
		return t.NRGBAAt(x, y)
	})
}

// lay returns a copy with the opaque pixels of another texture.
func (t tex) lay(top tex) tex {
	return t.over(func(x, y int) (color.NRGBA, bool) {
		c := top.NRGBAAt(x, y)
		return c, c.A > 0
	})
}

// foliage is leaves with a share of holes.
func foliage(seed int, c uint32, holes float64) tex {
	return newTex(16).each(func(x, y int) color.NRGBA {
		if noise(seed, x/2, y/2)*.6+noise(seed, x, y)*.4 < holes {
			return color.NRGBA{}
		}
		return shade(rgb(c), .65+.35*smooth(seed, 8, float64(x), float64(y))+.35*noise(seed+1, x, y))
	})
}

// fronds is n blades that grow from the bottom to a height and bend.
func fronds(seed int, c uint32, n, height int, bend float64) tex {
	t := newTex(16)
	for i := range n {
		x, lean := 2+12*(float64(i)+.5)/float64(n), (noise(seed, i, 0)-.5)*2*bend
		top := height - int(5*noise(seed, i, 1))
		for y := range top {
			u := float64(y) / float64(height)
			at := int(math.Round(x + (x-8)*.2*u + lean*u*u*2))
			if at < 0 || at > 15 {
				continue
			}
			t.SetNRGBA(at, 15-y, shade(rgb(c), .6+.45*u+.15*noise(seed, i, 2)))
		}
	}
	return t
}

// ripples is four frames of a liquid with waves of two colours.
func ripples(seed int, low, high uint32, alpha uint8) tex {
	return newTex(64).each(func(x, y int) color.NRGBA {
		turn := float64(y/16) * math.Pi / 2
		u, v := float64(x), float64(y%16)
		s := smooth(seed, 4, u+2*math.Cos(turn), v+2*math.Sin(turn)) + .5*smooth(seed+1, 8, u-math.Sin(turn), v+math.Cos(turn))
		s = math.Round(max(0, min(1, (s/1.5-.3)*2.2))*5) / 5
		a, b := rgb(low), rgb(high)
		mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-s) + float64(b)*s) }
		return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: alpha}
	})
}

// encodeTexture returns a PNG with a palette.
func encodeTexture(t *testing.T, m tex) []byte {
	p := image.NewPaletted(m.Rect, nil)
	index := make(map[color.NRGBA]uint8)
	for y := range m.Rect.Max.Y {
		for x := range 16 {
			c := m.NRGBAAt(x, y)
			if c.A == 0 {
				c = color.NRGBA{}
			}
			if _, known := index[c]; !known {
				if len(p.Palette) == 256 {
					t.Fatal("more than 256 colours")
				}
				index[c] = uint8(len(p.Palette))
				p.Palette = append(p.Palette, c)
			}
			p.SetColorIndex(x, y, index[c])
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// cartModel is the model of a cart on rails, a box with wheels, from boxes and their places in the texture.
func cartModel() string {
	var vertices, uvs, faces strings.Builder
	n := 0
	face := func(corners [4][3]float64, u0, v0, u1, v1 float64) {
		uv := [4][2]float64{{u0, v0}, {u1, v0}, {u1, v1}, {u0, v1}}
		faces.WriteString("f")
		for i, c := range corners {
			n++
			fmt.Fprintf(&vertices, "v %g %g %g\n", -c[0], c[1], c[2]) // the engine mirrors x
			fmt.Fprintf(&uvs, "vt %g %g\n", uv[i][0]/16, 1-uv[i][1]/16)
			fmt.Fprintf(&faces, " %d/%[1]d", n)
		}
		faces.WriteString("\n")
	}
	// box draws the sides of a box of pixels with a part of the texture, the top with another.
	box := func(x0, y0, z0, x1, y1, z1 float64, side, top [4]float64) {
		p := func(x, y, z float64) [3]float64 { return [3]float64{(x - 8) / 16, (y - 8) / 16, (z - 8) / 16} }
		for _, q := range [4][4]float64{{x0, z0, x1, z0}, {x1, z0, x1, z1}, {x1, z1, x0, z1}, {x0, z1, x0, z0}} {
			face([4][3]float64{p(q[0], y1, q[1]), p(q[2], y1, q[3]), p(q[2], y0, q[3]), p(q[0], y0, q[1])}, side[0], side[1], side[2], side[3])
		}
		face([4][3]float64{p(x0, y1, z1), p(x1, y1, z1), p(x1, y1, z0), p(x0, y1, z0)}, top[0], top[1], top[2], top[3])
		face([4][3]float64{p(x0, y0, z0), p(x1, y0, z0), p(x1, y0, z1), p(x0, y0, z1)}, side[0], side[1], side[2], side[3])
	}
	wood, coal, iron := [4]float64{0, 0, 16, 12}, [4]float64{0, 12, 16, 16}, [4]float64{0, 11, 16, 12}
	box(2, 3, 1, 14, 11, 15, wood, wood)
	box(3, 11, 2, 13, 12, 14, coal, coal)
	for _, z := range []float64{3, 10} {
		box(1.5, .5, z, 3, 3.5, z+3, iron, iron)
		box(13, .5, z, 14.5, 3.5, z+3, iron, iron)
	}
	return "# A cart with coal. Public domain (CC0 1.0).\n" + vertices.String() + uvs.String() + faces.String()
}
