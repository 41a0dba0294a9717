package mapedit

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"slices"
	"unicode/utf8"

	"trowel.example/teeworlds/twmap"
)

// Pictures can be drawn with tiles, one for each pixel, or with quads.

const (
	sheetSide  = 1024 // side of a sheet of tiles, in pixels
	sheetTile  = sheetSide / 16
	sheetTiles = 255 // tiles of a sheet, without the empty one
)

// AddTileArt adds a group that shows a picture in tiles, one for each pixel, like tile art of DDNet's editor: its
// colours become images of 1024 x 1024 pixels, sheets of up to 255 tiles, ordered by red, green, blue and alpha, and
// there is a layer for each sheet. Images get the name, a space and a number; group and layers get as much of this as
// fits. AddTileArt fails if the map would have more than [MaxImages] images, or more tiles than the largest layer.
func (e *Editor) AddTileArt(name string, picture *image.NRGBA) error {
	if err := cmp.Or(checkPicture(picture), checkName(twmap.PartImage, name)); err != nil {
		return err
	}
	w, h := picture.Rect.Dx(), picture.Rect.Dy()
	colors := colorsOf(picture)
	sheets := (len(colors) + sheetTiles - 1) / sheetTiles
	switch {
	case sheets == 0:
		return errors.New("the picture shows nothing")
	case len(e.m.Images)+sheets > MaxImages:
		return fmt.Errorf("the %d colours of the picture take %d images: the map has %d already, and the game uses no more "+
			"than %d", len(colors), sheets, len(e.m.Images), MaxImages)
	case w > MaxSide || h > MaxSide:
		return fmt.Errorf("%d x %d tiles: expected at most %d of each", w, h, MaxSide)
	}
	if err := twmap.CheckSize(w, h*sheets); err != nil {
		return fmt.Errorf("%d layers: %w", sheets, err)
	}
	if err := e.settle(twmap.PartImage); err != nil {
		return err
	}
	g := twmap.NewGroup(ShortName(name))
	number := make(map[uint32]int, len(colors))
	cells := make([][]twmap.Tile, sheets)
	for i, c := range colors {
		number[c] = i
	}
	for i := range cells {
		cells[i] = make([]twmap.Tile, w*h)
	}
	for y := range h {
		for x, pix := 0, row(picture, y); x < w; x++ {
			if i, shown := number[colorOf(pix[4*x:])]; shown {
				cells[i/sheetTiles][y*w+x].ID = uint8(1 + i%sheetTiles)
			}
		}
	}
	for i := range cells {
		im := twmap.NewImage(fmt.Sprintf("%s %d", name, i+1), sheetOf(colors[i*sheetTiles:min((i+1)*sheetTiles, len(colors))]))
		im.Version = e.imageVersion()
		l := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(w, h, cells[i]))
		l.Name, l.Image, l.Version = ShortName(im.Name), len(e.m.Images), e.tileVersion()
		e.m.Images = append(e.m.Images, im)
		g.Layers = append(g.Layers, l)
	}
	e.m.Groups = append(e.m.Groups, g)
	e.reportChange(g, sheets, "layers", "a picture of %d x %d tiles in %d colours added", w, h, len(colors))
	return nil
}

// tileVersion returns the version of tile layers in the map, for a new layer.
func (e *Editor) tileVersion() int32 {
	if game := e.m.Physics(twmap.KindGame); game != nil {
		return max(game.Version, 3)
	}
	return 3
}

// ShortName returns as much of a name as groups and layers have room for.
func ShortName(name string) string {
	if len(name) > maxPartName {
		name = name[:maxPartName]
		for !utf8.ValidString(name) {
			name = name[:len(name)-1]
		}
	}
	return name
}

// colorOf returns the colour of a pixel as a number.
func colorOf(pix []byte) uint32 {
	return uint32(pix[0])<<24 | uint32(pix[1])<<16 | uint32(pix[2])<<8 | uint32(pix[3])
}

// colorsOf returns the colours of the visible pixels in ascending order.
func colorsOf(p *image.NRGBA) []uint32 {
	all := make(map[uint32]bool)
	for y := range p.Rect.Dy() {
		for pix := row(p, y); len(pix) > 0; pix = pix[4:] {
			if pix[3] > 0 {
				all[colorOf(pix)] = true
			}
		}
	}
	colors := make([]uint32, 0, len(all))
	for c := range all {
		colors = append(colors, c)
	}
	slices.Sort(colors)
	return colors
}

// sheetOf returns a sheet with tiles of one colour each, from tile 1 on.
func sheetOf(colors []uint32) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, sheetSide, sheetSide))
	for i, c := range colors {
		left, top := (i+1)%16*sheetTile, (i+1)/16*sheetTile
		for y := top; y < top+sheetTile; y++ {
			for x := left; x < left+sheetTile; x++ {
				copy(p.Pix[p.PixOffset(x, y):], []byte{byte(c >> 24), byte(c >> 16), byte(c >> 8), byte(c)})
			}
		}
	}
	return p
}

// QuadArt specifies how a picture is drawn with quads.
type QuadArt struct {
	// ImagePixel is the side of a square of pixels of the picture that becomes one pixel; the first pixel of the
	// square is used. 0 means the largest lossless value.
	ImagePixel int
	QuadPixel  int  // the size of this pixel in the map, where a tile has 32 pixels; 0: ImagePixel
	Optimize   bool // a quad covers as many pixels of the same colour as a search to the right finds, column by column
	OnePivot   bool // all pivots are at the same point
}

// MaxQuadArt limits the number of quads for a picture.
const MaxQuadArt = 1 << 20

// AddQuadArt adds a group that shows a picture in quads, like quad art of DDNet's editor: clipped to the picture, in
// a layer for high details. Its top left is at x and y, in tiles. With OnePivot the pivots are a pixel left of and above it. It
// fails for more than [MaxQuadArt] quads.
func (e *Editor) AddQuadArt(name string, x, y int, picture *image.NRGBA, o QuadArt) error {
	origin, err := artOrigin(x, y)
	if err != nil {
		return err
	}
	pivot := twmap.Point{X: origin.X*tileUnits*unit - unit, Y: origin.Y*tileUnits*unit - unit}
	quads, o, err := quadArt(picture, o, origin, &pivot)
	if err != nil {
		return err
	}
	l := twmap.NewQuadLayer(quads...)
	l.Flags |= twmap.Detail
	l.Name = ShortName(name)
	g := twmap.NewGroup(ShortName(name), l)
	side := func(pixels int) int32 {
		return int32((pixels*o.QuadPixel+o.ImagePixel-1)/o.ImagePixel) + 2
	}
	g.Clip = &twmap.Clip{X: origin.X*tileUnits - 1, Y: origin.Y*tileUnits - 1, Width: side(picture.Rect.Dx()), Height: side(picture.Rect.Dy())}
	e.m.Groups = append(e.m.Groups, g)
	e.reportChange(g, len(quads), "quads", "a picture added")
	return nil
}

// AddQuadArtTo adds a picture to the quads of a layer, like the tool map_create_pixelart. Its top left is at x and y,
// in tiles. With OnePivot the pivots are in the middle of the first quad.
func (e *Editor) AddQuadArtTo(at LayerAt, x, y int, picture *image.NRGBA, o QuadArt) error {
	layer, old, err := e.quads(at)
	if err != nil {
		return err
	}
	origin, err := artOrigin(x, y)
	if err != nil {
		return err
	}
	quads, _, err := quadArt(picture, o, origin, nil)
	if err != nil {
		return err
	}
	layer.SetQuads(append(slices.Clip(old), quads...))
	e.reportChange(layer, len(quads), "quads", "a picture added")
	return nil
}

// artOrigin returns the place of a picture, in tiles.
func artOrigin(x, y int) (twmap.Point, error) {
	const most = 1<<16 - 1 // tiles
	if x < -most || x > most || y < -most || y > most {
		return twmap.Point{}, fmt.Errorf("%d,%d is outside of the coordinates of a map", x, y)
	}
	return twmap.Point{X: int32(x), Y: int32(y)}, nil
}

// unit is a pixel of a map in the coordinates of quads.
const unit = 1024

// quadArt returns the quads of a picture, and the options with their defaults filled in. The origin is in tiles.
func quadArt(p *image.NRGBA, o QuadArt, origin twmap.Point, pivot *twmap.Point) ([]twmap.Quad, QuadArt, error) {
	if err := checkPicture(p); err != nil {
		return nil, o, err
	}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	a := art{picture: p, w: w, h: h, done: make([]bool, w*h)}
	if o.ImagePixel == 0 {
		o.ImagePixel = a.pixelSize()
	}
	o.QuadPixel = cmp.Or(o.QuadPixel, o.ImagePixel)
	const most = 1024 // the editor's limit
	if o.ImagePixel < 1 || o.QuadPixel < 1 || o.ImagePixel > max(most, w, h) || o.QuadPixel > max(most, w, h) {
		return nil, o, fmt.Errorf("pixels of %d and %d: expected 1 to %d", o.ImagePixel, o.QuadPixel, most)
	}
	a.step = o.ImagePixel
	for _, end := range []int{int(origin.X)*32 + w/a.step*o.QuadPixel, int(origin.Y)*32 + h/a.step*o.QuadPixel} {
		if end >= 1<<21-o.QuadPixel {
			return nil, o, errors.New("the picture would exceed the coordinates of a map")
		}
	}
	var quads []twmap.Quad
	for y := 0; y < h; y += a.step {
		for x := 0; x < w; x += a.step {
			pix := a.at(x, y)
			if a.done[y*w+x] || pix[3] == 0 {
				continue
			}
			if len(quads) == MaxQuadArt {
				return nil, o, fmt.Errorf("the picture would become more than %d quads", MaxQuadArt)
			}
			columns, rows := 1, 1
			if o.Optimize {
				columns, rows = a.merge(x, y)
			}
			side := int32(o.QuadPixel)
			q := twmap.NewQuad(origin.X*32+int32(x/a.step)*side, origin.Y*32+int32(y/a.step)*side, int32(columns)*side, int32(rows)*side)
			c := twmap.Color{R: int32(pix[0]), G: int32(pix[1]), B: int32(pix[2]), A: int32(pix[3])}
			q.Colors = [4]twmap.Color{c, c, c, c}
			if o.OnePivot && pivot == nil {
				pivot = &twmap.Point{X: q.Pivot.X / unit * unit, Y: q.Pivot.Y / unit * unit} // a whole pixel
			}
			if o.OnePivot {
				q.Pivot = *pivot
			}
			quads = append(quads, q)
		}
	}
	if len(quads) == 0 {
		return nil, o, errors.New("the picture shows nothing")
	}
	return quads, o, nil
}

// art is a picture that is converted to quads.
type art struct {
	picture *image.NRGBA
	w, h    int
	step    int    // distance between the pixels that are used
	done    []bool // pixels that a quad covers
}

func (a *art) at(x, y int) []byte {
	i := a.picture.PixOffset(a.picture.Rect.Min.X+x, a.picture.Rect.Min.Y+y)
	return a.picture.Pix[i : i+4 : i+4]
}

// same reports whether a pixel exists, has the colour, and is not covered by a quad.
func (a *art) same(x, y int, color uint32) bool {
	return x < a.w && y < a.h && !a.done[y*a.w+x] && colorOf(a.at(x, y)) == color
}

// merge returns the number of columns and rows of pixels that become one quad at a position: it takes columns while
// their first pixels have the colour, and the rows that all these columns have.
func (a *art) merge(x, y int) (columns, rows int) {
	color := colorOf(a.at(x, y))
	for ; a.same(x+columns*a.step, y, color); columns++ {
		n := 0
		for (columns == 0 || n < rows) && a.same(x+columns*a.step, y+n*a.step, color) {
			n++
		}
		rows = n
	}
	a.mark(x, y, columns*a.step, rows*a.step)
	return columns, rows
}

func (a *art) mark(x, y, w, h int) {
	for j := y; j < min(y+h, a.h); j++ {
		for i := x; i < min(x+w, a.w); i++ {
			a.done[j*a.w+i] = true
		}
	}
}

// pixelSize returns the side in pixels of the smallest square of one colour in the picture, searched from the top
// left.
func (a *art) pixelSize() int {
	smallest := max(a.w, a.h)
	for y := 0; y < a.h && smallest > 1; y++ {
		for x := 0; x < a.w && smallest > 1; x++ {
			if a.done[y*a.w+x] {
				continue
			}
			n := 1
			for a.grows(x, y, n) {
				n++
			}
			a.mark(x, y, n, n)
			smallest = min(smallest, n)
		}
	}
	clear(a.done)
	return smallest
}

// grows reports whether a square of one colour can be larger than n.
func (a *art) grows(x, y, n int) bool {
	if x+n >= a.w || y+n >= a.h {
		return false
	}
	color := colorOf(a.at(x, y))
	for i := range n + 1 {
		if colorOf(a.at(x+i, y+n)) != color || colorOf(a.at(x+n, y+i)) != color {
			return false
		}
	}
	return true
}
