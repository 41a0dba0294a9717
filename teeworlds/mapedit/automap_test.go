package mapedit

import (
	"context"
	"fmt"
	"image"
	"testing"

	"trowel.example/check"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/twmap"
)

func TestAutomap(t *testing.T) {
	m := twmap.New(3, 1)
	m.Physics(twmap.KindGame).Tiles().Set(0, 0, twmap.Tile{ID: 3})
	m.Images = append(m.Images, twmap.NewImage("ground", image.NewNRGBA(image.Rect(0, 0, 16, 16))))
	l := twmap.NewTileLayer(twmap.KindTiles, 3, 1)
	l.Name, l.Image = "Ground", 0
	plain := twmap.NewTileLayer(twmap.KindTiles, 3, 1)
	m.Groups = append(m.Groups, twmap.NewGroup("Tiles", l, plain, twmap.NewQuadLayer()))
	var said []string
	e := New(m, func(c check.Change) {
		said = append(said, fmt.Sprintf("%s: %s %d %s", c.Path, c.What, c.Count, c.Unit))
	})
	rules := automap.ParseRules([]byte("[air]\nIndex 1\n[some]\nIndex 7\nNoDefaultRule"), nil)

	ctx, at := context.Background(), LayerAt{1, 0}
	for _, bad := range []LayerAt{{0, 0}, {1, 1}, {1, 2}} {
		if _, err := e.Automap(ctx, bad, rules, automap.Options{}); err == nil {
			t.Errorf("%v is drawn", bad)
		}
		if err := e.SetAutomapper(bad, &twmap.AutoMapper{}); err == nil {
			t.Errorf("%v has an automapper", bad)
		}
		if err := e.SetAutomapper(bad, nil); err != nil {
			t.Errorf("%v: %v", bad, err)
		}
	}
	for _, bad := range []twmap.AutoMapper{{Config: -1}, {Seed: -1}, {Seed: automap.MaxSeed + 1}} {
		if err := e.SetAutomapper(at, &twmap.AutoMapper{Config: bad.Config, Seed: bad.Seed}); err == nil || l.AutoMapper != nil {
			t.Errorf("section %d, seed %d: %v", bad.Config, bad.Seed, err)
		}
	}
	for _, do := range []func() error{
		func() error { _, err := e.Automap(ctx, at, rules, automap.Options{Seed: 5}); return err }, // nothing to do
		func() error {
			_, err := e.Automap(ctx, at, rules, automap.Options{Section: 1, Seed: 5, Reference: automap.ReferenceUnhookable})
			return err
		},
		func() error { return e.SetAutomapper(at, &twmap.AutoMapper{Config: 1, Seed: 5, Automatic: true}) },
		func() error { return e.SetAutomapper(at, &twmap.AutoMapper{Config: 1, Seed: 5, Automatic: true}) },
		func() error { return e.SetAutomapper(at, nil) },
		func() error { return e.SetAutomapper(at, nil) },
	} {
		if err := do(); err != nil {
			t.Error(err)
		}
	}
	want := "[groups/Tiles/Ground: drawn by the rules [some] with seed 5 3 tiles" +
		" groups/Tiles/Ground: automapper: section 1, seed 5, automatic 1 " +
		" groups/Tiles/Ground: no automapper: section 1, seed 5, automatic 1 ]"
	if got := fmt.Sprint(said); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
