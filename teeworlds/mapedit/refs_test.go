package mapedit_test

import (
	"slices"
	"testing"

	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// referring returns a map with two of each part that can be referred to. Layers of all kinds refer to the second, and
// one refers to a third, which is missing.
func referring() *twmap.Map {
	m := twmap.New(10, 10)
	m.Images = []*twmap.Image{twmap.NewExternalImage("grass_main", 1024, 1024), twmap.NewExternalImage("moon", 512, 512)}
	m.Sounds = []*twmap.Sound{twmap.NewSound("a", opus()), twmap.NewSound("b", append(opus(), 1))}
	m.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("a", twmap.ChannelsPosition), twmap.NewEnvelope("b", twmap.ChannelsColor)}
	tiles := twmap.NewTileLayer(twmap.KindTiles, 5, 5)
	tiles.Image, tiles.ColorEnv = 1, 1
	quad := twmap.NewQuad(0, 0, 64, 64)
	quad.PosEnv, quad.ColorEnv = 0, 1
	quads := twmap.NewQuadLayer(twmap.NewQuad(0, 0, 1, 1), quad)
	quads.Image = 1
	source := twmap.NewSoundSource(0, 0, 100)
	source.PosEnv, source.SoundEnv = 1, 2
	sounds := twmap.NewSoundLayer(source)
	sounds.Sound = 1
	m.Groups = append(m.Groups, twmap.NewGroup("All", tiles, quads, sounds))
	game := m.Physics(twmap.KindGame)
	game.Image = 1
	return m
}

func numbersOf(m *twmap.Map, kind twmap.PartKind) (list []int) {
	for r := range mapedit.Refs(m) {
		if r.To == kind {
			list = append(list, r.Number)
		}
	}
	return list
}

func TestRefs(t *testing.T) {
	for _, c := range []struct {
		kind              twmap.PartKind
		want, is, swapped []int
		users             int
	}{
		{twmap.PartImage, []int{1, 1, 1}, []int{1, 1, 1}, []int{0, 0, 0}, 2},
		{twmap.PartSound, []int{1}, []int{1}, []int{0}, 1},
		{twmap.PartEnvelope, []int{1, 0, 1, 1, 2}, []int{1, 0, 1, 1}, []int{0, 1, 0, 0}, 3},
	} {
		m := referring()
		if got := numbersOf(m, c.kind); !slices.Equal(got, c.want) {
			t.Errorf("%s: references %v, expected %v", c.kind, got, c.want)
		}
		if users := mapedit.Users(m, c.kind, 1); len(users) != c.users {
			t.Errorf("%s: used by %v, expected %d", c.kind, users, c.users)
		}
		n, err := mapedit.DropDangling(m, c.kind)
		if got := numbersOf(m, c.kind); err != nil || n != len(c.want)-len(c.is) || !slices.Equal(got, c.is) {
			t.Errorf("%s: without dangling ones %v, %d changed, %v", c.kind, got, n, err)
		}
		n, err = mapedit.Renumber(m, c.kind, func(i int) int { return 1 - i })
		if got := numbersOf(m, c.kind); err != nil || n != len(c.is) || !slices.Equal(got, c.swapped) {
			t.Errorf("%s: swapped %v, %d changed, %v", c.kind, got, n, err)
		}
	}
}

// TestRenumberKeeps tests that layers without changed references keep their bytes.
func TestRenumberKeeps(t *testing.T) {
	data := encode(t, referring())
	m := decode(t, data)
	if n, err := mapedit.Renumber(m, twmap.PartEnvelope, func(i int) int { return i }); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	if !slices.Equal(encode(t, m), data) {
		t.Error("the map has changed")
	}
}

func encode(t *testing.T, m *twmap.Map) []byte {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, data []byte) *twmap.Map {
	t.Helper()
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
