package nodemesh

import (
	"image"
	"testing"

	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/nodedef"
)

// noAssets has an image for each texture, and no models.
type noAssets struct{}

func (noAssets) Image(string) *image.NRGBA { return image.NewNRGBA(image.Rect(0, 0, 1, 1)) }
func (noAssets) Model(string) *Model       { return nil }

// TestCulling tests which nodes can be seen from behind: thin ones always, whatever their definition says.
func TestCulling(t *testing.T) {
	for drawType, want := range map[string]bool{"normal": true, "nodebox": true, "glasslike": true, "signlike": false, "torchlike": false,
		"plantlike": false, "firelike": false, "raillike": false} {
		node := &nodedef.Node{Name: "a", DrawType: drawType, Tiles: []nodedef.Tile{{Name: "a.png", BackfaceCulling: true}}, VisualScale: 1}
		looks := NewLooks(nodedef.List{"a": node}, noAssets{}, texture.Newest)
		v := looks.NewVolume([3]int{}, [3]int{3, 3, 3})
		for x := range 3 {
			for z := range 3 {
				v.Set([3]int{x, 0, z}, "air", 15, 0)
				v.Set([3]int{x, 1, z}, "air", 15, 0)
			}
		}
		v.Set([3]int{1, 1, 1}, "a", 15, 1)
		n := 0
		v.Faces([3]int{1, 1, 1}, [3]int{1, 1, 1}, func(f *Face) bool {
			if n++; looks.Materials()[f.Material].Culling != want {
				t.Errorf("%s: culling is %t", drawType, !want)
			}
			return true
		})
		if n == 0 {
			t.Errorf("%s: no faces", drawType)
		}
	}
}

// TestUndefined tests that nodes without a definition share one appearance, so that a world of many names takes little memory.
func TestUndefined(t *testing.T) {
	looks := NewLooks(nodedef.List{"a": {Name: "a", DrawType: "normal"}}, noAssets{}, texture.Newest)
	if looks.of("b") != looks.of("c") || looks.of("a") == looks.of("b") || looks.of("air") == looks.of("b") || !looks.of("ignore").absent {
		t.Error("appearances of undefined nodes")
	}
}
