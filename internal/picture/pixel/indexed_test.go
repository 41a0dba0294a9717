package pixel

import (
	"image"
	"io"
	"testing"
)

// TestIndexedSize tests that colours are counted only up to a number of pixels.
func TestIndexedSize(t *testing.T) {
	const side = 1 << 13
	for size, want := range map[image.Point]bool{{X: side, Y: side}: true, {X: side + 1, Y: side}: false, {X: 1, Y: 1}: true} {
		p, err := NewPNG(io.Discard, size, RGB)
		if err != nil || (p.index != nil) != want {
			t.Errorf("%v: the colours are counted: %v, %v", size, err == nil && p.index != nil, err)
		}
	}
}
