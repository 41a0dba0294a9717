package worlddir

import (
	"context"
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/minetest/mapdb"
)

// gets counts the blocks that are read alone.
type gets struct {
	mapdb.Planer
	n int
}

func (g *gets) Get(ctx context.Context, p mapdb.Pos) ([]byte, error) {
	g.n++
	return g.Planer.Get(ctx, p)
}

// contents reads all files of blocks, in the order of a walk.
func contents(t *testing.T, dir string, o Options, wrap func(mapdb.DB) mapdb.DB) map[string]string {
	t.Helper()
	w := openWorld(t, dir)
	w.Map = wrap(w.Map)
	fsys := Open(t.Context(), w, o)
	all := map[string]string{}
	if err := fs.WalkDir(fsys, blocksDir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		all[name] = fmt.Sprint(string(data), err)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestReadAhead tests that a walk reads most blocks in rows, and gets what it gets block by block: of a table
// whose blocks have values of other types than blobs, and in a part of a world.
func TestReadAhead(t *testing.T) {
	const fill = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4499) " +
		"INSERT OR IGNORE INTO blocks SELECT (i / 1500 - 1) * 16777216 + (i / 50 % 30 - 15) * 4096 + i % 47 - 23, " +
		"CASE i % 1000 WHEN 7 THEN 'text' WHEN 8 THEN NULL WHEN 9 THEN 1.5 ELSE randomblob(12) END FROM n;"
	for _, area := range []*mapdb.Area{nil, {Min: mapdb.Pos{X: -20, Y: -12, Z: -1}, Max: mapdb.Pos{X: 3, Y: 4, Z: 0}}} {
		dir := sqliteWorld(t, tableOfBlocks+fill, nil)
		o := Options{Area: area}
		g := &gets{}
		want := contents(t, dir, o, asWhole)
		got := contents(t, dir, o, func(db mapdb.DB) mapdb.DB { g.Planer = db.(mapdb.Planer); return g })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if g.n > len(got)/20 {
			t.Errorf("of %d blocks, %d were read alone", len(got), g.n)
		}
	}
}
