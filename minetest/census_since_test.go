package minetest_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
)

// convertedManifest makes the manifest of a world of any kind, and returns its path.
func convertedManifest(t *testing.T, src *format.Source) string {
	t.Helper()
	f := worldFormat(t)
	c := &f.Conversions[slices.IndexFunc(f.Conversions, func(c format.Conversion) bool { return c.Verb == "manifest" })]
	out := newOutput(t)
	if err := c.Convert(t.Context(), new(format.Job), src, out); err != nil {
		t.Fatal(err)
	}
	return out.Name()
}

// since returns the shards of a world that have changed since a manifest was made, and the shards that contain rows
// without a position, for which this is unknown.
func since(t *testing.T, src *format.Source, path string) (list, odd []format.Shard) {
	t.Helper()
	for _, s := range shardsOf(t, src) {
		job := &format.Job{Shard: s, Values: map[string]string{"since": path}}
		now, err := worldFormat(t).Census.Digest(t.Context(), job, src)
		if row := (*mapdb.RowError)(nil); errors.As(err, &row) {
			odd = append(odd, s)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		then, err := worldFormat(t).Census.Before(t.Context(), job, src)
		if err != nil {
			t.Fatal(err)
		}
		if s == format.Shard(mapdb.SlabRest) {
			if then != "" || now != "" {
				t.Error("the changes are known of the rest")
			}
		} else if now != then {
			list = append(list, s)
		}
	}
	return list, odd
}

// TestSince tests, for every store, that the manifest shows in which slabs a block was added, removed or changed.
func TestSince(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for name, kind := range worldtest.Backends {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(14, 3))
			config := kind(t)
			src := badWorld(t, r, config)
			path := convertedManifest(t, src)
			list, odd := since(t, src, path)
			if len(list) > 0 || len(odd) > 2 {
				t.Errorf("nothing has changed, but %v, and %v is unknown", list, odd)
			}
			db, err := mapdb.OpenForWriting(t.Context(), src.Dir, config)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			var there []mapdb.Pos
			for b, err := range db.Blocks(t.Context(), mapdb.All()) {
				var row *mapdb.RowError
				switch {
				case errors.As(err, &row): // without a position
				case err != nil:
					t.Fatal(err)
				default:
					there = append(there, b.Pos)
				}
			}
			for i := range 6 {
				p := there[r.IntN(len(there))]
				switch i % 3 {
				case 0:
					p.Y = 77
					err = db.Store(t.Context(), []mapdb.Block{{Pos: p, Data: worldtest.Block(i, 28)}})
				case 1:
					err = db.Store(t.Context(), []mapdb.Block{{Pos: p, Data: fmt.Appendf(nil, "no block %d", i)}})
				case 2:
					err = db.Update(t.Context(), func(tx mapdb.Tx) error { return tx.Delete(p) })
				}
				if err != nil {
					t.Fatal(err)
				}
				var want []format.Shard
				for _, s := range shardsOf(t, src) {
					if in, has, err := mapdb.Slab(s).Where(); err != nil {
						t.Fatal(err)
					} else if in.Contains(p) && has(p) && !slices.Contains(odd, s) {
						want = append(want, s)
					}
				}
				if got, _ := since(t, src, path); !slices.Equal(got, want) {
					t.Errorf("%v: %v, want %v", p, got, want)
				}
				path = convertedManifest(t, src)
			}
		})
	}
}

// TestSinceRefuses tests that a file that is not a manifest, or is damaged, gives a clear error.
func TestSinceRefuses(t *testing.T) {
	src := badWorld(t, rand.New(rand.NewPCG(1, 1)), mapdb.Config{Backend: mapdb.SQLite})
	data := judge.Read(t, convertedManifest(t, src))
	dir := t.TempDir()
	flipped := slices.Clone(data)
	flipped[len(flipped)/2] ^= 1
	var another bytes.Buffer
	db := mapdb.NewMemory()
	err := db.Store(t.Context(), []mapdb.Block{{Data: []byte("of another world")}})
	if err == nil {
		_, err = manifest.Make(t.Context(), db, &another, manifest.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"another": another.Bytes(), "flipped": flipped,
		"short": data[:len(data)-1], "empty": {}, "none": nil, "folder": nil, "other": []byte("DATA, and no manifest of anything")} {
		path := filepath.Join(dir, name)
		switch name {
		case "none":
		case "folder":
			if err := os.Mkdir(path, 0o777); err != nil {
				t.Fatal(err)
			}
		default:
			judge.Write(t, path, content)
		}
		text, err := worldFormat(t).Census.Before(t.Context(), &format.Job{Values: map[string]string{"since": path}}, src)
		if err == nil || text != "" || !strings.HasPrefix(err.Error(), "--since: ") ||
			strings.Count(err.Error(), path) != 1 || name == "none" && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
