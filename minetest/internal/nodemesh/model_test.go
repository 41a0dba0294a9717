package nodemesh_test

import (
	"errors"
	"testing"

	"trowel.example/fault"
	_ "trowel.example/internal/testing/tests" // an empty machine
	"trowel.example/minetest/internal/nodemesh"
	"trowel.example/minetest/internal/texture"
)

const wedge = `# a wedge
mtllib none.mtl
v 0.5 -0.5 -0.5
v -0.5 -0.5 -0.5
v -0.5 0.5 0.5
v 0.5 0.5 0.5
vt 0 0
vt 1 0
vt 1 1
g slope
f 1/1 2/2 3/3 4/-1
usemtl other
f -4 -3 -2
`

func TestOBJ(t *testing.T) {
	m, err := nodemesh.ParseModel("wedge.obj", []byte(wedge), texture.Newest)
	if err != nil || len(m.Parts) != 2 {
		t.Fatalf("%+v, %v", m, err)
	}
	slope := m.Parts[0]
	if len(slope.Vertices) != 4 || len(slope.Indices) != 6 || slope.Tile != 0 || m.Parts[1].Tile != 1 {
		t.Fatalf("%+v", m)
	}
	if v := slope.Vertices[1]; v.Pos != [3]float32{.5, -.5, -.5} || v.UV != [2]float32{1, 1} {
		t.Errorf("%+v: x and v are mirrored", v)
	}
	if n := slope.Vertices[0].Normal; n[0] != 0 || n[1] < .7 || n[2] > -.7 {
		t.Errorf("normal %v: the slope faces up and south", n)
	}
}

func TestBadOBJ(t *testing.T) {
	for _, text := range []string{"f 1 2 3", "v 1 2", "v 1 2 x", "v nan 0 0", "v 0 0 0\nf 1 1", "v 0 0 0\nf 1 1 2",
		"v 0 0 0\nf 1/1 1 1", "v 0 0 0\nf 0 1 1"} {
		var f *fault.Error
		if _, err := nodemesh.ParseModel("a.obj", []byte(text), texture.Newest); !errors.As(err, &f) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := nodemesh.ParseModel("a.png", nil, texture.Newest); err == nil {
		t.Error("a picture is a model")
	}
}

func FuzzParse(f *testing.F) {
	for name, data := range samples() {
		f.Add(name, data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		m, err := nodemesh.ParseModel(name, data, texture.Newest)
		if err != nil {
			if _, is := errors.AsType[*fault.Error](err); !is {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for _, p := range m.Parts {
			for _, i := range p.Indices {
				if int(i) >= len(p.Vertices) || len(p.Indices)%3 != 0 {
					t.Fatalf("index %d of %d", i, len(p.Vertices))
				}
			}
		}
	})
}
