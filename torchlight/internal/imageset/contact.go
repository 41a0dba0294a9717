package imageset

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"trowel.example/torchlight/internal/sheet"
)

// contactWidth is the width of a contact sheet in pixels, unless a sprite is wider.
const contactWidth = 1024

// Contact is a contact sheet: all sprites of a set on a grid, each above its name. It can be drawn in parts.
type Contact struct {
	*sheet.Sheet
	sheet   *image.NRGBA
	sprites []*image.NRGBA
}

// maxAbsent is the largest side in pixels of the frame of a sprite that its picture does not contain.
const maxAbsent = 256

// NewContact lays out the sprites of a set in their order. Their pixels are taken from the picture m. Sprites outside of it are
// crossed frames of their size, at most 256 pixels wide and high; the picture may be empty.
func NewContact(s *Set, m *image.NRGBA) *Contact {
	c := &Contact{sheet: m}
	var cells []sheet.Cell
	for _, sprite := range s.Sprites {
		cut := sprite.Cut(m)
		shown := sheet.Picture(cut, image.Point{})
		if cut.Rect.Empty() {
			shown = sheet.Absent(image.Point{}, image.Pt(min(sprite.Rect.Dx(), maxAbsent), min(sprite.Rect.Dy(), maxAbsent)))
		}
		c.sprites = append(c.sprites, cut)
		cells = append(cells, sheet.Icon(shown, sheet.Text{Text: sprite.Name, Size: 12, Color: sheet.Plain, Most: 4}))
	}
	c.Sheet = sheet.New(cells, sheet.Unit, contactWidth)
	return c
}

// At returns the sprite at a point of the sheet, and the pixel of its picture. The pixel is outside of the sprite if
// the point is on its name. At returns -1 if there is no sprite.
func (c *Contact) At(x, y float64) (sprite int, pixel image.Point) {
	i, inside := c.Sheet.At(x, y)
	if i < 0 {
		return -1, image.Point{}
	}
	return i, inside.Add(c.sprites[i].Rect.Min).Sub(c.sheet.Rect.Min)
}

// outline are the colors of the two lines around sprites. One of them is visible on any picture.
var outline = [2]color.RGBA{{0xff, 0x30, 0xc0, 0xff}, {0, 0, 0, 0xff}}

// Outlines draws the borders of the sprites of a set over a picture that is drawn with [picture.Draw], with its top
// left corner at 0,0.
func (s *Set) Outlines(dst *image.RGBA, origin [2]float64, scale float64) {
	for _, sprite := range s.Sprites {
		at := func(v, axis int) int { return int(math.Floor((float64(v) - origin[axis]) * scale)) }
		r := image.Rect(at(sprite.Rect.Min.X, 0), at(sprite.Rect.Min.Y, 1), at(sprite.Rect.Max.X, 0)+1, at(sprite.Rect.Max.Y, 1)+1)
		for i, c := range outline {
			border(dst, r.Inset(i), c)
		}
	}
}

func border(dst *image.RGBA, r image.Rectangle, c color.RGBA) {
	for _, side := range [4]image.Rectangle{
		{r.Min, image.Pt(r.Max.X, r.Min.Y+1)}, {image.Pt(r.Min.X, r.Max.Y-1), r.Max},
		{r.Min, image.Pt(r.Min.X+1, r.Max.Y)}, {image.Pt(r.Max.X-1, r.Min.Y), r.Max},
	} {
		draw.Draw(dst, side, image.NewUniform(c), image.Point{}, draw.Src)
	}
}
