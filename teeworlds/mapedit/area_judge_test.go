package mapedit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// areaEdits holds an edit of each kind that changes tiles or the whole map, for any map.
var areaEdits = []struct {
	name string
	do   func(e *mapedit.Editor) error
}{
	{"mirror", func(e *mapedit.Editor) error { return e.Turn(mapedit.LeftRight) }},
	{"rotate", func(e *mapedit.Editor) error { return e.Turn(mapedit.Clockwise) }},
	{"extend", func(e *mapedit.Editor) error { return e.Extend(mapedit.Sides{Left: 3, Right: 1, Up: 2, Down: 5}) }},
	{"crop", func(e *mapedit.Editor) error {
		g := e.Map().Physics(twmap.KindGame)
		if g == nil {
			return fmt.Errorf("no game layer")
		}
		return e.Crop(mapedit.Area{X: g.Width() / 4, Y: g.Height() / 4, Width: g.Width() - g.Width()/4, Height: g.Height() - g.Height()/4})
	}},
	{"shrink", func(e *mapedit.Editor) error { e.Shrink(mapedit.ShrinkOptions{Physics: true}); return nil }},
	{"shift", func(e *mapedit.Editor) error { return e.Shift(every(e), 2, -3) }},
	{"border", func(e *mapedit.Editor) error { return e.Border(of(e, "game")) }},
	{"fill", func(e *mapedit.Editor) error {
		return e.Fill(of(e, "game"), &mapedit.Area{X: 3, Y: 3, Width: 5, Height: 2}, id(uint8(twmap.TileThroughCut)), mapedit.PaintOptions{})
	}},
	{"replace", func(e *mapedit.Editor) error {
		return e.Replace(of(e, "game"), nil, id(1), id(3), mapedit.PaintOptions{})
	}},
	{"turn tiles", func(e *mapedit.Editor) error { return e.TurnTiles(every(e), nil, mapedit.UpDown) }},
	{"numbers", func(e *mapedit.Editor) error {
		for _, n := range []twmap.Numbers{twmap.TeleNumbers, twmap.CheckpointNumbers, twmap.SwitchNumbers, twmap.TuneNumbers} {
			e.PackNumbers(n)
		}
		return nil
	}},
	{"construct", func(e *mapedit.Editor) error {
		for _, at := range every(e) {
			for _, tile := range []twmap.GameTile{twmap.TileFreeze, twmap.TileTeleCheckpointIn} {
				if err := e.ConstructGameTiles(at, tile); err == nil {
					return nil
				}
			}
		}
		return fmt.Errorf("nothing to construct from")
	}},
	{"clean game tiles", (*mapedit.Editor).CleanGameTiles},
	{"tidy", func(e *mapedit.Editor) error {
		e.NormalizeRotation()
		e.FixRotation()
		e.MigrateSpeedups()
		e.ZeroUnused()
		return nil
	}},
	{"append itself", func(e *mapedit.Editor) error { return e.Append(e.Map(), mapedit.Across{}) }},
	{"paste from itself", func(e *mapedit.Editor) error {
		return e.PasteArea(e.Map(), mapedit.Area{X: 1, Y: 1, Width: 9, Height: 7}, 12, 5, mapedit.Across{})
	}},
	{"scale", func(e *mapedit.Editor) error { return e.Scale(2) }},
	{"paste from another", func(e *mapedit.Editor) error {
		return e.PasteArea(donor(3), mapedit.Area{Width: 8, Height: 6}, 4, 3, mapedit.Across{Drop: true})
	}},
}

func every(e *mapedit.Editor) []mapedit.LayerAt { return of(e, "") }

func of(e *mapedit.Editor, pattern string) []mapedit.LayerAt {
	layers, _ := e.Layers(pattern)
	return layers
}

// TestAreaEdits tests that each edit works on each map, including broken ones, or states why not and changes nothing;
// that each report has a count and a part; and that a check finds no new errors.
func TestAreaEdits(t *testing.T) {
	eachMap(t, func(t *testing.T, name string, m *twmap.Map) {
		before := errorsOf(m)
		for i, edit := range areaEdits {
			if (len(name)+i)%9 != 0 { // each edit on a sample of maps
				continue
			}
			n := m.Clone()
			e := mapedit.New(n, func(c check.Change) {
				if c.Count <= 0 || c.What == "" || len(c.At) > 16 {
					t.Errorf("%s, %s: reported %+v", name, edit.name, c)
				}
			})
			if err := edit.do(e); err != nil {
				if !n.Equal(m) && edit.name != "append itself" && !strings.HasPrefix(edit.name, "paste") { // these remove dangling references first
					t.Errorf("%s, %s: failed and changed the map: %v", name, edit.name, err)
				}
				continue
			}
			e.Fit() // as at the end of an edit
			data, err := n.Encode()
			if err != nil {
				t.Errorf("%s, %s: %v", name, edit.name, err)
				continue
			}
			back, err := twmap.Decode(data)
			if err != nil {
				t.Errorf("%s, %s: %v", name, edit.name, err)
				continue
			}
			for id, count := range errorsOf(back) {
				if count > before[id] && id != "tw-map-images-many" {
					t.Errorf("%s, %s: %d findings %s, there were %d", name, edit.name, count, id, before[id])
				}
			}
		}
	})
}

// TestAreaJudges tests that the games' servers and tools accept the results of the edits.
func TestAreaJudges(t *testing.T) {
	judge.Find(t, judge.DDNetServer)
	files := tests.CorpusFiles(t, "teeworlds", ".map")
	for i, name := range []string{"/coverage.map", "/Sunny Side Up.map", "/Castle_Echos.map",
		"ddnet_ddnet/data/maps/dm7.", "teeworlds-maps/ctf1.map", "/Kobra 4@2017-07-19"} {
		at := slices.IndexFunc(files, func(path string) bool { return strings.Contains(path, name) })
		if at < 0 {
			t.Errorf("no %s in the corpus", name)
			continue
		}
		data := judge.Read(t, files[at])
		m, err := twmap.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		for j, edit := range areaEdits {
			if (i+j)%6 != 0 { // each edit on one map
				continue
			}
			n := m.Clone()
			if err := edit.do(mapedit.New(n, nil)); err != nil {
				t.Logf("%s, %s: %v", name, edit.name, err)
				continue
			}
			data, err := n.Encode()
			if err != nil {
				t.Errorf("%s, %s: %v", name, edit.name, err)
				continue
			}
			server := judge.DDNetServer
			if j%4 == 3 || name == "teeworlds-maps/ctf1.map" {
				server = judge.TeeworldsServer
			}
			if said, err := judge.Load(t, server, data); err != nil {
				t.Errorf("%s, %s: %v\n%s", name, edit.name, err, said)
			}
			if name == "/Castle_Echos.map" { // map_resave crashes on the items of Bezier curves
				continue
			}
			dir := judge.Dir(t)
			judge.Write(t, dir+"/a.map", data)
			if said, err := judge.Run(t, dir, "map_resave", "a.map", "b.map"); err != nil {
				t.Errorf("%s, %s: map_resave: %v\n%s", name, edit.name, err, said)
			}
		}
	}
}
