package worldscene_test

import (
	"image"
	"image/color"
	"path/filepath"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
)

// TestOutlines tests that areas are outlined in pictures and returned as labels, only if the layer is shown, and that
// the picture does not depend on its parts.
func TestOutlines(t *testing.T) {
	dir := terrain(t)
	areas := `[{"name": "town", "owner": "ann", "pos1": {"x": 4, "y": -9, "z": -12}, "pos2": {"x": 20, "y": 90, "z": -4}}]`
	judge.Write(t, filepath.Join(dir, "areas.dat"), []byte(areas))
	s := scene(t, dir, nil)
	for _, view := range []string{"top", "iso"} {
		l := format.Look{View: view, Origin: [2]float64{-20, -30}, Scale: 4, Size: image.Pt(320, 320), Layers: []string{"areas"}}
		labels, err := viewOf(s, l.View).Labels(t.Context(), l, image.Rectangle{Max: l.Size})
		if err != nil || len(labels) != 1 || labels[0].Text != "town (ann)" {
			t.Fatalf("%s: the labels are %v, %v", view, labels, err)
		}
		if view == "top" && labels[0].Outline[2] != [2]float64{21, 12} {
			t.Errorf("the outline is %v", labels[0].Outline)
		}
		whole, drawn := drawPart(t, s, l, image.Rectangle{Max: l.Size}), 0
		part := drawPart(t, s, l, image.Rect(100, 80, 260, 200))
		for y := range l.Size.Y {
			for x := range l.Size.X {
				c := whole.RGBAAt(x, y)
				if c == (color.RGBA{255, 200, 40, 255}) {
					drawn++
				}
				if image.Pt(x, y).In(part.Rect) && part.RGBAAt(x, y) != c {
					t.Fatalf("%s: %d,%d is %v, and %v in a part", view, x, y, c, part.RGBAAt(x, y))
				}
			}
		}
		if drawn < 100 {
			t.Errorf("%s: %d pixels of the outline are drawn", view, drawn)
		}
		l.Layers = nil
		if labels, err := viewOf(s, l.View).Labels(t.Context(), l, image.Rectangle{Max: l.Size}); err != nil || len(labels) > 0 {
			t.Errorf("%s: labels of hidden layers: %v, %v", view, labels, err)
		}
	}
}
