// Package picture decodes the pictures of a mod in any format, and converts between formats. A conversion from .DDS to
// PNG and back loses nothing of the .DDS format: a chunk of the PNG holds the header.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"path"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/pixel"
	"trowel.example/internal/picture/tga"
	"trowel.example/torchlight/dds"
)

// Kind is the format of a picture.
type Kind string

// The formats. None is the Kind of files that are not pictures.
const (
	None Kind = ""
	DDS  Kind = "dds"
	TGA  Kind = "tga"
	PNG  Kind = "png"
	JPEG Kind = "jpeg"
)

// KindOf returns the format of a file by its first bytes; 128 bytes are enough. For .TGA, which has no signature, it
// uses the name as well.
func KindOf(name string, head []byte) Kind {
	switch {
	case bytes.HasPrefix(head, []byte("DDS ")):
		return DDS
	case bytes.HasPrefix(head, []byte(signature)):
		return PNG
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG
	case strings.EqualFold(path.Ext(name), ".tga"):
		if _, err := tga.ReadHeader(head); err == nil {
			return TGA
		}
	}
	return None
}

// Decode returns the pixels of a picture, not premultiplied with alpha. It does not allocate memory for more pixels
// than data can represent. Every error is a [*fault.Error].
func Decode(name string, data []byte) (*image.NRGBA, error) {
	switch KindOf(name, data) {
	case DDS:
		return dds.Decode(data)
	case TGA:
		return tga.Decode(data)
	case PNG, JPEG:
		return pixel.Decode(data, effort.PicturePixels)
	}
	return nil, &fault.Error{Offset: 0, Want: "a picture: DDS, TGA, PNG or JPEG",
		Got: fmt.Sprintf("% x", data[:min(len(data), 4)]), Err: fault.ErrFormat}
}

// Pixels returns a function that returns the position of the bytes of a pixel in the file of a picture: of the pixel
// itself or of its block. Their length is 0 if compression mixes all pixels. The function does not retain data.
func Pixels(name string, data []byte) func(x, y int) (offset, length int64) {
	switch KindOf(name, data) {
	case DDS:
		if h, err := dds.ReadHeader(data); err == nil {
			return h.PixelSpan
		}
	case TGA:
		if h, err := tga.ReadHeader(data); err == nil {
			return h.PixelSpan
		}
	}
	return func(int, int) (int64, int64) { return 0, 0 }
}

// Options control a conversion.
type Options struct {
	Codec *dds.Format // format of a .DDS; nil for that of the header in a PNG, or else plain
	RLE   bool        // use run-length encoding in a .TGA
	Fresh bool        // ignore the header in a PNG
}

// Result is the result of Convert.
type Result struct {
	Data []byte
	Like *dds.Header // the header from the PNG, if it was used
	// Lossy reports that pixels have changed, because blocks of DXT cannot represent them exactly.
	Lossy bool
	Left  string // description of what the new file does not contain, or ""
}

// Convert converts a picture to another format. A PNG made from a .DDS with a single picture keeps its header, and a
// .DDS made from that PNG gets the header again if the picture still has the same size. Plain pixels with 8 bits per
// channel then round-trip byte for byte.
func Convert(name string, data []byte, to Kind, o Options) (r Result, err error) {
	m, err := Decode(name, data)
	if err != nil {
		return r, err
	}
	from := KindOf(name, data)
	switch to {
	case PNG:
		r.Data, err = encodePNG(m)
		if err == nil && from == DDS {
			kept, left := makeChunk(data)
			r.Left = left
			r.Data = withChunk(r.Data, kept)
		}
	case TGA:
		f := tga.Plain
		if o.RLE {
			f = tga.RunLengths
		}
		r.Data, err = tga.Encode(m, f)
	case DDS:
		err = r.encodeDDS(m, data, from, o)
	default:
		err = &fault.Error{Offset: -1, Want: "a picture format that can be written", Got: string(to), Err: fault.ErrVersion}
	}
	return r, err
}

func (r *Result) encodeDDS(m *image.NRGBA, data []byte, from Kind, o Options) (err error) {
	codec := dds.Plain
	if o.Codec != nil {
		codec = *o.Codec
	}
	header, tail := []byte(nil), []byte(nil)
	if from == PNG && !o.Fresh {
		header, tail = readChunk(data)
	}
	if header != nil {
		h, err := dds.ReadHeader(header)
		if err == nil && image.Pt(h.Width, h.Height) == m.Rect.Size() && (o.Codec == nil || *o.Codec == h.Format) {
			if r.Data, err = dds.EncodeLike(m, header); err == nil {
				r.Like, codec = h, h.Format
				r.Data = append(r.Data, tail...)
			}
		}
	}
	if r.Data == nil {
		r.Data, err = dds.Encode(m, codec)
	}
	if err == nil {
		again, err := dds.Decode(r.Data)
		r.Lossy = err != nil || !bytes.Equal(again.Pix, m.Pix)
	}
	return err
}

func encodePNG(m *image.NRGBA) ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return nil, &fault.Error{Offset: -1, Want: "a picture that can be converted to PNG", Got: err.Error(), Err: fault.ErrFormat}
	}
	return b.Bytes(), nil
}

// Replace returns the file of a picture with other pixels, in the same format. Equal parts are preserved: in a .DDS
// with blocks, the bytes of all blocks with equal pixels. The new picture must have the size of the old one.
func Replace(name string, data []byte, m *image.NRGBA) ([]byte, error) {
	old, err := Decode(name, data)
	if err != nil || bytes.Equal(old.Pix, m.Pix) && old.Rect == m.Rect {
		return data, err
	}
	switch KindOf(name, data) {
	case DDS:
		return replaceDDS(data, old, m)
	case TGA:
		h, err := tga.ReadHeader(data)
		if err != nil {
			return nil, err
		}
		return tga.Encode(m, h.Format)
	case PNG:
		made, err := encodePNG(m)
		if header, tail := readChunk(data); err == nil && header != nil {
			made = withChunk(made, append(header, tail...))
		}
		return made, err
	}
	return nil, &fault.Error{Offset: -1, Want: "a picture in a lossless format, to change it",
		Got: string(KindOf(name, data)), Err: fault.ErrVersion}
}

func replaceDDS(data []byte, old, m *image.NRGBA) ([]byte, error) {
	h, err := dds.ReadHeader(data)
	if err != nil {
		return nil, err
	}
	header, tail := split(data)
	if header == nil {
		return dds.Encode(m, h.Format) // mipmaps would show the old picture
	}
	made, err := dds.EncodeLike(m, header)
	if err != nil || h.Format == dds.Plain {
		return append(made, tail...), err
	}
	columns := (h.Width + 3) / 4
	block := h.Size() / (columns * ((h.Height + 3) / 4))
	for i := dds.HeaderSize; i < len(made); i += block {
		n := (i - dds.HeaderSize) / block
		if same(old, m, image.Rect(0, 0, 4, 4).Add(image.Pt(n%columns*4, n/columns*4))) {
			copy(made[i:i+block], data[i:])
		}
	}
	return append(made, tail...), nil
}

// same reports whether two pictures of the same size are equal within a rectangle.
func same(a, b *image.NRGBA, r image.Rectangle) bool {
	r = r.Intersect(a.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		i := a.PixOffset(r.Min.X, y)
		if !bytes.Equal(a.Pix[i:i+4*r.Dx()], b.Pix[i:i+4*r.Dx()]) {
			return false
		}
	}
	return true
}
