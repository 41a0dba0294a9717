package mapdir_test

import (
	"bytes"
	"errors"
	"image"
	"io/fs"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// TestLimits tests that layers and images up to the limit of their size pass everything, whatever the limit of other
// contents is; and that larger ones are refused everywhere, not lost.
func TestLimits(t *testing.T) {
	tests.Lower(t, effort.MapBlock, 200) // bytes, less than each layer has
	for _, of := range []struct {
		what string
		make func(m *twmap.Map, width int)
	}{
		{"tiles", func(m *twmap.Map, w int) {
			l := twmap.NewTileLayer(twmap.KindTiles, w, 40)
			l.Tiles().Set(w-1, 39, twmap.Tile{ID: 7})
			m.Groups[0].Layers = append(m.Groups[0].Layers, l)
		}},
		{"packed tiles", func(m *twmap.Map, w int) {
			l := twmap.NewTileLayer(twmap.KindTiles, w, 40)
			l.Version, m.Physics(twmap.KindGame).Version = 4, 4
			for x := range w {
				l.Tiles().Set(x, x%40, twmap.Tile{ID: 7})
			}
			m.Groups[0].Layers = append(m.Groups[0].Layers, l)
		}},
		{"speedups", func(m *twmap.Map, w int) {
			m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(twmap.KindSpeedup, w, 40))
		}},
		{"teles", func(m *twmap.Map, w int) {
			m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(twmap.KindTele, w, 40))
		}},
		{"image", func(m *twmap.Map, w int) {
			m.Images = append(m.Images, twmap.NewImage("a", image.NewNRGBA(image.Rect(0, 0, w, 40))))
		}},
	} {
		for _, width := range []int{25, 50, 100} {
			m := twmap.New(20, 20)
			of.make(m, width)
			data, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			large, err := twmap.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			folder := mapdir.Open(large)
			t.Run(of.what, func(t *testing.T) {
				tests.Lower(t, effort.MapGrid, 2000)
				_, fromFolder := mapdir.Read(folder, nil)
				if width > 50 {
					_, decode := twmap.Decode(data)
					_, salvage := twmap.Salvage(data)
					for _, err := range []error{fromFolder, decode, salvage} {
						if !errors.Is(err, fault.ErrLimit) || errors.Is(err, fault.ErrLost) {
							t.Errorf("width %d: %v", width, err)
						}
					}
					return
				}
				through(t, data)
			})
		}
	}
}

// through opens, checks, extracts, packs and edits a map.
func through(t *testing.T, data []byte) {
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	m.Check(func(f check.Finding) {
		if f.Severity == check.Error {
			t.Error(f)
		}
	})
	if err := m.Load(); err != nil {
		t.Error(err)
	}
	folder := mapdir.Open(m)
	if err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = fs.ReadFile(folder, name)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	n, err := mapdir.Read(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := n.Encode(); err != nil || !bytes.Equal(again, data) {
		t.Errorf("packed: %d bytes of %d, %v", len(again), len(data), err)
	}
	if err := mapedit.New(n, nil).Turn(mapedit.Turn{Mirrored: true}); err != nil {
		t.Error(err)
	}
	edited, err := n.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := twmap.Decode(edited); err != nil {
		t.Error(err)
	}
}
