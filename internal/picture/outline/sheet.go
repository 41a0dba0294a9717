package outline

import (
	"fmt"
	"image"
	"math"
	"strings"

	"golang.org/x/image/vector"
)

// Sheet is a picture of 16 x 16 tiles with a letter in each; the first tile is empty. All pixels are white, more or less
// opaque.
type Sheet struct {
	Picture *image.NRGBA
	size    float64        // of the font, in pixels
	tiles   map[rune]uint8 // the number of the tile
	boxes   map[rune]box
}

// box is the part of the picture with a letter, and the origin of the letter.
type box struct {
	rect image.Rectangle
	x, y float64
}

const (
	sheetTile  = 64 // pixels
	sheetTiles = 16 // in a row
	margin     = 2  // pixels around a letter
)

// The tiles on which the text mode of DDNet's editor expects letters and digits.
const (
	letterTile = 1
	digitTile  = 54
	digits     = "1234567890"
)

// printable are the characters that all sheets have: those of ASCII.
const printable = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

// NewSheet draws a sheet with the printable characters of ASCII that the font has, and those of a text. A to Z and the
// digits are where DDNet's editor expects them.
func (f *Font) NewSheet(text string) (*Sheet, error) {
	s := &Sheet{Picture: image.NewNRGBA(image.Rect(0, 0, sheetTile*sheetTiles, sheetTile*sheetTiles)),
		tiles: make(map[rune]uint8), boxes: make(map[rune]box)}
	lacks := f.Lacks(printable)
	usual := strings.Map(func(c rune) rune {
		if strings.ContainsRune(lacks, c) {
			return -1
		}
		return c
	}, printable)
	used := [256]bool{0: true}
	put := func(c rune, tile int) {
		s.tiles[c], used[tile] = uint8(tile), true
	}
	letters := append(lettersIn(usual), lettersIn(text)...)
	for _, c := range letters {
		switch at := strings.IndexRune(digits, c); {
		case c >= 'A' && c <= 'Z':
			put(c, letterTile+int(c-'A'))
		case at >= 0:
			put(c, digitTile+at)
		}
	}
	next := 0
	for _, c := range letters {
		if _, has := s.tiles[c]; has {
			continue
		}
		for next < len(used) && used[next] {
			next++
		}
		if next == len(used) {
			return nil, fmt.Errorf("the text has more than %d different characters", len(used)-1-len(usual))
		}
		put(c, next)
	}
	for i := 3; i < len(s.Picture.Pix); i += 4 {
		copy(s.Picture.Pix[i-3:], []byte{255, 255, 255})
	}
	return s, s.draw(f)
}

// draw draws all letters in the size in which they fit into their tiles.
func (s *Sheet) draw(f *Font) error {
	const room = sheetTile - 2*margin
	s.size = room / f.Height()
	paths := make(map[rune]Path)
	widest := 0.
	for c := range s.tiles {
		p, err := f.Outline(c, 1, 0.1/sheetTile)
		if err != nil {
			return err
		}
		paths[c] = p
		least, most := bounds(p)
		widest = max(widest, most.X-least.X)
	}
	s.size = min(s.size, room/max(widest, 0.01))
	for c, tile := range s.tiles {
		p := paths[c].Mapped(Matrix{s.size, 0, 0, s.size, 0, 0})
		least, most := bounds(p)
		left, top := float64(int(tile)%sheetTiles*sheetTile), float64(int(tile)/sheetTiles*sheetTile)
		origin := Point{
			X: left + math.Round((sheetTile-(most.X-least.X))/2-least.X), // in the middle
			Y: top + margin + math.Round((room-s.size*f.Height())/2+s.size*f.ascent),
		}
		// Letters that are higher than their lines move into their tiles.
		origin.Y = max(min(origin.Y, math.Floor(top+sheetTile-margin-most.Y)), math.Ceil(top+margin-least.Y))
		p = p.Mapped(Matrix{1, 0, 0, 1, origin.X, origin.Y})
		least, most = bounds(p)
		rect := image.Rect(int(least.X)-1, int(least.Y)-1, int(math.Ceil(most.X))+1, int(math.Ceil(most.Y))+1)
		rect = rect.Intersect(image.Rect(int(left), int(top), int(left)+sheetTile, int(top)+sheetTile))
		s.boxes[c] = box{rect, origin.X, origin.Y}
		s.fill(p, rect)
	}
	return nil
}

// bounds returns the smallest and the largest coordinates of a path.
func bounds(p Path) (least, most Point) {
	first := true
	for _, c := range p {
		for _, q := range c.Points {
			if first {
				least, most, first = q, q, false
			}
			least, most = Point{X: min(least.X, q.X), Y: min(least.Y, q.Y)}, Point{X: max(most.X, q.X), Y: max(most.Y, q.Y)}
		}
	}
	return least, most
}

// fill makes the pixels in a path opaque.
func (s *Sheet) fill(p Path, rect image.Rectangle) {
	if rect.Empty() {
		return
	}
	r := vector.NewRasterizer(rect.Dx(), rect.Dy())
	for _, c := range p {
		for i, q := range c.Points {
			if x, y := float32(q.X-float64(rect.Min.X)), float32(q.Y-float64(rect.Min.Y)); i == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	}
	mask := image.NewAlpha(image.Rect(0, 0, rect.Dx(), rect.Dy()))
	r.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	for y := range rect.Dy() {
		for x := range rect.Dx() {
			s.Picture.Pix[s.Picture.PixOffset(rect.Min.X+x, rect.Min.Y+y)+3] = mask.AlphaAt(x, y).A
		}
	}
}

// Tile returns the number of the tile of a letter, or 0 if the sheet does not have it.
func (s *Sheet) Tile(c rune) uint8 { return s.tiles[c] }

// Box returns the part of the picture with a letter, and its place relative to the origin of the letter, in sizes of the
// font: left, top, right and bottom.
func (s *Sheet) Box(c rune) (rect image.Rectangle, at [4]float64) {
	b := s.boxes[c]
	return b.rect, [4]float64{
		(float64(b.rect.Min.X) - b.x) / s.size, (float64(b.rect.Min.Y) - b.y) / s.size,
		(float64(b.rect.Max.X) - b.x) / s.size, (float64(b.rect.Max.Y) - b.y) / s.size,
	}
}
