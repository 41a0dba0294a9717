package worlddir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/mapdb"
)

const tableOfBlocks = "CREATE TABLE blocks (pos INT PRIMARY KEY, data BLOB);"

// sqliteWorld creates a world with an SQL script and keys of blocks.
func sqliteWorld(t *testing.T, script string, keys []any) string {
	t.Helper()
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, worldMT), []byte("backend = sqlite3\n"))
	conn, err := sqlite.OpenConn(filepath.Join(dir, "map.sqlite"), sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err == nil {
		err = errors.Join(sqlitex.ExecuteTransient(conn, "PRAGMA synchronous = off", nil), sqlitex.ExecuteScript(conn, script, nil))
	}
	for _, key := range keys {
		err = errors.Join(err, sqlitex.Execute(conn, "INSERT OR IGNORE INTO blocks VALUES (?, x'00')", &sqlitex.ExecOptions{Args: []any{key}}))
	}
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// listBlocks walks all folders of blocks, and returns the names and the reported errors.
func listBlocks(t *testing.T, dir string, o Options, wrap func(mapdb.DB) mapdb.DB) (names, told []string) {
	t.Helper()
	w, err := OpenWorld(t.Context(), dir, Opening{OnMiss: func(path string, err error) { told = append(told, path+": "+err.Error()) }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Map = wrap(w.Map)
	fsys := Open(t.Context(), w, o)
	var walk func(name string)
	walk = func(name string) { // in the tree's own order, which is not that of fs.WalkDir
		names = append(names, name)
		f, err := fsys.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		list, err := f.(fs.ReadDirFile).ReadDir(-1)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if e.IsDir() {
				walk(name + "/" + e.Name())
			} else {
				names = append(names, name+"/"+e.Name())
			}
		}
	}
	walk(blocksDir)
	slices.Sort(told)
	return names, told
}

// asWhole returns a store that cannot list planes.
func asWhole(db mapdb.DB) mapdb.DB { return struct{ mapdb.DB }{db} }

func asItIs(db mapdb.DB) mapdb.DB { return db }

// TestPlaneByPlane tests that a tree that is listed plane by plane equals one that is listed from all positions, and
// that each loss is reported once.
func TestPlaneByPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 30 {
		table := tableOfBlocks
		if round%5 == 4 {
			table = "CREATE TABLE blocks (pos INT, data BLOB);" // a table that can contain a block twice
		}
		var keys []any
		for range r.IntN(200) {
			key := mapdb.Pos{X: int16(r.IntN(5) - 2), Y: int16(r.IntN(5) - 2), Z: int16(r.IntN(14) - 4)}.Key()
			all := mapdb.All()
			odd := [...]any{nil, "text", fmt.Sprint("t", key), []byte("blob"), float64(key) + 0.5, all.Max.Key() + 1,
				all.Min.Key() - 1, all.Max.Key(), all.Min.Key(), 1e300}
			if i := r.IntN(40); round%2 == 1 && i < len(odd) {
				keys = append(keys, odd[i])
			} else {
				keys = append(keys, key)
			}
		}
		dir := sqliteWorld(t, table, keys)
		for _, area := range []*mapdb.Area{nil, {Min: mapdb.Pos{X: -1, Y: -2, Z: -3}, Max: mapdb.Pos{X: 2, Y: 1, Z: 4}}} {
			o := Options{Area: area}
			want, wantTold := listBlocks(t, dir, o, asWhole)
			got, told := listBlocks(t, dir, o, asItIs)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("round %d: %s", round, diff)
			}
			if diff := cmp.Diff(wantTold, told); diff != "" && area == nil {
				t.Fatalf("round %d: %s", round, diff)
			}
		}
	}
}

// counting counts the positions that are read.
type counting struct {
	mapdb.Planer
	rows *int
}

func (c counting) Positions(ctx context.Context, a mapdb.Area) iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		for p, err := range c.Planer.Positions(ctx, a) {
			if *c.rows++; !yield(p, err) {
				return
			}
		}
	}
}

func countingRows(rows *int) func(mapdb.DB) mapdb.DB {
	return func(db mapdb.DB) mapdb.DB { return counting{db.(mapdb.Planer), rows} }
}

const fiftyPlanes = tableOfBlocks + "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < " +
	"19999) INSERT INTO blocks SELECT i / 400 * 16777216 + i % 400, x'00' FROM n;"

// TestListReadsFew tests that the first listing reads the positions of one plane only, and that listing everything
// reads each position once.
func TestListReadsFew(t *testing.T) {
	dir := sqliteWorld(t, fiftyPlanes, nil)
	rows := 0
	w := openWorld(t, dir)
	w.Map = countingRows(&rows)(w.Map)
	fsys := Open(t.Context(), w, Options{})
	for _, step := range []struct {
		name       string
		list, rows int
	}{{blocksDir, 50, 0}, {blocksDir + "/z7", 1, 400}, {blocksDir + "/z7/y0", 400, 400}, {blocksDir + "/z8/y0", 400, 800}} {
		if list, err := fs.ReadDir(fsys, step.name); err != nil || len(list) != step.list || rows != step.rows {
			t.Errorf("%s: %d entries, %v; %d positions were read, want %d", step.name, len(list), err, rows, step.rows)
		}
	}
	rows = 0
	if names, _ := listBlocks(t, dir, Options{}, countingRows(&rows)); len(names) != 20101 || rows != 20000 {
		t.Errorf("%d names, %d positions were read", len(names), rows)
	}
}

// TestDamagedPlane tests that a file whose damage is found after its planes were listed is read completely from then
// on, and that losses are reported once, including planes that were found too late.
func TestDamagedPlane(t *testing.T) {
	dir := sqliteWorld(t, fiftyPlanes, []any{"odd"})
	var told []string
	w, err := OpenWorld(t.Context(), dir, Opening{OnMiss: func(path string, err error) { told = append(told, err.Error()) }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	late := &latePlanes{Planer: w.Map.(mapdb.Planer)}
	w.Map = late
	fsys := Open(t.Context(), w, Options{})
	if list, err := fs.ReadDir(fsys, blocksDir); err != nil || len(list) != 49 {
		t.Fatal(len(list), err)
	}
	if list, err := fs.ReadDir(fsys, blocksDir+"/z3/y0"); err != nil || len(list) != 400 {
		t.Error(len(list), err)
	}
	if list, err := fs.ReadDir(fsys, blocksDir+"/z0"); err != nil || len(list) != 1 {
		t.Error(len(list), err)
	}
	if len(told) != 2 || !strings.Contains(told[0], "odd") || !strings.Contains(told[1], "the first is z0") {
		t.Errorf("%q", told)
	}
}

// latePlanes omits its first plane, and cannot list planes after positions were read.
type latePlanes struct {
	mapdb.Planer
	read bool
}

func (l *latePlanes) HasPlanes() bool { return !l.read }

func (l *latePlanes) Planes(ctx context.Context, a mapdb.Area) ([]int16, []*mapdb.RowError, bool, error) {
	all, odd, ok, err := l.Planer.Planes(ctx, a)
	return all[1:], odd, ok, err
}

func (l *latePlanes) Positions(ctx context.Context, a mapdb.Area) iter.Seq2[mapdb.Pos, error] {
	l.read = true
	return l.Planer.Positions(ctx, a)
}
