package twmap_test

import (
	"testing"

	"trowel.example/teeworlds/twmap"
)

// What was changed, and what is not there, is not in the file.
func TestStoredNowhere(t *testing.T) {
	m := decode(t, encode(t, everything()))
	game := m.Physics(twmap.KindGame)
	if at := game.Stored(3, 9); at.Len != 4 || at.Offset != (9*20+3)*4 {
		t.Errorf("the tile 3,9 is stored at %v", at)
	}
	for _, p := range [][2]int{{-1, 0}, {0, -1}, {20, 0}, {0, 10}} {
		if at := game.Stored(p[0], p[1]); at != (twmap.Stored{}) {
			t.Errorf("the tile %v is stored at %v", p, at)
		}
	}
	quads, sounds := m.Groups[1].Layers[1].(*twmap.QuadLayer), m.Groups[1].Layers[2].(*twmap.SoundLayer)
	if quads.Stored(0).Len != 152 || sounds.Stored(1).Len != 52 || quads.Stored(1).Len != 0 || sounds.Stored(-1).Len != 0 {
		t.Errorf("%v %v %v %v", quads.Stored(0), sounds.Stored(1), quads.Stored(1), sounds.Stored(-1))
	}
	game.Tiles().Set(0, 0, twmap.Tile{ID: 1})
	quads.SetQuads(nil)
	sounds.SetSources(nil)
	if game.Stored(3, 9).Len != 0 || quads.Stored(0).Len != 0 || sounds.Stored(0).Len != 0 || everything().Physics(twmap.KindGame).Stored(0, 0).Len != 0 {
		t.Error("something is stored that was changed")
	}
}
