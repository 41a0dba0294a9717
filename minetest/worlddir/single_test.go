package worlddir

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
)

// noListing is a store that must not be listed.
type noListing struct {
	mapdb.DB
	t *testing.T
}

func (n noListing) Positions(context.Context, mapdb.Area) iter.Seq2[mapdb.Pos, error] {
	n.t.Error("all positions are read")
	return func(func(mapdb.Pos, error) bool) {}
}

// TestSingleBlock tests that one block is read by its position, whatever the number of blocks.
func TestSingleBlock(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 30, 28)
	w, err := OpenWorld(t.Context(), dir, Opening{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var all []string
	err = fs.WalkDir(Open(t.Context(), w, Options{}), blocksDir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, name)
		}
		return err
	})
	if err != nil || len(all) != 30 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	want, err := fs.ReadFile(Open(t.Context(), w, Options{}), all[7])
	if err != nil {
		t.Fatal(err)
	}
	w.Map = noListing{w.Map, t}
	fsys := Open(t.Context(), w, Options{})
	if got, err := fs.ReadFile(fsys, all[7]); err != nil || string(got) != string(want) {
		t.Errorf("%v, %s", err, got)
	}
	if st, err := fs.Stat(fsys, all[8]); err != nil || st.IsDir() {
		t.Error(err)
	}
	for _, name := range []string{"blocks/z2000/y0/0,0,2000.txt"} {
		if _, err := fs.Stat(fsys, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMissed tests that data that no file can represent is reported: rows without an owner, duplicate blocks, invalid
// keys.
func TestMissed(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 10, 28)
	worldtest.SetLine(t, filepath.Join(dir, "world.mt"), "player_backend = files", "player_backend = sqlite3")
	for name, script := range map[string]string{
		"players.sqlite": "CREATE TABLE player (name, pitch, yaw, posX, posY, posZ, hp, breath, creation_date, modification_date);" +
			"INSERT INTO player VALUES ('ann', 1, 2, 3, 4, 5, 6, 7, NULL, NULL), ('ann', 1, 2, 3, 4, 5, 6, 8, NULL, NULL);" +
			"CREATE TABLE player_metadata (player, metadata, value); INSERT INTO player_metadata VALUES ('gone', 'k', 'v');",
		"map.sqlite": "CREATE TABLE b AS SELECT * FROM blocks; DROP TABLE blocks; ALTER TABLE b RENAME TO blocks;" +
			"INSERT INTO blocks SELECT * FROM blocks LIMIT 1; INSERT INTO blocks VALUES ('here', x'00');",
	} {
		conn, err := sqlite.OpenConn(filepath.Join(dir, name), sqlite.OpenReadWrite|sqlite.OpenCreate)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(sqlitex.ExecuteScript(conn, script, nil), conn.Close()); err != nil {
			t.Fatal(err)
		}
	}
	told := ""
	w, err := OpenWorld(t.Context(), dir, Opening{OnMiss: func(path string, err error) { told += path + ": " + err.Error() + "\n" }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := fs.ReadFile(Open(t.Context(), w, Options{}), ".trowel.json"); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"duplicate rows of blocks: 1;", "the integers of a position", "expected one row of this name",
		"players: rows of player_metadata without a player or account: 1;",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("%s: not told:\n%s", want, told)
		}
	}
}
