// Package pixel contains functions for all pictures: blending, a decoder of PNG and JPEG within limits, and PNG writers that
// accept pictures of any size band by band.
package pixel

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"io"
)

// Kind is the kind of the pixels of a PNG.
type Kind uint8

// The kinds of pixels. A picture in RGB or RGBA with at most 256 colours and at most 1<<26 pixels is written with a
// palette.
const (
	RGB          Kind = iota // from *image.RGBA, whose alpha is ignored
	RGBA                     // from *image.RGBA; the file has straight alpha
	StraightRGBA             // from *image.NRGBA, of which the type is converted; transparent pixels keep their colours
	Gray16                   // from *image.Gray16
	indexed
)

// Values in the header for each kind.
var (
	bytesPer  = [...]int{RGB: 3, RGBA: 4, StraightRGBA: 4, Gray16: 2, indexed: 1}
	bitDepth  = [...]byte{RGB: 8, RGBA: 8, StraightRGBA: 8, Gray16: 16, indexed: 8}
	colorType = [...]byte{RGB: 2, RGBA: 6, StraightRGBA: 6, Gray16: 0, indexed: 3}
)

// MaxSide is the maximum width and height of a PNG.
const MaxSide = 1<<31 - 1

// PNG writes a PNG file band by band, and compresses on all cores. It needs a few megabytes of memory for each core,
// and keeps no reference to a band after Add returns. The bytes of the file depend on the pixels only.
type PNG struct {
	chunks chunks
	size   image.Point
	kind   Kind
	level  int
	done   int // rows
	pixels *stream
	index  *indexer // colours of the added pixels while a palette is possible; otherwise nil
}

// NewPNG starts a PNG file.
func NewPNG(w io.Writer, size image.Point, kind Kind) (*PNG, error) {
	return newPNG(w, size, kind, level)
}

// NewFastPNG starts a PNG file that is compressed faster than that of [NewPNG], to up to 1.2 times its size.
func NewFastPNG(w io.Writer, size image.Point, kind Kind) (*PNG, error) {
	return newPNG(w, size, kind, fastLevel)
}

func newPNG(w io.Writer, size image.Point, kind Kind, level int) (*PNG, error) {
	if err := possible(size); err != nil {
		return nil, err
	}
	p := &PNG{chunks: chunks{w: w}, size: size, kind: kind, level: level}
	if kind != Gray16 && size.X <= maxIndexed/size.Y {
		p.index = new(indexer)
	} else {
		p.begin(kind)
	}
	return p, p.chunks.err
}

func possible(size image.Point) error {
	if size.X < 1 || size.Y < 1 || size.X > MaxSide || size.Y > MaxSide {
		return fmt.Errorf("a PNG cannot have %d x %d pixels", size.X, size.Y)
	}
	return nil
}

// begin writes the parts before the pixels.
func (p *PNG) begin(kind Kind) {
	p.chunks.header(p.size, kind)
	if kind == indexed {
		p.index.writePalette(&p.chunks)
	}
	p.pixels = newStream(p.size.X, kind, p.level, func(data []byte) { p.chunks.write("IDAT", data) })
}

// Add writes the next rows of a picture in RGB or RGBA. The band must be as wide as the picture.
func (p *PNG) Add(band *image.RGBA) error {
	if err := p.fits(band.Rect, p.kind != Gray16); err != nil {
		return err
	}
	p.done += band.Rect.Dy()
	if p.index != nil {
		if p.index.add(band, p.kind) {
			return nil
		}
		index := p.index // too many colours: write the rows so far without a palette
		p.index = nil
		p.begin(p.kind)
		p.pixels.add(index.rows(p.size.X), index.expand(p.size.X, p.kind))
	}
	p.pixels.add(band.Rect.Dy(), rowsOf(band, p.kind))
	return p.chunks.err
}

// AddGray16 writes the next rows of a 16-bit picture.
func (p *PNG) AddGray16(band *image.Gray16) error {
	if err := p.fits(band.Rect, p.kind == Gray16); err != nil {
		return err
	}
	p.done += band.Rect.Dy()
	p.pixels.add(band.Rect.Dy(), func(y int, row []byte) { copy(row, band.Pix[y*band.Stride:]) })
	return p.chunks.err
}

func (p *PNG) fits(band image.Rectangle, kind bool) error {
	if p.chunks.err == nil && (!kind || band.Dx() != p.size.X || band.Dy() < 1 || band.Dy() > p.size.Y-p.done) {
		p.chunks.err = fmt.Errorf("a band of %d x %d pixels does not fit below row %d of %d x %d", band.Dx(), band.Dy(),
			p.done, p.size.X, p.size.Y)
	}
	return p.chunks.err
}

// Close writes the end of the file. All rows must have been added.
func (p *PNG) Close() error {
	if p.chunks.err == nil && p.done != p.size.Y {
		p.chunks.err = fmt.Errorf("only %d of %d rows were written", p.done, p.size.Y)
	}
	if p.chunks.err != nil {
		return p.chunks.err
	}
	if p.index != nil {
		p.begin(indexed)
		p.pixels.add(p.size.Y, func(y int, row []byte) { copy(row, p.index.pix[y*p.size.X:]) })
	}
	p.pixels.close()
	p.chunks.write("IEND", nil)
	return p.chunks.err
}

// rowsOf returns a function that returns the rows of a band in the format of the file.
func rowsOf(band *image.RGBA, kind Kind) func(y int, row []byte) {
	width := 4 * band.Rect.Dx()
	return func(y int, row []byte) {
		pix := band.Pix[y*band.Stride:][:width]
		switch kind {
		case RGBA:
			Straight(row, pix)
			return
		case StraightRGBA:
			copy(row, pix)
			return
		}
		for len(pix) >= 4 && len(row) >= 3 {
			row[0], row[1], row[2] = pix[0], pix[1], pix[2]
			row, pix = row[3:], pix[4:]
		}
	}
}

// chunks writes the parts of a PNG file.
type chunks struct {
	w   io.Writer
	err error
}

func (c *chunks) header(size image.Point, kind Kind) {
	if c.err == nil {
		_, c.err = io.WriteString(c.w, "\x89PNG\r\n\x1a\n")
	}
	data := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	data = binary.BigEndian.AppendUint32(data, uint32(size.Y))
	c.write("IHDR", append(data, bitDepth[kind], colorType[kind], 0, 0, 0))
}

func (c *chunks) write(name string, data []byte) {
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(name)), crc32.IEEETable, data)
	head := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), name...)
	for _, b := range [][]byte{head, data, binary.BigEndian.AppendUint32(nil, sum)} {
		if c.err == nil {
			_, c.err = c.w.Write(b)
		}
	}
}
