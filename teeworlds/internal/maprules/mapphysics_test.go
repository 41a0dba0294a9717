package maprules_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/internal/maprules"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// maps returns maps to change: the sample and, in the long form, some of the corpus.
func maps(t *testing.T) (list []*twmap.Map) {
	t.Helper()
	built, err := mapdir.Read(os.DirFS("../../../samples/burrow"), func(file, message string) { t.Errorf("%s: %s", file, message) })
	if err != nil {
		t.Fatal(err)
	}
	list = append(list, built)
	if !tests.Long(t) {
		return list
	}
	files := tests.CorpusFiles(t, "teeworlds", ".map")
	for i := 0; i < len(files); i += 1 + len(files)/12 {
		data := judge.Read(t, files[i])
		if m, err := twmap.Decode(data); err == nil && m.Physics(twmap.KindGame) != nil {
			list = append(list, m)
		} else {
			t.Logf("%s: %v", filepath.Base(files[i]), err)
		}
	}
	return list
}

func compare(t *testing.T, old, new *twmap.Map) (list []check.Change) {
	t.Helper()
	if err := maprules.ComparePhysics(t.Context(), mapdir.NamesOf(old), mapdir.NamesOf(new), func(c check.Change) error {
		list = append(list, c)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// again returns a map as it is read from its file.
func again(t *testing.T, m *twmap.Map) *twmap.Map {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if read.Info == nil {
		read.Info = new(twmap.Info)
	}
	return read
}

// TestPhysics tests that each change of a physics tile or of a setting is found, with its place.
func TestPhysics(t *testing.T) {
	all := maps(t)
	r := rand.New(rand.NewPCG(1, 2))
	kinds := []twmap.Kind{twmap.KindGame, twmap.KindFront, twmap.KindTele, twmap.KindSpeedup, twmap.KindSwitch, twmap.KindTune}
	for n := range 100 {
		old := all[n%len(all)]
		m := again(t, old)
		kind := kinds[n/len(all)%len(kinds)]
		l := m.Physics(kind)
		if l == nil || n%9 == 8 {
			m.Info.Settings = slices.Insert(m.Info.Settings, r.IntN(len(m.Info.Settings)+1), fmt.Sprintf("tune gravity 0.%d", n))
			if got := compare(t, old, m); len(got) != 1 || got[0].Path != "settings" {
				t.Errorf("%d: a setting: %v", n, got)
			}
			continue
		}
		x, y := r.IntN(l.Width()), r.IntN(l.Height())
		other := uint8(1 + r.IntN(254))
		switch kind {
		case twmap.KindTele:
			cell := l.Teles().At(x, y)
			l.Teles().Set(x, y, twmap.TeleTile{Number: cell.Number + 1, ID: cell.ID + other&^1 | 1})
		case twmap.KindSpeedup:
			cell := l.Speedups().At(x, y)
			cell.Force += 1 + uint8(r.IntN(5))
			if cell.Force == 0 {
				cell.Force, cell.Angle = 1, cell.Angle+1
			}
			l.Speedups().Set(x, y, cell)
		case twmap.KindSwitch:
			cell := l.Switches().At(x, y)
			cell.ID, cell.Delay = max(1, cell.ID), cell.Delay+1
			l.Switches().Set(x, y, cell)
		case twmap.KindTune:
			cell := l.Tunes().At(x, y)
			l.Tunes().Set(x, y, twmap.TuneTile{Number: cell.Number + 1, ID: 68})
		default:
			cell := l.Tiles().At(x, y)
			cell.ID += other
			if cell.ID == 0 && l.Tiles().At(x, y).ID == 0 {
				cell.ID = 1
			}
			l.Tiles().Set(x, y, cell)
		}
		got := compare(t, old, again(t, m))
		if len(got) != 1 || got[0].Count != 1 || len(got[0].At) != 1 || got[0].At[0].String() != fmt.Sprintf("%d,%d", x, y) {
			t.Errorf("%d: %v at %d,%d: %v", n, kind, x, y, got)
		}
	}
}

// TestSlowdown tests that a speedup without force counts if it has a limit, which slows down.
func TestSlowdown(t *testing.T) {
	with := func(tile twmap.SpeedupTile) *twmap.Map {
		m := twmap.New(4, 4)
		layer := twmap.NewTileLayer(twmap.KindSpeedup, 4, 4)
		layer.Speedups().Set(1, 2, tile)
		for _, g := range m.Groups {
			if len(g.Layers) > 0 {
				g.Layers = append(g.Layers, layer)
				return m
			}
		}
		t.Fatal("no group")
		return nil
	}
	none, slow := with(twmap.SpeedupTile{ID: 29}), with(twmap.SpeedupTile{ID: 29, MaxSpeed: 5})
	if got := compare(t, none, slow); len(got) != 1 || len(got[0].At) != 1 || got[0].At[0].String() != "1,2" {
		t.Errorf("a limit: %v", got)
	}
	if got := compare(t, with(twmap.SpeedupTile{ID: 28}), with(twmap.SpeedupTile{ID: 28, MaxSpeed: 5, Angle: 90})); len(got) != 0 {
		t.Errorf("an old speedup without force: %v", got)
	}
}

// TestDesign tests that no change of design is reported.
func TestDesign(t *testing.T) {
	all := maps(t)
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 100 {
		old := all[n%len(all)]
		m := again(t, old)
		for range 1 + r.IntN(4) {
			design(r, m)
		}
		if got := compare(t, old, again(t, m)); len(got) != 0 {
			t.Errorf("%d: %v", n, got)
		}
	}
}

// design changes something that does not affect gameplay.
func design(r *rand.Rand, m *twmap.Map) {
	g := m.Groups[r.IntN(len(m.Groups))]
	switch r.IntN(9) {
	case 0:
		g.Name, g.Version = fmt.Sprint("g", r.IntN(100)), 3
	case 1:
		g.ParallaxX, g.OffsetY = g.ParallaxX+1, g.OffsetY-7
	case 2: // another order of the layers, of the same group
		r.Shuffle(len(g.Layers), func(i, j int) { g.Layers[i], g.Layers[j] = g.Layers[j], g.Layers[i] })
	case 3:
		picture := image.NewNRGBA(image.Rect(0, 0, 16, 16))
		picture.Pix[r.IntN(len(picture.Pix))] = 9
		m.Images = append(m.Images, twmap.NewImage(fmt.Sprint("image", r.IntN(1000)), picture))
	case 4:
		m.Info.Author, m.Info.Credits = "somebody", strings.Repeat("x", r.IntN(50))
	case 5:
		m.Info.Settings = append(m.Info.Settings, "# a comment", "")
	case 6:
		layer := twmap.NewTileLayer(twmap.KindTiles, 3+r.IntN(9), 4)
		layer.Tiles().Set(1, 1, twmap.Tile{ID: uint8(r.IntN(256))})
		m.Groups = append(m.Groups, &twmap.Group{Layers: []twmap.Layer{layer}})
	default:
		for _, l := range g.Layers {
			if l, ok := l.(*twmap.TileLayer); ok {
				if !l.Kind().Physics() {
					l.Tiles().Set(r.IntN(l.Width()), r.IntN(l.Height()), twmap.Tile{ID: uint8(r.IntN(256))})
				} else if l.Kind() == twmap.KindSpeedup {
					if x, y := r.IntN(l.Width()), r.IntN(l.Height()); l.Speedups().At(x, y).Force == 0 {
						l.Speedups().Set(x, y, twmap.SpeedupTile{Angle: 90}) // does nothing
					}
				}
				l.Name, l.Version = fmt.Sprint("l", r.IntN(100)), max(3, l.Version)
			}
		}
	}
}

// TestCompareFramed tests that a map that was extended or cropped is one change, and that other changes are found at their new
// places.
func TestCompareFramed(t *testing.T) {
	for _, by := range []mapedit.Sides{{Left: 3, Up: 2}, {Left: -2, Down: -1, Right: 4}} {
		old := maps(t)[0]
		new := old.Clone()
		if err := mapedit.New(new, nil).Frame(by); err != nil {
			t.Fatal(err)
		}
		new.Physics(twmap.KindGame).Tiles().Set(12, 11, twmap.Tile{ID: 9, Flags: twmap.FlipX})
		list := compare(t, old, again(t, new))
		if len(list) != 2 || !strings.Contains(list[0].What, by.String()) || len(list[1].At) != 1 {
			t.Errorf("%v: %v", by, list)
		}
	}
}
