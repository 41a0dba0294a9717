package maprules

import (
	"crypto/sha256"
	"image"
	"slices"

	"trowel.example/teeworlds/twmap"
)

// printOf returns a hash of the visible pixels of a picture: colours that nobody sees do not count.
func printOf(p *image.NRGBA) string {
	h := sha256.New()
	row := make([]byte, 4*p.Rect.Dx())
	for y := range p.Rect.Dy() {
		copy(row, p.Pix[y*p.Stride:])
		for i := 0; i < len(row); i += 4 {
			if row[i+3] == 0 {
				clear(row[i : i+3])
			}
		}
		_, _ = h.Write(row)
	}
	return string(h.Sum(nil))
}

// repeated returns the number of cells in rows and columns at the edges of a layer that equal the next ones inside, and whether the
// layer is all air. A layer that cannot be read repeats nothing.
func repeated(l *twmap.TileLayer) (n int, air bool) {
	l.Look(func(l *twmap.TileLayer) {
		cells, err := l.Tiles().Cells()
		w, h := l.Width(), l.Height()
		if err != nil || w <= 0 || h <= 0 {
			return
		}
		air = !slices.ContainsFunc(cells, func(t twmap.Tile) bool { return t.ID != 0 })
		row := func(y int) []twmap.Tile { return cells[y*w:][:w] }
		top, bottom := 0, h-1
		for top < bottom && slices.Equal(row(top), row(top+1)) {
			top++
		}
		for bottom > top && slices.Equal(row(bottom), row(bottom-1)) {
			bottom--
		}
		column := func(x, other int) bool {
			for y := range h {
				if cells[y*w+x] != cells[y*w+other] {
					return false
				}
			}
			return true
		}
		left, right := 0, w-1
		for left < right && column(left, left+1) {
			left++
		}
		for right > left && column(right, right-1) {
			right--
		}
		n = w*h - (right-left+1)*(bottom-top+1)
	})
	return n, air
}
