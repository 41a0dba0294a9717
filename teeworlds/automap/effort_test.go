package automap

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/twmap"
)

// TestEffort tests that rules that need too much work are an error that names their section, with and without copies of
// layers, and that runs share a budget.
func TestEffort(t *testing.T) {
	cells := make([]twmap.Tile, 6)
	layer := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(3, 2, cells))
	for _, keyword := range []string{"", "NoLayerCopy\n"} {
		rules := ParseRules([]byte("[a]\n"+keyword+"Index 1\nPos 0 0 EMPTY\nPos 1 0 INDEX 7\n"), nil)
		o := Options{Seed: 1, Spent: new(atomic.Int64)}
		if _, err := rules.Run(t.Context(), layer, o); err != nil {
			t.Fatal(err)
		}
		// A run of 6 tiles and one rule: each tile, with its rule and the first condition, which holds.
		if got := o.Spent.Load(); got != 7+6*3 {
			t.Errorf("%q: %d steps", keyword, got)
		}
		o.Spent.Store(effort.Rules.Least - 10)
		_, err := rules.Run(t.Context(), layer, o)
		if !errors.Is(err, effort.ErrMet) || !strings.HasPrefix(err.Error(), `section "a": expected at most 17,179,869,184 tries`) {
			t.Error(err)
		}
	}
	rules := ParseJSON([]byte(`{"tileset": [{"a": {"basetile": 1, "rules": [
		{"index": 2, "condition": [{"x": 1, "y": 0, "value": "full"}, {"x": 0, "y": 1, "value": "full"}]}]}}]}`), nil)
	for i := range cells {
		cells[i].ID = 1
	}
	o := Options{Seed: 1, Spent: new(atomic.Int64)}
	if _, err := rules.Run(t.Context(), layer, o); err != nil || o.Spent.Load() != 6*3 {
		t.Errorf("%v, %d steps", err, o.Spent.Load())
	}
	o.Spent.Store(effort.Rules.Least)
	if _, err := rules.Run(t.Context(), layer, o); !errors.Is(err, effort.ErrMet) {
		t.Error(err)
	}
	// A floor of 8 tiles, of which 6 are not at the border, and doodads of 2 tiles.
	doodads := ParseJSON([]byte(`{"doodads": [{"a": {"rules": [{"startid": 1, "endid": 2}]}}]}`), nil)
	ground := make([]twmap.Tile, 24)
	for i := range 8 {
		ground[8+i].ID = uint8(twmap.TileSolid)
	}
	o = Options{Seed: 1, Spent: new(atomic.Int64), Game: twmap.NewTileLayerOf(twmap.KindGame, twmap.NewGridOf(8, 3, ground))}
	layer = twmap.NewTileLayer(twmap.KindTiles, 8, 3)
	if _, err := doodads.Run(t.Context(), layer, o); err != nil || o.Spent.Load() != 1+3*(1+2) {
		t.Errorf("%v, %d steps", err, o.Spent.Load())
	}
	o.Spent.Store(effort.Rules.Least)
	if _, err := doodads.Run(t.Context(), layer, o); !errors.Is(err, effort.ErrMet) {
		t.Error(err)
	}
}
