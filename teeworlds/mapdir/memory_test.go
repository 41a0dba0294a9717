package mapdir_test

import (
	"bytes"
	"io/fs"
	"runtime"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/tree"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// A small map whose layers state a great size, and have no tiles for it, takes no
// memory for that size: not to make its sidecar or its folder, not to check it, and
// not to build it again.
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
		const layer, tiles, size = 5, 2, 7480
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
