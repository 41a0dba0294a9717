// Package sheet lays out sheets of cells: pictures with their names, cards, menus. Sheets are drawn in parts, and so are
// the lines of text in them.
package sheet

import (
	"image"
	"image/color"
	"math"
	"sort"
)

// Gap is the space around cells, in pixels.
const Gap = 8

// Cell is a part of a sheet.
type Cell struct {
	Size  image.Point
	Fill  color.NRGBA // background of the cell; none if its alpha is 0
	Parts []Part      // drawn in this order
	Lines []Line
}

// Part is something in a cell, such as a picture.
type Part struct {
	At, Size image.Point // place in the cell; its pixels are drawn nowhere else
	// Draw draws the part over the pixels of dst.Rect as if its top left corner were at 0,0.
	Draw func(dst *image.RGBA, origin [2]float64, scale float64)
}

// Sheet is a list of cells on a grid.
type Sheet struct {
	cells   []Cell
	places  []image.Rectangle
	bottoms []int // of the row of each cell
	size    image.Point
}

// New lays out cells in their order, in rows no wider than width. Each cell begins at a multiple of unit, the width of a
// column, and extends over as many columns as it needs.
func New(cells []Cell, unit, width int) *Sheet {
	s := &Sheet{cells: cells, places: make([]image.Rectangle, len(cells)), bottoms: make([]int, len(cells))}
	pitch := unit + Gap
	columns := max(1, (width-Gap)/pitch)
	column, top, height, first := 0, Gap, 0, 0
	endRow := func(next int) {
		for i := first; i < next; i++ {
			s.bottoms[i] = top + height
		}
		first, column, top, height = next, 0, top+height+Gap, 0
	}
	for i, c := range cells {
		span := max(1, (c.Size.X+Gap+pitch-1)/pitch)
		if column > 0 && column+span > columns {
			endRow(i)
		}
		at := image.Pt(Gap+column*pitch, top)
		s.places[i] = image.Rectangle{at, at.Add(c.Size)}
		column += span
		height = max(height, c.Size.Y)
		s.size.X = max(s.size.X, at.X+c.Size.X+Gap)
	}
	endRow(len(cells))
	s.size = image.Pt(max(s.size.X, 2*Gap), top)
	return s
}

// Width returns the width for a sheet about as wide as high, but at least least.
func Width(cells []Cell, unit, least int) int {
	area := 0.0
	for _, c := range cells {
		columns := (c.Size.X + unit + 2*Gap - 1) / (unit + Gap)
		area += float64(columns*(unit+Gap)) * float64(c.Size.Y+Gap)
	}
	return max(least, int(math.Sqrt(area)))
}

// Size returns the size of the sheet, in pixels.
func (s *Sheet) Size() image.Point { return s.size }

// Where returns the rectangle of a cell.
func (s *Sheet) Where(cell int) image.Rectangle { return s.places[cell] }

// At returns the cell at a point, and the point relative to its corner; or -1.
func (s *Sheet) At(x, y float64) (cell int, inside image.Point) {
	at := image.Pt(int(math.Floor(x)), int(math.Floor(y)))
	for i := s.first(y); i < len(s.cells) && float64(s.places[i].Min.Y) <= y; i++ {
		if at.In(s.places[i]) {
			return i, at.Sub(s.places[i].Min)
		}
	}
	return -1, image.Point{}
}

// first returns the first cell of a row that does not end above y.
func (s *Sheet) first(y float64) int {
	return sort.Search(len(s.bottoms), func(i int) bool { return float64(s.bottoms[i]) >= y })
}

// Draw draws the pixels of dst.Rect, a part of a picture whose top left corner is at origin on the sheet and whose
// pixels are 1/scale pixels of the sheet wide. Many goroutines may call it at once.
func (s *Sheet) Draw(dst *image.RGBA, origin [2]float64, scale float64) {
	top := origin[1] + float64(dst.Rect.Min.Y)/scale
	bottom := origin[1] + float64(dst.Rect.Max.Y)/scale
	for i := s.first(top); i < len(s.cells) && float64(s.places[i].Min.Y) <= bottom; i++ {
		cell, r := s.cells[i], s.places[i]
		sub, from := within(dst, r, origin, scale)
		if sub.Rect.Empty() {
			continue
		}
		if cell.Fill.A > 0 {
			rectangle(sub, [4]float64{0, 0, float64(cell.Size.X), float64(cell.Size.Y)}, cell.Fill, from, scale)
		}
		for _, p := range cell.Parts {
			at := r.Min.Add(p.At)
			if part, from := within(sub, image.Rectangle{at, at.Add(p.Size)}, origin, scale); !part.Rect.Empty() {
				p.Draw(part, from, scale)
			}
		}
		for _, l := range cell.Lines {
			l.Draw(sub, from, scale)
		}
	}
}

// within returns the pixels of dst that a rectangle of the sheet touches, and the origin relative to the rectangle.
func within(dst *image.RGBA, r image.Rectangle, origin [2]float64, scale float64) (*image.RGBA, [2]float64) {
	at := func(v int, i int) int {
		return int(min(max(math.Floor((float64(v)-origin[i])*scale), math.MinInt32), math.MaxInt32))
	}
	part := image.Rect(at(r.Min.X, 0), at(r.Min.Y, 1), at(r.Max.X, 0)+1, at(r.Max.Y, 1)+1)
	return dst.SubImage(part).(*image.RGBA), [2]float64{origin[0] - float64(r.Min.X), origin[1] - float64(r.Min.Y)}
}

// rectangle fills a rectangle, given as x, y, width and height, with a color. Pixels at its edges are blended.
func rectangle(dst *image.RGBA, r [4]float64, c color.NRGBA, origin [2]float64, scale float64) {
	cover := func(p, axis int) float64 {
		low := max(r[axis], origin[axis]+float64(p)/scale)
		high := min(r[axis]+r[axis+2], origin[axis]+float64(p+1)/scale)
		return max(0, high-low) * scale
	}
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		down := cover(y, 1)
		if down == 0 {
			continue
		}
		row := dst.Pix[dst.PixOffset(dst.Rect.Min.X, y):]
		for x := dst.Rect.Min.X; x < dst.Rect.Max.X; x++ {
			Blend(row, c, down*cover(x, 0))
			row = row[4:]
		}
	}
}
