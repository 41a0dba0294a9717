// Package picture opens the pictures of a mod, whatever their format is, and makes one
// format of another. Of the format of a .DDS nothing is lost on the way to a PNG and back:
// its header is in a chunk of the PNG.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"path"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/pixel"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/tga"
)

// Kind is the format of a picture.
type Kind string

// The formats. None is what is no picture.
const (
	None Kind = ""
	DDS  Kind = "dds"
	TGA  Kind = "tga"
	PNG  Kind = "png"
	JPEG Kind = "jpeg"
)

// KindOf returns the format of a file by its first bytes, of which 128 do, or for .TGA,
// which has no signature, by its name and these.
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

// maxPixels is how many pixels a PNG or JPEG has at most.
const maxPixels = 1 << 28

// Decode returns the pixels of a picture, alpha not multiplied in. No memory is taken for
// pixels that data cannot stand for. Every error is a [*fault.Error].
func Decode(name string, data []byte) (*image.NRGBA, error) {
	switch KindOf(name, data) {
	case DDS:
		return dds.Decode(data)
	case TGA:
		return tga.Decode(data)
	case PNG:
		c, err := png.DecodeConfig(bytes.NewReader(data))
		return decode(data, c, err, 1032*8/bitsOf(c.ColorModel), png.Decode)
	case JPEG:
		c, err := jpeg.DecodeConfig(bytes.NewReader(data))
		return decode(data, c, err, 512, jpeg.Decode) // a block of 64 pixels takes a bit at least
	}
	return nil, &fault.Error{Offset: 0, Want: "a picture: DDS, TGA, PNG or JPEG", Got: fmt.Sprintf("% x", data[:min(len(data), 4)]), Err: fault.ErrFormat}
}

// Pixels returns a function that says where the bytes of a pixel stand in the file of a picture:
// its own, or those of its block. Their length is 0 where compression mixes all of them. The
// function keeps nothing of data.
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

// bitsOf returns how many bits a pixel of a PNG takes at least before it is compressed.
func bitsOf(m color.Model) int {
	switch m {
	case color.RGBAModel:
		return 24
	case color.NRGBAModel:
		return 16 // gray with alpha is this, too
	case color.NRGBA64Model:
		return 32
	case color.RGBA64Model:
		return 48
	}
	return 1
}

// decode decodes a picture of which a byte can stand for so many pixels at most.
func decode(data []byte, c image.Config, err error, most int, read func(io.Reader) (image.Image, error)) (*image.NRGBA, error) {
	size := fmt.Sprintf("%d × %d", c.Width, c.Height)
	switch pixels := int64(c.Width) * int64(c.Height); {
	case err != nil:
	case pixels > maxPixels:
		return nil, &fault.Error{Path: "size", Offset: -1, Want: fmt.Sprintf("at most %d pixels", maxPixels), Got: size, Err: fault.ErrLimit}
	case pixels > int64(most)*int64(len(data)):
		return nil, &fault.Error{Path: "size", Offset: -1, Want: fmt.Sprintf("more than %d bytes for %s pixels", len(data), size), Err: fault.ErrShort}
	default:
		var m image.Image
		if m, err = read(bytes.NewReader(data)); err == nil {
			return pixel.NRGBA(m), nil
		}
	}
	return nil, &fault.Error{Offset: -1, Want: "a picture without a fault", Got: err.Error(), Err: fault.ErrFormat}
}

// Options are how a picture is made.
type Options struct {
	Codec *dds.Format // of a .DDS; nil: that of the header that a PNG has, or else plain
	RLE   bool        // a .TGA has run lengths
	Fresh bool        // the header that a PNG has is not used
}

// Result is what Convert did.
type Result struct {
	Data []byte
	Like *dds.Header // the header that the PNG had, if it was used
	// Lossy says that the pixels are not all the same, because blocks of DXT cannot say more.
	Lossy bool
	Left  string // what of the file is not in the new one; ""
}

// Convert makes a picture of another format. A PNG that is made of a .DDS of one picture
// keeps its header, and a .DDS that is made of that again has it, if the picture still has
// its size: then plain pixels of 8 bits a channel come back to the same bytes.
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
			kept, left := keep(data)
			r.Left = left
			r.Data = withChunk(r.Data, kept)
		}
	case TGA:
		r.Data, err = tga.Encode(m, o.RLE)
	case DDS:
		err = r.encodeDDS(m, data, from, o)
	default:
		err = &fault.Error{Offset: -1, Want: "a format that pictures can be made in", Got: string(to), Err: fault.ErrVersion}
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
		header, tail = kept(data)
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
		return nil, &fault.Error{Offset: -1, Want: "a picture that can be a PNG", Got: err.Error(), Err: fault.ErrLimit}
	}
	return b.Bytes(), nil
}

// Replace returns the file of a picture with other pixels, in the format that it has. What
// is the same stays: of a .DDS in blocks the bytes of all blocks that show the same. The
// picture has to have the size of the old one.
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
		return tga.Encode(m, h.RLE)
	case PNG:
		made, err := encodePNG(m)
		if header, tail := kept(data); err == nil && header != nil {
			made = withChunk(made, append(header, tail...))
		}
		return made, err
	}
	return nil, &fault.Error{Offset: -1, Want: "a picture in a format that loses nothing, to change it", Got: string(KindOf(name, data)), Err: fault.ErrVersion}
}

func replaceDDS(data []byte, old, m *image.NRGBA) ([]byte, error) {
	h, err := dds.ReadHeader(data)
	if err != nil {
		return nil, err
	}
	header, tail := split(data)
	if header == nil {
		return dds.Encode(m, h.Format) // smaller copies of the picture would show the old one
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

// same reports whether two pictures of one size show the same in a rectangle.
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
