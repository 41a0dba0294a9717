package manifest_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
)

// random returns entries in the order of keys, some of them dense and some far apart.
func random(r *rand.Rand, n int) []manifest.Entry {
	key := mapdb.All().Min.Key()
	var list []manifest.Entry
	for range n {
		pos, ok := mapdb.PosOfKey(key)
		if !ok {
			break
		}
		list = append(list, manifest.Entry{Pos: pos, Hash: manifest.Hash(max(1, r.Uint64()))})
		step := int64(1)
		if r.IntN(10) == 0 {
			step = 1 + r.Int64N(1<<r.IntN(26))
		}
		key += step
	}
	return list
}

func write(t testing.TB, entries []manifest.Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := manifest.NewWriter(&b)
	for _, e := range entries {
		if err := w.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, data []byte) *manifest.Manifest {
	t.Helper()
	m, err := manifest.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func from(t *testing.T, m *manifest.Manifest, p mapdb.Pos) (list []manifest.Entry) {
	t.Helper()
	for e, err := range m.From(t.Context(), p) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 4095, 4096, 4097, 20_000} {
		want := random(r, n)
		data := write(t, want)
		m := open(t, data)
		if err := m.Verify(t.Context()); err != nil {
			t.Fatalf("%d blocks: %v", n, err)
		}
		if got := from(t, m, mapdb.All().Min); !slices.Equal(got, want) || m.Count() != int64(n) {
			t.Fatalf("%d blocks do not come back", n)
		}
		if n > 4096 && len(data) > 12*n {
			t.Errorf("%d blocks are %d bytes, more than 12 each", n, len(data))
		}
		for range 20 { // from random positions
			p, _ := mapdb.PosOfKey(mapdb.All().Min.Key() + r.Int64N(1<<36))
			if n > 0 && r.IntN(2) == 0 {
				p = want[r.IntN(n)].Pos
			}
			i, _ := slices.BinarySearchFunc(want, p, func(e manifest.Entry, p mapdb.Pos) int { return cmp.Compare(e.Pos.Key(), p.Key()) })
			if got := from(t, m, p); !slices.Equal(got, want[i:]) {
				t.Fatalf("from %v on: %d blocks, want %d", p, len(got), n-i)
			}
		}
	}
}

func TestAddRefuses(t *testing.T) {
	w := manifest.NewWriter(new(bytes.Buffer))
	one := manifest.Entry{Pos: mapdb.Pos{X: 1}, Hash: 1}
	if err := w.Add(one); err != nil {
		t.Fatal(err)
	}
	for _, e := range []manifest.Entry{one, {Pos: mapdb.Pos{}, Hash: 1}, {Pos: mapdb.Pos{X: 2}}, {Pos: mapdb.Pos{X: 5000}, Hash: 1}} {
		if w.Add(e) == nil {
			t.Errorf("%v was accepted", e)
		}
	}
}

// TestDamage tests that Open or Verify detects every changed byte and every truncation.
func TestDamage(t *testing.T) {
	data := write(t, random(rand.New(rand.NewPCG(3, 4)), 300))
	notices := func(data []byte) bool {
		m, err := manifest.Open(bytes.NewReader(data), int64(len(data)))
		return err != nil || m.Verify(t.Context()) != nil
	}
	for i := range data {
		bad := slices.Clone(data)
		bad[i] ^= 1 << (i % 8)
		if !notices(bad) {
			t.Errorf("a change of byte %d is not noticed", i)
		}
		if !notices(data[:i]) {
			t.Errorf("a cut at byte %d is not noticed", i)
		}
	}
}

func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	old := random(r, 9000)
	var changed []manifest.Entry
	want := map[mapdb.Pos]manifest.Difference{}
	for i, e := range old {
		switch {
		case i%100 == 7:
			want[e.Pos] = manifest.Difference{Pos: e.Pos, Old: e.Hash}
			continue
		case i%100 == 9:
			want[e.Pos] = manifest.Difference{Pos: e.Pos, Old: e.Hash, New: e.Hash ^ 3 | 1<<60}
			e.Hash = e.Hash ^ 3 | 1<<60
		}
		changed = append(changed, e)
	}
	last := mapdb.All().Max
	changed = append(changed, manifest.Entry{Pos: last, Hash: 9})
	want[last] = manifest.Difference{Pos: last, New: 9}
	before := int64(-1 << 40)
	n := 0
	for d, err := range manifest.Compare(t.Context(), open(t, write(t, old)), open(t, write(t, changed)), mapdb.All()) {
		if err != nil {
			t.Fatal(err)
		}
		if w := want[d.Pos]; d != w || d.Pos.Key() <= before {
			t.Errorf("%v, want %v", d, w)
		}
		before = d.Pos.Key()
		n++
	}
	if n != len(want) {
		t.Errorf("%d differences, want %d", n, len(want))
	}
}

// TestMake tests that stores with different block orders give the same manifest, with and without a temporary file.
func TestMake(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	db := mapdb.NewMemory()
	var want []manifest.Entry
	for _, e := range random(r, 5000) {
		data := binary.LittleEndian.AppendUint64(nil, uint64(e.Hash))
		if err := db.Store(t.Context(), []mapdb.Block{{Pos: e.Pos, Data: data}}); err != nil {
			t.Fatal(err)
		}
		want = append(want, manifest.Entry{Pos: e.Pos, Hash: manifest.HashOf(data)})
	}
	for _, size := range []int{100, 4999, 5000, 1 << 20} {
		manifest.SetRunSize(t, size)
		dir := t.TempDir()
		var b bytes.Buffer
		n, err := manifest.Make(t.Context(), db, &b, manifest.Options{Scratch: dir})
		if err != nil || n != 5000 {
			t.Fatalf("Make = %d, %v", n, err)
		}
		if !bytes.Equal(b.Bytes(), write(t, want)) {
			t.Errorf("with runs of %d blocks it is another manifest", size)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := manifest.Make(ctx, db, new(bytes.Buffer), manifest.Options{}); err == nil {
		t.Error("a cancelled run made a manifest")
	}
}

func FuzzOpen(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{0, 1, 5, 5000} {
		f.Add(write(f, random(r, n)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := manifest.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		n, last := int64(0), int64(-1<<40)
		for e, err := range m.All(t.Context()) {
			if err != nil {
				return
			}
			if !e.Pos.Valid() || e.Pos.Key() <= last {
				t.Fatalf("%v does not follow the one before", e.Pos)
			}
			last = e.Pos.Key()
			n++
		}
		if n != m.Count() {
			t.Fatalf("%d blocks, Count is %d", n, m.Count())
		}
	})
}
