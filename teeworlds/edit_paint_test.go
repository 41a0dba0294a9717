package teeworlds

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/twmap"
)

// edit applies steps to a map as a user types them, and returns the reports, with a ~ before warnings and a ! before
// the error.
func edit(t *testing.T, m *twmap.Map, words string) string {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.map")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := format.OpenSource(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var reported []string
	job := &format.Job{Reports: format.Reports{OnWarn: func(_, what string) { reported = append(reported, "~"+what) }}}
	steps, err := format.ParseSteps(job, mapEditing.Commands, strings.Fields(words))
	if err == nil {
		err = mapEditing.Edit(t.Context(), job, src, steps, nil, func(c check.Change) error {
			reported = append(reported, strings.TrimPrefix(fmt.Sprintf("%s: %d %s", c.Path, c.Count, c.What), "groups/"))
			return nil
		})
	}
	if err != nil {
		reported = append(reported, "!"+strings.TrimPrefix(err.Error(), path+": "))
	}
	return strings.Join(reported, "|")
}

// TestPaint tests that tiles have the same names as in find, and that layers that cannot hold a tile are skipped and
// counted.
func TestPaint(t *testing.T) {
	m := twmap.New(4, 2)
	m.Physics(twmap.KindGame).Tiles().Set(0, 0, twmap.Tile{ID: 9})
	m.Physics(twmap.KindGame).Tiles().Set(1, 0, twmap.Tile{ID: 12})
	sw, tele := twmap.NewTileLayer(twmap.KindSwitch, 4, 2), twmap.NewTileLayer(twmap.KindTele, 4, 2)
	sw.Switches().Set(0, 1, twmap.SwitchTile{ID: 9, Number: 1})
	tele.Teles().Set(2, 1, twmap.TeleTile{ID: 26, Number: 5})
	leaves, small := twmap.NewTileLayer(twmap.KindTiles, 4, 2), twmap.NewTileLayer(twmap.KindTiles, 2, 2)
	leaves.Name, small.Name = "Leaves", "Small"
	leaves.Tiles().Set(3, 1, twmap.Tile{ID: 82})
	m.Groups[0].Layers = append(m.Groups[0].Layers, sw, tele)
	m.Groups = append(m.Groups, twmap.NewGroup("Tree", leaves, small, twmap.NewQuadLayer()))
	for words, want := range map[string]string{
		"replace-tiles 82 83 --layer *":                    "Tree/Leaves: 1 82 became 83|~skipped 4 layers that cannot hold the tile",
		"replace-tiles 82 83 --layer physics --not":        "Tree/Leaves: 1 82 became 83|~skipped 1 layer that cannot hold the tile",
		"replace-tiles 82 83 --layer tiles":                "Tree/Leaves: 1 82 became 83",
		"replace-tiles 82 83 --layer tiles --area 3,1:3,1": "Tree/Leaves: 1 82 became 83|~skipped 1 layer that cannot hold the tile",
		"replace-tiles freeze air --layer *": "Game/Game: 1 9 became 0|Game/Switch: 1 9 became 0|~skipped 4 " +
			"layers that cannot hold the tile",
		"replace-tiles *freeze hookable --layer Game":    "Game/Game: 1 9 became 1|Game/Game: 1 12 became 1",
		"replace-tiles tele?in tele?out --layer physics": "Game/Tele: 1 26 became 27|~skipped 2 layers that cannot hold the tile",
		"replace-tiles any 27 --from-number 5 --layer *": "Game/Tele: 1 number 5 became 27|~skipped 5 layers that cannot hold the tile",
		"fill-tiles shotgun --layer physics --area 3,0:3,0": "Game/Game: 1 became 199|Game/Switch: 1 became 199|~skipped 1 " +
			"layer that cannot hold the tile",
		"fill-tiles deep-freeze --layer game --area 3,0:3,0": "Game/Game: 1 became 12",
		"draw-tiles 3 0 1*2 12x --layer game":                "Game/Game: 2 drawn|~skipped 1 tile outside of groups/Game/Game",
		"draw-tiles 2 0 _ 26:7 --layer tele":                 "Game/Tele: 1 drawn",
		"draw-tiles 0 1 9x:1/4 --layer sw*":                  "Game/Switch: 1 drawn",
		"draw-tiles 0 0 1 --layer quads":                     "!draw-tiles: groups/Tree/quads: not a layer of tiles",
		"draw-tiles 0 0 83 --layer physics":                  `!draw-tiles: row 1: 83: expected`,
		"draw-tiles 0 0 83 --layer game":                     "!draw-tiles: groups/Game/Game: a game layer has no tile 83",
		"draw-tiles 0 0 1":                                   "!draw-tiles: expected --layer",
		"draw-tiles 0 0 --layer game":                        "!draw-tiles: expected ROW: draw-tiles X Y ROW...",
		"replace-tiles 82 83 --layer game":                   "!replace-tiles: groups/Game/Game: a game layer has no tile 83 (--layer tiles",
		"replace-tiles freeze air --layer tiles":             "!replace-tiles: none of the 2 layers can hold the tile (--layer tiles",
		"replace-tiles frieze air --layer game":              `!replace-tiles: no tile "frieze": expected 0 to 255, or the name`,
		"replace-tiles 300 air --layer game":                 `!replace-tiles: expected a number from 0 to 255 or a name, not "300"`,
		"replace-tiles 9 *freeze --layer game":               `!replace-tiles: "*freeze" names`,
		"replace-tiles 82 83 --not":                          "!replace-tiles: expected --layer",
		"clear-automapper --not":                             "!clear-automapper: --not needs --layer",
	} {
		if got := edit(t, m, words); got != want && !(strings.HasPrefix(want, "!") && strings.HasPrefix(got, want)) {
			t.Errorf("%s: %s\nwant %s", words, got, want)
		}
	}
}
