package mpp

import (
	"image"
	"image/color"
)

// Image returns the grid as a picture with a pixel for each cell: x grows to the right and z grows upwards, as in plans
// of levels. Ground is green, walls are brown, cells without ground are transparent, and cells of other values are
// magenta.
func (f *File) Image() *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, f.Width, f.Height))
	for i, cell := range f.Cells {
		c := color.NRGBA{0xff, 0x00, 0xff, 0xff}
		switch cell {
		case Walkable:
			c = color.NRGBA{0x7f, 0xa8, 0x6a, 0xff}
		case Wall:
			c = color.NRGBA{0x6e, 0x4f, 0x3a, 0xff}
		case Outside:
			c = color.NRGBA{}
		}
		m.SetNRGBA(i%f.Width, f.Height-1-i/f.Width, c)
	}
	return m
}

// Meaning describes a value of a cell in words.
func Meaning(cell byte) string {
	switch cell {
	case Walkable:
		return "ground"
	case Wall:
		return "wall"
	case Outside:
		return "no ground"
	}
	return "a value that the editor does not write"
}
