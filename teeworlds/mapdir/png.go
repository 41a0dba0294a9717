package mapdir

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"sync"

	"trowel.example/fault"
	"trowel.example/teeworlds/twmap"
)

// encoders keep the memory of pictures for the next one.
type encoders struct{ sync.Pool }

func (e *encoders) Get() *png.EncoderBuffer {
	b, _ := e.Pool.Get().(*png.EncoderBuffer)
	return b
}

func (e *encoders) Put(b *png.EncoderBuffer) { e.Pool.Put(b) }

var (
	small = png.Encoder{BufferPool: new(encoders)}
	fast  = png.Encoder{BufferPool: new(encoders), CompressionLevel: png.BestSpeed}
)

// writePNG writes a picture losslessly: with a palette if 256 colours are enough, as in most tilesets, and with fast
// compression otherwise.
func writePNG(p *image.NRGBA) ([]byte, error) {
	var b bytes.Buffer
	if paletted := palettize(p); paletted != nil {
		err := small.Encode(&b, paletted)
		return b.Bytes(), err
	}
	err := fast.Encode(&b, p)
	return b.Bytes(), err
}

// palettize returns the picture with a palette, in the order of the first use of each colour, or nil if it has more
// than 256 colours.
func palettize(p *image.NRGBA) *image.Paletted {
	out := image.NewPaletted(p.Rect, nil)
	places := make(map[[4]byte]uint8)
	var last [4]byte
	place := uint8(0)
	for i := range out.Pix {
		c := [4]byte(p.Pix[4*i : 4*i+4])
		if c != last || i == 0 {
			var known bool
			if place, known = places[c]; !known {
				if len(places) == 256 {
					return nil
				}
				place = uint8(len(places))
				places[c] = place
				out.Palette = append(out.Palette, color.NRGBA{c[0], c[1], c[2], c[3]})
			}
			last = c
		}
		out.Pix[i] = place
	}
	return out
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
	if config.Width > twmap.MaxPixels/config.Height {
		return nil, &fault.TextError{File: name, Msg: fmt.Sprintf("%d x %d pixels: expected at most %d in all", config.Width,
			config.Height, twmap.MaxPixels)}
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
