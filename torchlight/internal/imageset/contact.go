package imageset

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"sort"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"trowel.example/torchlight/internal/picture"
)

const (
	contactWidth = 1024 // width of a contact sheet in pixels, unless a sprite is wider
	gap          = 8    // around sprites
	labelHeight  = 13
	maxLabel     = 40 // greatest number of letters of a name that are drawn
)

// Contact is a contact sheet: all sprites of a set next to each other, each above its name. It can be drawn in parts.
type Contact struct {
	sheet *image.NRGBA
	cells []cell
	size  image.Point
}

// cell is the position of a sprite on the sheet.
type cell struct {
	image.Rectangle
	sprite *image.NRGBA
	label  string
	bottom int // bottom of the cell's row
}

// NewContact lays out the sprites of a set in their order. Their pixels are taken from the picture sheet.
func NewContact(s *Set, sheet *image.NRGBA) *Contact {
	c := &Contact{sheet: sheet, cells: make([]cell, len(s.Sprites))}
	at, height, row := image.Pt(gap, gap), 0, 0
	for i, sprite := range s.Sprites {
		cut := sprite.Cut(sheet)
		label := sprite.Name
		if r := []rune(label); len(r) > maxLabel {
			label = string(r[:maxLabel-1]) + "…"
		}
		size := image.Pt(max(cut.Rect.Dx(), basicfont.Face7x13.Advance*len([]rune(label))), cut.Rect.Dy()+labelHeight+2)
		if at.X > gap && at.X+size.X+gap > contactWidth {
			c.endRow(row, i, at.Y+height)
			at, height, row = image.Pt(gap, at.Y+height+gap), 0, i
		}
		c.cells[i] = cell{Rectangle: image.Rectangle{at, at.Add(size)}, sprite: cut, label: label}
		c.size.X = max(c.size.X, at.X+size.X+gap)
		at.X += size.X + gap
		height = max(height, size.Y)
	}
	c.endRow(row, len(c.cells), at.Y+height)
	c.size.Y = at.Y + height + gap
	return c
}

func (c *Contact) endRow(from, to, bottom int) {
	for i := from; i < to; i++ {
		c.cells[i].bottom = bottom
	}
}

// Size returns the size of the sheet, in pixels.
func (c *Contact) Size() image.Point { return c.size }

// Draw draws the pixels of dst.Rect, a part of a picture whose top left corner is at origin on the sheet and whose
// pixels are 1/scale pixels of the sheet wide. Many goroutines may call it at once.
func (c *Contact) Draw(dst *image.RGBA, origin [2]float64, scale float64) {
	top := origin[1] + float64(dst.Rect.Min.Y)/scale
	bottom := origin[1] + float64(dst.Rect.Max.Y)/scale
	first := sort.Search(len(c.cells), func(i int) bool { return float64(c.cells[i].bottom) >= top })
	for _, cell := range c.cells[first:] {
		if float64(cell.Min.Y) > bottom {
			break
		}
		part := dst.SubImage(pixelsOf(cell.Rectangle, origin, scale)).(*image.RGBA)
		if part.Rect.Empty() {
			continue
		}
		height := cell.sprite.Rect.Dy()
		picture.Draw(part, cell.sprite, float64(cell.Min.X), float64(cell.Min.Y), origin, scale)
		picture.Draw(part, labelOf(cell.label), float64(cell.Min.X), float64(cell.Min.Y+height+2), origin, scale)
	}
}

// At returns the sprite at a point of the sheet, and the pixel of its picture. The pixel is outside of the sprite if
// the point is on its name. At returns -1 if there is no sprite.
func (c *Contact) At(x, y float64) (sprite int, pixel image.Point) {
	first := sort.Search(len(c.cells), func(i int) bool { return float64(c.cells[i].bottom) >= y })
	at := image.Pt(int(math.Floor(x)), int(math.Floor(y)))
	for i := first; i < len(c.cells) && float64(c.cells[i].Min.Y) <= y; i++ {
		if cell := c.cells[i]; at.In(cell.Rectangle) {
			return i, at.Sub(cell.Min).Add(cell.sprite.Rect.Min).Sub(c.sheet.Rect.Min)
		}
	}
	return -1, image.Point{}
}

// Where returns the rectangle of a sprite on the sheet, with its name.
func (c *Contact) Where(sprite int) image.Rectangle { return c.cells[sprite].Rectangle }

// pixelsOf returns the pixels of the drawn picture that a rectangle touches.
func pixelsOf(r image.Rectangle, origin [2]float64, scale float64) image.Rectangle {
	at := func(v int, i int) int { return int((float64(v) - origin[i]) * scale) }
	return image.Rect(at(r.Min.X, 0)-1, at(r.Min.Y, 1)-1, at(r.Max.X, 0)+2, at(r.Max.Y, 1)+2)
}

func labelOf(text string) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, basicfont.Face7x13.Advance*len([]rune(text)), labelHeight))
	d := font.Drawer{Dst: m, Src: image.NewUniform(color.NRGBA{0xd8, 0xd8, 0xd8, 0xff}), Face: basicfont.Face7x13,
		Dot: fixed.P(0, basicfont.Face7x13.Ascent)}
	d.DrawString(text)
	return m
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
