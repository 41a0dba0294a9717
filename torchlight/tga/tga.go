// Package tga reads and writes Targa pictures, which the games of Runic use besides DirectDraw surfaces: with and
// without run lengths, in color, in gray or with a palette.
//
// The package does not register with package image, as torchlight/dds does: a Targa file begins with no magic number,
// so [image.Decode] would try it for files of any other format.
package tga

import (
	"image"
	"io"

	"trowel.example/internal/picture/tga"
	"trowel.example/trace"
)

// Kind is the type of the pixels of a file.
type Kind uint8

// The kinds.
const (
	Palette = Kind(tga.Palette) // indexes into a palette
	Color   = Kind(tga.Color)
	Gray    = Kind(tga.Gray)
)

func (k Kind) String() string { return tga.Kind(k).String() }

// Format is how the pixels of a file are stored.
type Format uint8

// The formats.
const (
	Plain      = Format(tga.Plain)      // pixel after pixel
	RunLengths = Format(tga.RunLengths) // equal pixels are stored once, with their number
)

func (f Format) String() string { return tga.Format(f).String() }

// Header describes the picture of a file.
type Header struct {
	Width, Height int // in pixels, 1 to 65535
	Kind          Kind
	Format        Format // how the pixels are stored
	Bits          int    // per pixel in the file: 8, 15, 16, 24 or 32
	Alpha         int    // bits of alpha in a pixel according to the header: 0 to 15
	FromTop       bool   // the first row of the file is the top row
	FromRight     bool   // the first pixel of a row is the rightmost

	header *tga.Header
}

// ReadHeader reads the header of a file; data may be only the beginning of the file. There is no signature: ReadHeader
// rejects impossible values. Every error is a [*fault.Error].
func ReadHeader(data []byte) (*Header, error) {
	h, err := tga.ReadHeader(data)
	if err != nil {
		return nil, err
	}
	return &Header{h.Width, h.Height, Kind(h.Kind), Format(h.Format), h.Bits, h.Alpha, h.FromTop, h.FromRight, h}, nil
}

// PixelSpan returns the position of the bytes of a pixel in the file. The length is 0 if the pixels are run-length
// encoded.
func (h *Header) PixelSpan(x, y int) (offset, length int64) { return h.header.PixelSpan(x, y) }

// DecodeConfig returns the size and the color model of the picture of a file, from its header.
func DecodeConfig(r io.Reader) (image.Config, error) { return tga.DecodeConfig(r) }

// Decode returns the picture of a file. It does not allocate memory for more pixels than data can represent. Every
// error is a [*fault.Error].
func Decode(data []byte) (*image.NRGBA, error) { return tga.Decode(data) }

// Encode returns a file of a picture in a format, with 24 bits per pixel or, if a pixel is not opaque, with 32. It fails with a
// [*fault.Error] if a side is not 1 to 65535.
func Encode(m image.Image, f Format) ([]byte, error) { return tga.Encode(m, tga.Format(f)) }

// Dump reports every field of a file to t, up to the first error.
func Dump(data []byte, t trace.Tracer) error { return tga.Dump(data, t) }
