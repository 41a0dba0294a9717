package worldrepo

import (
	"bytes"
	"crypto/sha256"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"trowel.example/internal/stores/storage"
	"trowel.example/internal/testing/judge"
)

// aPack returns the bytes of a pack with some contents.
func aPack(t testing.TB, contents ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	w := &packWriter{ctx: t.Context(), store: storage.Folder(dir)}
	for _, c := range contents {
		if _, err := w.put([]byte(c), sha256.Sum256([]byte(c)), true); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.end(); err != nil {
		t.Fatal(err)
	}
	data := judge.Read(t, filepath.Join(dir, filepath.FromSlash(packFile(w.number))))
	return data
}

func FuzzPack(f *testing.F) {
	f.Add(aPack(f, "a"))
	f.Add(aPack(f, "", "b", string(make([]byte, 5000)), "last"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := readPack(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for i := range p.table {
			if got, err := p.get(uint32(i)); err == nil && sha256.Sum256(got) != p.table[i].id {
				t.Fatalf("content %d is another", i)
			}
		}
	})
}

func FuzzRegion(f *testing.F) {
	f.Add(encodeRegion([]block{{local: 0, hash: 1, ref: Ref{Pack: 5, N: 1}}, {local: 4095, hash: 2, ref: Ref{Pack: 1 << 60, N: 3}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		blocks, err := decodeRegion(data)
		if err != nil {
			return
		}
		again, err := decodeRegion(encodeRegion(blocks))
		if err != nil || len(again) != len(blocks) {
			t.Fatalf("%d blocks are restored as %d, %v", len(blocks), len(again), err)
		}
		for i := range blocks {
			if again[i] != blocks[i] {
				t.Fatalf("block %d is restored as %v", i, again[i])
			}
		}
	})
}

func FuzzRegions(f *testing.F) {
	f.Add(encodeRegions([]regionRef{{0, 1, Ref{Pack: 1, N: 2}, 5}, {1<<24 - 1, 4096, Ref{Pack: 3, N: 4}, 6}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := decodeRegions(data, true)
		if err != nil {
			return
		}
		again, err := decodeRegions(encodeRegions(list), true)
		if err != nil || len(again) != len(list) {
			t.Fatalf("%d regions are restored as %d, %v", len(list), len(again), err)
		}
	})
}

func FuzzNamedRegion(f *testing.F) {
	f.Add(encodeNamedRegion([]block{{local: 0, ref: Ref{ID: ID{1}}}, {local: 4095, ref: Ref{ID: ID{2, 31: 3}}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		blocks, err := decodeNamedRegion(data)
		if err != nil {
			return
		}
		again, err := decodeNamedRegion(encodeNamedRegion(blocks))
		if err != nil || !slices.Equal(again, blocks) {
			t.Fatalf("%v is restored as %v, %v", blocks, again, err)
		}
	})
}

func FuzzNamedRegions(f *testing.F) {
	f.Add(encodeNamedRegions([]regionRef{{number: 0, blocks: 1, ref: Ref{ID: ID{1}}}, {number: 1<<24 - 1, blocks: 4096, ref: Ref{ID: ID{2}}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := decodeNamedRegions(data)
		if err != nil {
			return
		}
		again, err := decodeNamedRegions(encodeNamedRegions(list))
		if err != nil || !slices.Equal(again, list) {
			t.Fatalf("%v is restored as %v, %v", list, again, err)
		}
	})
}

func FuzzSnapshot(f *testing.F) {
	data, err := encodeSnapshot(&Snapshot{Time: time.Unix(1, 0).UTC(), World: "<b>", Map: "sqlite", Regions: []Ref{{Pack: 1, N: 2}},
		Files: []File{{Path: "a/b", Size: 3, Pieces: []Ref{{Pack: 4, N: 5}}}}}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	if data, err = encodeSnapshot(&Snapshot{Time: time.Unix(1, 0).UTC(), World: "w", Map: "sqlite", Regions: []Ref{{ID: ID{1}}},
		Files: []File{{Path: "a/b", Size: 3, Pieces: []Ref{{ID: ID{2}}}}}}, nil); err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decodeSnapshot(data)
		if err != nil {
			return
		}
		if _, err := encodeSnapshot(s, nil); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzRecord(f *testing.F) {
	data, _, err := sum(&Record{Time: time.Unix(1, 0).UTC(), Removed: []removed{{Link{"a", "b"}, []Link{{"c", "d"}}}, {Link{ID: "e"}, nil}}},
		recordFile("x"), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeRecord(data)
		if err != nil {
			return
		}
		again, whole, err := sum(r, "", nil)
		if err != nil || Root(whole.SHA256) == "" || len(again) == 0 {
			t.Fatal(err)
		}
	})
}

// TestOrder tests that position is the inverse of order.
func TestOrder(t *testing.T) {
	last := int64(-1)
	seen := 0
	for o := int64(0); o < maxRegion<<12; o += 4097 * 127 {
		p := position(o)
		if !p.Valid() || order(p) != o || o <= last {
			t.Fatalf("%d is %v, which is %d", o, p, order(p))
		}
		last = o
		seen++
	}
	if seen < 1000 {
		t.Errorf("only %d were tried", seen)
	}
}
