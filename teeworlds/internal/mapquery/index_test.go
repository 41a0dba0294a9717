package mapquery_test

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/twmap"
)

// made returns a map with layers of all kinds, filled randomly, as read from a file.
func made(t testing.TB) *twmap.Map {
	t.Helper()
	const width, height = 50, 40
	r := rand.New(rand.NewPCG(1, 2))
	m := twmap.New(width, height)
	game := m.Groups[0]
	for kind := twmap.KindTiles; kind <= twmap.KindTune; kind++ {
		l := m.Physics(kind)
		if l == nil {
			l = twmap.NewTileLayer(kind, width, height)
			game.Layers = append(game.Layers, l)
		}
		for range 300 {
			x, y, id, n := r.IntN(width), r.IntN(height), uint8(r.IntN(5)*r.IntN(40)), uint8(1+r.IntN(9))
			switch kind {
			case twmap.KindTele:
				l.Teles().Set(x, y, twmap.TeleTile{Number: n, ID: id})
			case twmap.KindSpeedup:
				l.Speedups().Set(x, y, twmap.SpeedupTile{Force: n, MaxSpeed: 2 * n, ID: id, Angle: int16(n) * 30})
			case twmap.KindSwitch:
				l.Switches().Set(x, y, twmap.SwitchTile{Number: n, ID: id, Flags: twmap.TileFlags(n) & 11, Delay: n + 1})
			case twmap.KindTune:
				l.Tunes().Set(x, y, twmap.TuneTile{Number: n, ID: id})
			default:
				l.Tiles().Set(x, y, twmap.Tile{ID: id, Flags: twmap.TileFlags(n) & 15})
			}
		}
	}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if m, err = twmap.Decode(data); err != nil {
		t.Fatal(err)
	}
	return m
}

// cellAt returns a cell of a layer.
func cellAt(l *twmap.TileLayer, x, y int) mapquery.Cell {
	c := mapquery.Cell{Kind: l.Kind()}
	switch l.Kind() {
	case twmap.KindTele:
		t := l.Teles().At(x, y)
		c.ID, c.Number = t.ID, t.Number
	case twmap.KindSpeedup:
		t := l.Speedups().At(x, y)
		c.ID, c.Force, c.MaxSpeed, c.Angle = t.ID, t.Force, t.MaxSpeed, t.Angle
	case twmap.KindSwitch:
		t := l.Switches().At(x, y)
		c.ID, c.Number, c.Flags, c.Delay = t.ID, t.Number, t.Flags, t.Delay
	case twmap.KindTune:
		t := l.Tunes().At(x, y)
		c.ID, c.Number = t.ID, t.Number
	default:
		t := l.Tiles().At(x, y)
		c.ID, c.Flags = t.ID, t.Flags
	}
	return c
}

// TestTiles tests that Tiles finds the same tiles as a test of each cell.
func TestTiles(t *testing.T) {
	m := made(t)
	area := image.Rect(5, 3, 60, 20) // beyond the map
	for i, want := range []func(mapquery.Cell) bool{
		func(c mapquery.Cell) bool { return c.ID != 0 },
		func(c mapquery.Cell) bool { return c.Number == 5 && c.ID == 4 },
		func(c mapquery.Cell) bool { return c.Force == 3 && c.Angle == 90 },
		func(c mapquery.Cell) bool { return c.Flags == twmap.Rotate },
		func(mapquery.Cell) bool { return false },
	} {
		for _, box := range []*image.Rectangle{nil, &area} {
			var all, got []string
			for _, l := range m.Layers() {
				l := l.(*twmap.TileLayer)
				for y := range l.Height() {
					for x := range l.Width() {
						if c := cellAt(l, x, y); want(c) && (box == nil || image.Pt(x, y).In(*box)) {
							all = append(all, fmt.Sprintf("%s %d,%d %v", m.PartOf(l).Path(), x, y, c))
						}
					}
				}
			}
			f := mapquery.NewIndex(m)
			f.Area = box
			err := f.Tiles(t.Context(), nil, want, nil, func(tile mapquery.Tile) error {
				got = append(got, fmt.Sprintf("%s %v %v", tile.At.Part.Path(), tile.At, tile.Cell))
				return nil
			})
			if err != nil || !slices.Equal(all, got) {
				t.Errorf("%d, in %v: %d found, want %d, %v", i, box, len(got), len(all), err)
			}
			if i < 4 && len(got) == 0 {
				t.Errorf("%d: nothing", i)
			}
		}
	}
	// Join layers.
	for _, join := range [][]mapquery.Join{
		{{Layers: []string{"switch"}, Match: func(c mapquery.Cell) bool { return c.ID != 0 && c.Number == 5 }}},
		{{Layers: []string{"physics"}, Match: func(c mapquery.Cell) bool { return c.ID > 20 }},
			{Match: func(c mapquery.Cell) bool { return c.Kind == twmap.KindTele && c.ID == 0 }}},
		{{Layers: []string{"none"}, Match: func(mapquery.Cell) bool { return true }}},
	} {
		var all, got []string
		for _, l := range m.Layers() {
			l := l.(*twmap.TileLayer)
			for y := range l.Height() {
				for x := range l.Width() {
					if c, with := cellAt(l, x, y), joinedAt(m, join, l, x, y); c.ID != 0 && with != "" {
						all = append(all, fmt.Sprintf("%s %d,%d %s", m.PartOf(l).Path(), x, y, with))
					}
				}
			}
		}
		f := mapquery.NewIndex(m)
		f.Joins = join
		err := f.Tiles(t.Context(), nil, func(c mapquery.Cell) bool { return c.ID != 0 }, nil, func(tile mapquery.Tile) error {
			with := ""
			for _, c := range tile.With {
				with += fmt.Sprint(c.Cell)
			}
			got = append(got, fmt.Sprintf("%s %v %s", tile.At.Part.Path(), tile.At, with))
			return nil
		})
		if err != nil || !slices.Equal(all, got) {
			t.Errorf("join: %d found, want %d, %v", len(got), len(all), err)
		}
		if join[0].Layers[0] != "none" && len(got) == 0 {
			t.Error("join: nothing")
		}
	}
	// Search some layers only.
	f := mapquery.NewIndex(m)
	f.Layers = []string{"front", "0/0"}
	kinds := make(map[twmap.Kind]bool)
	if err := f.Tiles(t.Context(), nil, func(c mapquery.Cell) bool { return c.ID != 0 }, nil, func(tile mapquery.Tile) error {
		kinds[tile.Kind] = true
		return nil
	}); err != nil || len(kinds) != 2 || !kinds[twmap.KindFront] {
		t.Errorf("layers of %v, %v", kinds, err)
	}
}

// joinedAt returns the cells of joins at a position, or "" if a join has none.
func joinedAt(m *twmap.Map, list []mapquery.Join, own *twmap.TileLayer, x, y int) (text string) {
	for _, j := range list {
		found := false
		for _, l := range m.Layers() {
			l := l.(*twmap.TileLayer)
			in := j.Layers == nil || j.Layers[0] == l.Kind().String() || j.Layers[0] == "physics" && l.Kind().Physics()
			if c := cellAt(l, x, y); in && l != own && !found && j.Match(c) {
				found = true
				text += fmt.Sprint(c)
			}
		}
		if !found {
			return ""
		}
	}
	return text
}

// TestCounts tests that Counts counts the tiles that Tiles finds, each once.
func TestCounts(t *testing.T) {
	m := made(t)
	area := image.Rect(5, 3, 60, 20)
	for _, box := range []*image.Rectangle{nil, &area} {
		f := mapquery.NewIndex(m)
		f.Area = box
		want := make(map[string]int64)
		if err := f.Tiles(t.Context(), nil, func(mapquery.Cell) bool { return true }, nil, func(c mapquery.Tile) error {
			want[fmt.Sprintf("%s %s %v %d %d", c.Path, c.At.Part.Path(), c.Kind, c.ID, c.Flags)]++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		var last mapquery.Count
		if err := f.Counts(t.Context(), nil, func(c mapquery.Count) error {
			if c.Path == last.Path && (c.ID < last.ID || c.ID == last.ID && c.Flags <= last.Flags) {
				t.Errorf("%v after %v", c, last)
			}
			last = c
			key := fmt.Sprintf("%s %s %v %d %d", c.Path, c.At.Part.Path(), c.Kind, c.ID, c.Flags)
			if want[key] != c.Tiles {
				t.Errorf("%s: %d tiles, want %d", key, c.Tiles, want[key])
			}
			delete(want, key)
			return nil
		}); err != nil || len(want) > 0 {
			t.Errorf("%v, not counted: %v", err, want)
		}
	}
}

// TestFree tests that a number is free if neither a tile nor a setting uses it, and that checkpoints have separate
// numbers.
func TestFree(t *testing.T) {
	m := twmap.New(20, 20)
	tele, tune := twmap.NewTileLayer(twmap.KindTele, 20, 20), twmap.NewTileLayer(twmap.KindTune, 20, 20)
	m.Groups[0].Layers = append(m.Groups[0].Layers, tele, tune)
	for x, c := range []twmap.TeleTile{{Number: 1, ID: 26}, {Number: 3, ID: 27}, {Number: 1, ID: 29}, {Number: 2, ID: 30},
		{Number: 2, ID: 0}} {
		tele.Teles().Set(x, 0, c)
	}
	tune.Tunes().Set(0, 0, twmap.TuneTile{Number: 2, ID: 68})
	m.Info = &twmap.Info{Settings: []string{"tune_zone 1 gravity 0", "Tune_Zone_Enter 3 hello", "switch_open 1", "tune_zone x", "tune_zone"}}
	for numbers, want := range map[twmap.Numbers][]int{
		twmap.TeleNumbers: {2, 4, 5}, twmap.CheckpointNumbers: {3, 4, 5}, twmap.SwitchNumbers: {2, 3, 4}, twmap.TuneNumbers: {4, 5, 6},
	} {
		if got, err := mapquery.NewIndex(m).Free(t.Context(), numbers, 3, nil); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", numbers, got, err, want)
		}
	}
	for n := range 256 {
		tune.Tunes().Set(n%20, n/20, twmap.TuneTile{Number: uint8(n), ID: 68})
	}
	if got, err := mapquery.NewIndex(m).Free(t.Context(), twmap.TuneNumbers, 1, nil); err != nil || len(got) != 0 {
		t.Errorf("%v, %v: expected none", got, err)
	}
}

// TestUses tests finding the users of a part, and parts without users.
func TestUses(t *testing.T) {
	m := twmap.New(20, 20)
	m.Images = []*twmap.Image{twmap.NewExternalImage("grass_main", 1024, 1024), twmap.NewExternalImage("sun", 512, 512),
		twmap.NewExternalImage("Grass2", 512, 512)}
	m.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("up", twmap.ChannelsPosition), twmap.NewEnvelope("glow", twmap.ChannelsColor)}
	tiles := twmap.NewTileLayer(twmap.KindTiles, 20, 20)
	tiles.Image, tiles.ColorEnv = 0, 1
	quad := twmap.NewQuad(320, 640, 64, 32)
	quad.PosEnv = 0
	quads := twmap.NewQuadLayer(twmap.NewQuad(0, 0, 32, 32), quad)
	quads.Image = 1
	m.Groups = append(m.Groups, twmap.NewGroup("Deco", tiles, quads))
	for _, c := range []struct {
		kind    twmap.PartKind
		pattern string
		want    []string
	}{
		{twmap.PartImage, "grass*", []string{"groups/Deco/tiles grass_main groups[1].layers[0] grass_main tiles",
			"images/Grass2 images[2] \"Grass2\" Grass2 unused"}},
		{twmap.PartImage, "1", []string{"groups/Deco/quads sun groups[1].layers[1] sun quads"}},
		{twmap.PartImage, "moon", nil},
		{twmap.PartEnvelope, "up", []string{"groups/Deco/quads sun quad 1 up position"}},
		{twmap.PartEnvelope, "1", []string{"groups/Deco/tiles grass_main groups[1].layers[0] glow color"}},
		{twmap.PartSound, "*", nil},
	} {
		var got []string
		if err := mapquery.NewIndex(m).Uses(c.kind, c.pattern, func(u mapquery.Use) error {
			got = append(got, fmt.Sprintf("%s %v %s %s", u.Path, u.At, u.Name, u.What))
			return nil
		}); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %q, %v, want %q", c.kind, c.pattern, got, err, c.want)
		}
	}
	f := mapquery.NewIndex(m)
	f.Area = &image.Rectangle{Min: image.Pt(11, 20), Max: image.Pt(12, 21)}
	var places []string
	if err := f.Quads(nil, func(q mapquery.Quad) error {
		places = append(places,
			q.At.String())
		return nil
	}); err != nil || !slices.Equal(places, []string{"quad 1"}) {
		t.Errorf("%v, %v", places, err)
	}
}

func ExampleIndex_Tiles() {
	m := twmap.New(30, 20)
	m.Physics(twmap.KindGame).Tiles().Set(7, 3, twmap.Tile{ID: uint8(twmap.TileFreeze)})
	err := mapquery.NewIndex(m).Tiles(context.Background(), nil,
		func(c mapquery.Cell) bool { return c.ID == uint8(twmap.TileFreeze) }, nil, func(t mapquery.Tile) error {
			fmt.Println(t.Path, t.At, t.Name())
			return nil
		})
	if err != nil {
		fmt.Println(err)
	}
	// Output: groups/Game/Game 7,3 freeze
}
