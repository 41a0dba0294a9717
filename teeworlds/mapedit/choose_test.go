package mapedit_test

import (
	"fmt"
	"strings"
	"testing"

	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// TestLayers tests selecting layers by path, by group or layer alone, by number and by type.
func TestLayers(t *testing.T) {
	m := twmap.New(5, 5)
	for _, kind := range []twmap.Kind{twmap.KindTele, twmap.KindFront} {
		m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(kind, 5, 5))
	}
	named := func(name string, l twmap.Layer) twmap.Layer { l.Base().Name = name; return l }
	tiles := func() twmap.Layer { return twmap.NewTileLayer(twmap.KindTiles, 5, 5) }
	m.Groups = append(m.Groups,
		twmap.NewGroup("Tree", named("Leaves", tiles()), named("Light", twmap.NewQuadLayer())),
		twmap.NewGroup("Deco", named("Leaves", tiles()), named("Rain", twmap.NewSoundLayer()), named("game", tiles())))
	e := mapedit.New(m, nil)
	for patterns, want := range map[string]string{
		"":                    "0/0 0/1 0/2 1/0 1/1 2/0 2/1 2/2",
		"*":                   "0/0 0/1 0/2 1/0 1/1 2/0 2/1 2/2",
		"game":                "0/0",
		"Game":                "0/0",
		"Game/*":              "0/0 0/1 0/2",
		"PHYSICS":             "0/0 0/1 0/2",
		"tiles":               "1/0 2/0 2/2",
		"quads sounds":        "1/1 2/1",
		"tree":                "1/0 1/1",
		"Tree/":               "1/0 1/1",
		"groups/Tree":         "1/0 1/1",
		"leaves":              "1/0 2/0",
		"Deco/game":           "2/2",
		"groups/D*/L*":        "2/0",
		"2/1,1/0":             "1/0 2/1",
		"-physics":            "1/0 1/1 2/0 2/1 2/2",
		"-physics -Deco":      "1/0 1/1",
		"-Deco,+Deco/Rain":    "0/0 0/1 0/2 1/0 1/1 2/1",
		"Deco,-L*":            "2/1 2/2",
		"tune":                "error",
		"Leaves Birch":        "1/0 2/0 error",
		"-Birch":              "0/0 0/1 0/2 1/0 1/1 2/0 2/1 2/2 error",
		"infclass?entities":   "error",
		"Le?ves -groups/De*/": "1/0",
	} {
		list, err := e.Layers(strings.Fields(patterns)...)
		var got []string
		for _, at := range list {
			got = append(got, fmt.Sprintf("%d/%d", at.Group, at.Layer))
		}
		if err != nil {
			got = append(got, "error")
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%q: %s, want %s (%v)", patterns, text, want, err)
		}
	}
	list, _ := e.Layers("physics")
	if others := e.OtherLayers(list); len(others) != 5 {
		t.Errorf("others: %v", others)
	}
}
