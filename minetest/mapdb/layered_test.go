package mapdb

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/fault"
)

// TestLayered tests that a block that is missing or empty in the upper store is read from the lower one, which never
// changes.
func TestLayered(t *testing.T) {
	for _, backends := range [][2]string{{SQLite, LevelDB}, {LevelDB, SQLite}, {SQLite, SQLite}, {Dummy, SQLite}} {
		dir := t.TempDir()
		below := filepath.Join(dir, UnderFolder)
		c := Config{Backend: backends[0], Under: &Config{Backend: backends[1]}}
		fill := func(dir string, c Config, blocks map[Pos]string) {
			t.Helper()
			w, err := Create(t.Context(), dir, c)
			if err == nil {
				err = w.Update(t.Context(), func(tx Tx) error {
					for p, text := range blocks {
						if err := tx.Put(p, []byte(text)); err != nil {
							return err
						}
					}
					return nil
				})
			}
			if err != nil || w.Close() != nil {
				t.Fatal(err)
			}
		}
		upper := map[Pos]string{{X: 1}: "new", {X: 2}: "", {X: 3}: ""}
		fill(dir, Config{Backend: backends[0]}, upper)
		if _, err := Open(t.Context(), dir, c); !errors.Is(err, fault.ErrFormat) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: without the lower store: %v", backends, err)
		}
		if err := os.Mkdir(below, 0o755); err != nil {
			t.Fatal(err)
		}
		fill(below, Config{Backend: backends[1]}, map[Pos]string{{X: 1}: "old", {X: 2}: "below", {X: -7}: "deep", {Z: 9}: "far"})
		want := map[Pos]string{{X: 1}: "new", {X: 2}: "below", {X: 3}: "", {X: -7}: "deep", {Z: 9}: "far"}
		if backends[0] == Dummy {
			want = map[Pos]string{{X: 1}: "old", {X: 2}: "below", {X: -7}: "deep", {Z: 9}: "far"}
		}
		same := func(db DB) {
			t.Helper()
			got, bad := read(t, db)
			if !maps.EqualFunc(got, want, func(a []byte, b string) bool { return string(a) == b }) || len(bad) > 0 {
				t.Errorf("%v: %q, %v", backends, got, bad)
			}
			n := 0
			for _, err := range db.Positions(t.Context(), All()) {
				if n++; err != nil {
					t.Error(err)
				}
			}
			if count, err := db.Count(t.Context()); err != nil || n != len(want) || int(count) != n {
				t.Errorf("%v: %d positions, %d counted, %v", backends, n, count, err)
			}
			for p, text := range want {
				if data, err := db.Get(t.Context(), p); err != nil || string(data) != text {
					t.Errorf("%v: %v is %q, %v", backends, p, data, err)
				}
			}
			if _, err := db.Get(t.Context(), Pos{Y: 1}); !errors.Is(err, ErrNotFound) {
				t.Errorf("%v: %v", backends, err)
			}
		}
		same(open(t, dir, c))
		if backends[0] == Dummy {
			continue
		}
		err := Edit(t.Context(), dir, c, []Pos{{X: -7}, {X: 3}}, func(p Pos, data []byte) ([]byte, error) {
			if string(data) != want[p] {
				t.Errorf("%v: an edit of %v gets %q", backends, p, data)
			}
			if p.X == 3 {
				return nil, nil
			}
			return bytes.ToUpper(data), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want[Pos{X: -7}] = "DEEP"
		delete(want, Pos{X: 3})
		same(open(t, dir, c))
		if err := Edit(t.Context(), dir, c, []Pos{{Z: 9}}, func(Pos, []byte) ([]byte, error) { return nil, nil }); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%v: a block of the lower store is deleted: %v", backends, err)
		}
		same(open(t, dir, c))
	}
}
