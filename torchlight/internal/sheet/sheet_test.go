package sheet_test

import (
	"bytes"
	"fmt"
	"image"
	"strings"
	"testing"

	_ "trowel.example/internal/testing/tests" // an empty machine
	"trowel.example/torchlight/internal/sheet"
)

// ragged returns cells of very different sizes, some with long names.
func ragged() (cells []sheet.Cell) {
	for i, size := range []image.Point{{64, 64}, {1, 1}, {300, 20}, {0, 0}, {64, 200}, {1500, 10}, {64, 64}, {97, 5}} {
		m := image.NewNRGBA(image.Rectangle{Max: size})
		for j := range m.Pix {
			m.Pix[j] = 0xc0
		}
		name := fmt.Sprint("ünï_", strings.Repeat("long_name", i*i))
		cells = append(cells, sheet.Icon(sheet.Picture(m, image.Point{}), sheet.Text{Text: name, Size: 12, Color: sheet.Plain, Most: 3}))
	}
	return append(cells, sheet.Cell{Size: image.Pt(40, 40), Fill: sheet.Panel,
		Parts: []sheet.Part{sheet.Absent(image.Pt(4, 4), image.Pt(30, 20))}})
}

// TestGrid tests that cells begin at columns, that no two overlap, and that no text leaves its cell.
func TestGrid(t *testing.T) {
	cells := ragged()
	s := sheet.New(cells, sheet.Unit, 700)
	for i, c := range cells {
		r := s.Where(i)
		if (r.Min.X-sheet.Gap)%(sheet.Unit+sheet.Gap) != 0 || !r.In(image.Rectangle{Max: s.Size()}) {
			t.Errorf("cell %d: at %v, not on the grid of %v", i, r, s.Size())
		}
		for j := range i {
			if s.Where(j).Overlaps(r) {
				t.Errorf("the cells %d and %d overlap", j, i)
			}
		}
		for _, l := range c.Lines {
			if l.At[0]+sheet.TextWidth(l.Text)*l.Size > float64(r.Dx())+0.01 || l.At[1] > float64(r.Dy()) {
				t.Errorf("cell %d of %v: %q leaves it", i, r, l.Text)
			}
		}
		if !r.Empty() {
			if at, inside := s.At(float64(r.Max.X)-0.5, float64(r.Min.Y)); at != i || inside != image.Pt(r.Dx()-1, 0) {
				t.Errorf("cell %d: found %d, %v", i, at, inside)
			}
		}
	}
	if at, _ := s.At(-1e300, 1e300); at != -1 {
		t.Error("a cell far away")
	}
}

// TestParts tests that parts of a sheet have the pixels of the whole.
func TestParts(t *testing.T) {
	s := sheet.New(ragged(), sheet.Unit, 700)
	for _, scale := range []float64{0.3, 1, 1.7} {
		whole := image.NewRGBA(image.Rect(0, 0, 300, 300))
		s.Draw(whole, [2]float64{3.5, 1}, scale)
		parts := image.NewRGBA(whole.Rect)
		for y := 0; y < 300; y += 37 {
			for x := 0; x < 300; x += 41 {
				s.Draw(parts.SubImage(image.Rect(x, y, x+41, y+37)).(*image.RGBA), [2]float64{3.5, 1}, scale)
			}
		}
		if !bytes.Equal(whole.Pix, parts.Pix) || bytes.Equal(whole.Pix, make([]byte, len(whole.Pix))) {
			t.Errorf("scale %g: parts have other pixels than the whole", scale)
		}
	}
}
