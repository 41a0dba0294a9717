package worldrepo_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
)

// TestDiffering tests that the differences between two snapshots, and between a snapshot and another store, are those of their
// blocks, in whole worlds and in areas.
func TestDiffering(t *testing.T) {
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 200)
	repo, r := newFolder(t), rand.New(rand.NewPCG(1, 2))
	var ids []string
	for range 3 {
		ids = append(ids, backup(t, dir, repo).Snapshot.ID)
		change(t, dir, r, 30)
	}
	var stores []mapdb.DB
	var contents []map[mapdb.Pos]string
	for _, id := range ids {
		opened, err := worldrepo.Open(t.Context(), repo)
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		s, err := opened.Snapshot(id)
		if err != nil {
			t.Fatal(err)
		}
		b, err := opened.Blocks(s)
		if err != nil {
			t.Fatal(err)
		}
		stores, contents = append(stores, b), append(contents, worldtest.All(t, b))
	}
	now, err := mapdb.Open(t.Context(), dir, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	stores, contents = append(stores, now), append(contents, worldtest.All(t, now))
	for i, old := range stores {
		for j, new := range stores {
			for _, a := range []mapdb.Area{mapdb.All(), {Min: mapdb.Pos{X: -9, Y: -9, Z: -40}, Max: mapdb.Pos{X: 30, Y: 20, Z: 3}}} {
				want := make(map[mapdb.Pos]string)
				for _, side := range []map[mapdb.Pos]string{contents[i], contents[j]} {
					for p := range side {
						if o, n := contents[i][p], contents[j][p]; a.Contains(p) && o != n {
							want[p] = fmt.Sprintf("%x %x", o, n)
						}
					}
				}
				got := make(map[mapdb.Pos]string)
				for d, err := range mapdb.Differences(t.Context(), old, new, a) {
					if err != nil {
						t.Fatal(err)
					}
					if got[d.Pos] != "" {
						t.Errorf("%v comes twice", d.Pos)
					}
					got[d.Pos] = fmt.Sprintf("%x %x", d.Old, d.New)
				}
				if !maps.Equal(got, want) || i != j && a == mapdb.All() && len(want) == 0 {
					t.Errorf("%d and %d in %v: %d differences, not %d", i, j, a, len(got), len(want))
				}
			}
		}
	}
}

// TestDifferingDamage tests that damage in one of two snapshots is reported for its side, and that the other blocks are compared.
func TestDifferingDamage(t *testing.T) {
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 60)
	repo, r := newFolder(t), rand.New(rand.NewPCG(3, 4))
	id := backup(t, dir, repo).Snapshot.ID
	change(t, dir, r, 20)
	opened, err := worldrepo.Open(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	s, err := opened.Snapshot(id)
	if err != nil {
		t.Fatal(err)
	}
	b, err := opened.Blocks(s)
	if err != nil {
		t.Fatal(err)
	}
	_, blocks := worldrepo.Contents(t, opened, s)
	name := fmt.Sprintf("packs/%016x.pack", blocks[0].Pack)
	data := repo.all(t)[name]
	repo.put(t, name, bytes.Repeat([]byte{7}, len(data))) // all blocks are damaged
	now, err := mapdb.Open(t.Context(), dir, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	for _, turned := range []bool{false, true} {
		sides := []mapdb.DB{b, now}
		if turned {
			slices.Reverse(sides)
		}
		n, added := 0, 0
		for d, err := range mapdb.Differences(t.Context(), sides[0], sides[1], mapdb.All()) {
			var side *mapdb.SideError
			switch {
			case err == nil && (d.Old == nil) != (d.New == nil):
				added++
			case !errors.As(err, &side) || side.New != turned:
				t.Errorf("%v: %v", d.Pos, err)
			default:
				n++
			}
		}
		if n == 0 || added == 0 {
			t.Errorf("%d damaged, %d added", n, added)
		}
	}
}
