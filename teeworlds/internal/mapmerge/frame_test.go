package mapmerge_test

import (
	"math/rand/v2"
	"testing"

	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/internal/mapmerge"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// framed returns an edit that extends a map, or crops it where numbers are negative.
func framed(t *testing.T, by mapedit.Sides) func(*twmap.Map) {
	return func(m *twmap.Map) {
		if err := mapedit.New(m, nil).Frame(by); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMergeFramed tests that, where one side extended or cropped the map, the additions of the other side move with it:
// layers, groups, quads, sound sources, clips, physics layers and tiles, merged both ways round.
func TestMergeFramed(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 2))
	for range 20 {
		base := madeMap(r)
		label(base)
		w, h := base.Physics(twmap.KindGame).Width(), base.Physics(twmap.KindGame).Height()
		game := base.Groups[0]
		game.Layers = append(game.Layers, twmap.NewQuadLayer(twmap.NewQuad(1<<19, 1<<18, 1<<15, 1<<15)))
		game.Layers[len(game.Layers)-1].Base().Name = "lamps"
		x, y, n := 10+r.IntN(w-20), 10+r.IntN(h-20), r.IntN(4)
		add := func(m *twmap.Map) {
			tiles := twmap.NewTileLayer(twmap.KindTiles, w, h)
			tiles.Name = "more"
			tiles.Tiles().Set(x, y, twmap.Tile{ID: 77})
			quads := twmap.NewQuadLayer(twmap.NewQuad(int32(x)<<15, int32(y)<<15, 900, 700))
			quads.Name = "glow"
			m.Groups[0].Layers = append(m.Groups[0].Layers, tiles, quads)
			if n > 0 {
				g := twmap.NewGroup("far", twmap.NewSoundLayer(twmap.SoundSource{Position: twmap.Point{X: int32(x) << 15, Y: int32(y) << 15}}))
				g.Clip = &twmap.Clip{X: int32(x) * 32, Y: int32(y) * 32, Width: 64, Height: 64}
				g.Layers[0].Base().Name = "wind"
				m.Groups = append(m.Groups, g)
			}
			if n > 1 {
				tune := twmap.NewTileLayer(twmap.KindTune, w, h)
				tune.Tunes().Set(x, y, twmap.TuneTile{ID: 68, Number: 3})
				m.Groups[0].Layers = append(m.Groups[0].Layers, tune)
			}
			m.Physics(twmap.KindGame).Tiles().Set(x, y, twmap.Tile{ID: 9})
			lamps := layerOf(m, "lamps").(*twmap.QuadLayer)
			q, _ := lamps.Quads()
			lamps.SetQuads(append([]twmap.Quad{twmap.NewQuad(int32(y)<<15, int32(x)<<15, 70, 70)}, q...))
			m.Info = &twmap.Info{Settings: []string{"sv_test 1"}}
		}
		frame := mapedit.Sides{Left: r.IntN(9), Up: r.IntN(9), Right: r.IntN(3), Down: 1 + r.IntN(3)}
		if r.IntN(2) == 0 {
			frame = mapedit.Sides{Left: -r.IntN(5), Up: -r.IntN(5), Right: -r.IntN(3), Down: -1 - r.IntN(3)}
		}
		one, other, want := by(t, base, add), by(t, base, framed(t, frame)), by(t, base, add, framed(t, frame))
		if got := mapedit.Framed(base, other); got != frame {
			t.Errorf("framed by %v: found %v", frame, got)
		}
		for i, sides := range [][2]*twmap.Map{{one, other}, {other, one}} {
			got, conflicts, err := mapmerge.Merge(base, sides[0], sides[1], merge3.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(conflicts) > 0 || !got.Equal(want) {
				t.Errorf("%v, exchanged %d: %v, and not what both do one after the other", frame, i, conflicts)
			}
		}
	}
}

// TestMergeFramedTwice tests that edges that each side moved are all moved, and that different moves of an edge are one conflict.
func TestMergeFramedTwice(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 3))
	base := madeMap(r)
	label(base)
	for _, c := range []struct {
		ours, theirs, want mapedit.Sides
		conflicts          int
	}{
		{mapedit.Sides{Left: 3}, mapedit.Sides{Up: 2}, mapedit.Sides{Left: 3, Up: 2}, 0},
		{mapedit.Sides{Left: 3}, mapedit.Sides{Left: 3, Down: 2}, mapedit.Sides{Left: 3, Down: 2}, 0},
		{mapedit.Sides{Left: 3}, mapedit.Sides{Left: 5}, mapedit.Sides{Left: 3}, 1},
	} {
		got, list, err := mapmerge.Merge(base, by(t, base, framed(t, c.ours)), by(t, base, framed(t, c.theirs)), merge3.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != c.conflicts || !got.Equal(by(t, base, framed(t, c.want))) {
			t.Errorf("%v and %v: conflicts %v", c.ours, c.theirs, list)
		}
	}
}
