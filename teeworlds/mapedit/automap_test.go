package mapedit

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/twmap"
)

// automapMap returns a map with a layer that rules can draw, at 1, 0, and two that they cannot draw.
func automapMap() (*twmap.Map, *twmap.TileLayer) {
	m := twmap.New(3, 1)
	m.Physics(twmap.KindGame).Tiles().Set(0, 0, twmap.Tile{ID: 3})
	m.Images = append(m.Images, twmap.NewImage("ground", image.NewNRGBA(image.Rect(0, 0, 16, 16))))
	l, plain := twmap.NewTileLayer(twmap.KindTiles, 3, 1), twmap.NewTileLayer(twmap.KindTiles, 3, 1)
	l.Name, l.Image = "Ground", 0
	m.Groups = append(m.Groups, twmap.NewGroup("Tiles", l, plain, twmap.NewQuadLayer()))
	return m, l
}

// rulesOfAir returns rules for the image ground.
func rulesOfAir(image string) (*automap.Rules, error) {
	if image != "ground" {
		return nil, errors.New("no rules")
	}
	return automap.ParseRules([]byte("[air]\nIndex 1\n[some]\nIndex 7\nNoDefaultRule\n[bad]\nIndex"), nil), nil
}

func TestAutomap(t *testing.T) {
	m, l := automapMap()
	var said []string
	e := New(m, func(c check.Change) {
		said = append(said, fmt.Sprintf("%s: %s %d %s", c.Path, c.What, c.Count, c.Unit))
	})
	ctx, at := context.Background(), LayerAt{1, 0}
	for _, bad := range []LayerAt{{0, 0}, {1, 1}, {1, 2}, {1, 3}, {-1, 0}} {
		if err := e.Automap(ctx, bad, Automapping{Rules: rulesOfAir, Section: "some"}); err == nil {
			t.Errorf("%v is drawn", bad)
		}
		if err := e.SetAutomapper(bad, &twmap.AutoMapper{}); err == nil {
			t.Errorf("%v has an automapper", bad)
		}
	}
	for _, bad := range []twmap.AutoMapper{{Config: -1}, {Seed: -1}, {Seed: automap.MaxSeed + 1}} {
		if err := e.SetAutomapper(at, &twmap.AutoMapper{Config: bad.Config, Seed: bad.Seed}); err == nil || l.AutoMapper != nil {
			t.Errorf("section %d, seed %d: %v", bad.Config, bad.Seed, err)
		}
	}
	for section, want := range map[string]string{"": "no section is named", "none": "no section", "bad": "expected the number of a tile"} {
		if err := e.Automap(ctx, at, Automapping{Rules: rulesOfAir, Section: section}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", section, err)
		}
	}
	for _, do := range []func() error{
		func() error { return e.Automap(ctx, at, Automapping{Rules: rulesOfAir, Section: "air"}) }, // no effect
		func() error {
			return e.Automap(ctx, at, Automapping{Rules: rulesOfAir, Section: "1", Seed: 5, Reference: automap.ReferenceUnhookable})
		},
		func() error { return e.SetAutomapper(at, &twmap.AutoMapper{Config: 1, Seed: 6, Automatic: true}) },
		func() error { return e.SetAutomapper(at, &twmap.AutoMapper{Config: 1, Seed: 6, Automatic: true}) },
		func() error {
			return e.Automap(ctx, at, Automapping{Rules: rulesOfAir, Section: "air", Seed: -1, Store: true})
		},
		func() error { return e.SetAutomapper(at, nil) },
		func() error { return e.SetAutomapper(at, nil) },
	} {
		if err := do(); err != nil {
			t.Error(err)
		}
	}
	want := `groups/Tiles/Ground: drawn by the rules [some] with seed 5 3 tiles
groups/Tiles/Ground: automapper: section 1, seed 6, automatic 1 ` + `
groups/Tiles/Ground: drawn by the rules [air] with seed 6 3 tiles
groups/Tiles/Ground: automapper: section 0, seed 6, automatic 1 ` + `
groups/Tiles/Ground: no automapper: section 0, seed 6, automatic 1 `
	if got := strings.Join(said, "\n"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestAutomapAll(t *testing.T) {
	m, l := automapMap()
	other := twmap.NewTileLayer(twmap.KindTiles, 3, 1)
	other.Name, other.Image = "Other", 1
	m.Images = append(m.Images, twmap.NewExternalImage("sky", 1024, 1024))
	m.Groups[1].Layers = append(m.Groups[1].Layers, other)
	changes := 0
	e := New(m, func(check.Change) { changes++ })
	var missed []string
	all := func(ctx context.Context) (int, error) {
		return e.AutomapAll(ctx, Automapping{Rules: rulesOfAir, Seed: -1}, func(err error) { missed = append(missed, err.Error()) })
	}
	l.AutoMapper = &twmap.AutoMapper{Config: -1}
	if n, err := all(context.Background()); n != 0 || err != nil || missed != nil || changes != 0 {
		t.Errorf("%d layers, %v, %q, %d changes", n, err, missed, changes)
	}
	l.AutoMapper, other.AutoMapper = &twmap.AutoMapper{Config: 1}, &twmap.AutoMapper{Config: 0}
	if n, err := all(context.Background()); n != 2 || err != nil ||
		fmt.Sprint(missed) != "[groups/Tiles/Other: no rules]" || changes != 1 || l.AutoMapper.Seed != 0 {
		t.Errorf("%d layers, %v, %q, %d changes, seed %d", n, err, missed, changes, l.AutoMapper.Seed)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := all(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
