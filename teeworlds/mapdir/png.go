package mapdir

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"

	"trowel.example/fault"
	"trowel.example/internal/picture/pixel"
	"trowel.example/teeworlds/twmap"
)

// writePNG writes a picture losslessly.
func writePNG(p *image.NRGBA) ([]byte, error) {
	kind := pixel.StraightRGBA
	if p.Opaque() {
		kind = pixel.RGB
	}
	var b bytes.Buffer
	w, err := pixel.NewFastPNG(&b, p.Rect.Size(), kind)
	if err == nil {
		err = w.Add((*image.RGBA)(p))
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// readPNG reads a PNG of any kind as colours with 8 bits and alpha. It keeps the colours of transparent pixels.
func readPNG(fsys fs.FS, name string) (*image.NRGBA, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, &fault.TextError{File: name, Msg: "not a PNG picture: " + err.Error()}
	}
	if err := twmap.CheckSize(config.Width, config.Height); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, &fault.TextError{File: name, Msg: "damaged PNG picture: " + err.Error()}
	}
	return toNRGBA(picture), nil
}

func toNRGBA(picture image.Image) *image.NRGBA {
	bounds := picture.Bounds()
	if p, ok := picture.(*image.NRGBA); ok {
		return p
	}
	out := image.NewNRGBA(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	if p, ok := picture.(*image.RGBA); ok { // from an opaque PNG
		copy(out.Pix, p.Pix)
		return out
	}
	i := 0
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := toColor(picture.At(x, y))
			copy(out.Pix[i:], []byte{c.R, c.G, c.B, c.A})
			i += 4
		}
	}
	return out
}

// toColor is color.NRGBAModel, but keeps the colour of transparent pixels.
func toColor(c color.Color) color.NRGBA {
	if c, ok := c.(color.NRGBA64); ok {
		return color.NRGBA{uint8(c.R >> 8), uint8(c.G >> 8), uint8(c.B >> 8), uint8(c.A >> 8)}
	}
	return color.NRGBAModel.Convert(c).(color.NRGBA)
}
