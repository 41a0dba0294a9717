package rollback_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/mapdb"
)

// The tables as engine 5.6.1 creates them: see TestEngineTables.
const tables = `
CREATE TABLE actor (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL);
CREATE TABLE node (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL);
CREATE TABLE action (id INTEGER PRIMARY KEY AUTOINCREMENT, actor INTEGER NOT NULL, timestamp TIMESTAMP NOT NULL, type INTEGER NOT NULL,
	list TEXT, "index" INTEGER, "add" INTEGER, stackNode INTEGER, stackQuantity INTEGER, nodeMeta INTEGER, x INT, y INT, z INT,
	oldNode INTEGER, oldParam1 INTEGER, oldParam2 INTEGER, oldMeta TEXT, newNode INTEGER, newParam1 INTEGER, newParam2
	INTEGER, newMeta TEXT, guessedActor INTEGER);
CREATE INDEX actionIndex ON action(x, y, z, timestamp, actor);`

const rows = `
INSERT INTO actor VALUES (1, 'player:ann'), (2, 'player:bob'), (3, 'liquid');
INSERT INTO node VALUES (1, 'air'), (2, 'default:dirt'), (3, 'default:chest'), (4, 'default:diamond');
INSERT INTO action (id, actor, timestamp, type, x, y, z, oldNode, oldParam1, oldParam2, oldMeta, newNode,
newParam1, newParam2, newMeta, guessedActor) VALUES
	(1, 1, 1000, 1, 5, 6, -7, 1, 15, 0, '', 2, 0, 3, '', 0),
	(2, 2, 2000, 1, 5, 6, -7, 2, 0, 3, '', 3, 0, 1, '', 0),
	(3, 3, 3000, 1, -17, 0, 0, 1, 0, 0, '', 2, 0, 0, '', 1);
INSERT INTO action (id, actor, timestamp, type, list, "index", "add", stackNode, stackQuantity, nodeMeta, x, y, z, guessedActor) VALUES
	(4, 2, 4000, 2, 'main', 3, 0, 4, 9, 1, 5, 6, -7, 0),
	(5, 2, 5000, 2, 'main', 0, 1, 4, 9, 0, NULL, NULL, NULL, 0);`

// made creates a world with a database of these rows.
func made(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	conn, err := sqlite.OpenConn(filepath.Join(dir, rollback.File))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(conn, tables+rows, nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func ids(t testing.TB, dir string, f rollback.Filter) (list []int64) {
	t.Helper()
	db, err := rollback.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for a, err := range db.Actions(context.Background(), f) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, a.ID)
	}
	return list
}

func TestActions(t *testing.T) { rollback.BothWays(t, testActions) }

func testActions(t *testing.T) {
	dir := made(t)
	for _, c := range []struct {
		filter rollback.Filter
		want   []int64
	}{
		{rollback.Filter{}, []int64{5, 4, 3, 2, 1}},
		{rollback.Filter{Actor: "bob"}, []int64{5, 4, 2}},
		{rollback.Filter{Actor: "liquid"}, []int64{3}},
		{rollback.Filter{Actor: "%"}, nil},
		{rollback.Filter{Area: &[2][3]int{{5, 6, -7}, {5, 6, -7}}}, []int64{4, 2, 1}},
		{rollback.Filter{Area: &[2][3]int{{-20, 0, -10}, {5, 6, 0}}, Since: time.Unix(2000, 0), Until: time.Unix(4000, 0)}, []int64{3, 2}},
	} {
		if got := ids(t, dir, c.filter); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.filter, got, c.want)
		}
	}
	db, err := rollback.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var said []string
	for a, err := range db.Actions(context.Background(), rollback.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, fmt.Sprint(a.Actor, " ", a.What(), " ", a.HasPos, " ", a.Guessed))
		if a.ID == 4 {
			break // ending the loop early must not block
		}
	}
	if want := []string{"player:bob default:diamond 9 into main 0 false false",
		"player:bob default:diamond 9 out of main 3 true false"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
	var all []int64
	for a, err := range db.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, a.ID); a.ID == 4 {
			break
		}
	}
	if !slices.Equal(all, []int64{1, 2, 3, 4}) {
		t.Errorf("all: %v", all)
	}
	var blocks []mapdb.Pos
	for p, err := range db.Blocks(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, p)
	}
	if want := []mapdb.Pos{{X: 0, Y: 0, Z: -1}, {X: -2, Y: 0, Z: 0}}; len(blocks) != 2 ||
		!slices.Contains(blocks, want[0]) || !slices.Contains(blocks, want[1]) {
		t.Errorf("%v, want %v", blocks, want)
	}
}

// TestDeeds tests that the changes at positions in a time are found, each with its actor.
func TestDeeds(t *testing.T) { rollback.BothWays(t, testDeeds) }

func testDeeds(t *testing.T) {
	db, err := rollback.Open(t.Context(), made(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var got []string
	for d, err := range db.Deeds(t.Context(), time.Unix(2000, 0), time.Unix(5001, 0)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(d.Actor, d.Guessed, d.Time.Unix(), d.Pos))
	}
	slices.Sort(got)
	if want := []string{"liquidtrue 3000 [-17 0 0]", "player:bobfalse 2000 [5 6 -7]",
		"player:bobfalse 4000 [5 6 -7]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for range db.Deeds(t.Context(), time.Time{}, time.Time{}) {
		break // ending the loop early must not block
	}
}

func TestTrim(t *testing.T) {
	dir := made(t)
	if n, err := rollback.Trim(context.Background(), dir, time.Unix(3000, 0)); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if got := ids(t, dir, rollback.Filter{}); !slices.Equal(got, []int64{5, 4, 3}) {
		t.Error(got)
	}
	if n, err := rollback.Trim(context.Background(), dir, time.Unix(3000, 0)); n != 0 || err != nil {
		t.Error(n, err)
	}
	empty := t.TempDir()
	if _, err := rollback.Trim(context.Background(), empty, time.Now()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := rollback.Open(t.Context(), empty); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if list, _ := os.ReadDir(empty); len(list) > 0 {
		t.Error("a file was made")
	}
}

// TestDamaged tests that a file that is not a rollback database causes an error that names it.
func TestDamaged(t *testing.T) { rollback.BothWays(t, testDamaged) }

func testDamaged(t *testing.T) {
	dir := t.TempDir()
	conn, err := sqlite.OpenConn(filepath.Join(dir, rollback.File))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(conn, "CREATE TABLE other (x)", nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := rollback.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, err := range db.Actions(context.Background(), rollback.Filter{}) {
		if err == nil {
			t.Error("there is an action")
		}
	}
	for _, err := range db.All(t.Context()) {
		if err == nil {
			t.Error("there is an action")
		}
	}
	if _, err := db.Count(context.Background(), rollback.Filter{}); err == nil {
		t.Error("it can be counted")
	}
}

// TestEngineTables tests that the engine creates exactly the columns that this package reads.
func TestEngineTables(t *testing.T) {
	judge.Find(t, "minetestserver")
	home, dir := judge.Dir(t), t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"),
		[]byte("gameid = devtest\nbackend = sqlite3\nplayer_backend = dummy\nload_mod_stop = true\n"))
	judge.Write(t, filepath.Join(dir, "worldmods", "stop", "init.lua"),
		[]byte("minetest.after(0, function() minetest.request_shutdown() end)\n"))
	judge.Write(t, filepath.Join(home, "minetest.conf"),
		[]byte("bind_address = 127.0.0.1\nport = 30978\nserver_announce = false\nenable_rollback_recording = true\n"))
	said, err := judge.Run(t, home, "minetestserver", "--config", filepath.Join(home, "minetest.conf"), "--world", dir,
		"--logfile", filepath.Join(home, "log"), "--quiet")
	if err != nil {
		t.Fatal(err, said)
	}
	conn, err := sqlite.OpenConn(filepath.Join(dir, rollback.File))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(conn, rows, nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, dir, rollback.Filter{Actor: "bob"}); !slices.Equal(got, []int64{5, 4, 2}) {
		t.Error(got)
	}
}

func Example() {
	db, err := rollback.Open(context.Background(), "my-world")
	if err != nil {
		fmt.Println("nothing is written down")
		return
	}
	defer db.Close()
	for a, err := range db.Actions(context.Background(), rollback.Filter{Area: &[2][3]int{{10, 2, -3}, {10, 2, -3}}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(a.Time, a.Actor, a.What())
	}
	// Output: nothing is written down
}
