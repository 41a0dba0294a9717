package twmap_test

import (
	"fmt"
	"testing"

	"trowel.example/teeworlds/twmap"
)

func TestTileNames(t *testing.T) {
	for _, c := range []struct {
		kind twmap.Kind
		id   uint8
		name string
		is   bool
	}{
		{twmap.KindGame, 0, "air", true},
		{twmap.KindGame, 22, "solo off", true},
		{twmap.KindSwitch, 22, "timed open", true},
		{twmap.KindSwitch, 9, "freeze", true},
		{twmap.KindSwitch, 192, "tile 192", false},
		{twmap.KindSwitch, 197, "entity: armor", true},
		{twmap.KindFront, 1, "solid", false},
		{twmap.KindFront, 98, "allow tele gun", true},
		{twmap.KindGame, 98, "allow tele gun", false},
		{twmap.KindGame, 36, "time checkpoint 2", true},
		{twmap.KindGame, 192, "entity: spawn", true},
		{twmap.KindGame, 8, "tile 8", false},
		{twmap.KindTele, 29, "tele checkpoint", true},
		{twmap.KindSpeedup, 29, "speedup", true},
		{twmap.KindTune, 68, "tune", true},
		{twmap.KindTiles, 200, "tile 200", true},
	} {
		if name := twmap.TileName(c.kind, c.id); name != c.name {
			t.Errorf("%v %d is %q, want %q", c.kind, c.id, name, c.name)
		}
		if is := twmap.ValidTile(c.kind, c.id); is != c.is {
			t.Errorf("%v %d valid: %v", c.kind, c.id, is)
		}
	}
	// Each tile that a layer can have has a name in that layer, and each named tile also has a name without a layer.
	for kind := twmap.KindGame; kind <= twmap.KindTune; kind++ {
		for id := range 256 {
			plain := fmt.Sprintf("tile %d", id)
			if name := twmap.TileName(kind, uint8(id)); twmap.ValidTile(kind, uint8(id)) && name == plain && id != 191+28 {
				t.Errorf("%v %d has no name", kind, id)
			} else if name != plain && twmap.GameTile(id).String() == plain {
				t.Errorf("%d is %q in the %v layer, but has no name", id, name, kind)
			}
		}
	}
	if !twmap.NeedsNumber(twmap.KindTele, 26) || twmap.NeedsNumber(twmap.KindTele, 31) || twmap.NeedsNumber(twmap.KindSwitch, 7) {
		t.Error("numbers")
	}
}
