package mapdb

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// comparePages tests that reading without SQLite has the results of reading with SQLite.
func comparePages(t *testing.T, dir string) {
	t.Helper()
	ctx := t.Context()
	want := open(t, dir, Config{})
	defer want.Close()
	got, err := openPages(ctx, sqlitePath(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if got.String() != want.String() || got.Schema() != SchemaOf(want) {
		t.Errorf("%v, with SQLite %v", got, want)
	}
	n, err := got.Count(ctx)
	_, bad, _ := readAll(ctx, want)
	// SQLite counts some keys that are not integers.
	if m, err2 := want.Count(ctx); n != m && len(bad) == 0 || n > m || err != nil || err2 != nil {
		t.Errorf("%d blocks, %v, with SQLite %d, %v", n, err, m, err2)
	}
	r := rand.New(rand.NewPCG(4, 4))
	areas := []Area{All(), {Pos{-3, -2, -17}, Pos{40, 1, 2}}, {Pos{-2048, -2048, 0}, Pos{2047, 2047, 3}},
		{Pos{1, -2048, -2048}, Pos{5, 2047, 2047}}, {Pos{1, 1, 1}, Pos{0, 0, 0}}}
	for range 4 {
		p := Pos{int16(r.IntN(60) - 30), int16(r.IntN(20) - 10), int16(r.IntN(60) - 30)}
		areas = append(areas, Area{p, Pos{p.X + int16(r.IntN(9)), p.Y + int16(r.IntN(9)), p.Z + int16(r.IntN(9))}})
	}
	for _, a := range areas {
		blocks := lines(want.Blocks(ctx, a), map[string]bool{})
		if all := lines(got.Blocks(ctx, a), map[string]bool{}); !reflect.DeepEqual(all, blocks) {
			t.Errorf("%v: %d blocks, with SQLite %d", a, len(all), len(blocks))
		}
		if all, blocks := positions(ctx, got, a), positions(ctx, want, a); !reflect.DeepEqual(all, blocks) {
			t.Errorf("%v: %d positions, with SQLite %d", a, len(all), len(blocks))
		}
		if p, ok := want.(Planer); ok && p.HasPlanes() {
			planes, odd, ok, err := got.Planes(ctx, a)
			planes2, odd2, ok2, err2 := p.Planes(ctx, a)
			if !slices.Equal(planes, planes2) || len(odd) != len(odd2) || ok != ok2 || err != nil || err2 != nil {
				t.Errorf("%v: planes %v %v %v %v, with SQLite %v %v %v %v", a, planes, odd, ok, err, planes2, odd2, ok2, err2)
			}
		}
	}
	all := slices.Collect(func(yield func(Pos) bool) {
		for p, err := range want.Positions(ctx, All()) {
			if err == nil && r.IntN(20) == 0 && !yield(p) || !yield(Pos{p.X + 1, p.Y, p.Z}) {
				return
			}
		}
	})
	for _, p := range all[:min(len(all), 300)] {
		data, err := got.Get(ctx, p)
		data2, err2 := want.Get(ctx, p)
		if !bytes.Equal(data, data2) || errors.Is(err, ErrNotFound) != errors.Is(err2, ErrNotFound) || (err == nil) != (err2 == nil) {
			t.Errorf("%v: %d bytes, %v, with SQLite %d, %v", p, len(data), err, len(data2), err2)
		}
	}
}

func positions(ctx context.Context, db DB, a Area) (list []string) {
	return lines(func(yield func(Block, error) bool) {
		for p, err := range db.Positions(ctx, a) {
			if !yield(Block{Pos: p}, err) {
				return
			}
		}
	}, map[string]bool{})
}

// TestDamagedPagesOnly tests that blocks in sound pages are read without SQLite, and that each damaged page is an
// error of its place.
func TestDamagedPagesOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for round := range tests.Of(t, 6, 40) {
		dir := t.TempDir()
		blocks := damagedWorld(t, dir, Schema(round%2))
		data := judge.Read(t, sqlitePath(dir))
		for range 3 {
			at := 4096 * (4 + r.IntN(len(data)/4096-4))
			clear(data[at : at+4096])
		}
		if err := os.WriteFile(sqlitePath(dir), data, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := openPages(t.Context(), sqlitePath(dir))
		if err != nil {
			t.Fatal(err)
		}
		all, bad, err := readAll(t.Context(), db)
		if err != nil || len(all) < len(blocks)/2 || len(bad) == 0 && len(all) < len(blocks) {
			t.Errorf("%d of %d blocks, %v, %v", len(all), len(blocks), bad, err)
		}
		for p, data := range all {
			if !bytes.Equal(blocks[p], data) {
				t.Errorf("%v has other bytes", p)
			}
		}
		for _, row := range bad {
			if len(row.At) != 1 && row.Pos == nil || !errors.Is(row, fault.ErrFormat) {
				t.Errorf("%v at %v", row, row.At)
			}
		}
		db.Close()
	}
}

// BenchmarkPages measures opening, one block, all positions and all blocks of a database of 40 MB, with SQLite and
// without.
func BenchmarkPages(b *testing.B) {
	const n = 20_000
	dir := b.TempDir()
	w, err := Create(b.Context(), dir, Config{Unseen: true})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := Load(b.Context(), w, func(yield func(Block, error) bool) {
		data := bytes.Repeat([]byte("block"), 400)
		for i := range n {
			if !yield(Block{Pos{int16(i % 100), int16(i / 100 % 10), int16(i / 1000)}, data}, nil) {
				return
			}
		}
	}); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	for name, open := range map[string]func() (DB, error){
		"SQLite": func() (DB, error) { return Open(b.Context(), dir, Config{}) },
		"pages":  func() (DB, error) { return openPages(b.Context(), sqlitePath(dir)) },
	} {
		b.Run(name+"/open and Get", func(b *testing.B) {
			for b.Loop() {
				db := must(open())
				must(db.Get(b.Context(), Pos{50, 5, 10}))
				db.Close()
			}
		})
		db := must(open())
		b.Run(name+"/Get", func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			for b.Loop() {
				must(db.Get(b.Context(), Pos{int16(r.IntN(100)), int16(r.IntN(10)), int16(r.IntN(20))}))
			}
		})
		b.Run(name+"/Positions", func(b *testing.B) {
			for b.Loop() {
				for _, err := range db.Positions(b.Context(), All()) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
		})
		b.Run(name+"/Blocks", func(b *testing.B) {
			for b.Loop() {
				for _, err := range db.Blocks(b.Context(), All()) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
		})
		db.Close()
	}
}
