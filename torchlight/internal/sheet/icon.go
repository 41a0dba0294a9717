package sheet

import (
	"image"
	"image/color"

	"trowel.example/torchlight/internal/picture"
)

// Unit is the width of a column of icons.
const Unit = 112

// Colors of sheets, dark like the game's windows.
var (
	Background = color.NRGBA{0x28, 0x28, 0x2c, 0xff}
	Panel      = color.NRGBA{0x38, 0x38, 0x3e, 0xff}
	Bright     = color.NRGBA{0xf0, 0xf0, 0xf0, 0xff}
	Plain      = color.NRGBA{0xc8, 0xc8, 0xc8, 0xff}
	Dim        = color.NRGBA{0x90, 0x90, 0x98, 0xff}
	absent     = color.NRGBA{0x50, 0x50, 0x58, 0xff}
)

// Text is a text that is wrapped to the width of its place.
type Text struct {
	Text  string
	Size  float64 // of the font
	Color color.NRGBA
	Most  int // greatest number of lines
}

// Write appends the lines of texts to a cell, from a point downwards. It returns the bottom of the last line.
func (c *Cell) Write(at image.Point, width int, texts ...Text) (bottom int) {
	y := float64(at.Y)
	for _, t := range texts {
		for _, line := range Wrap(t.Text, float64(width)/t.Size, t.Most) {
			c.Lines = append(c.Lines, Line{
				Text: line, At: [2]float64{float64(at.X), y + t.Size}, Size: t.Size, Color: t.Color})
			y += t.Size * 1.25
		}
	}
	return int(y + 0.999)
}

// Icon returns the cell of a part with texts below it.
func Icon(p Part, texts ...Text) Cell {
	size := p.Size
	width := max(1, (size.X+Gap+Unit+Gap-1)/(Unit+Gap))*(Unit+Gap) - Gap
	c := Cell{Parts: []Part{p}}
	c.Size = image.Pt(width, max(size.Y, c.Write(image.Pt(0, size.Y+2), width, texts...)))
	return c
}

// Picture returns the part that shows a picture.
func Picture(m *image.NRGBA, at image.Point) Part {
	return Part{At: at, Size: m.Rect.Size(), Draw: func(dst *image.RGBA, origin [2]float64, scale float64) {
		picture.Draw(dst, m, 0, 0, origin, scale)
	}}
}

// Absent returns a part to draw instead of a missing picture: a crossed frame.
func Absent(at, size image.Point) Part {
	return Part{At: at, Size: size, Draw: func(dst *image.RGBA, origin [2]float64, scale float64) {
		Frame(dst, [4]float64{0, 0, float64(size.X), float64(size.Y)}, absent, origin, scale)
		for i := range min(size.X, size.Y) {
			x, y := float64(i*size.X/min(size.X, size.Y)), float64(i*size.Y/min(size.X, size.Y))
			rectangle(dst, [4]float64{x, y, 1, 1}, absent, origin, scale)
		}
	}}
}

// Frame draws the border of a rectangle, one unit wide, inside of it.
func Frame(dst *image.RGBA, r [4]float64, c color.NRGBA, origin [2]float64, scale float64) {
	x, y, w, h := r[0], r[1], r[2], r[3]
	line := min(1, w, h)
	for _, side := range [4][4]float64{{x, y, w, line}, {x, y + h - line, w, line}, {x, y, line, h}, {x + w - line, y, line, h}} {
		rectangle(dst, side, c, origin, scale)
	}
}
