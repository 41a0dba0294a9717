package mapedit_test

import (
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// TestUnchangedLayers tests that layers with identical compressed bytes are known to be the same without reading them, until one
// changes: a merge of large maps would read each layer many times.
func TestUnchangedLayers(t *testing.T) {
	m := twmap.New(60, 50)
	m.Physics(twmap.KindGame).Tiles().Set(3, 4, twmap.Tile{ID: 1})
	data := encode(t, m)
	layer := func() *twmap.TileLayer {
		m, err := twmap.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		return m.Physics(twmap.KindGame)
	}
	a, b := layer(), layer()
	var turn mapedit.Turn
	inflated := effort.Of(&effort.Inflated, func() { turn = mapedit.Turned([][2]*twmap.TileLayer{{a, b}}) })
	if inflated > 0 || turn != (mapedit.Turn{}) {
		t.Errorf("%d blocks were inflated, %v", inflated, turn)
	}
	b.Tiles().Set(3, 4, twmap.Tile{ID: 2})
	if !a.SameStream(layer()) || a.SameStream(b) || b.SameStream(a) || a.SameStream(twmap.NewTileLayer(twmap.KindGame, 60, 50)) {
		t.Error("a layer that was changed, or that is new, is the same as one that was not")
	}
}
