package plan_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"io/fs"
	"math"
	"slices"
	"testing"

	"trowel.example/torchlight/internal/plan"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mpp"
)

// FuzzPlan tests that any valid layout, with any grid, has a plan and an SVG that is XML.
func FuzzPlan(f *testing.F) {
	add := func(grid []byte, objects ...string) {
		data, err := parse(f, objects...).Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, grid)
	}
	grid, err := (&mpp.File{Width: 3, Height: 2, SizeX: 3, SizeZ: 2, Cells: []byte{0, 1, 255, 0, 7, 0}}).Encode()
	if err != nil {
		f.Fatal(err)
	}
	add(grid, object("Layout Link", 1, at(1, 2, 3)+"YAW:30;X:2;LAYOUT FILE:OTHER.LAYOUT;"), object("Monster", 2, at(1, 0, 1)))
	add(nil, object("Group", 1, "CHOICE:Weight;", object("Unit Spawner", 2, at(0, 0, 0)+"SHAPE:Angle;MAX RADIUS:4;ANGLE:60;")))
	add(nil, object("Property Node", 1, at(9, 9, 9)+"RADIUS:2;BOX WIDTH:3;BOX LENGTH:4;"),
		object("Player Box Trigger", 2, "DIMENSIONSX:1;DIMENSIONSY:1;DIMENSIONSZ:5;"))
	add(grid, object("Room Piece", 1, at(1, 2, 3)+"YAW:30;GUID:5;X:-2;VISUAL:1;"), object("Generic Model", 2, at(1, 0, 1)+"FILE:A.MESH;"))
	f.Fuzz(func(t *testing.T, data, grid []byte) {
		file, err := layout.Decode(data)
		if err != nil {
			return
		}
		p := plan.New(file, plan.Options{
			Path:   "A.LAYOUT",
			Layout: func(path string) (*layout.File, error) { return file, nil },
			Grid: func(path string) (*mpp.File, error) {
				if len(grid) == 0 {
					return nil, fs.ErrNotExist
				}
				return mpp.Decode(grid)
			},
			Piece: func(guid int64) ([]string, error) { return []string{"A.MESH", "B.MESH"}, nil },
			Bounds: func(path string) (low, high [3]float64, err error) {
				for i := range low {
					if at := 8 + 4*i; len(grid) >= at+4 {
						low[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(grid[at:])))
						high[i] = low[i] + 2
					}
				}
				return low, high, nil
			},
		})
		if len(p.Marks) > 20000 {
			return // a small file that links to itself under many names
		}
		var svg bytes.Buffer
		pic := plan.Picture{Origin: p.Min, Scale: 200 / max(p.Max[0]-p.Min[0], p.Max[1]-p.Min[1])}
		if err := p.SVG(t.Context(), &svg, pic, image.Pt(200, 200), plan.Background); err != nil {
			t.Fatal(err)
		}
		if n := len(titles(t, svg.Bytes())); n != len(p.Marks) {
			t.Fatalf("%d of %d marks in the SVG", n, len(p.Marks))
		}
		if err := p.Render(t.Context(), image.NewRGBA(image.Rect(0, 0, 200, 200)), pic); err != nil {
			t.Fatal(err)
		}
		for i := range p.Marks[:min(len(p.Marks), 20)] {
			m := &p.Marks[i]
			if !slices.Contains(p.Under(pic, m.At), m) {
				t.Fatalf("%s is not where it is", m.Name())
			}
			for _, r := range p.Relations(m) {
				if r.Object == m.Object {
					t.Fatalf("%s belongs to itself", m.Name())
				}
			}
			p.Cell(m.At)
		}
	})
}
