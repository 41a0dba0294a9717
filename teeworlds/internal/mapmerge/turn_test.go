package mapmerge_test

import (
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/internal/mapmerge"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

var everyTurn = []mapedit.Turn{mapedit.LeftRight, mapedit.UpDown, mapedit.Clockwise, {Quarters: 2}, {Quarters: 3},
	{Mirrored: true, Quarters: 1}, {Mirrored: true, Quarters: 3}}

// turning returns a map with layers of all kinds whose tiles have a direction.
func turning() *twmap.Map {
	m := start()
	m.Envelopes = append(m.Envelopes, twmap.NewEnvelope("way", twmap.ChannelsPosition, twmap.EnvPoint{},
		twmap.EnvPoint{Time: 1000, Values: [4]int32{1024, 2048, 3072}}))
	speedup, sw, tele := twmap.NewTileLayer(twmap.KindSpeedup, 20, 15), twmap.NewTileLayer(twmap.KindSwitch, 20, 15),
		twmap.NewTileLayer(twmap.KindTele, 20, 15)
	for i := range 20 {
		speedup.Speedups().Set(i, i%15, twmap.SpeedupTile{ID: 29, Force: 3, Angle: int16(10 * i)})
		sw.Switches().Set(i, 3, twmap.SwitchTile{ID: 199, Number: uint8(i), Flags: twmap.Rotate})
		tele.Teles().Set(i, i%7, twmap.TeleTile{ID: 26, Number: uint8(i + 1)})
	}
	m.Groups[0].Layers = append(m.Groups[0].Layers, speedup, sw, tele)
	return m
}

// by returns a copy of a map with some changes.
func by(t *testing.T, m *twmap.Map, changes ...func(*twmap.Map)) *twmap.Map {
	t.Helper()
	m = m.Clone()
	for _, change := range changes {
		change(m)
	}
	return m
}

func turned(t *testing.T, way mapedit.Turn) func(*twmap.Map) {
	return func(m *twmap.Map) {
		if err := mapedit.New(m, nil).Turn(way); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMergeTurned tests that, where one side turned the map, the changes of the other side are turned with it: tiles,
// speedups, quads, envelopes, and added layers.
func TestMergeTurned(t *testing.T) {
	before := func(m *twmap.Map) { // the changes of the side that did not turn the map
		walls(m).Tiles().Set(1, 1, twmap.Tile{ID: 251, Flags: twmap.FlipX})
		gameLayer(m).Tiles().Set(2, 3, twmap.Tile{ID: 60})
		m.Physics(twmap.KindSpeedup).Speedups().Set(4, 9, twmap.SpeedupTile{ID: 29, Force: 9, Angle: 45})
		m.Physics(twmap.KindTele).Teles().Set(5, 12, twmap.TeleTile{ID: 27, Number: 99})
		m.Physics(twmap.KindSwitch).Switches().Set(6, 9, twmap.SwitchTile{ID: 22, Number: 9, Delay: 5})
		q, _ := lamps(m).Quads()
		q = append(slices.Clone(q), twmap.NewQuad(9000, 7000, 64, 32))
		q[0].ColorEnv = 0
		lamps(m).SetQuads(q)
		m.Envelopes[1].Points[1].Values[0] = 5120
		more := twmap.NewTileLayer(twmap.KindTiles, 20, 15)
		more.Name = "more"
		more.Tiles().Set(19, 0, twmap.Tile{ID: 77})
		m.Groups[1].Layers = append(m.Groups[1].Layers, more)
	}
	after := func(m *twmap.Map) { // the other changes of the side that turned the map
		gameLayer(m).Tiles().Set(0, 0, twmap.Tile{ID: 61})
		walls(m).Name = "rocks"
		m.Info.Author = "Bob"
	}
	for _, way := range everyTurn {
		base := turning()
		one, other := by(t, base, before), by(t, base, turned(t, way), after)
		want := by(t, base, before, turned(t, way), after)
		for _, o := range []struct {
			ours, theirs *twmap.Map
			took         bool
		}{{one, other, true}, {other, one, false}} {
			reported := ""
			got, conflicts, err := mapmerge.Merge(base, o.ours, o.theirs, merge3.Options{
				OnTook: func(c check.Change) error { reported += c.What + "|"; return nil },
			})
			if err != nil || len(conflicts) > 0 {
				t.Fatal(way, conflicts, err)
			}
			if !got.Equal(want) {
				t.Errorf("%v: the merged map differs", way)
			}
			if strings.Contains(reported, "the map was "+way.String()) != o.took {
				t.Errorf("%v: reported %s", way, reported)
			}
		}
		// Both sides turned it in the same way.
		same := by(t, one, turned(t, way))
		if got, conflicts, err := mapmerge.Merge(base, same, other, merge3.Options{}); err != nil || len(conflicts) > 0 || !got.Equal(want) {
			t.Errorf("%v: both turned it: %v, %v", way, conflicts, err)
		}
	}
	// Turns of both sides that differ are a conflict, and the other side's work is turned all the same.
	base := turning()
	got, reported, err := mapmerge.Merge(base, by(t, base, turned(t, mapedit.LeftRight)), by(t, base, before, turned(t, mapedit.Clockwise)),
		merge3.Options{})
	if err != nil || len(reported) != 1 || reported[0].What != "the map was mirrored left to right and turned by 90 degrees" ||
		!got.Equal(by(t, base, before, turned(t, mapedit.LeftRight))) {
		t.Errorf("%v, reported %v", err, reported)
	}
}

// TestMergeTurnedLayer tests the same for a single layer.
func TestMergeTurnedLayer(t *testing.T) {
	for _, way := range everyTurn {
		turn := func(m *twmap.Map) { mapedit.TurnLayer(walls(m), way) }
		edit := func(m *twmap.Map) {
			for x := range 6 {
				walls(m).Tiles().Set(x, 1, twmap.Tile{ID: 251, Flags: twmap.FlipX})
			}
		}
		base := start()
		for _, o := range [][2]*twmap.Map{{by(t, base, edit), by(t, base, turn)}, {by(t, base, turn), by(t, base, edit)}} {
			got, conflicts, err := mapmerge.Merge(base, o[0], o[1], merge3.Options{})
			if err != nil || len(conflicts) > 0 || !got.Equal(by(t, base, edit, turn)) {
				t.Errorf("%v: the merged map differs: %v", way, err)
			}
		}
	}
	base := start()
	_, reported, err := mapmerge.Merge(base, by(t, base, func(m *twmap.Map) {
		mapedit.TurnLayer(walls(m),
			mapedit.LeftRight)
	}), by(t, base, func(m *twmap.Map) { mapedit.TurnLayer(walls(m), mapedit.UpDown) }),
		merge3.Options{})
	if err != nil || len(reported) != 1 || reported[0].What != "both turned the tiles in different ways" {
		t.Errorf("%v, reported %v", err, reported)
	}
}
