package worldscene_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"image"
	"math"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldscene"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/schematic"
)

// stairs returns a schematic of ascending columns, of which one is never placed.
func stairs(t *testing.T, form schematic.Form) []byte {
	s, err := schematic.New(form, [3]int{20, 5, 3})
	if err != nil {
		t.Fatal(err)
	}
	s.Names = []string{"air", "a:stone", "a:grass"}
	for i := range s.Name {
		s.Prob[i] = schematic.Always
		switch x, y, _ := s.Coordinates(i); {
		case x == 7:
			s.Prob[i] = schematic.Never
		case y == x/4:
			s.Name[i] = 2
		case y < x/4:
			s.Name[i] = 1
		}
	}
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestPieces tests the views of schematics and of separate blocks.
func TestPieces(t *testing.T) {
	block := mapblock.New(29)
	block.Names[0].Name = "a:stone"
	data, err := block.Encode()
	if err != nil {
		t.Fatal(err)
	}
	type opener func(context.Context, *format.Job, *format.Source, string) (*format.Scene, error)
	for _, piece := range []struct {
		name string
		data []byte
		open opener
		top  image.Point // in nodes
		gap  int         // x of a column without nodes
	}{
		{"stairs.mts", stairs(t, schematic.MTS), worldscene.OpenSchematic, image.Pt(20, 3), 7},
		{"stairs.we", stairs(t, schematic.WorldEdit), worldscene.OpenSchematic, image.Pt(20, 3), 7},
		{"a.block", data, worldscene.OpenBlock, image.Pt(16, 16), -1},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{piece.name: string(piece.data), "trowel_nodes.json": definitions} {
			judge.Write(t, filepath.Join(dir, name), []byte(text))
		}
		for _, flat := range []string{"", "true"} {
			src, err := format.OpenSource(filepath.Join(dir, piece.name))
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			job := &format.Job{Values: map[string]string{"textures": textures(t), "flat": flat, "noshading": "true"}}
			s, err := piece.open(t.Context(), job, src, "")
			if err != nil {
				t.Fatal(err)
			}
			if views := s.Views; views[0].Name != "iso" || len(views) < 8 {
				t.Errorf("%s: %d views, first %s", piece.name, len(views), views[0].Name)
			}
			v, _ := format.ViewOf(s.Views, "top")
			if size := image.Pt(int(v.Bounds.Dx()), int(v.Bounds.Dy())); size != piece.top {
				t.Errorf("%s: %v", piece.name, size)
			}
			l := look(v, v.Scale)
			img := drawPart(t, s, l, image.Rectangle{Max: l.Size})
			for x := range piece.top.X {
				if a := img.RGBAAt(int(float64(x)*v.Scale)+3, 3).A; a == 0 != (x == piece.gap) {
					t.Errorf("%s, flat %q: alpha %d at x = %d", piece.name, flat, a, x)
				}
			}
			turns(t, piece.name, s, flat == "")
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	s, err := schematic.New(schematic.MTS, [3]int{260, 260, 260})
	if err != nil {
		t.Fatal(err)
	}
	s.Names = []string{"air"}
	data, err = s.Encode()
	name := filepath.Join(t.TempDir(), "large.mts")
	if err == nil {
		err = os.WriteFile(name, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	src, err := format.OpenSource(name)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if _, err := worldscene.OpenSchematic(t.Context(), new(format.Job), src, ""); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("a large schematic: %v", err)
	}
}

// turns tests that the right views of a scene turn, and how they show the corners of its model.
func turns(t *testing.T, name string, s *format.Scene, want bool) {
	t.Helper()
	for _, v := range s.Views {
		if (v.Turning != nil) != (want && v.Name != "height" && v.Name != "relief") {
			t.Errorf("%s: view %s turns: %v", name, v.Name, v.Turning != nil)
		}
		if v.Turning == nil {
			continue
		}
		data, err := v.Turning.Model(t.Context(), format.Look{View: v.Name})
		if err != nil {
			t.Fatalf("%s, %s: %v", name, v.Name, err)
		}
		var doc struct {
			Accessors []struct{ Min, Max []float64 }
		}
		if err := json.Unmarshal(data[20:20+binary.LittleEndian.Uint32(data[12:])], &doc); err != nil {
			t.Fatal(err)
		}
		// The places of all corners are inside the bounds, and touch them.
		r := v.Turning.Bounds
		low, high := r.Max, r.Min
		for _, a := range doc.Accessors {
			for i := range 8 {
				if len(a.Min) < 3 {
					continue
				}
				var p [2]float64
				for k := range 3 {
					at := [2]float64{a.Min[k], a.Max[k]}[i>>k&1]
					p[0] += v.Turning.Axes[0][k] * at
					p[1] -= v.Turning.Axes[1][k] * at
				}
				for k := range p {
					low[k], high[k] = min(low[k], p[k]), max(high[k], p[k])
				}
			}
		}
		for k := range 2 {
			if math.Abs(low[k]-r.Min[k]) > 1e-5 || math.Abs(high[k]-r.Max[k]) > 1e-5 {
				t.Errorf("%s, %s: from %v to %v, in %v", name, v.Name, low, high, r)
			}
		}
		if v.Name != "iso" && (math.Abs(r.Dx()-v.Bounds.Dx()) > 1e-9 || math.Abs(r.Dy()-v.Bounds.Dy()) > 1e-9) {
			t.Errorf("%s, %s: %v is not as large as %v", name, v.Name, r, v.Bounds)
		}
	}
}
