package mapedit_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// damaged returns a map with wrong bytes or without its end, of which parts can still be read.
func damaged(t *testing.T, r *rand.Rand) *twmap.Map {
	t.Helper()
	for {
		whole := referring()
		operate(t, whole, r.Uint64()%100, 10, false)
		data := encode(t, whole)
		switch r.IntN(4) {
		case 0:
			data = data[:len(data)/2+r.IntN(len(data)/2)]
		case 1:
			from := len(data)/3 + r.IntN(len(data)/2)
			clear(data[from:min(from+100, len(data))])
		default:
			for range 1 + r.IntN(6) {
				data[100+r.IntN(len(data)-100)] ^= 1 << r.IntN(8)
			}
		}
		if m, err := twmap.Salvage(data); err == nil {
			return m
		}
	}
}

// repair repairs a map that exceeds no limit.
func repair(t *testing.T, m *twmap.Map) []string {
	t.Helper()
	lost, err := mapedit.Repair(m)
	if err != nil {
		t.Fatal(err)
	}
	return lost
}

// TestRepair tests that repaired maps have no errors, except of sounds that had no data or another format before, which the games
// skip.
func TestRepair(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 9))
	for range tests.Of(t, 60, 3000) {
		m := damaged(t, r)
		before := make(map[string]bool)
		m.CheckFile(func(f check.Finding) { before[f.ID] = true })
		repair(t, m)
		again, err := twmap.Decode(encode(t, m))
		if err != nil {
			t.Fatal(err)
		}
		again.CheckFile(func(f check.Finding) {
			lost := f.ID == "tw-map-sound-data" && (before[f.ID] || before["tw-map-data-index"]) // a sound without data is silent
			if f.Severity == check.Error && !lost {
				t.Errorf("not repaired: %v", f)
			}
		})
	}
}

// TestRepairForm tests that compressed layers become readable for the game of the map.
func TestRepairForm(t *testing.T) {
	m := referring()
	m.Physics(twmap.KindGame).Version = 4
	if len(m.Misfits()) == 0 {
		t.Fatal("no compressed layer is wrong")
	}
	repair(t, m)
	if left := m.Misfits(); len(left) > 0 {
		t.Errorf("%d compressed layers are left", len(left))
	}
}

// TestRepairKeeps tests that what can be read is kept: a layer whose block ends early keeps its first tiles, and the bytes that
// must be 0 become 0.
func TestRepairKeeps(t *testing.T) {
	m := twmap.New(60, 50)
	m.Version = 33
	game := m.Physics(twmap.KindGame).Tiles()
	for i := range 50 {
		game.Set(i, i, twmap.Tile{ID: 1, Reserved: uint8(i % 2)})
	}
	repair(t, m)
	if m.Version != 1 {
		t.Errorf("version %d", m.Version)
	}
	m, err := twmap.Decode(encode(t, m))
	if err != nil {
		t.Fatal(err)
	}
	game = m.Physics(twmap.KindGame).Tiles()
	for i := range 50 {
		if got := game.At(i, i); got != (twmap.Tile{ID: 1}) {
			t.Errorf("tile %d is %v", i, got)
		}
	}
	m.Groups[0].Layers = nil
	if lost := repair(t, m); len(lost) != 1 || m.Physics(twmap.KindGame) == nil {
		t.Errorf("lost %q", lost)
	}
}

// TestJudgeRepair tests that DDNet's server loads repaired maps, and that its tool reads and writes them.
func TestJudgeRepair(t *testing.T) {
	judge.Find(t, judge.DDNetServer)
	r := rand.New(rand.NewPCG(41, 10))
	for range 12 {
		m := damaged(t, r)
		repair(t, m)
		data := encode(t, m)
		if log, err := judge.Load(t, judge.DDNetServer, data); err != nil {
			t.Errorf("%v\n%s", err, log)
		}
		if len(m.Extras) > 0 {
			continue // map_resave crashes on UUIDs that it does not know
		}
		dir := judge.Dir(t)
		judge.Write(t, dir+"/given.map", data)
		if said, err := judge.Run(t, dir, "map_resave", "given.map", "wrote.map"); err != nil {
			t.Errorf("%v\n%s", err, said)
		}
	}
}

// TestRepairLimit tests that a repair keeps and fills up layers up to the limit of their size, and that larger sizes are damage
// only if the block cannot have that many tiles: otherwise the map is refused. A repair that makes more tiles than are allowed
// fails.
func TestRepairLimit(t *testing.T) {
	const layer, height = 5, 5
	for _, c := range []struct {
		rows    int32 // stated, of 40 columns
		made    int64
		fails   bool
		remains bool
	}{
		{50, 8000, false, true},
		{100, 8000, false, true},
		{200, 8000, false, false},
		{100, 3999, true, false},
	} {
		t.Run(fmt.Sprint(c.rows), func(t *testing.T) {
			m := twmap.New(20, 20)
			l := twmap.NewTileLayer(twmap.KindTiles, 40, 10)
			l.Tiles().Set(39, 9, twmap.Tile{ID: 7})
			m.Groups[0].Layers = append(m.Groups[0].Layers, l)
			f, err := datafile.Decode(encode(t, m))
			if err != nil {
				t.Fatal(err)
			}
			for i := range f.Items {
				if it := &f.Items[i]; it.Type == layer && it.Data[4] == 40 {
					it.Data[height] = c.rows
				}
			}
			data, err := f.Encode()
			if err != nil {
				t.Fatal(err)
			}
			tests.Lower(t, effort.MapGrid, 4000)
			tests.Lower(t, effort.MapTurned, c.made)
			if m, err = twmap.Salvage(data); err != nil {
				t.Fatal(err)
			}
			_, err = mapedit.Repair(m)
			if c.fails != errors.Is(err, fault.ErrLimit) || err != nil && !c.fails {
				t.Fatal(err)
			}
			if c.fails {
				return
			}
			layers := m.Groups[0].Layers
			last, ok := layers[len(layers)-1].(*twmap.TileLayer)
			if kept := ok && last.Height() == int(c.rows) && last.Tiles().At(39, 9).ID == 7; kept != c.remains {
				t.Errorf("the layer is kept: %v", kept)
			}
		})
	}
}
