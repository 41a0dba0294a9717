package world_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

func run(t *testing.T, dir string, opts world.CheckOptions) []string {
	t.Helper()
	var found []string
	err := world.Check(context.Background(), dir, opts, func(f check.Finding) {
		found = append(found, f.ID+" "+f.Path)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestSound tests that a sound world has no findings.
func TestSound(t *testing.T) {
	for _, backend := range []string{mapdb.SQLite, mapdb.LevelDB} {
		dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: backend}, 2000, 20, 22, 25, 28, 29)
		last, calls := 0, 0
		found := run(t, dir, world.CheckOptions{OnProgress: func(what string, done, of int) {
			if what != "blocks" || done <= last || of != 2000 {
				t.Errorf("progress %s, %d of %d", what, done, of)
			}
			last, calls = done, calls+1
		}})
		found = without(found, "mt-block-object-type", "mt-block-name-unused", "mt-item-legacy")
		if len(found) > 0 || last != 2000 || calls > 2000 {
			t.Errorf("%s: %v; the last of %d calls is for %d", backend, found, calls, last)
		}
	}
}

func without(found []string, ids ...string) (rest []string) {
	for _, f := range found {
		id, _, _ := strings.Cut(f, " ")
		known := false
		for _, k := range ids {
			known = known || k == id
		}
		if !known {
			rest = append(rest, f)
		}
	}
	return rest
}

// TestFindings tests that findings have places and come in the order of the database, that a damaged block or row
// does not stop the check, and that repeated findings are counted.
func TestFindings(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3000, 28)
	twice := mapblock.New(28)
	twice.Timers.List = []mapblock.Timer{{Pos: 5, Timeout: 10}, {Pos: 5, Timeout: 10}}
	chest := mapblock.New(28)
	chest.Metadata = mapblock.Metadata{Version: 2,
		List: []mapblock.NodeMeta{{Pos: 7, Inventory: []byte("List main x\nEndInventoryList\nEndInventory\n")}}}
	encode := func(b *mapblock.Block) []byte {
		data, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	w, err := mapdb.OpenForWriting(ctx, dir, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Update(ctx, func(tx mapdb.Tx) error {
		var errs []error
		for i := range 25 {
			errs = append(errs, tx.Put(mapdb.Pos{X: int16(i), Y: 100}, encode(twice)))
		}
		return errors.Join(append(errs,
			tx.Put(mapdb.Pos{X: 1, Y: 50, Z: -100}, []byte{29, 0}),
			tx.Put(mapdb.Pos{X: 2, Y: 50, Z: -100}, nil),
			tx.Put(mapdb.Pos{X: 3, Y: 50, Z: -100}, encode(chest)))...)
	})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(filepath.Join(dir, "map.sqlite"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, "INSERT INTO blocks VALUES ('far away', x'00')", nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(dir, "env_meta.txt"), []byte("EnvArgsEnd\n"))

	want := []string{"mt-world-env-meta-time env_meta.txt:game_time",
		// Rows without a position come before the blocks.
		"mt-map-row ",
		"mt-block-unreadable block 1,50,-100",
		"mt-map-meta-inventory block 3,50,-100: metadata.entries[0].inventory",
		// Warnings come after errors.
		"mt-map-block-empty block 2,50,-100",
		"mt-block-timer-duplicate block 0,100,0: timers.entries[1]"}
	got := without(run(t, dir, world.CheckOptions{}), "mt-block-name-unused")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	area := mapdb.Area{Min: mapdb.Pos{X: 2, Y: 50, Z: -100}, Max: mapdb.Pos{X: 3, Y: 50, Z: -100}}
	got = run(t, dir, world.CheckOptions{Area: &area, BlocksOnly: true})
	if diff := cmp.Diff([]string{want[3], want[4]}, got); diff != "" {
		t.Error(diff)
	}
}

// TestBlockTwice tests that two rows with the same block are reported, if the table allows them.
func TestBlockTwice(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 4, 28)
	conn, err := sqlite.OpenConn(filepath.Join(dir, "map.sqlite"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, "CREATE TABLE b (pos INT, data BLOB); INSERT INTO b SELECT * FROM blocks; "+
		"INSERT INTO b SELECT * FROM blocks LIMIT 1; DROP TABLE blocks; ALTER TABLE b RENAME TO blocks", nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	got := without(run(t, dir, world.CheckOptions{}), "mt-block-name-unused")
	if diff := cmp.Diff([]string{"mt-world-schema map.sqlite", "mt-map-block-twice block -16,-8,-100"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestBlockPlaces tests that findings have all their places, even if their text is shortened.
func TestBlockPlaces(t *testing.T) {
	encode := func(b *mapblock.Block) []byte {
		data, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	const odd = "List main 3\nWidth 0\nItem a-b:c 5\nEmpty\nItem a-b:c 5\nEndInventoryList\nEndInventory\n"
	blocks := func(yield func(mapdb.Block, error) bool) {
		for i := range 40 {
			b := mapblock.New(28)
			switch {
			case i < 11: // the same invalid item in many blocks
				b.Metadata = mapblock.Metadata{Version: 2, List: []mapblock.NodeMeta{{Pos: uint16(i), Inventory: []byte(odd)}}}
			case i < 25: // many different warnings
				b.Trailing = make([]byte, i)
			case i < 30:
				b.Timers.List = []mapblock.Timer{{Pos: 5, Timeout: 10}, {Pos: 5, Timeout: 10}}
			}
			if !yield(mapdb.Block{Pos: mapdb.Pos{X: int16(i), Y: -1}, Data: encode(b)}, nil) {
				return
			}
		}
	}
	dir := worldtest.WorldOf(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, blocks)
	var found []check.Finding
	err := world.Check(t.Context(), dir, world.CheckOptions{BlocksOnly: true}, func(f check.Finding) {
		if f.Severity > check.Info {
			found = append(found, f)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]int)
	places := make(map[string][]string)
	for _, f := range found {
		kinds[f.ID]++
		for _, p := range f.At {
			places[f.ID] = append(places[f.ID], p.String())
		}
	}
	if kinds["mt-item-name"] != 1 || kinds["mt-block-timer-duplicate"] != 1 || kinds["mt-block-trailing"] != 11 {
		t.Errorf("%v", found)
	}
	if n := len(places["mt-block-trailing"]); n != 14 || places["mt-block-trailing"][0] != "block 11,-1,0" {
		t.Errorf("%d places: %q", n, places["mt-block-trailing"])
	}
	if diff := cmp.Diff([]string{"405,-16,0", "421,-16,0", "437,-16,0", "453,-16,0", "469,-16,0"},
		places["mt-block-timer-duplicate"]); diff != "" {
		t.Error(diff)
	}
	if all := places["mt-item-name"]; len(all) != 22 || all[0] != "0,-16,0 main 0" || all[3] != "17,-16,0 main 2" {
		t.Errorf("%d places: %q", len(all), all)
	}
}

// TestUnreadable tests that a database that cannot be opened, and a server that was not allowed, are findings.
func TestUnreadable(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 1, 28)
	judge.Write(t, filepath.Join(dir, "map.sqlite"), []byte("no database"))
	if diff := cmp.Diff([]string{"mt-map-unreadable map"}, run(t, dir, world.CheckOptions{BlocksOnly: true})); diff != "" {
		t.Error(diff)
	}
	worldtest.SetLine(t, filepath.Join(dir, "world.mt"), "backend = sqlite3", "backend = redis\nredis_address = 192.0.2.1\nredis_hash = a")
	if diff := cmp.Diff([]string{"mt-map-remote map"}, run(t, dir, world.CheckOptions{BlocksOnly: true})); diff != "" {
		t.Error(diff)
	}
}

// TestServerFails tests that an unreachable server is not a finding about the world, and that findings about the rest
// are reported.
func TestServerFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	for _, text := range []string{
		fmt.Sprintf("backend = redis\nredis_address = 127.0.0.1\nredis_hash = a\nredis_port = %d\n", port),
		fmt.Sprintf("backend = postgresql\npgsql_connection = host=127.0.0.1 port=%d user=a\n", port),
		fmt.Sprintf("player_backend = postgresql\npgsql_player_connection = host=127.0.0.1 port=%d user=a\n", port),
	} {
		dir := t.TempDir()
		judge.Write(t, filepath.Join(dir, "world.mt"), []byte(text))
		judge.Write(t, filepath.Join(dir, "env_meta.txt"), []byte("game_time = 5\n"))
		var found []string
		err := world.Check(t.Context(), dir, world.CheckOptions{}, func(f check.Finding) { found = append(found, f.ID) })
		if !world.Failed(err) || !strings.Contains(err.Error(), "127.0.0.1") ||
			!slices.Contains(found, "mt-world-env-meta-end") || slices.Contains(found, "mt-map-unreadable") ||
			slices.Contains(found, "mt-world-unreadable") {
			t.Errorf("%v, %q", err, found)
		}
	}
}

// TestCanceled tests that a check stops when its context ends.
func TestCanceled(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 6000)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	err := world.Check(ctx, dir, world.CheckOptions{BlocksOnly: true,
		OnProgress: func(_ string, done, _ int) { n = done; cancel() }}, func(f check.Finding) {
		if f.ID == "mt-map-unreadable" {
			t.Error(f)
		}
	})
	if !errors.Is(err, context.Canceled) || n >= 6000 {
		t.Errorf("%v after %d blocks", err, n)
	}
}

// TestCorpus tests that worlds that games generated have no errors.
func TestCorpus(t *testing.T) {
	root := tests.Corpus(t, "minetest")
	worlds, err := filepath.Glob(filepath.Join(root, "generated", "[av]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(worlds, filepath.Join(root, "cornernote-mesecons-circuits"), filepath.Join(root, "client", "world")) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			s, err := world.ReadWorldMT(dir)
			if err != nil {
				t.Fatal(err)
			}
			if c, err := world.MapConfig(dir, s, world.Options{}); err != nil || c.Backend == mapdb.Postgres || c.Backend == mapdb.RedisDB {
				t.Skip("it is on a server")
			}
			n := 0
			err = world.Check(context.Background(), dir,
				world.CheckOptions{OnProgress: func(_ string, done, _ int) { n = done }}, func(f check.Finding) {
					if f.Severity == check.Error {
						t.Error(f)
					}
				})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d blocks", n)
		})
	}
}

// TestCheckIndex tests that a check finds an index without some of its rows, which reading does not meet, and that a
// check of all slabs finds the same.
func TestCheckIndex(t *testing.T) {
	ctx := t.Context()
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 300, 28)
	conn, err := sqlite.OpenConn(filepath.Join(dir, "map.sqlite"), sqlite.OpenReadWrite)
	if err == nil {
		// From now on, the table of blocks uses the index of another table, which has fewer rows.
		err = sqlitex.ExecuteScript(conn, `CREATE TABLE other (pos INT PRIMARY KEY);
			INSERT INTO other SELECT pos FROM blocks ORDER BY rowid LIMIT 200;
			PRAGMA writable_schema=ON;
			UPDATE sqlite_master SET rootpage=(SELECT rootpage FROM sqlite_master WHERE name='sqlite_autoindex_other_1')
			WHERE name='sqlite_autoindex_blocks_1';
			DELETE FROM sqlite_master WHERE tbl_name='other'`, nil)
	}
	if err != nil || conn.Close() != nil {
		t.Fatal(err)
	}
	whole := run(t, dir, world.CheckOptions{})
	if !slices.Contains(whole, "mt-map-pages map") {
		t.Errorf("the check finds %q", whole)
	}
	db, err := mapdb.Open(ctx, dir, mapdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	slabs, err := mapdb.Slabs(ctx, db, mapdb.All())
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	var parts []string
	put, end := world.Gather(func(f check.Finding) { parts = append(parts, f.ID+" "+f.Path) })
	for _, slab := range slabs {
		if err := world.Check(ctx, dir, world.CheckOptions{Slab: slab}, put); err != nil {
			t.Fatal(err)
		}
	}
	if end(); !slices.Equal(parts, whole) {
		t.Errorf("the slabs: %q, the whole: %q", parts, whole)
	}
	if found := run(t, dir, world.CheckOptions{BlocksOnly: true, Area: &mapdb.Area{}}); len(found) > 0 {
		t.Errorf("the check of an area finds %q", found)
	}
}
