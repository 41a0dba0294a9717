package twmap_test

import (
	"bytes"
	"testing"

	"trowel.example/teeworlds/twmap"
)

// TestStoredNowhere tests that changed and missing things have no location in the file.
func TestStoredNowhere(t *testing.T) {
	m := decode(t, encode(t, everything()))
	game := m.Physics(twmap.KindGame)
	if at := game.Stored(3, 9); at.Len != 4 || at.Offset != (9*20+3)*4 {
		t.Errorf("the tile 3,9 is stored at %v", at)
	}
	for _, p := range [][2]int{{-1, 0}, {0, -1}, {20, 0}, {0, 10}} {
		if at := game.Stored(p[0], p[1]); at != (twmap.Stored{}) {
			t.Errorf("the tile %v is stored at %v", p, at)
		}
	}
	quads, sounds := m.Groups[1].Layers[1].(*twmap.QuadLayer), m.Groups[1].Layers[2].(*twmap.SoundLayer)
	if quads.Stored(0).Len != 152 || sounds.Stored(1).Len != 52 || quads.Stored(1).Len != 0 || sounds.Stored(-1).Len != 0 {
		t.Errorf("%v %v %v %v", quads.Stored(0), sounds.Stored(1), quads.Stored(1), sounds.Stored(-1))
	}
	game.Tiles().Set(0, 0, twmap.Tile{ID: 1})
	quads.SetQuads(nil)
	sounds.SetSources(nil)
	if game.Stored(3, 9).Len != 0 || quads.Stored(0).Len != 0 || sounds.Stored(0).Len != 0 ||
		everything().Physics(twmap.KindGame).Stored(0, 0).Len != 0 {
		t.Error("something is stored that was changed")
	}
}

// TestStore tests that cells that were compressed early are equal, and that the file is byte-identical.
func TestStore(t *testing.T) {
	m := twmap.New(30, 20)
	for _, kind := range []twmap.Kind{twmap.KindTele, twmap.KindSpeedup, twmap.KindSwitch, twmap.KindTune,
		twmap.KindFront, twmap.KindTiles, twmap.KindTiles} {
		m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(kind, 30, 20))
	}
	m.Groups[0].Layers[7].(*twmap.TileLayer).Version = 4
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*twmap.Map{m, read} {
		change := func(m *twmap.Map, store bool) {
			for i, l := range m.Layers() {
				l := l.(*twmap.TileLayer)
				switch l.Kind() {
				case twmap.KindTele:
					l.Teles().Set(i, 1, twmap.TeleTile{ID: 26, Number: 3})
				case twmap.KindSpeedup:
					l.Speedups().Set(i, 1, twmap.SpeedupTile{ID: 29, Force: 3, Angle: 300})
				case twmap.KindSwitch:
					l.Switches().Set(i, 1, twmap.SwitchTile{ID: 24, Number: 3})
				case twmap.KindTune:
					l.Tunes().Set(i, 1, twmap.TuneTile{ID: 68, Number: 3})
				default:
					l.Tiles().Set(i, 1, twmap.Tile{ID: 7, Flags: twmap.Rotate})
				}
				if store {
					l.Store()
					if at := l.Stored(i, 1); at != (twmap.Stored{}) {
						t.Errorf("%v: it is at %v of no file", l.Kind(), at)
					}
				}
			}
		}
		plain, stored := m.Clone(), m.Clone()
		change(plain, false)
		change(stored, true)
		a, errA := plain.Encode()
		b, errB := stored.Encode()
		if errA != nil || errB != nil || !bytes.Equal(a, b) || !plain.Equal(stored) {
			t.Errorf("stored cells make another file: %v %v, %d and %d bytes", errA, errB, len(a), len(b))
		}
		again := stored.Clone() // and it can be changed again
		again.Groups[0].Layers[6].(*twmap.TileLayer).Tiles().Set(0, 0, twmap.Tile{ID: 9})
		plain.Groups[0].Layers[6].(*twmap.TileLayer).Tiles().Set(0, 0, twmap.Tile{ID: 9})
		if !again.Equal(plain) {
			t.Error("another change is lost")
		}
	}
}
