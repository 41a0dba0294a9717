package texture

import (
	"bytes"
	"image"
	"image/color"
	"path"
	"strings"
	"sync"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/pixel"
	"trowel.example/internal/picture/tga"
)

// decode returns the picture of a PNG, JPEG or Targa file. The name matters only for Targa, which has no signature.
func decode(name string, data []byte) (*image.NRGBA, error) {
	if !strings.EqualFold(path.Ext(name), ".tga") || bytes.HasPrefix(data, []byte("\x89PNG")) {
		return pixel.Decode(data, effort.TexturePixels)
	}
	h, err := tga.ReadHeader(data)
	if err != nil {
		return nil, err
	}
	if err := checkPixels("size", h.Width, h.Height); err != nil {
		return nil, err
	}
	return tga.Decode(data)
}

// own returns the images that the engine brings itself, drawn for Trowel, or nil.
func own(name string) *image.NRGBA { return ownImages()[name] }

var ownImages = sync.OnceValue(func() map[string]*image.NRGBA {
	draw := func(w, h int, pixel func(x, y int) color.NRGBA) *image.NRGBA {
		m := image.NewNRGBA(image.Rect(0, 0, w, h))
		for y := range h {
			for x := range w {
				m.SetNRGBA(x, y, pixel(x, y))
			}
		}
		return m
	}
	frame := func(x, y int) bool { return x == 0 || y == 0 || x == 15 || y == 15 }
	return map[string]*image.NRGBA{
		Blank: draw(1, 1, func(int, int) color.NRGBA { return color.NRGBA{} }),
		NoTexture: draw(16, 16, func(x, y int) color.NRGBA { // a checkerboard
			if (x/8+y/8)%2 == 0 {
				return color.NRGBA{214, 90, 178, 255}
			}
			return color.NRGBA{56, 40, 60, 255}
		}),
		"no_texture_airlike.png": draw(16, 16, func(x, y int) color.NRGBA { // a frame with a cross, transparent inside
			if frame(x, y) || x == y || x == 15-y {
				return color.NRGBA{214, 90, 178, 255}
			}
			return color.NRGBA{}
		}),
		UnknownNode: draw(16, 16, func(x, y int) color.NRGBA { // a gray plate with a question mark
			mark := [...]string{"  ####  ", " ##  ## ", "     ## ", "    ##  ", "   ##   ", "   ##   ", "        ", "   ##   "}
			switch {
			case frame(x, y):
				return color.NRGBA{60, 60, 64, 255}
			case x >= 4 && x < 12 && y >= 4 && y < 12 && mark[y-4][x-4] == '#':
				return color.NRGBA{250, 220, 90, 255}
			}
			return color.NRGBA{112, 112, 118, 255}
		}),
		Crack: draw(16, 80, func(x, y int) color.NRGBA { // five frames: lines that grow from the middle
			reach := 2 + 2*(y/16)
			dx, dy := x-8, y%16-8
			ray := dx == dy/2 || dy == -dx/3 || dy == 2*dx+1 && dx > 0 || dx == -dy && dx < 0
			if ray && max(dx, -dx, dy, -dy) <= reach {
				return color.NRGBA{A: 160}
			}
			return color.NRGBA{}
		}),
	}
})
