package worldscene_test

import (
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
)

// corners returns the number of corners of a glTF file, and the box that they are in.
func corners(t *testing.T, data []byte) (n int, low, high [3]float64) {
	t.Helper()
	var doc struct {
		Accessors []struct {
			Count    int
			Min, Max []float64
		}
	}
	if err := json.Unmarshal(data[20:20+binary.LittleEndian.Uint32(data[12:])], &doc); err != nil {
		t.Fatal(err)
	}
	for _, a := range doc.Accessors {
		if len(a.Min) < 3 {
			continue
		}
		for k := range 3 {
			if n == 0 {
				low[k], high[k] = a.Min[k], a.Max[k]
			}
			low[k], high[k] = min(low[k], a.Min[k]), max(high[k], a.Max[k])
		}
		n += a.Count
	}
	return n, low, high
}

// TestWalking tests that the cubes of a world lie within their bounds, that they are empty outside of the world and underground, and
// that they show no sides towards each other and towards blocks that do not exist.
func TestWalking(t *testing.T) {
	dir := terrain(t)
	judge.Write(t, filepath.Join(dir, "trowel_nodes.json"), []byte(definitions))
	s := scene(t, dir, map[string]string{"textures": textures(t)})
	w := s.Walking
	if w == nil || w.Side != 32 {
		t.Fatalf("%+v", w)
	}
	cube := func(v int) int { return v &^ (w.Side - 1) }
	all := 0
	for z := cube(w.Low[2]); z <= w.High[2]; z += w.Side {
		for y := cube(w.Low[1]); y <= w.High[1]; y += w.Side {
			for x := cube(w.Low[0]); x <= w.High[0]; x += w.Side {
				at := [3]int{x, y, z}
				data, err := w.Cube(t.Context(), at)
				if err != nil {
					t.Fatal(err)
				}
				if len(data) == 0 {
					continue
				}
				n, low, high := corners(t, data)
				all += n
				for k := range 3 {
					size := float64(min(at[k]+w.Side-1, w.High[k]) - max(at[k], w.Low[k]) + 1)
					if k == 2 {
						low[k], high[k] = -high[k], -low[k]
					}
					if low[k] < -.01 || high[k] > size+.01 {
						t.Errorf("cube %v is from %v to %v along axis %d, and %v nodes large", at, low[k], high[k], k, size)
					}
				}
			}
		}
	}
	v, ok := format.ViewOf(s.Views, "top")
	if !ok || v.Turning == nil {
		t.Fatal("the world does not turn")
	}
	data, err := v.Turning.Model(t.Context(), format.Look{View: "top"})
	if err != nil {
		t.Fatal(err)
	}
	if open, _, _ := corners(t, data); all == 0 || all >= open {
		t.Errorf("%d corners in cubes, and %d in the model, which has sides at the end of the world", all, open)
	}
	if data, err := w.Cube(t.Context(), [3]int{cube(w.High[0]) + 4*w.Side}); err != nil || data != nil {
		t.Errorf("outside of the world: %d bytes, %v", len(data), err)
	}
	if s := scene(t, dir, map[string]string{"flat": "true"}); s.Walking != nil {
		t.Error("a world without textures has a camera")
	}
}
