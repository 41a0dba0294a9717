package pixel

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
)

// Decode returns the pixels of a PNG or JPEG of no more pixels than limit allows, not premultiplied with alpha. It does not
// allocate memory for more pixels than data can represent. Every error is a [*fault.Error].
func Decode(data []byte, limit *effort.Kind) (*image.NRGBA, error) {
	if bytes.HasPrefix(data, []byte("\xff\xd8\xff")) {
		c, err := jpeg.DecodeConfig(bytes.NewReader(data))
		return decode(data, limit, c, err, 512, jpeg.Decode) // a block of 64 pixels takes at least one bit
	}
	c, err := png.DecodeConfig(bytes.NewReader(data))
	return decode(data, limit, c, err, 1032*8/bitsOf(c.ColorModel), png.Decode)
}

// bitsOf returns the least number of bits of a pixel of a PNG before compression.
func bitsOf(m color.Model) int {
	switch m {
	case color.RGBAModel:
		return 24
	case color.NRGBAModel:
		return 16 // also used for gray with alpha
	case color.NRGBA64Model:
		return 32
	case color.RGBA64Model:
		return 48
	}
	return 1
}

// decode decodes a picture. The limit most is the greatest number of pixels that one byte can represent.
func decode(data []byte, limit *effort.Kind, c image.Config, err error, most int,
	read func(io.Reader) (image.Image, error)) (*image.NRGBA, error) {
	size := fmt.Sprintf("%d × %d", c.Width, c.Height)
	switch pixels := int64(c.Width) * int64(c.Height); {
	case err != nil:
	case pixels > limit.Limit(0):
		return nil, limit.Check("size", pixels)
	case pixels > int64(most)*int64(len(data)):
		return nil, &fault.Error{Path: "size", Offset: -1, Want: fmt.Sprintf("more than %d bytes for %s pixels",
			len(data), size), Err: fault.ErrShort}
	default:
		var m image.Image
		if m, err = read(bytes.NewReader(data)); err == nil {
			return NRGBA(m), nil
		}
	}
	return nil, &fault.Error{Offset: -1, Want: "an intact picture", Got: err.Error(), Err: fault.ErrFormat}
}
