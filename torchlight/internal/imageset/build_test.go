package imageset_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"trowel.example/torchlight/internal/imageset"
)

// TestBuild tests that each sprite of a set that was built has the pixels of its picture.
func TestBuild(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		pictures := make(map[string]*image.NRGBA)
		for i := range n {
			m := image.NewNRGBA(image.Rect(0, 0, 1+r.IntN(90), 1+r.IntN(90)))
			for i := range m.Pix {
				m.Pix[i] = uint8(r.IntN(256))
			}
			pictures[fmt.Sprintf("icon <%d> & ü", i)] = m
		}
		data, m, err := imageset.Build("media/ui/frost.dds", pictures)
		if err != nil {
			t.Fatal(err)
		}
		set, err := imageset.Parse(data)
		if err != nil || set.Name != "frost" || set.File != "media/ui/frost.dds" || len(set.Sprites) != n {
			t.Fatalf("%v: %+v", err, set)
		}
		if size := m.Rect.Size(); size.X&(size.X-1) != 0 || size.Y&(size.Y-1) != 0 || size.X < 64 || size.Y < 4 {
			t.Errorf("%d pictures: %v", n, size)
		}
		for _, s := range set.Sprites {
			want, got := pictures[s.Name], s.Cut(m)
			if want == nil || got.Rect.Size() != want.Rect.Size() {
				t.Fatalf("%s: %v, want %v", s.Name, got.Rect, want)
			}
			for y := range want.Rect.Dy() {
				for x := range want.Rect.Dx() {
					if got.NRGBAAt(got.Rect.Min.X+x, got.Rect.Min.Y+y) != want.NRGBAAt(x, y) {
						t.Fatalf("%s has other pixels", s.Name)
					}
				}
			}
		}
	}
	for want, pictures := range map[string]map[string]*image.NRGBA{
		"A and a are the same name for the game":           {"A": image.NewNRGBA(image.Rect(0, 0, 1, 1)), "a": nil},
		"do not fit into 4096 × 4096 pixels: make several": {"a": image.NewNRGBA(image.Rect(0, 0, 4097, 1))},
	} {
		if _, _, err := imageset.Build("x.dds", pictures); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
