package twmap_test

import (
	"strings"
	"testing"

	"trowel.example/teeworlds/twmap"
)

// TestTileDoes tests that every tile that the game supports has a description.
func TestTileDoes(t *testing.T) {
	for kind := twmap.KindGame; kind <= twmap.KindTune; kind++ {
		for id := range 256 {
			does := twmap.TileDoes(kind, uint8(id))
			if valid := twmap.ValidTile(kind, uint8(id)) && id != 0; valid &&
				(does == "" || strings.HasPrefix(does, "nothing")) || id == 0 && does != "" {
				t.Errorf("%v %d (%s) does %q", kind, id, twmap.TileName(kind, uint8(id)), does)
			}
		}
	}
	if does := twmap.TileDoes(twmap.KindGame, 200); does != "gives the grenade launcher" {
		t.Errorf("%q", does)
	}
	if does := twmap.TileDoes(twmap.KindSwitch, 200); does != "gives the grenade launcher, while the switch is on" {
		t.Errorf("%q", does)
	}
	if does := twmap.TileDoes(twmap.KindTele, 1); does != "nothing in DDNet" {
		t.Errorf("%q", does)
	}
}
