package twmap

import (
	"image/color"
	"testing"

	"trowel.example/teeworlds/datafile"
)

// TestRGB tests that an old image with three bytes per pixel is read.
func TestRGB(t *testing.T) {
	data := []byte{1, 2, 3, 4, 5, 6}
	im := &Image{width: 2, height: 1}
	im.data.block = datafile.NewBlock(data)
	p, err := im.pictureOf(data, nil)
	if err != nil || p.NRGBAAt(0, 0) != (color.NRGBA{1, 2, 3, 255}) || p.NRGBAAt(1, 0) != (color.NRGBA{4, 5, 6, 255}) {
		t.Errorf("%v, %v", p, err)
	}
}
