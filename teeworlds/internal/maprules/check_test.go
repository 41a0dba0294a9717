package maprules

import (
	"image"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

const width, height = 60, 24

// course returns a map that breaks no rule of DDNet: a room with two spawns, a start line, two time checkpoints and a finish, all drawn.
func course() *twmap.Map {
	m := twmap.New(width, height)
	fill(m, 0, 0, width, 2, twmap.TileSolid)
	fill(m, 0, height-2, width, 2, twmap.TileSolid)
	fill(m, 0, 0, 2, height, twmap.TileSolid)
	fill(m, width-2, 0, 2, height, twmap.TileSolid)
	set(m, 6, 10, twmap.EntitySpawn)
	set(m, 10, 10, twmap.EntitySpawn)
	fill(m, 20, 2, 1, height-4, twmap.TileStart)
	fill(m, 30, 2, 1, height-4, twmap.TileTimeCheckpointFirst)
	fill(m, 40, 2, 1, height-4, twmap.TileTimeCheckpointFirst+1)
	fill(m, 50, 2, 1, height-4, twmap.TileFinish)
	draw(m)
	sky := twmap.NewGroup("Sky", twmap.NewQuadLayer(twmap.NewQuad(-100_000<<10, -100_000<<10, 200_000<<10, 200_000<<10)))
	sky.ParallaxX, sky.ParallaxY = 0, 0
	m.Groups = slices.Insert(m.Groups, 0, sky)
	return m
}

// fill sets an area of the game layer to a tile.
func fill(m *twmap.Map, left, top, w, h int, tile twmap.GameTile) {
	for y := top; y < top+h; y++ {
		for x := left; x < left+w; x++ {
			set(m, x, y, tile)
		}
	}
}

func set(m *twmap.Map, x, y int, tile twmap.GameTile) {
	m.Physics(twmap.KindGame).Tiles().Set(x, y, twmap.Tile{ID: uint8(tile)})
}

// draw adds a design layer that shows each tile of the game layer but spawns and time checkpoints: solid tiles as tile 1, others by
// their number.
func draw(m *twmap.Map) {
	l := twmap.NewTileLayer(twmap.KindTiles, width, height)
	l.Name = "Walls"
	game := m.Physics(twmap.KindGame).Tiles()
	for y := range height {
		for x := range width {
			if id := twmap.GameTile(game.At(x, y).ID); id < twmap.TileTimeCheckpointFirst {
				l.Tiles().Set(x, y, twmap.Tile{ID: uint8(id)})
			}
		}
	}
	for _, corner := range [2][2]int{{0, 0}, {width - 1, height - 1}} { // no row or column repeats
		l.Tiles().Set(corner[0], corner[1], twmap.Tile{ID: 7})
	}
	m.Groups = append(m.Groups, twmap.NewGroup("Design", l))
}

// layerOf adds a physics layer.
func layerOf(m *twmap.Map, kind twmap.Kind) *twmap.TileLayer {
	l := twmap.NewTileLayer(kind, width, height)
	group := m.Groups[slices.IndexFunc(m.Groups, func(g *twmap.Group) bool { return g.Name == "Game" })]
	group.Layers = append(group.Layers, l)
	return l
}

func walls(m *twmap.Map) *twmap.TileLayer {
	return m.Groups[len(m.Groups)-1].Layers[0].(*twmap.TileLayer)
}

func set7(l *twmap.TileLayer, x, y int, id twmap.GameTile, number uint8) {
	l.Teles().Set(x, y, twmap.TeleTile{ID: uint8(id), Number: number})
}

func settings(lines ...string) func(m *twmap.Map) {
	return func(m *twmap.Map) { m.Info = &twmap.Info{Author: "A", License: "MIT", Settings: lines} }
}

func picture(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range p.Pix {
		p.Pix[i] = 255
	}
	return p
}

// TestRules tests which changes of a map break which rule, with the message of the finding.
func TestRules(t *testing.T) {
	solo := func(m *twmap.Map) {
		set(m, 10, 10, twmap.TileAir)
		set(m, 6, 10, twmap.TileAir)
		set(m, 6, height-3, twmap.EntitySpawn)
	}
	for _, c := range []struct {
		id, kind, rules, says string // of the finding; the type of map; the set of rules, "" for DDNet's
		edit                  func(m *twmap.Map)
	}{
		{id: "tw-release-start-skipped", says: "a way from a spawn to the finish (50,2) passes the start line here: 21,12 20,12 19,11",
			edit: func(m *twmap.Map) { set(m, 20, 12, twmap.TileAir) }},
		{id: "tw-release-finish-closed", edit: func(m *twmap.Map) {
			fill(m, 45, 2, 1, height-4, twmap.TileSolid)
			walls(m).Tiles().Set(45, 2, twmap.Tile{ID: 1})
		}},
		{id: "tw-release-times-order", says: "1 time checkpoint on the way before one of a lower number: 30,",
			edit: func(m *twmap.Map) {
				fill(m, 30, 2, 1, height-4, twmap.TileTimeCheckpointFirst+1)
				fill(m, 40, 2, 1, height-4, twmap.TileTimeCheckpointFirst)
			}},
		{id: "tw-release-line-thin", says: "40 tiles in lines that are one tile thick",
			edit: func(m *twmap.Map) { set(m, 12, 12, twmap.EntityNinja) }},
		{id: "tw-release-spawns-few", says: "the map has 1 spawn", edit: func(m *twmap.Map) { set(m, 10, 10, twmap.TileAir) }},
		{id: "tw-release-spawn-ground", says: "1 spawn on the ground: 14,21",
			edit: func(m *twmap.Map) { set(m, 14, height-3, twmap.EntitySpawnRed) }},
		{id: "tw-release-spawn-death", says: "1 spawn beside a deadly tile: 6,10",
			edit: func(m *twmap.Map) { set(m, 7, 11, twmap.TileDeath); walls(m).Tiles().Set(7, 11, twmap.Tile{ID: 2}) }},
		{id: "tw-release-start-small", says: "7 places for tees before the start line",
			edit: func(m *twmap.Map) { fill(m, 9, height-3, 11, 1, twmap.TileFreeze); drawn(m, 9, height-3, 11) }},
		{id: "tw-release-tile-fake", says: "1 place that looks like something else: 25,12",
			edit: func(m *twmap.Map) { walls(m).Tiles().Set(25, 12, twmap.Tile{ID: 1}) }},
		{id: "tw-release-unmarked", says: "nothing marks 1 of 157 hookable tiles: 25,12",
			edit: func(m *twmap.Map) { set(m, 25, 12, twmap.TileSolid) }},
		{id: "tw-release-unmarked-group", says: "nothing marks 1 of 1 group of stoppers: 25,12",
			edit: func(m *twmap.Map) { set(m, 25, 12, twmap.TileStop); set(m, 26, 12, twmap.TileStop) }},
		{id: "tw-release-unmarked-detail", says: "without high detail, nothing marks 156 hookable tiles",
			edit: func(m *twmap.Map) { walls(m).Flags |= twmap.Detail }},
		{id: "tw-release-name-taken", says: `the released map "Cou rse" has the name "course", too`, edit: func(*twmap.Map) {}},
		{id: "tw-release-dummy-deepfly", kind: "dummy", edit: func(*twmap.Map) {}},
		{id: "tw-release-dummy-unlock", kind: "dummy", edit: settings("sv_deepfly 0")},
		{id: "tw-release-race-tile", kind: "race", says: "1 tile that no race has: 25,12",
			edit: func(m *twmap.Map) { set(m, 25, 12, twmap.TileFreeze); drawn(m, 25, 12, 1) }},
		{id: "tw-release-race-tile", kind: "race", says: "the map has speedups or switches", edit: func(m *twmap.Map) {
			layerOf(m, twmap.KindSpeedup).Speedups().Set(25, 12, twmap.SpeedupTile{ID: uint8(twmap.TileSpeedup), Force: 5})
		}},
		{id: "tw-release-solo-setting", kind: "solo", edit: solo},
		{id: "tw-release-solo-spawn", kind: "", says: "the map has 2 spawns, 0 of them on the ground", edit: settings("sv_solo_server 1")},
		{id: "tw-release-solo-exit", kind: "solo", says: "2 exits not the only one of its number, or not on the ground: 25,12 25,14",
			edit: func(m *twmap.Map) {
				tele := layerOf(m, twmap.KindTele)
				set7(tele, 24, 5, twmap.TileTeleInEvil, 1)
				set7(tele, 25, 12, twmap.TileTeleOut, 1)
				set7(tele, 25, 14, twmap.TileTeleOut, 1)
			}},
		{id: "tw-release-tele-blue", says: "1 blue teleporter tile: 24,5",
			edit: func(m *twmap.Map) { set7(layerOf(m, twmap.KindTele), 24, 5, twmap.TileTeleIn, 1) }},
		{id: "tw-release-exit-single", says: "1 of 1 number with a single exit: 25,12", edit: func(m *twmap.Map) {
			tele := layerOf(m, twmap.KindTele)
			set7(tele, 24, 5, twmap.TileTeleInEvil, 1)
			set7(tele, 25, 12, twmap.TileTeleOut, 1)
		}},
		{id: "tw-release-exit-ground", says: "1 exit on the ground: 25,21",
			edit: func(m *twmap.Map) { set7(layerOf(m, twmap.KindTele), 25, height-3, twmap.TileTeleCheckpointOut, 1) }},
		{id: "tw-release-spam", says: "1 tile beside the one that turns the same thing off: 25,12", edit: func(m *twmap.Map) {
			set(m, 25, 12, twmap.TileJetpackDisable)
			set(m, 25, 13, twmap.TileJetpackEnable)
			set(m, 28, 13, twmap.TileJetpackEnable)
		}},
		{id: "tw-release-team-forced", says: "the setting sv_team is 2", edit: settings("sv_team 2")},
		{id: "tw-release-image-embedded", says: `the image "grass_main" is embedded`,
			edit: func(m *twmap.Map) { m.Images = append(m.Images, twmap.NewImage("grass_main", picture(64, 64))) }},
		{id: "tw-release-image-side", says: `the image "odd" has 64 x 48 pixels`,
			edit: func(m *twmap.Map) { m.Images = append(m.Images, twmap.NewImage("odd", picture(64, 48))) }},
		{id: "tw-release-image-twice", says: `the image "b" has the pixels of image 0, "a"`, edit: func(m *twmap.Map) {
			p := picture(16, 16)
			for i := range 4 {
				p.Pix[i] = 0 // transparent, so its colour does not count
			}
			q := picture(16, 16)
			q.Pix[3] = 0
			m.Images = append(m.Images, twmap.NewImage("a", p), twmap.NewImage("b", q), twmap.NewImage("c", picture(16, 16)))
		}},
		{id: "tw-release-empty", says: "3 empty parts: groups[0].layers[1], groups[2].layers[1], groups[3]", edit: func(m *twmap.Map) {
			m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewQuadLayer())
			m.Groups[2].Layers = append(m.Groups[2].Layers, twmap.NewTileLayer(twmap.KindTiles, 5, 5))
			m.Groups = append(m.Groups, twmap.NewGroup("None"))
		}},
		{id: "tw-release-layer-large", says: "64 % of the cells of 1 layer only repeat: groups[0].layers[1]", edit: func(m *twmap.Map) {
			l := twmap.NewTileLayer(twmap.KindTiles, 60, 50)
			l.Tiles().Set(0, 0, twmap.Tile{ID: 3})
			l.Tiles().Set(59, 0, twmap.Tile{ID: 4})
			m.Groups[0].Layers = append(m.Groups[0].Layers, l)
		}},
		{id: "tw-release-hole", says: "no background in the view from ",
			edit: func(m *twmap.Map) { m.Groups[0].Clip = &twmap.Clip{Width: 500, Height: 500} }},
		{id: "tw-release-no-sign", says: `the layer "Text" seems to inform players`, edit: func(m *twmap.Map) { walls(m).Name = "Text" }},
		{id: "tw-release-through-nothing", says: "1 hook-through tile over no solid tile: 25,12", edit: func(m *twmap.Map) {
			layerOf(m, twmap.KindFront).Tiles().Set(25, 12, twmap.Tile{ID: uint8(twmap.TileThroughCut)})
		}},
		{id: "tw-release-tile-old", says: "1 hook-through tile of the old kind: 25,12",
			edit: func(m *twmap.Map) { set(m, 25, 12, twmap.TileThrough) }},
		{id: "tw-release-speedup-idle", says: "1 speedup without force: 25,12", edit: func(m *twmap.Map) {
			layerOf(m, twmap.KindSpeedup).Speedups().Set(25, 12, twmap.SpeedupTile{ID: uint8(twmap.TileSpeedup)})
		}},
		{id: "tw-release-setting", says: `the setting "sv_destroy_lasers_on_death 1"`, edit: settings("sv_destroy_lasers_on_death 1")},
		{id: "tw-release-kog-tile", rules: "kog", says: "the map has no start tile",
			edit: func(m *twmap.Map) { fill(m, 20, 2, 1, height-4, twmap.TileAir) }},
		{id: "tw-release-kog-quest", rules: "kog", says: `the quest "Q_X" is not Q_NO_HAMMER, Q_NO_PLATFORM, Q_TEAM_15`,
			edit: settings("sv_kog_map_quests Q_TEAM_15,Q_X")},
		{id: "tw-release-kog-author", rules: "kog", edit: func(m *twmap.Map) { m.Info = nil }},
		{id: "tw-release-kog-license", rules: "kog", edit: func(m *twmap.Map) { m.Info = &twmap.Info{Author: "A"} }},
		{id: "tw-release-unique-tile", rules: "unique", says: "1 tile that no map of Unique has: 25,12",
			edit: func(m *twmap.Map) { set(m, 25, 12, twmap.TileDeepFreeze) }},
	} {
		m := course()
		c.edit(m)
		rules, name := c.rules, "course"
		if rules == "" {
			rules = "ddnet"
		}
		o := Options{Type: c.kind, Name: name}
		if c.id == "tw-release-name-taken" {
			o.Released = []string{"course 2", "Cou rse"}
		}
		found := checked(t, m, rules, o)
		var others []string
		hit := ""
		for _, f := range found {
			switch {
			case f.ID == c.id && !(hit != "" && strings.HasPrefix(hit, c.says)):
				hit = f.Message
			case f.ID != c.id && f.Severity > check.Info:
				others = append(others, f.String())
			}
		}
		if hit == "" || !strings.HasPrefix(hit, c.says) {
			t.Errorf("%s: %q, want %q; and %q", c.id, hit, c.says, others)
		}
	}
}

// drawn draws freeze.
func drawn(m *twmap.Map, x, y, n int) {
	for i := range n {
		walls(m).Tiles().Set(x+i, y, twmap.Tile{ID: uint8(twmap.TileFreeze)})
	}
}

func set0(t testing.TB, name string) *Set {
	t.Helper()
	set, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func checked(t testing.TB, m *twmap.Map, rules string, o Options) []check.Finding {
	t.Helper()
	return check.Collect(func(sink check.Sink) {
		if err := Check(t.Context(), m, set0(t, rules), o, sink); err != nil {
			t.Error(err)
		}
	})
}

// TestClean tests that a map that breaks no rule has only the list of what a person must judge.
func TestClean(t *testing.T) {
	for _, rules := range Names() {
		m := course()
		settings()(m)
		for _, f := range checked(t, m, rules, Options{Name: "course"}) {
			if f.ID != "tw-release-person" {
				t.Errorf("%s: %v", rules, f)
			}
		}
	}
	if found := checked(t, &twmap.Map{}, "ddnet", Options{}); found != nil {
		t.Error(found)
	}
	if _, err := Named("nobody"); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Error(err)
	}
}

// TestCatalog tests that each kind of finding belongs to a rule.
func TestCatalog(t *testing.T) {
	for _, k := range Catalog.Kinds() {
		if k == foundPerson || k == foundUnread {
			continue
		}
		if !slices.ContainsFunc(sets, func(s Set) bool { return s.ruleOf(k.ID) != nil }) {
			t.Errorf("%s belongs to no rule", k.ID)
		}
	}
	for _, s := range sets {
		for _, r := range s.Rules {
			if r.Source == "" || len(r.Kinds) == 0 && r.Person == "" {
				t.Errorf("%s: the rule %q has neither findings nor a person", s.Name, r.Name)
			}
			for _, kind := range slices.Concat(r.Types, r.Except) {
				if !slices.Contains(Types, kind) {
					t.Errorf("%s: the rule %q is for the type %q", s.Name, r.Name, kind)
				}
			}
		}
	}
}
