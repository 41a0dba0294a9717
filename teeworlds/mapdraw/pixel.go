package mapdraw

import (
	"encoding/binary"
	"math"
)

// A shade is the colour of a point between pixels: red, green, blue and alpha in lanes of 16 bits, the lowest first,
// each 0 to 65280 = 255 * 256. The colour is not multiplied by the alpha. All arithmetic on shades uses integers, so
// that a picture has identical bytes on every machine and in every division into parts.
type shade uint64

const (
	fullLane   = 255 * 256
	whiteShade = shade(fullLane<<48 | fullLane<<32 | fullLane<<16 | fullLane)
)

func (s shade) alpha() uint32 { return uint32(s >> 48) }

// tint holds the factors for a shade: red, green, blue, alpha; one is 1.0.
type tint [4]int64

const (
	tintBits = 16
	one      = 1 << tintBits
	maxTint  = 1 << 40 // prevents overflow
)

var noTint = tint{one, one, one, one}

// newTint makes a tint from factors, of which 1 leaves a colour unchanged.
func newTint(c [4]float64) (t tint) {
	for i, v := range c {
		t[i] = int64(math.Round(min(max(v*one, 0), maxTint))) // NaN cannot occur here
	}
	return t
}

// of returns a shade multiplied by the tint, clamped to the maximum.
func (t *tint) of(s shade) shade {
	lane := func(i int) uint64 {
		return uint64(min(int64(s>>(16*i)&0xffff)*t[i]>>tintBits, fullLane))
	}
	return shade(lane(0) | lane(1)<<16 | lane(2)<<32 | lane(3)<<48)
}

// Weights of filters have this number of bits.
const (
	weightBits = 10
	weightOne  = 1 << weightBits
)

// lanes masks two channels of a pixel in lanes of 32 bits, which are computed together.
const lanes = 0x0000ffff_0000ffff

func redBlue(t uint32) uint64    { return uint64(t&0xff) | uint64(t&0xff0000)<<16 }
func greenAlpha(t uint32) uint64 { return uint64(t>>8&0xff) | uint64(t>>24)<<32 }

// texel returns the pixel at an offset in bytes.
func texel(pix []byte, at int) uint32 { return binary.LittleEndian.Uint32(pix[at:]) }

// square holds four pixels of a square: top left, top right, bottom left, bottom right.
type square struct{ a, b, c, d uint32 }

// mixed interpolates in a square; x and y are the weights of the pixels on the right and at the bottom.
func mixed(s square, x, y uint64) shade {
	if (s.a|s.b|s.c|s.d)>>24 == 0 {
		return 0 // transparent, as large parts of pictures are
	}
	return between(s.a, s.b, s.c, s.d, x, y)
}

// mixed2 interpolates between squares of two sizes of a picture; weight is that of the second.
func mixed2(s, t square, sx, sy, tx, ty, weight uint64) shade {
	if (s.a|s.b|s.c|s.d|t.a|t.b|t.c|t.d)>>24 == 0 {
		return 0
	}
	return mix(between(s.a, s.b, s.c, s.d, sx, sy), between(t.a, t.b, t.c, t.d, tx, ty), weight)
}

// between interpolates between four pixels, as mixed does.
func between(t00, t10, t01, t11 uint32, x, y uint64) shade {
	w11 := x * y
	w10, w01 := x<<weightBits-w11, y<<weightBits-w11
	w00 := 1<<(2*weightBits) - w11 - w10 - w01
	const shift, half = 2*weightBits - 8, (1<<(2*weightBits-9))<<32 | 1<<(2*weightBits-9)
	rb := (redBlue(t00)*w00 + redBlue(t10)*w10 + redBlue(t01)*w01 + redBlue(t11)*w11 + half) >> shift & lanes
	ga := (greenAlpha(t00)*w00 + greenAlpha(t10)*w10 + greenAlpha(t01)*w01 + greenAlpha(t11)*w11 + half) >> shift & lanes
	return shade(rb | ga<<16)
}

// mix interpolates between two shades; w is the weight of the second.
func mix(a, b shade, w uint64) shade {
	const half = (weightOne/2)<<32 | weightOne/2
	u := weightOne - w
	rb := ((uint64(a)&lanes)*u + (uint64(b)&lanes)*w + half) >> weightBits & lanes
	ga := ((uint64(a)>>16&lanes)*u + (uint64(b)>>16&lanes)*w + half) >> weightBits & lanes
	return shade(rb | ga<<16)
}

// blend draws a shade over a pixel of a picture with premultiplied alpha.
func blend(dst []byte, s shade) {
	switch a := s.alpha(); a {
	case 0:
	case fullLane:
		binary.LittleEndian.PutUint32(dst, s.pixel())
	default:
		a = (a*65793 + 1<<15) >> 16 // of 65536
		rest := (1<<16 - a) << 8
		const half = 1 << 23
		d := binary.LittleEndian.Uint32(dst)
		r := (uint32(s&0xffff)*a + d&0xff*rest + half) >> 24
		g := (uint32(s>>16&0xffff)*a + d>>8&0xff*rest + half) >> 24
		b := (uint32(s>>32&0xffff)*a + d>>16&0xff*rest + half) >> 24
		o := (fullLane*a + d>>24*rest + half) >> 24
		binary.LittleEndian.PutUint32(dst, r|g<<8|b<<16|o<<24)
	}
}

// pixel returns the bytes of a shade, with red in the lowest.
func (s shade) pixel() uint32 {
	v := (uint64(s) + 0x0080_0080_0080_0080) >> 8 & 0x00ff_00ff_00ff_00ff
	v = v | v>>8
	return uint32(v&0xffff | v>>16&0xffff0000)
}

// detail selects the sizes of a texture that a picture uses, by the number of texels per pixel: level and the next
// one, the latter with a weight.
type detail struct {
	level  int
	weight uint64
}

// lodBias is the game's default for gfx_gl_texture_lod_bias: a little sharper than the exact value.
const lodBias = -0.5

// detailOf returns the sizes to use for a number of texels per pixel.
func detailOf(texels float64, levels int) detail {
	lod := math.Log2(texels) + lodBias
	if !(lod > 0) {
		return detail{}
	}
	if lod >= float64(levels-1) {
		return detail{level: levels - 1}
	}
	level := math.Floor(lod)
	d := detail{int(level), uint64(math.Round((lod - level) * weightOne))}
	if d.weight == weightOne {
		d = detail{level: d.level + 1}
	}
	return d
}
