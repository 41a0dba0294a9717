package mapdir_test

import (
	"bytes"
	"io/fs"
	"runtime"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// TestStatedSize tests that a small map whose layers state a great size, but lack the tiles, takes no memory for that
// size: neither to make its sidecar or its folder, nor to check it or build it again.
func TestStatedSize(t *testing.T) {
	for _, c := range []struct {
		name string
		add  twmap.Kind
		to07 bool
	}{
		{"game", twmap.KindGame, false},
		{"0.7", twmap.KindGame, true},
		{"tele", twmap.KindTele, false},
		{"speedup", twmap.KindSpeedup, false},
		{"front", twmap.KindFront, false},
	} {
		m := twmap.New(4, 3)
		if last := m.Groups[len(m.Groups)-1]; c.add != twmap.KindGame {
			last.Layers = append(last.Layers, twmap.NewTileLayer(c.add, 4, 3))
		}
		if c.to07 {
			m.To07()
		}
		f, err := datafile.Decode(encode(t, m))
		if err != nil {
			t.Fatal(err)
		}
		const layer, tiles, size = 5, 2, 4000
		for i := range f.Items {
			if it := &f.Items[i]; it.Type == layer && it.Data[1] == tiles {
				it.Data[4], it.Data[5] = size, size
			}
		}
		data, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if m, err = twmap.Decode(data); err != nil {
			t.Fatal(err)
		}
		fsys := mapdir.Open(m)
		side, err := fs.ReadFile(fsys, tree.Sidecar)
		if err != nil {
			t.Fatal(err)
		}
		check.Collect(func(sink check.Sink) { twmap.CheckFile(m.Source(), sink) })
		back, err := mapdir.Read(fsys, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := back.Encode()
		runtime.ReadMemStats(&after)
		if err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s: other bytes, %v", c.name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
			t.Errorf("%s: %d bytes, with a sidecar of %d, took %d bytes of memory", c.name, len(data), len(side), took)
		}
	}
}

// TestLayersGo tests that making the folder of a map inflates each layer once, whatever files are made from the
// layer, and keeps only the last layer in memory.
func TestLayersGo(t *testing.T) {
	tests.NotRaced(t, "measures memory")
	const layers, size = 20, 1000 // 4 MB each
	m := twmap.New(size, size)
	for range layers - 1 {
		l := twmap.NewTileLayer(twmap.KindTiles, size, size)
		l.Tiles().Set(1, 2, twmap.Tile{ID: 3})
		m.Groups[0].Layers = append(m.Groups[0].Layers, l)
	}
	data := encode(t, m)
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	fsys := mapdir.Open(m)
	side := false
	for _, want := range []int64{layers, layers} { // the sidecar needs each layer again
		inflated := effort.Of(&effort.Inflated, func() {
			err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && (name == tree.Sidecar) == side {
					_, err = fs.ReadFile(fsys, name)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
		if inflated > want+2 { // author and settings
			t.Errorf("%d layers were inflated %d times, the sidecar is made: %v", layers, inflated, side)
		}
		side = true
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if keeps := int64(after.HeapAlloc) - int64(before.HeapAlloc); keeps > 48<<20 {
		t.Errorf("%d MB are kept", keeps>>20)
	}
	runtime.KeepAlive(fsys)
}
