package sheet_test

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	_ "trowel.example/internal/testing/tests" // an empty machine
	"trowel.example/torchlight/internal/sheet"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width float64
		most  int
		want  []string
	}{
		{"one two", 100, 2, []string{"one two"}},
		{"one two three", 4, 3, []string{"one two", "three"}},
		{"icon_of_a_ring", 4, 3, []string{"icon_of_", "a_ring"}},
		{"mmmmmmmm", 3, 2, []string{"mmm", "mm…"}},
		{"", 3, 2, nil},
	} {
		if got := sheet.Wrap(c.text, c.width, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	for _, hostile := range []string{strings.Repeat("x ", 1<<20), "\xff\xfe", "日本語テキスト", "\x00\n\t"} {
		for _, width := range []float64{0, -1, 5, math.Inf(1)} {
			if got := sheet.Wrap(hostile, width, 3); len(got) > 3 {
				t.Errorf("%.20q: %d lines", hostile, len(got))
			}
		}
	}
}

// TestLineParts tests that parts of a picture have the pixels of the whole, at any scale.
func TestLineParts(t *testing.T) {
	l := sheet.Line{Text: "Ember …", At: [2]float64{5.3, 20.7}, Size: 12, Color: color.NRGBA{255, 200, 0, 255}}
	for _, scale := range []float64{0.1, 0.7, 1, 2.5, 40} {
		whole := image.NewRGBA(image.Rect(0, 0, 150, 90))
		l.Draw(whole, [2]float64{4, 12}, scale)
		parts := image.NewRGBA(whole.Rect)
		for y := 0; y < 90; y += 37 {
			for x := 0; x < 150; x += 41 {
				l.Draw(parts.SubImage(image.Rect(x, y, x+41, y+37)).(*image.RGBA), [2]float64{4, 12}, scale)
			}
		}
		if !bytes.Equal(whole.Pix, parts.Pix) {
			t.Errorf("scale %g: parts have other pixels than the whole", scale)
		}
		if drawn := slices.Max(whole.Pix) > 0; drawn != (scale*l.Size >= 3) {
			t.Errorf("scale %g: drawn is %t", scale, drawn)
		}
	}
}
