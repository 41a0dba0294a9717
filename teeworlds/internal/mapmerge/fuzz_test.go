package mapmerge_test

import (
	"testing"

	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/internal/mapmerge"
	"trowel.example/teeworlds/twmap"
)

// FuzzMerge tests that merging any three maps, including broken ones, gives a map that can be encoded or an error,
// and that there is no conflict if a side changed nothing.
func FuzzMerge(f *testing.F) {
	var seeds [][]byte
	for _, do := range []func(*twmap.Map){
		func(*twmap.Map) {},
		func(m *twmap.Map) { insertRow(walls(m), 3) },
		func(m *twmap.Map) { m.Groups = m.Groups[:1]; m.Images = nil },
		func(m *twmap.Map) { m.Envelopes = append(m.Envelopes, m.Envelopes[0].Clone()); m.Info = nil },
	} {
		m := start()
		do(m)
		data, err := m.EncodeVersion(3) // not compressed, so that mutated bytes are meaningful
		if err != nil {
			f.Fatal(err)
		}
		seeds = append(seeds, data)
	}
	for i := range seeds {
		f.Add(seeds[0], seeds[i], seeds[(i+1)%len(seeds)])
	}
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		var maps [3]*twmap.Map
		for i, data := range [][]byte{a, b, c} {
			m, err := twmap.Salvage(data)
			if err != nil {
				return
			}
			cells := 0
			for _, l := range m.Layers() {
				if t, ok := l.(*twmap.TileLayer); ok {
					cells += t.Width() * t.Height()
				}
			}
			if cells > 1<<15 {
				return // this takes long and tests nothing else
			}
			maps[i] = m
		}
		merged, _, err := mapmerge.Merge(maps[0], maps[1], maps[2], merge3.Options{})
		if err != nil {
			return
		}
		if _, err := merged.Encode(); err != nil {
			if _, before := maps[1].Encode(); before == nil {
				if _, before := maps[2].Encode(); before == nil {
					t.Errorf("both sides can be encoded, and the merged map cannot: %v", err)
				}
			}
		}
		_, conflicts, err := mapmerge.Merge(maps[0], maps[0], maps[2], merge3.Options{})
		for _, c := range conflicts {
			t.Errorf("one side changed nothing, and there is a conflict: %s: %s", c.Path, c.What)
		}
		if err != nil {
			t.Logf("not merged: %v", err)
		}
	})
}
