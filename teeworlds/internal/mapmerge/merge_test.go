package mapmerge_test

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/internal/mapmerge"
	"trowel.example/teeworlds/twmap"
)

// start returns a map with a group of a tile layer of 10 x 8 cells that are all different, a quad layer, an image and
// an envelope.
func start() *twmap.Map {
	m := twmap.New(20, 15)
	number(m.Physics(twmap.KindGame))
	p := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	m.Images = []*twmap.Image{twmap.NewImage("rock", p), twmap.NewExternalImage("grass_main", 1024, 1024)}
	t := twmap.NewTileLayer(twmap.KindTiles, 10, 8)
	t.Name, t.Image = "walls", 0
	number(t)
	q := twmap.NewQuadLayer(twmap.NewQuad(0, 0, 1024, 1024), twmap.NewQuad(5000, 0, 1024, 1024))
	q.Name, q.Image = "lamps", 1
	m.Groups = append(m.Groups, twmap.NewGroup("deco", t, q), twmap.NewGroup("sky"))
	m.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("glow", twmap.ChannelsColor, twmap.EnvPoint{}, twmap.EnvPoint{Time: 1000})}
	m.Info = &twmap.Info{Author: "Ann", Settings: []string{"sv_deepfly 0", "tune gravity 0.5"}}
	return m
}

func number(l *twmap.TileLayer) {
	for y := range l.Height() {
		for x := range l.Width() {
			l.Tiles().Set(x, y, twmap.Tile{ID: uint8(1 + (x*7+y*31)%250)})
		}
	}
}

func walls(m *twmap.Map) *twmap.TileLayer     { return m.Groups[1].Layers[0].(*twmap.TileLayer) }
func lamps(m *twmap.Map) *twmap.QuadLayer     { return m.Groups[1].Layers[1].(*twmap.QuadLayer) }
func gameLayer(m *twmap.Map) *twmap.TileLayer { return m.Physics(twmap.KindGame) }

// insertRow inserts a row of air before row y of a layer.
func insertRow(l *twmap.TileLayer, y int) {
	cells, _ := l.Tiles().Cells()
	cells = slices.Insert(slices.Clone(cells), y*l.Width(), make([]twmap.Tile, l.Width())...)
	l.SetCells(l.Kind(), twmap.NewGridOf(l.Width(), l.Height()+1, cells))
}

func TestMerge(t *testing.T) {
	set := func(l *twmap.TileLayer, x, y int, id uint8) { l.Tiles().Set(x, y, twmap.Tile{ID: id}) }
	for _, test := range []struct {
		name         string
		ours, theirs func(*twmap.Map)
		conflicts    string // parts of the reported conflicts, separated by commas
		is           func(m *twmap.Map) bool
	}{
		{"tiles of one layer", func(m *twmap.Map) { set(walls(m), 1, 1, 251) }, func(m *twmap.Map) { set(walls(m), 8, 7, 252) }, "",
			func(m *twmap.Map) bool {
				return walls(m).Tiles().At(1, 1).ID == 251 && walls(m).Tiles().At(8, 7).ID == 252
			}},
		{"one tile", func(m *twmap.Map) { set(walls(m), 1, 1, 251) }, func(m *twmap.Map) { set(walls(m), 1, 1, 252) },
			"a tile: 39 became 251 and 252",
			func(m *twmap.Map) bool { return walls(m).Tiles().At(1, 1).ID == 251 }},
		{"a row above a tile", func(m *twmap.Map) { set(walls(m), 3, 4, 251) }, func(m *twmap.Map) { insertRow(walls(m), 2) }, "",
			func(m *twmap.Map) bool {
				return walls(m).Height() == 9 && walls(m).Tiles().At(3, 5).ID == 251 && walls(m).Tiles().At(3, 2).ID == 0 &&
					walls(m).Tiles().At(3, 1) == walls(start()).Tiles().At(3, 1)
			}},
		{"rows of both", func(m *twmap.Map) { insertRow(walls(m), 6) }, func(m *twmap.Map) { insertRow(walls(m), 2) }, "",
			func(m *twmap.Map) bool {
				return walls(m).Height() == 10 && walls(m).Tiles().At(3, 2).ID == 0 && walls(m).Tiles().At(3, 7).ID == 0 &&
					walls(m).Tiles().At(3, 9) == walls(start()).Tiles().At(3, 7)
			}},
		{"a new physics layer and a larger game layer", func(m *twmap.Map) {
			l := twmap.NewTileLayer(twmap.KindFront, 20, 15)
			set(l, 4, 9, 60)
			m.Groups[0].Layers = append(m.Groups[0].Layers, l)
		}, func(m *twmap.Map) { insertRow(gameLayer(m), 5) }, "",
			func(m *twmap.Map) bool {
				l := m.Physics(twmap.KindFront)
				return l.Height() == 16 && gameLayer(m).Height() == 16 && l.Tiles().At(4, 10).ID == 60
			}},
		{"a front layer of both", func(m *twmap.Map) {
			l := twmap.NewTileLayer(twmap.KindFront, 20, 15)
			set(l, 4, 9, 60)
			m.Groups[0].Layers = append(m.Groups[0].Layers, l)
		}, func(m *twmap.Map) {
			l := twmap.NewTileLayer(twmap.KindFront, 20, 15)
			set(l, 5, 9, 61)
			m.Groups[0].Layers = append(m.Groups[0].Layers, l)
		}, "", func(m *twmap.Map) bool {
			l := m.Physics(twmap.KindFront)
			return len(m.Groups[0].Layers) == 2 && l.Tiles().At(4, 9).ID == 60 && l.Tiles().At(5, 9).ID == 61
		}},
		{"the form of 0.7 and a layer of DDNet", func(m *twmap.Map) {
			m.Groups[0].Layers, m.Info.Settings = append(m.Groups[0].Layers, twmap.NewTileLayer(twmap.KindTele, 20, 15)), nil
		}, func(m *twmap.Map) { walls(m).Version, gameLayer(m).Version, m.Info.Settings = 4, 4, nil }, "",
			func(m *twmap.Map) bool { return len(m.Misfits()) == 0 && gameLayer(m).Version == 3 }},
		{"removed and changed", func(m *twmap.Map) { set(walls(m), 1, 1, 251) },
			func(m *twmap.Map) { m.Groups[1].Layers = m.Groups[1].Layers[1:] }, "ours changed it, and theirs removed it",
			func(m *twmap.Map) bool { return len(m.Groups[1].Layers) == 2 }},
		{"a layer to another group, and its tiles", func(m *twmap.Map) { set(walls(m), 1, 1, 251) }, func(m *twmap.Map) {
			m.Groups[2].Layers, m.Groups[1].Layers = m.Groups[1].Layers[:1:1], m.Groups[1].Layers[1:]
		}, "", func(m *twmap.Map) bool {
			return len(m.Groups[1].Layers) == 1 && m.Groups[2].Layers[0].(*twmap.TileLayer).Tiles().At(1, 1).ID == 251
		}},
		{"an image removed, and used by the other", func(m *twmap.Map) {
			walls(m).Image = -1
			m.Images = m.Images[1:]
			lamps(m).Image = 0
		}, func(m *twmap.Map) {
			l := twmap.NewTileLayer(twmap.KindTiles, 3, 3)
			l.Name, l.Image = "more", 0
			m.Groups[2].Layers = append(m.Groups[2].Layers, l)
		}, "", func(m *twmap.Map) bool {
			return len(m.Images) == 2 && m.Images[m.Groups[2].Layers[0].(*twmap.TileLayer).Image].Name == "rock" &&
				m.Images[lamps(m).Image].Name == "grass_main" && walls(m).Image == -1
		}},
		{"the same setting", func(m *twmap.Map) { m.Info.Settings[1] = "tune gravity 0.6" },
			func(m *twmap.Map) { m.Info.Settings[1] = "tune gravity 0.7" }, `setting "tune gravity 0.6" and "tune gravity 0.7"`,
			func(m *twmap.Map) bool {
				return slices.Equal(m.Info.Settings, []string{"sv_deepfly 0", "tune gravity 0.6"})
			}},
		{"settings", func(m *twmap.Map) { m.Info.Settings[1] = "tune gravity 0.6" },
			func(m *twmap.Map) { m.Info.Settings = append(m.Info.Settings, "sv_team 3") }, "",
			func(m *twmap.Map) bool {
				return slices.Equal(m.Info.Settings, []string{"sv_deepfly 0", "tune gravity 0.6", "sv_team 3"})
			}},
		{"quads", func(m *twmap.Map) {
			q, _ := lamps(m).Quads()
			lamps(m).SetQuads(append(slices.Clone(q), twmap.NewQuad(0, 9000, 10, 10)))
		}, func(m *twmap.Map) {
			q, _ := lamps(m).Quads()
			lamps(m).SetQuads([]twmap.Quad{q[1], q[0]})
		}, "", func(m *twmap.Map) bool {
			q, _ := lamps(m).Quads()
			return len(q) == 3 && q[0].Pivot.X > q[1].Pivot.X && q[2].Pivot.Y > 8000
		}},
		{"points", func(m *twmap.Map) { m.Envelopes[0].Points[1].Values[0] = 5 }, func(m *twmap.Map) {
			m.Envelopes[0].Points = slices.Insert(m.Envelopes[0].Points, 1, twmap.EnvPoint{Time: 500})
		}, "", func(m *twmap.Map) bool {
			p := m.Envelopes[0].Points
			return len(p) == 3 && p[1].Time == 500 && p[2].Values[0] == 5
		}},
		{"author and name", func(m *twmap.Map) { m.Info.Author, m.Groups[1].Name = "Bob", "ours" },
			func(m *twmap.Map) { m.Info.Author, m.Groups[1].OffsetX = "Cid", 32 }, `author: "Ann" became "Bob" and "Cid"`,
			func(m *twmap.Map) bool {
				return m.Info.Author == "Bob" && m.Groups[1].Name == "ours" && m.Groups[1].OffsetX == 32
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			base, ours, theirs := start(), start(), start()
			test.ours(ours)
			test.theirs(theirs)
			keep := []*twmap.Map{base.Clone(), ours.Clone(), theirs.Clone()}
			var reported []string
			merged, conflicts, err := mapmerge.Merge(base, ours, theirs, merge3.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range conflicts {
				reported = append(reported, c.What)
				if len(c.At) == 0 && c.Path != "map" && c.Path != "settings" {
					t.Errorf("a conflict without a place: %+v", c)
				}
			}
			if got := strings.Join(reported, ","); got != test.conflicts {
				t.Errorf("conflicts: %s, want %s", got, test.conflicts)
			}
			if !test.is(merged) {
				t.Error("the merged map is not what it should be")
			}
			if _, err := merged.Encode(); err != nil {
				t.Error(err)
			}
			for i, m := range []*twmap.Map{base, ours, theirs} {
				if !m.Equal(keep[i]) {
					t.Error("the merge changed what it was given")
				}
			}
			// With the sides exchanged and the other side preferred, the result is the same.
			other, _, err := mapmerge.Merge(base, theirs, ours, merge3.Options{Prefer: merge3.Theirs})
			if err != nil || !test.is(other) {
				t.Errorf("the other way round it is something else: %v", err)
			}
			// Merging with an unchanged side gives the other side.
			if one, _, err := mapmerge.Merge(base, base, theirs, merge3.Options{}); err != nil || !one.Equal(theirs) {
				t.Errorf("merged with base it is not theirs: %v", err)
			}
			if one, conflicts, err := mapmerge.Merge(base, theirs, theirs, merge3.Options{}); err != nil ||
				len(conflicts) > 0 || !one.Equal(theirs) {
				t.Errorf("merged with itself it is not what it was: %v, %v", err, conflicts)
			}
		})
	}
}

// TestLargePictures tests that two pictures of which only one fits into the memory for contents are compared one after the other.
func TestLargePictures(t *testing.T) {
	m := twmap.New(20, 20)
	for i := range 2 {
		p := image.NewNRGBA(image.Rect(0, 0, 1024, 1024))
		p.Pix[i] = 1
		m.Images = append(m.Images, twmap.NewImage(fmt.Sprint("picture ", i), p))
	}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var three [3]*twmap.Map
	for i := range three {
		if three[i], err = twmap.Decode(data); err != nil {
			t.Fatal(err)
		}
	}
	three[1].Images[0].Name, three[2].Images[1].Name = "ours", "theirs"
	parallel.SetMemory(16 << 20)
	defer parallel.SetMemory(0)
	merged, conflicts, err := mapmerge.Merge(three[0], three[1], three[2], merge3.Options{})
	if err != nil || len(conflicts) > 0 || merged.Images[0].Name != "ours" || merged.Images[1].Name != "theirs" {
		t.Errorf("%v, %v, %v", merged, conflicts, err)
	}
}

// TestMissingEnvelopes tests that numbers of envelopes that no map has are kept, also where a side adds one, and that a number that
// could mean two things is an error.
func TestMissingEnvelopes(t *testing.T) {
	base := start()
	refer := func(m *twmap.Map, numbers ...int32) {
		var quads []twmap.Quad
		for i, n := range numbers {
			q := twmap.NewQuad(int32(100*i), 0, 32, 32)
			q.PosEnv = n
			quads = append(quads, q)
		}
		lamps(m).SetQuads(quads)
	}
	refer(base, 0, 1, 2, 9, 1<<30)
	ours, theirs := base.Clone(), base.Clone()
	ours.Info.Author = "Bob"
	theirs.Envelopes = append(theirs.Envelopes, twmap.NewEnvelope("path", twmap.ChannelsPosition, twmap.EnvPoint{}))
	merged, conflicts, err := mapmerge.Merge(base, ours, theirs, merge3.Options{})
	if err != nil || len(conflicts) > 0 {
		t.Fatal(err, conflicts)
	}
	quads, _ := lamps(merged).Quads()
	var got []int32
	for _, q := range quads {
		got = append(got, q.PosEnv)
	}
	if want := []int32{0, 1, 2, 9, 1 << 30}; !slices.Equal(got, want) {
		t.Errorf("the quads refer to %v, want %v", got, want)
	}
	refer(base, 1<<24)
	_, _, err = mapmerge.Merge(base, base.Clone(), base.Clone(), merge3.Options{})
	if err == nil || !strings.Contains(err.Error(), "16777216") {
		t.Errorf("a number that no map can have: %v", err)
	}
}
