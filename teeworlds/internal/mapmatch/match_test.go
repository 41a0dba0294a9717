package mapmatch_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"trowel.example/teeworlds/internal/mapmatch"
	"trowel.example/teeworlds/twmap"
)

// randomMap returns a map of parts that are hard to distinguish by name, but have different contents.
func randomMap(rng *rand.Rand) *twmap.Map {
	m := twmap.New(20, 10)
	for i := range 3 {
		m.Images = append(m.Images, twmap.NewExternalImage(fmt.Sprint("image", i/2), 64, 64))
		m.Envelopes = append(m.Envelopes, &twmap.Envelope{Version: 2, Channels: 4, Points: []twmap.EnvPoint{{Values: [4]int32{int32(i)}}}})
	}
	for g := range 2 + rng.IntN(5) {
		group := &twmap.Group{Version: 3, ParallaxX: 100, Name: []string{"", "", "Tree", "Sky"}[rng.IntN(4)]}
		for range 1 + rng.IntN(5) {
			group.Layers = append(group.Layers, randomLayer(rng, g))
		}
		m.Groups = append(m.Groups, group)
	}
	return m
}

func randomLayer(rng *rand.Rand, seed int) twmap.Layer {
	name := []string{"", "", "", "Leaves", "Quads"}[rng.IntN(5)]
	if rng.IntN(2) == 0 {
		var quads []twmap.Quad
		for range 1 + rng.IntN(9) {
			quads = append(quads, twmap.Quad{Pivot: twmap.Point{X: rng.Int32(), Y: rng.Int32()}, PosEnv: -1, ColorEnv: int32(rng.IntN(3))})
		}
		l := twmap.NewQuadLayer(quads...)
		l.Name, l.Image = name, rng.IntN(3)
		return l
	}
	l := twmap.NewTileLayer(twmap.KindTiles, 10+rng.IntN(2), 10)
	for range 60 {
		l.Tiles().Set(rng.IntN(10), rng.IntN(10), twmap.Tile{ID: uint8(1 + rng.IntN(250))})
	}
	l.Name, l.Image = name, rng.IntN(3)
	return l
}

// shuffle changes the order of everything, with the references, and optionally edits a little of each layer.
func shuffle(t *testing.T, rng *rand.Rand, m *twmap.Map, edit bool) (*twmap.Map, map[twmap.Layer]twmap.Layer) {
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	n, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	old := make(map[twmap.Layer]twmap.Layer)
	for i, g := range n.Groups {
		for j, l := range g.Layers {
			old[l] = m.Groups[i].Layers[j]
		}
	}
	images, envelopes := rng.Perm(len(n.Images)), rng.Perm(len(n.Envelopes))
	was, env := slices.Clone(n.Images), slices.Clone(n.Envelopes)
	for i, to := range images {
		n.Images[to] = was[i]
	}
	for i, to := range envelopes {
		n.Envelopes[to] = env[i]
	}
	for _, l := range n.Layers() {
		switch l := l.(type) {
		case *twmap.TileLayer:
			if l.Image >= 0 {
				l.Image = images[l.Image]
			}
			if edit && !l.Kind().Physics() {
				l.Tiles().Set(rng.IntN(10), rng.IntN(10), twmap.Tile{ID: 255})
			}
		case *twmap.QuadLayer:
			if l.Image >= 0 {
				l.Image = images[l.Image]
			}
			quads, _ := l.Quads()
			quads = slices.Clone(quads)
			for i := range quads {
				quads[i].ColorEnv = int32(envelopes[quads[i].ColorEnv])
			}
			if edit {
				quads[0].Pivot.X++
				for i := range quads[0].Points {
					quads[0].Points[i].X++
				}
			}
			l.SetQuads(quads)
		}
	}
	rng.Shuffle(len(n.Groups), func(i, j int) { n.Groups[i], n.Groups[j] = n.Groups[j], n.Groups[i] })
	for _, g := range n.Groups {
		rng.Shuffle(len(g.Layers), func(i, j int) { g.Layers[i], g.Layers[j] = g.Layers[j], g.Layers[i] })
	}
	return n, old
}

// TestShuffled tests that each layer is found again, whatever the order of everything is: always if nothing else
// changed, and in nine of ten cases if each layer was edited.
func TestShuffled(t *testing.T) {
	for _, edit := range []bool{false, true} {
		all, found := 0, 0
		for seed := range uint64(150) {
			rng := rand.New(rand.NewPCG(seed, 7))
			m := randomMap(rng)
			n, old := shuffle(t, rng, m, edit)
			matches := mapmatch.Match(m, n)
			for l, want := range old {
				all++
				if matches.Layers[l] == want {
					found++
				}
			}
			back := mapmatch.Match(m, n)
			for j := range matches.Groups {
				if back.Groups[j] != matches.Groups[j] {
					t.Fatal("not the same on every run")
				}
			}
			seen := make(map[twmap.Layer]bool)
			for _, l := range matches.Layers {
				if seen[l] {
					t.Fatal("a layer is two new ones")
				}
				seen[l] = true
			}
		}
		t.Logf("edited: %v: %d of %d layers are found", edit, found, all)
		if !edit && found != all || found*100 < all*90 {
			t.Errorf("edited: %v: only %d of %d layers are found", edit, found, all)
		}
	}
}

// TestOthers tests that a different part is not matched with a removed one.
func TestOthers(t *testing.T) {
	for seed := range uint64(50) {
		a, b := randomMap(rand.New(rand.NewPCG(seed, 1))), randomMap(rand.New(rand.NewPCG(seed, 2)))
		for _, m := range []*twmap.Map{a, b} {
			for _, l := range m.Layers() {
				if t, ok := l.(*twmap.TileLayer); !ok || !t.Kind().Physics() {
					l.Base().Name = ""
				}
			}
		}
		for now, was := range mapmatch.Match(a, b).Layers {
			if tiles, ok := now.(*twmap.TileLayer); ok && tiles.Kind().Physics() {
				continue
			}
			t.Errorf("seed %d: %T is taken for %T", seed, now, was)
		}
	}
}

func TestAlike(t *testing.T) {
	many := func(from, to uint64) []uint64 {
		var list []uint64
		for i := from; i < to && len(list) < 256; i++ {
			list = append(list, i)
		}
		return list
	}
	for _, c := range []struct {
		a, b []uint64
		want float64
	}{
		{nil, nil, 0.5},
		{[]uint64{1}, nil, 0},
		{[]uint64{1, 2, 3}, []uint64{1, 2, 3}, 1},
		{[]uint64{1, 2, 3}, []uint64{2, 3, 4}, 0.5},
		{[]uint64{1, 1, 2}, []uint64{1, 2, 2}, 0.5},
		{many(0, 1000), many(0, 1000), 1},
		{many(0, 1000), many(128, 1000), 0.5}, // of the first 256 of both
		{many(0, 1000), []uint64{0, 5000}, 1.0 / 256},
	} {
		if got := mapmatch.Alike(c.a, c.b); got != c.want || mapmatch.Alike(c.b, c.a) != c.want {
			t.Errorf("Alike(%d, %d features) = %v, %v, want %v", len(c.a), len(c.b), got, mapmatch.Alike(c.b, c.a), c.want)
		}
	}
}

// TestMany tests that the time for very many similar parts is limited.
func TestMany(t *testing.T) {
	many := func(seed uint64) *twmap.Map {
		rng := rand.New(rand.NewPCG(seed, 1))
		m := twmap.New(2, 2)
		for range 3000 {
			m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewQuadLayer(twmap.Quad{Pivot: twmap.Point{X: rng.Int32N(100)}}))
		}
		return m
	}
	if n := len(mapmatch.Match(many(1), many(2)).Layers); n < 2500 {
		t.Errorf("%d layers are found", n)
	}
}

// TestEqualParts tests that equal parts are matched by their unchanged neighbours.
func TestEqualParts(t *testing.T) {
	parts := func(values ...int32) *twmap.Map {
		m := twmap.New(2, 2)
		for _, v := range values {
			m.Envelopes = append(m.Envelopes, &twmap.Envelope{Channels: 3, Points: []twmap.EnvPoint{{Values: [4]int32{v}}}})
		}
		return m
	}
	for _, c := range []struct {
		old, new []int32
		want     []int
	}{
		{[]int32{1, 1, 1, 1}, []int32{1, 1, 1, 1}, []int{0, 1, 2, 3}},
		{[]int32{1, 1, 1, 1}, []int32{1, 9, 1, 1}, []int{0, 1, 2, 3}},
		{[]int32{1, 1, 1, 1}, []int32{9, 1, 1, 1}, []int{-1, 1, 2, 3}},
		{[]int32{1, 1, 1, 1}, []int32{1, 1, 1, 9}, []int{0, 1, 2, -1}},
		{[]int32{1, 1, 1, 1}, []int32{1, 1, 9, 1, 1}, []int{0, 1, -1, 2, 3}},
		{[]int32{1, 1, 1, 1}, []int32{1, 1, 1}, []int{0, 1, 2}},
		{[]int32{1, 1, 1, 1, 1, 1}, []int32{1, 8, 1, 9, 1, 1}, []int{0, -1, 2, -1, 4, 5}},
		{[]int32{2, 1, 1, 3}, []int32{3, 1, 1, 2}, []int{3, 1, 2, 0}},
	} {
		got := mapmatch.Match(parts(c.old...), parts(c.new...)).Envelopes
		for j, i := range got {
			if c.want[j] >= 0 && i != c.want[j] {
				t.Errorf("%v to %v: %v, want %v", c.old, c.new, got, c.want)
				break
			}
		}
	}
}

// TestScattered tests that a group that got a name, and a layer that got a name and another image, are matched although tiles in all
// of their rows and columns have changed, and so are layers whose tiles all got a flag.
func TestScattered(t *testing.T) {
	version := func(change func(g *twmap.Group, l *twmap.TileLayer)) *twmap.Map {
		m := twmap.New(40, 30)
		rng := rand.New(rand.NewPCG(1, 1))
		m.Images = append(m.Images, twmap.NewExternalImage("old", 64, 64), twmap.NewExternalImage("new", 64, 64))
		for range 2 {
			l := twmap.NewTileLayer(twmap.KindTiles, 40, 30)
			for y := range 30 {
				for x := range 40 {
					l.Tiles().Set(x, y, twmap.Tile{ID: uint8(1 + rng.IntN(200))})
				}
			}
			g := &twmap.Group{Version: 3, ParallaxX: 98, ParallaxY: 98, Layers: []twmap.Layer{l}}
			change(g, l)
			m.Groups = append(m.Groups, g)
		}
		return m
	}
	scatter := func(l *twmap.TileLayer) {
		rng := rand.New(rand.NewPCG(2, 2))
		for range 300 {
			l.Tiles().Set(rng.IntN(40), rng.IntN(30), twmap.Tile{ID: 255})
		}
	}
	old := version(func(*twmap.Group, *twmap.TileLayer) {})
	for name, m := range map[string]*twmap.Map{
		"group": version(func(g *twmap.Group, l *twmap.TileLayer) {
			scatter(l)
			g.Name = "Cave"
		}),
		"layer": version(func(g *twmap.Group, l *twmap.TileLayer) {
			scatter(l)
			l.Name, l.Image = "Stone", 1
		}),
		"flag": version(func(_ *twmap.Group, l *twmap.TileLayer) {
			for y := range 30 {
				for x := range 40 {
					l.Tiles().Set(x, y, twmap.Tile{ID: l.Tiles().At(x, y).ID, Flags: twmap.Opaque})
				}
			}
		}),
	} {
		matches := mapmatch.Match(old, m)
		if want := []int{0, 1, 2}; !slices.Equal(matches.Groups, want) {
			t.Errorf("%s: groups %v, want %v", name, matches.Groups, want)
		}
		for i, g := range m.Groups {
			if matches.Layers[g.Layers[0]] != old.Groups[i].Layers[0] {
				t.Errorf("%s: layer of group %d is not found", name, i)
			}
		}
	}
}
