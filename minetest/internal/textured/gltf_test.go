package textured_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"trowel.example/internal/limits/effort"

	"trowel.example/internal/picture/gltf"
	"trowel.example/minetest/internal/nodemesh"
)

// floor is a volume with a floor of cubes, and a pane above it.
func floor(t testing.TB, v *nodemesh.Volume, side int) {
	t.Helper()
	for x := range side {
		for z := range side {
			v.Set([3]int{x, 0, z}, "a:cube", 0, 0)
			v.Set([3]int{x, 1, z}, "air", 15, 0)
		}
	}
	v.Open()
	v.Unlit = true
}

// TestModel tests that equal sides of cubes become one face, that the origin is the low corner of the box, that a pane is
// blended, and that a canceled model is an error.
func TestModel(t *testing.T) {
	g := small(t, nil)
	v := g.NewVolume([3]int{}, [3]int{9, 2, 9})
	floor(t, v, 9)
	v.Set([3]int{4, 1, 4}, "a:pane", 15, 0)
	m, err := g.Model(t.Context(), v, [3]int{}, [3]int{8, 1, 8}, 1, effort.WorldModelFaces)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Nodes) != 1 {
		t.Fatalf("%d meshes", len(m.Nodes))
	}
	faces := make(map[string]int)
	for _, p := range m.Nodes[0].Mesh.Primitives {
		faces[p.Material.Name] = len(p.Indices) / 6
		for _, at := range p.Positions {
			if at[0] < 0 || at[0] > 9 || at[1] < 0 || at[1] > 2 || at[2] > 0 || at[2] < -9 {
				t.Errorf("%s: %v is outside", p.Material.Name, at)
			}
		}
		if blend := p.Material.Name == "pane.png"; blend != (p.Material.Alpha == 2) {
			t.Errorf("%s: alpha %d", p.Material.Name, p.Material.Alpha)
		}
	}
	if faces["red.png"] != 1 || faces["white.png"] != 5 || faces["pane.png"] == 0 {
		t.Errorf("faces: %v, want 1 on top, and 5 for the other sides", faces)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Model(ctx, v, [3]int{}, [3]int{8, 1, 8}, 1, effort.WorldModelFaces); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// BenchmarkModel makes a model of 100 x 60 x 100 nodes of a town: each third column is a house.
func BenchmarkModel(b *testing.B) {
	g := small(b, nil)
	v := g.NewVolume([3]int{}, [3]int{100, 60, 100})
	floor(b, v, 100)
	for x := range 100 {
		for z := range 100 {
			height := 0
			if x/7%2 == 0 && z/7%2 == 0 {
				height = 5 + x*z%40
			}
			for y := 1; y < 60; y++ {
				name := "air"
				if y < height {
					name = "a:cube"
				}
				v.Set([3]int{x, y, z}, name, 15, 0)
			}
		}
	}
	v.Unlit = false
	var file bytes.Buffer
	for b.Loop() {
		m, err := g.Model(b.Context(), v, [3]int{}, [3]int{99, 59, 99}, 1, effort.WorldModelFaces)
		if err != nil {
			b.Fatal(err)
		}
		file.Reset()
		if err := gltf.Write(&file, m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(file.Len())/1e6, "MB/file")
}
