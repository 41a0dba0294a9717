package pixel

import (
	"encoding/binary"
	"image"
)

// maxIndexed is the maximum number of pixels of a picture whose colours are counted: one byte per pixel is kept in
// memory until it is known whether a palette is possible.
const maxIndexed = 1 << 26

// indexer assigns indexes to colours, up to 256.
type indexer struct {
	pix     []byte
	palette []uint32 // R, G, B, A from the lowest byte, as in a file
	slots   [1024]struct {
		color uint32
		index uint16 // index + 1
	}
	straight []byte
}

// add adds the pixels of a band. It reports whether a palette is still possible.
func (x *indexer) add(band *image.RGBA, kind Kind) bool {
	width := band.Rect.Dx()
	start := len(x.pix)
	x.straight = sized(x.straight, 4*width)
	for y := range band.Rect.Dy() {
		row := band.Pix[y*band.Stride:][:4*width]
		if kind == RGBA {
			Straight(x.straight, row)
			row = x.straight
		}
		last, index := uint32(0), -1
		for i := 0; i+4 <= len(row); i += 4 {
			c := binary.LittleEndian.Uint32(row[i:])
			if kind == RGB {
				c |= 0xff << 24
			}
			if c != last || index < 0 {
				if last, index = c, x.index(c); index < 0 {
					x.pix = x.pix[:start]
					return false
				}
			}
			x.pix = append(x.pix, byte(index))
		}
	}
	return true
}

// index returns the index of a colour, or -1 if there are too many colours.
func (x *indexer) index(c uint32) int {
	for h := c * 0x9e3779b1 >> 22; ; h = (h + 1) % uint32(len(x.slots)) {
		slot := &x.slots[h]
		switch {
		case slot.index > 0 && slot.color == c:
			return int(slot.index) - 1
		case slot.index > 0:
		case len(x.palette) == 256:
			return -1
		default:
			x.palette = append(x.palette, c)
			slot.color, slot.index = c, uint16(len(x.palette))
			return len(x.palette) - 1
		}
	}
}

func (x *indexer) rows(width int) int { return len(x.pix) / width }

// expand returns a function that returns the added rows without a palette.
func (x *indexer) expand(width int, kind Kind) func(y int, row []byte) {
	return func(y int, row []byte) {
		for i, index := range x.pix[y*width:][:width] {
			c := x.palette[index]
			to := row[i*bytesPer[kind]:][:bytesPer[kind]]
			to[0], to[1], to[2] = byte(c), byte(c>>8), byte(c>>16)
			if kind != RGB {
				to[3] = byte(c >> 24)
			}
		}
	}
}

func (x *indexer) writePalette(c *chunks) {
	var colors, alphas []byte
	clear := 0 // number of colours up to the last one that is not opaque
	for i, v := range x.palette {
		colors = append(colors, byte(v), byte(v>>8), byte(v>>16))
		if alphas = append(alphas, byte(v>>24)); v>>24 != 0xff {
			clear = i + 1
		}
	}
	c.write("PLTE", colors)
	if clear > 0 {
		c.write("tRNS", alphas[:clear])
	}
}
