// Package tga reads and writes Targa pictures, which games of Runic use besides DirectDraw surfaces, and Minetest
// besides PNG: with and without run lengths, in color, in gray or with a palette. Package torchlight/tga is its form for
// other programs.
//
// The package does not register with package image, as torchlight/dds does: a Targa file begins with no magic number,
// so [image.Decode] would try it for files of any other format.
package tga

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"io"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/pixel"
	"trowel.example/internal/text/words"
	"trowel.example/trace"
)

// Kind is the type of the pixels of a file.
type Kind uint8

// The kinds.
const (
	Palette Kind = 1 // indexes into a palette
	Color   Kind = 2
	Gray    Kind = 3
)

func (k Kind) String() string { return [...]string{"", "palette", "colour", "gray"}[k] }

// Format is how the pixels of a file are stored.
type Format uint8

// The formats.
const (
	Plain      Format = iota // pixel after pixel
	RunLengths               // equal pixels are stored once, with their number
)

func (f Format) String() string { return [...]string{"plain", "run lengths"}[f] }

const (
	headerSize = 18

	rle       = 8  // in the type of the image: pixels are run-length encoded
	fromRight = 16 // in the descriptor: each row begins at the right
	fromTop   = 32 // in the descriptor: the first row is the top row
)

// Header describes the picture of a file.
type Header struct {
	Width, Height int // in pixels, 1 to 65535
	Kind          Kind
	Format        Format // how the pixels are stored
	Bits          int    // per pixel in the file: 8, 15, 16, 24 or 32
	Alpha         int    // bits of alpha in a pixel according to the header: 0 to 15
	FromTop       bool   // the first row of the file is the top row
	FromRight     bool   // the first pixel of a row is the rightmost

	colors     int // number of colors in the palette
	firstColor int
	colorBits  int
	start      int // offset of the palette, or else of the pixels
}

// ReadHeader reads the header of a file; data may be only the beginning of the file. There is no signature: ReadHeader
// rejects impossible values. Every error is a [*fault.Error].
func ReadHeader(data []byte) (*Header, error) {
	return readHeader(bin.NewReader(data, bin.LittleEndian))
}

func readHeader(r *bin.Reader) (*Header, error) {
	id, hasPalette, kind := r.U8("id_length"), r.U8("palette_type"), r.U8("image_type")
	first, colors, colorBits := r.U16("palette_first"), r.U16("palette_length"), r.U8("palette_bits")
	r.U16("x_origin")
	r.U16("y_origin")
	h := &Header{Width: int(r.U16("width")), Height: int(r.U16("height")), Bits: int(r.U8("bits"))}
	descriptor := r.U8("descriptor")
	h.Kind = Kind(kind &^ rle)
	if kind&rle != 0 {
		h.Format = RunLengths
	}
	h.Alpha, h.FromTop, h.FromRight = int(descriptor&15), descriptor&fromTop != 0, descriptor&fromRight != 0
	h.firstColor, h.start = int(first), headerSize+int(id)
	if hasPalette == 1 {
		h.colors, h.colorBits = int(colors), int(colorBits)
	}
	good := false
	switch h.Kind {
	case Palette:
		good = h.Bits == 8 || h.Bits == 16
	case Color:
		good = isColor(h.Bits)
	case Gray:
		good = h.Bits == 8 || h.Bits == 16 // the second byte is alpha
	}
	switch {
	case r.Err() != nil:
	case h.Kind < Palette || h.Kind > Gray:
		r.FailAt(2, "image_type", fault.ErrFormat, "the type 1, 2, 3, 9, 10 or 11", fmt.Sprint(kind))
	case hasPalette > 1 || h.Kind == Palette && h.colors == 0:
		r.FailAt(1, "palette_type", fault.ErrFormat, "a palette, or no palette and no indexes", fmt.Sprint(hasPalette))
	case h.colors > 0 && !isColor(h.colorBits):
		r.FailAt(7, "palette_bits", fault.ErrFormat, "colours of 15, 16, 24 or 32 bits", fmt.Sprint(colorBits))
	case h.Width == 0 || h.Height == 0:
		r.FailAt(12, "width", fault.ErrFormat, "sides of 1 to 65535", fmt.Sprintf("%d × %d", h.Width, h.Height))
	case int64(h.Width)*int64(h.Height) > effort.PicturePixels.Limit(0): // run lengths can describe more than fits into memory
		e := effort.PicturePixels.Over(int64(h.Width) * int64(h.Height))
		r.FailAt(12, "width", e.Err, e.Want, e.Got)
	case !good:
		r.FailAt(16, "bits", fault.ErrFormat, "8 or 16 bits, or 15, 24 or 32 for colours", fmt.Sprint(h.Bits))
	case descriptor>>6 != 0:
		r.FailAt(17, "descriptor", fault.ErrVersion, "rows that are not interleaved", fmt.Sprintf("%#x", descriptor))
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return h, nil
}

func isColor(bits int) bool { return bits == 15 || bits == 16 || bits == 24 || bits == 32 }

// bytesOf returns the number of bytes for a number of bits.
func bytesOf(bits int) int { return (bits + 7) / 8 }

// DecodeConfig returns the size and the color model of the picture of a file, from its header.
func DecodeConfig(r io.Reader) (image.Config, error) {
	data, err := io.ReadAll(io.LimitReader(r, headerSize))
	if err != nil {
		return image.Config{}, err
	}
	h, err := ReadHeader(data)
	if err != nil {
		return image.Config{}, err
	}
	return image.Config{ColorModel: color.NRGBAModel, Width: h.Width, Height: h.Height}, nil
}

// Decode returns the picture of a file. It does not allocate memory for more pixels than data can represent. Every
// error is a [*fault.Error].
func Decode(data []byte) (*image.NRGBA, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, err
	}
	size := bytesOf(h.Bits)
	pixels := h.Width * h.Height
	at := h.start + h.colors*bytesOf(h.colorBits)
	least := pixels * size
	if h.Format == RunLengths {
		least = (pixels + 127) / 128 * (1 + size)
	}
	if len(data)-at < least {
		return nil, short(at, fmt.Sprintf("at least %d bytes for %d × %d pixels", least, h.Width, h.Height), len(data)-at)
	}
	value := h.values(data)
	m := image.NewNRGBA(image.Rect(0, 0, h.Width, h.Height))
	rest := data[at:]
	for i := 0; i < pixels; {
		run, repeat := pixels, false
		if h.Format == RunLengths {
			if len(rest) == 0 {
				return nil, short(len(data), "a run length", 0)
			}
			run, repeat = int(rest[0]&127)+1, rest[0]&128 != 0
			rest = rest[1:]
		}
		need := size
		if !repeat {
			need *= run
		}
		if len(rest) < need {
			return nil, short(len(data)-len(rest), fmt.Sprintf("%s of pixels", words.Count(need, "byte")), len(rest))
		}
		for k := range min(run, pixels-i) { // pixels beyond the end are ignored
			from := rest
			if !repeat {
				from = rest[k*size:]
			}
			c, ok := value(from)
			if !ok {
				return nil, &fault.Error{Path: "pixels", Offset: int64(len(data) - len(from)),
					Want: fmt.Sprintf("one of %s from %d on", words.Count(h.colors, "colour"), h.firstColor), Got: fmt.Sprintf("% x",
						from[:size]), Err: fault.ErrFormat}
			}
			*(*[4]byte)(m.Pix[h.place(i+k):]) = c
		}
		rest = rest[need:]
		i += run
	}
	return m, nil
}

func short(offset int, want string, got int) error {
	return &fault.Error{Path: "pixels", Offset: int64(offset), Want: want, Got: fmt.Sprint(max(0, got)), Err: fault.ErrShort}
}

// PixelSpan returns the position of the bytes of a pixel in the file. The length is 0 if the pixels are run-length
// encoded.
func (h *Header) PixelSpan(x, y int) (offset, length int64) {
	if h.Format == RunLengths {
		return 0, 0
	}
	i := h.place(y*h.Width+x) / 4 // place is its own inverse
	size := bytesOf(h.Bits)
	return int64(h.start) + int64(h.colors*bytesOf(h.colorBits)) + int64(i)*int64(size), int64(size)
}

// place returns the position in the picture of the i-th pixel of the file.
func (h *Header) place(i int) int {
	x, y := i%h.Width, i/h.Width
	if h.FromRight {
		x = h.Width - 1 - x
	}
	if !h.FromTop {
		y = h.Height - 1 - y
	}
	return 4 * (y*h.Width + x)
}

// values returns a function that reads the color of a pixel: red, green, blue and alpha. The function returns false for
// an index outside of the palette.
func (h *Header) values(data []byte) func(b []byte) ([4]byte, bool) {
	switch {
	case h.Kind == Gray:
		return func(b []byte) ([4]byte, bool) {
			if h.Bits == 16 {
				return [4]byte{b[0], b[0], b[0], b[1]}, true
			}
			return [4]byte{b[0], b[0], b[0], 255}, true
		}
	case h.Kind == Color:
		return func(b []byte) ([4]byte, bool) { return h.color(b, h.Bits), true }
	}
	size := bytesOf(h.colorBits)
	palette := data[h.start:][:h.colors*size]
	return func(b []byte) ([4]byte, bool) {
		i := int(b[0])
		if h.Bits == 16 {
			i = int(binary.LittleEndian.Uint16(b))
		}
		if i -= h.firstColor; i < 0 || i >= h.colors {
			return [4]byte{}, false
		}
		return h.color(palette[i*size:], h.colorBits), true
	}
}

// color reads a color. Colors of 32 bits always have alpha, whatever the header states, because many programs that
// write them do not state it. The 16th bit is alpha only if the header states it.
func (h *Header) color(b []byte, bits int) [4]byte {
	switch bits {
	case 24:
		return [4]byte{b[2], b[1], b[0], 255}
	case 32:
		return [4]byte{b[2], b[1], b[0], b[3]}
	}
	v := binary.LittleEndian.Uint16(b)
	c := [4]byte{expand5(v >> 10), expand5(v >> 5), expand5(v), 255}
	if h.Alpha > 0 && bits == 16 && v>>15 == 0 {
		c[3] = 0
	}
	return c
}

// expand5 converts the lowest 5 bits to 8 bits.
func expand5(v uint16) byte { return byte((int(v&31)*255 + 15) / 31) }

// Encode returns a file of a picture in a format, with 24 bits per pixel or, if a pixel is not opaque, with 32. It fails with a
// [*fault.Error] if a side is not 1 to 65535.
func Encode(m image.Image, f Format) ([]byte, error) {
	b := m.Bounds()
	if b.Dx() < 1 || b.Dy() < 1 || b.Dx() > 65535 || b.Dy() > 65535 {
		return nil, &fault.Error{Path: "width", Offset: 12, Want: "sides of 1 to 65535",
			Got: fmt.Sprintf("%d × %d", b.Dx(), b.Dy()), Err: fault.ErrFormat}
	}
	src := pixel.NRGBA(m)
	size := 3
	if !src.Opaque() {
		size = 4
	}
	data := make([]byte, headerSize, headerSize+size*b.Dx()*b.Dy())
	data[2] = byte(Color)
	if f == RunLengths {
		data[2] |= rle
	}
	binary.LittleEndian.PutUint16(data[12:], uint16(b.Dx()))
	binary.LittleEndian.PutUint16(data[14:], uint16(b.Dy()))
	data[16], data[17] = byte(8*size), byte(8*(size-3))
	row := make([]byte, size*b.Dx())
	for y := b.Dy() - 1; y >= 0; y-- {
		for x := range b.Dx() {
			p := src.Pix[4*(y*b.Dx()+x):][:4]
			copy(row[size*x:size*x+size], []byte{p[2], p[1], p[0], p[3]})
		}
		if f == RunLengths {
			data = appendRuns(data, row, size)
		} else {
			data = append(data, row...)
		}
	}
	return data, nil
}

// appendRuns appends a row of pixels as runs of equal pixels and runs of different ones.
func appendRuns(data, row []byte, size int) []byte {
	n := len(row) / size
	same := func(i, k int) bool { return string(row[i*size:][:size]) == string(row[k*size:][:size]) }
	for i := 0; i < n; {
		run := 1
		for i+run < n && run < 128 && same(i, i+run) {
			run++
		}
		if run > 1 {
			data = append(append(data, byte(run-1)|128), row[i*size:][:size]...)
			i += run
			continue
		}
		for i+run < n && run < 128 && (i+run+1 == n || !same(i+run, i+run+1)) {
			run++
		}
		data = append(append(data, byte(run-1)), row[i*size:][:run*size]...)
		i += run
	}
	return data
}

// Dump reports every field of a file to t, up to the first error.
func Dump(data []byte, t trace.Tracer) error {
	r := bin.NewReader(data, bin.LittleEndian)
	r.Trace(t)
	h, err := readHeader(r)
	if err == nil {
		r.Span("id", h.start-headerSize)
		r.Span("palette", h.colors*bytesOf(h.colorBits))
		r.Span("pixels", r.Len())
	}
	r.Flush()
	return r.Err()
}
