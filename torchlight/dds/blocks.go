package dds

import (
	"encoding/binary"
	"image"
	"image/color"
)

// expand converts a color of 5, 6 and 5 bits in a block to 8 bits per channel.
func expand(c uint16) [3]int {
	r, g, b := int(c>>11), int(c>>5&63), int(c&31)
	return [3]int{r<<3 | r>>2, g<<2 | g>>4, b<<3 | b>>2}
}

// palette returns the four colors of a block. A DXT1 block whose first color is not the greater number has three
// colors, and the fourth is transparent.
func palette(c0, c1 uint16, three bool) [4]color.NRGBA {
	a, b := expand(c0), expand(c1)
	var p [4]color.NRGBA
	mix := func(x, y int) color.NRGBA { // x parts of a and y parts of b
		var v [3]int
		for i := range v {
			v[i] = (x*a[i] + y*b[i]) / (x + y)
		}
		return color.NRGBA{uint8(v[0]), uint8(v[1]), uint8(v[2]), 255}
	}
	p[0], p[1] = mix(1, 0), mix(0, 1)
	if three {
		p[2] = mix(1, 1)
	} else {
		p[2], p[3] = mix(2, 1), mix(1, 2)
	}
	return p
}

// alphas returns the eight values of alpha of a block of DXT5.
func alphas(a0, a1 uint8) (p [8]uint8) {
	p[0], p[1] = a0, a1
	x, y := int(a0), int(a1)
	if x > y {
		for i := 1; i < 7; i++ {
			p[i+1] = uint8(((7-i)*x + i*y) / 7)
		}
		return p
	}
	for i := 1; i < 5; i++ {
		p[i+1] = uint8(((5-i)*x + i*y) / 5)
	}
	p[6], p[7] = 0, 255
	return p
}

func decodeBlocks(m *image.NRGBA, data []byte, f Format) {
	for y := 0; y < m.Rect.Max.Y; y += 4 {
		for x := 0; x < m.Rect.Max.X; x += 4 {
			block := data[:f.blockSize()]
			data = data[len(block):]
			decodeBlock(m, x, y, block, f)
		}
	}
}

// decodeBlock draws a block. The part beyond the edge of the picture, whose size need not be a multiple of 4, is
// padding.
func decodeBlock(m *image.NRGBA, x, y int, block []byte, f Format) {
	var alpha uint64
	var steps [8]uint8
	switch f {
	case DXT3:
		alpha = binary.LittleEndian.Uint64(block)
	case DXT5:
		steps = alphas(block[0], block[1])
		alpha = binary.LittleEndian.Uint64(block) >> 16
	}
	colors := block[len(block)-8:]
	c0, c1 := binary.LittleEndian.Uint16(colors), binary.LittleEndian.Uint16(colors[2:])
	p := palette(c0, c1, f == DXT1 && c0 <= c1)
	index := binary.LittleEndian.Uint32(colors[4:])
	for i := range 16 {
		if at := image.Pt(x+i%4, y+i/4); at.In(m.Rect) {
			c := p[index>>(2*i)&3]
			switch f {
			case DXT3:
				c.A = uint8(alpha>>(4*i)&15) * 17
			case DXT5:
				c.A = steps[alpha>>(3*i)&7]
			}
			m.SetNRGBA(at.X, at.Y, c)
		}
	}
}
