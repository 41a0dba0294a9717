package world_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// all returns everything in a store, in the order of the names.
func all[T any](t *testing.T, s world.Store[T], err error) (list []T) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var names []string
	for name, err := range s.Names(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		thing, err := s.Get(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, thing)
	}
	return list
}

// TestAccountsCorpus reads the same accounts, as the engine wrote them, from three backends.
func TestAccountsCorpus(t *testing.T) { world.BothWays(t, testAccountsCorpus) }

func testAccountsCorpus(t *testing.T) {
	dir := tests.Corpus(t, "minetest/generated")
	before := state(t, dir)
	for _, backend := range []string{"files", "sqlite3", "leveldb"} {
		dir := filepath.Join(dir, "auth-"+backend)
		s, err := world.ReadWorldMT(dir)
		if err != nil {
			t.Fatal(err)
		}
		store, err := world.OpenAuth(context.Background(), dir, s, world.Options{})
		accounts := all(t, store, err)
		want := []*world.Account{
			{Name: "Foo", Password: "J19gMvsQaw/vp6q3YYagNBB/X9g", Privileges: []string{"shout"}, LastLogin: -1},
			{Name: "bar", LastLogin: -1},
			{Name: "celeron55", Privileges: []string{"interact", "shout"}, LastLogin: -1},
		}
		for _, a := range accounts {
			slices.Sort(a.Privileges)
		}
		if diff := cmp.Diff(want, accounts, plain); diff != "" {
			t.Errorf("%s: %s", backend, diff)
		}
		if !world.CheckPassword(accounts[0], "bar") || world.CheckPassword(accounts[0], "foo") || !world.CheckPassword(accounts[1], "") {
			t.Errorf("%s: wrong passwords", backend)
		}
	}
	if state(t, dir) != before {
		t.Error("to read changed the worlds")
	}
}

// TestReadingLeavesNoTrace tests that reading databases in a writable folder changes nothing in it, with and without
// a write-ahead log.
func TestReadingLeavesNoTrace(t *testing.T) { world.BothWays(t, testReadingLeavesNoTrace) }

func testReadingLeavesNoTrace(t *testing.T) {
	from := tests.Corpus(t, "minetest/testdata/mtdb")
	dir := filepath.Join(t.TempDir(), "a ?#%41 world")
	for _, name := range []string{"auth/auth.wal.sqlite", "auth/auth.wal.sqlite-wal", "auth/auth.wal.sqlite-shm",
		"player/players.sqlite", "mod_storage/mod_storage.sqlite"} {
		judge.Write(t, filepath.Join(dir, strings.Replace(filepath.Base(name), ".wal.", ".", 1)), judge.Read(t, filepath.Join(from, name)))
	}
	before := state(t, dir)
	ctx := context.Background()
	opts := world.Options{Backend: mapdb.SQLite}
	none := world.ParseSettings(nil, "")
	auth, err := world.OpenAuth(ctx, dir, none, opts)
	if got := all(t, auth, err); len(got) != 2 || got[1].Name != "test" ||
		len(got[0].Privileges) != 26-len(got[1].Privileges) || got[0].Password.Kind() != "srp" {
		t.Errorf("%v", got)
	}
	players, err := world.OpenPlayers(ctx, dir, none, opts)
	if got := all(t, players, err); len(got) != 1 || got[0].HP != 20 ||
		got[0].Inventory.List("main").Items[0].Name != "scifi_nodes:blacktile2" || got[0].Created.Year() != 2022 {
		t.Errorf("%v", got)
	}
	storage, err := world.OpenStorage(ctx, dir, none, opts)
	if got := all(t, storage, err); len(got) != 1 || len(got[0].Entries) != 2 {
		t.Errorf("%v", got)
	}
	if after := state(t, dir); after != before {
		t.Errorf("the folder changed: %s", cmp.Diff(before, after))
	}
}

// TestReadingWriteAheadLog tests that what a running server has written to its log is read.
func TestReadingWriteAheadLog(t *testing.T) { world.BothWays(t, testReadingWriteAheadLog) }

func testReadingWriteAheadLog(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "auth.sqlite")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteTransient(conn, "PRAGMA journal_mode = WAL", nil); err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, "CREATE TABLE auth (id INTEGER PRIMARY KEY, name TEXT, password TEXT, "+
		"last_login INTEGER); INSERT INTO auth VALUES (1, 'logged', '', -1);", nil)
	if err != nil {
		t.Fatal(err)
	}
	// In the process of the writer, the reader shares its table of locks.
	before := unlocked(state(t, dir))
	if !strings.Contains(before, "auth.sqlite-wal") {
		t.Fatalf("there is no log:\n%s", before)
	}
	store, err := world.OpenAuth(context.Background(), dir, world.ParseSettings(nil, ""), world.Options{Backend: mapdb.SQLite})
	if got := all(t, store, err); len(got) != 1 || got[0].Name != "logged" {
		t.Errorf("%v", got)
	}
	if after := unlocked(state(t, dir)); after != before {
		t.Errorf("the folder changed: %s", cmp.Diff(before, after))
	}
}

// unlocked returns the result of state without the tables of locks.
func unlocked(state string) string {
	return regexp.MustCompile(`(?m)^.*-shm .*\n?`).ReplaceAllString(state, "")
}

// build creates a database with SQL statements.
func build(t testing.TB, path, sql string) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(conn, sql, nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestHostileDatabases tests that malicious databases give errors.
func TestHostileDatabases(t *testing.T) { world.BothWays(t, testHostileDatabases) }

func testHostileDatabases(t *testing.T) {
	const columns = "name, pitch, yaw, posX, posY, posZ, hp, breath, creation_date, modification_date"
	const row = "INSERT INTO player VALUES ('p', 1, 2, 3, 4, 5, 6, 7, 'x', NULL);"
	for _, c := range []struct{ sql, want string }{
		{"CREATE TABLE player (name);" + "INSERT INTO player VALUES ('p');", `players.sqlite: player["p"]: found no such column: pitch`},
		{"CREATE TABLE player (" + columns + "); INSERT INTO player VALUES ('p', 'x', 2, 3, 4, 5, 6, 7, 8, 9);",
			`players.sqlite: player["p"].pitch: expected a number, found "x"`},
		{"CREATE TABLE player (" + columns + "); INSERT INTO player VALUES ('p', 1, 2, 3, 4, 5, NULL, 7, 8, 9);",
			`players.sqlite: player["p"].hp: expected an integer from 0 to 65535, found NULL`},
		{"CREATE TABLE player (" + columns + "); INSERT INTO player VALUES ('p', 1, 2, 3, 4, zeroblob(100000), 6, 7, 8, 9);",
			`players.sqlite: player["p"].posZ: expected a number, found a blob of 100,000 bytes`},
		{"CREATE TABLE player (" + columns + "); INSERT INTO player VALUES ('p', 1, 2, 3, 4, 5, -1, 7, 8, 9);",
			`players.sqlite: player["p"].hp: expected an integer from 0 to 65535, found "-1"`},
		{"CREATE TABLE player (" + columns + "); INSERT INTO player VALUES ('p', 1, 2, 3, 4, 5, 1e300, 7, 8, 9);",
			`players.sqlite: player["p"].hp: expected an integer from 0 to 65535, found a float64`},
		{"CREATE TABLE player (" + columns + ");" + row + "CREATE TABLE player_inventories (player, inv_id, inv_width, " +
			"inv_name, inv_size); INSERT INTO player_inventories VALUES ('p', 0, 0, 'main', 4294967295);" +
			"CREATE TABLE player_inventory_items (player, inv_id, slot_id, item); INSERT INTO player_inventory_items VALUES " +
			"('p', 0, 4294967290, 'a:b');",
			`players.sqlite: player["p"].main: expected at most 65,536 slots without a row, found 4,294,967,290`},
		{"CREATE TABLE player (" + columns + ");" + row + "CREATE TABLE player_inventories (player, inv_id, inv_width, " +
			"inv_name, inv_size); INSERT INTO player_inventories VALUES ('p', 0, 0, 'main 1' || char(10), 1);",
			`players.sqlite: player["p"].inv_name: expected a name without spaces, found "main 1\n"`},
		{"CREATE TABLE player (" + columns + ");" + row + "CREATE TABLE player_inventories (player, inv_id, inv_width, " +
			"inv_name, inv_size); INSERT INTO player_inventories VALUES ('p', 0, 0, 'main', 1);" +
			"CREATE TABLE player_inventory_items (player, inv_id, slot_id, item); INSERT INTO player_inventory_items VALUES " +
			"('p', 0, 0, 'a:b' || char(10));",
			`players.sqlite: player["p"].item: expected a string of one line, found "a:b\n"`},
		{"CREATE TABLE player (" + columns + ");" + row + "CREATE TABLE player_metadata (player, metadata, value); " +
			"INSERT INTO player_metadata VALUES ('p', NULL, 1);",
			`players.sqlite: player["p"].metadata: expected a string, found NULL`},
	} {
		dir := t.TempDir()
		build(t, filepath.Join(dir, "players.sqlite"), c.sql)
		s, err := world.OpenPlayers(context.Background(), dir, world.ParseSettings(nil, ""), world.Options{Backend: mapdb.SQLite})
		if err != nil {
			t.Error(err)
			continue
		}
		_, err = s.Get(context.Background(), "p")
		var e *fault.Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\ngives %v, want %s", c.sql, err, c.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}

	// A view may be endless: it is not accepted as a table, and the world is not treated as one without players.
	dir := t.TempDir()
	build(t, filepath.Join(dir, "players.sqlite"), "CREATE VIEW player AS WITH RECURSIVE r(name) AS (SELECT 1 UNION "+
		"ALL SELECT name + 1 FROM r) SELECT name FROM r;")
	if _, err := world.OpenPlayers(context.Background(), dir, world.ParseSettings(nil, ""),
		world.Options{Backend: mapdb.SQLite}); err == nil || err.Error() != "players.sqlite: player: expected a table, found a view" {
		t.Errorf("of a view: %v", err)
	}

	for _, content := range []string{"no database", strings.Repeat("\x00", 4096), "SQLite format 3\x00" + strings.Repeat("\xff", 4080)} {
		judge.Write(t, filepath.Join(dir, "auth.sqlite"), []byte(content))
		if s, err := world.OpenAuth(context.Background(), dir, world.ParseSettings(nil, ""), world.Options{Backend: mapdb.SQLite}); err == nil {
			s.Close()
			t.Errorf("%.20q is a database", content)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "mod_storage.sqlite"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := world.OpenStorage(context.Background(), dir, world.ParseSettings(nil, ""), world.Options{Backend: mapdb.SQLite}); err == nil {
		t.Error("a folder is a database")
	}
}

// TestBrokenRows tests that an inventory with an item that cannot be parsed is not lost and is written back
// unchanged.
func TestBrokenRows(t *testing.T) { world.BothWays(t, testBrokenRows) }

func testBrokenRows(t *testing.T) {
	dir := t.TempDir()
	build(t, filepath.Join(dir, "players.sqlite"),
		`CREATE TABLE player (name, pitch, yaw, posX, posY, posZ, hp, breath, creation_date, modification_date);
		INSERT INTO player VALUES ('p', 1, 2, 3, 4, 5, 6, 7, '2022-03-26 13:37:30', NULL);
		CREATE TABLE player_inventories (player, inv_id, inv_width, inv_name, inv_size); INSERT INTO player_inventories
		VALUES ('p', 0, 0, 'main', 4);
		CREATE TABLE player_inventory_items (player, inv_id, slot_id, item); INSERT INTO player_inventory_items VALUES
		('p', 0, 0, '"a:b'), ('p', 0, 2, 'c:d');
		CREATE TABLE player_metadata (player, metadata, value);`)
	ctx := context.Background()
	s, err := world.OpenPlayers(ctx, dir, world.ParseSettings(nil, ""), world.Options{Backend: mapdb.SQLite, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := s.Get(ctx, "p")
	if err != nil || p.Inventory != nil ||
		string(p.Broken) != "List main 4\nWidth 0\nItem \"a:b\nEmpty\nItem c:d\nEndInventoryList\nEndInventory\n" {
		t.Fatalf("%+v, %v", p, err)
	}
	if inv, err := item.SalvageInventory(p.Broken); err == nil || inv.Lists[0].Items[2].Name != "c:d" {
		t.Errorf("%+v, %v", inv, err)
	}
	if err := s.Put(ctx, p); err != nil {
		t.Error(err)
	}
	if again, err := s.Get(ctx, "p"); err != nil || string(again.Broken) != string(p.Broken) {
		t.Errorf("%+v, %v", again, err)
	}
	for _, text := range []string{"List main 1\nItem a\nItem b\nEndInventoryList\nEndInventory\n",
		"List main x\nEndInventoryList\nEndInventory\n", "List main 1\nItem \"a", "Item a\nEndInventory\n", "x"} {
		if err := s.Put(ctx, &world.Player{Name: "q", Broken: []byte(text)}); err == nil {
			t.Errorf("%q can be written", text)
		}
	}
}

// TestDoubledAttributes tests that values that a database cannot hold twice are reported, and that an unknown time is
// not stored as the current time.
func TestDoubledAttributes(t *testing.T) {
	var lost []string
	s, err := world.OpenPlayers(t.Context(), t.TempDir(), world.ParseSettings(nil, ""),
		world.Options{Backend: mapdb.SQLite, Write: true, Lost: func(err error, at []check.Place) {
			lost = append(lost, fmt.Sprint(at, err))
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := &world.Player{Name: "p", Attributes: []world.Attribute{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}, {Key: "a", Value: "3"}}}
	if err := s.Put(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), "p")
	if err != nil || len(got.Attributes) != 2 || !got.Created.IsZero() || !got.Modified.IsZero() {
		t.Errorf("%+v, %v", got, err)
	}
	if len(lost) != 1 || !strings.HasPrefix(lost[0], "[p]") || !strings.Contains(lost[0], `duplicate attribute "a"`) {
		t.Errorf("%q", lost)
	}
}

// TestTwice tests that a second row or file with the same name is reported.
func TestTwice(t *testing.T) { world.BothWays(t, testTwice) }

func testTwice(t *testing.T) {
	dir := t.TempDir()
	build(t, filepath.Join(dir, "auth.sqlite"), `CREATE TABLE auth (id, name, password, last_login);
		INSERT INTO auth VALUES (1, 'ann', '', 1), (2, 'bob', '', 1), (3, 'ann', '', 2);`)
	s, err := world.OpenAuth(t.Context(), dir, world.ParseSettings(nil, ""), world.Options{Backend: mapdb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var names []string
	for name, err := range s.Names(t.Context()) {
		names = append(names, fmt.Sprint(name, err))
	}
	if len(names) != 3 || names[1] != "bob<nil>" || !strings.Contains(names[2], "another row") {
		t.Errorf("%q", names)
	}
	for _, file := range []string{"ann", "ann0"} {
		judge.Write(t, filepath.Join(dir, "players", file), []byte("name = ann\nPlayerArgsEnd\nEndInventory\n"))
	}
	lost := 0
	p, err := world.OpenPlayers(t.Context(), dir, world.ParseSettings(nil, ""), world.Options{Lost: func(error, []check.Place) { lost++ }})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range p.Names(t.Context()) {
		if err != nil {
			t.Error(err)
		}
	}
	if lost != 1 {
		t.Errorf("%d were reported", lost)
	}
}

// checked returns the findings of Check about a folder.
func checked(t *testing.T, dir string) (found []string) {
	t.Helper()
	for _, f := range check.Collect(func(sink check.Sink) {
		if err := world.CheckRest(context.Background(), dir, world.CheckOptions{}, sink); err != nil {
			t.Error(err)
		}
	}) {
		found = append(found, f.ID+" "+f.Path)
	}
	return found
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  []string
	}{
		{map[string]string{
			"world.mt": "gameid = a\nbackend = cards\nplayer_backend = files\nauth_backend = files\nmod_storage_backend = redis\n",
		}, []string{"mt-world-backend world.mt:backend", "mt-world-backend world.mt:mod_storage_backend", "mt-world-unreadable redis"}},
		{map[string]string{
			"world.mt": "gameid = a\nbackend = sqlite3\nplayer_backend = postgresql\nauth_backend = " +
				"files\nmod_storage_backend = files\npgsql_player_connection = host=192.0.2.1\n",
		}, []string{"mt-world-remote postgresql"}},
		{map[string]string{
			"world.mt": "gameid = a\nbackend = dummy\nreadonly_backend = cards\nplayer_backend = dummy\nauth_backend = " +
				"dummy\nmod_storage_backend = dummy\nblocksize = 16\n",
			"auth.txt":   "ann:?:\n",
			"map.sqlite": "",
		}, []string{"mt-world-backend world.mt:readonly_backend", "mt-world-no-map-meta map_meta.txt"}},
		{map[string]string{
			"world.mt": "\ufeffgameid = a\nbackend = dummy\nplayer_backend = files\nauth_backend = " +
				"files\nmod_storage_backend = files\nblocksize = 32\n",
			"auth.txt":         "\ufeffann::shout:-1\n",
			"ipban.txt":        "\ufeff1|a\n",
			"force_loaded.txt": "\ufeffreturn {}",
			"players/ann":      "\ufeffname = ann\nPlayerArgsEnd\nEndInventory\n",
			"mod_storage/pig":  "\ufeff{}",
		}, []string{
			"mt-world-blocksize world.mt:blocksize",
			"mt-world-byte-order-mark world.mt", "mt-world-byte-order-mark ipban.txt", "mt-world-byte-order-mark auth.txt",
			"mt-world-byte-order-mark force_loaded.txt",
			"mt-world-byte-order-mark players/ann", "mt-world-byte-order-mark mod_storage/pig",
		}},
		{map[string]string{
			"world.mt": "gameid = a\nbackend = dummy\nplayer_backend = files\nauth_backend = files\nmod_storage_backend = files\n",
			"auth.txt": "a::shout,,fly:-1\nb::fly,shout\r\nc::fly\n",

			"players/player1": "name = celeron55\nPlayerArgsEnd\nEndInventory\n",
			"players/ANN":     "name = ANN\nPlayerArgsEnd\nEndInventory\n",
			"players/ANN0":    "name = ann\nPlayerArgsEnd\nEndInventory\n",
			"players/bob1":    "name = bob\nPlayerArgsEnd\nEndInventory\n",
			"players/.dot":    "name = dot\nPlayerArgsEnd\nEndInventory\n", // the engine reads it as well
			"players/.other":  "of another program",
		}, []string{
			"mt-world-player-file players:.dot",
			"mt-world-player-file players:ANN0", "mt-world-player-file players:bob1", "mt-world-player-file players:player1",
			"mt-world-account-privilege auth.txt:a", "mt-world-account-privilege auth.txt:b",
		}},
		{map[string]string{
			"world.mt": "gameid = a\nbackend = dummy\nplayer_backend = files\nauth_backend = files\nmod_storage_backend = files\n",

			"sectors/00000000/meta": "a", "sectors2/000/000/0000": "a",
		}, []string{"mt-world-store-unread sectors2"}},
		{map[string]string{"map.sqlite": ""}, []string{"mt-world-no-settings world.mt", "mt-world-no-map-meta map_meta.txt"}},
		{map[string]string{
			"world.mt":         "g = {\n\tb = 1\n}\nt = \"\"\"\n\n\"\"\"\na = 1\na = 2\nodd\n# fine\n",
			"map_meta.txt":     "chunksize = 5\n",
			"env_meta.txt":     "time_of_day = 24000\nlbm_introduction_times = a:b~0;c;d~x;\n",
			"ipban.txt":        "192.0.2.1|a\nodd\n",
			"force_loaded.txt": "os.exit()",
			"chunk_meta":       "\x00\x00",
		}, []string{
			"mt-world-setting-twice world.mt:a", "mt-world-setting-line world.mt:9", "mt-world-game world.mt",
			"mt-world-no-backend world.mt:backend", "mt-world-no-backend world.mt:player_backend",
			"mt-world-no-backend world.mt:auth_backend", "mt-world-no-backend world.mt:mod_storage_backend",
			"mt-world-map-meta-end map_meta.txt", "mt-world-seed map_meta.txt:seed",
			"mt-world-env-meta-end env_meta.txt", "mt-world-env-meta-time env_meta.txt:game_time",
			"mt-world-env-meta-value env_meta.txt:time_of_day",
			"mt-world-lbm env_meta.txt:lbm_introduction_times", "mt-world-lbm env_meta.txt:lbm_introduction_times",
			"mt-world-ban ipban.txt:2", "mt-world-unreadable force_loaded.txt", "mt-world-unreadable chunk_meta:num_chunks",
		}},
		{map[string]string{
			"map_meta.txt": "seed = -1\n[end_of_params]\n",
			"env_meta.txt": "\x00\x00\x00",
			"players/a": "name = a\nhp = 70000\npitch = 91\nposition = (1,2)\nextended_attributes = " +
				"[]\nPlayerArgsEnd\nList main 1\nItem MBOItem x\nEndInventoryList\nEndInventory\n",
			"players/a0":    "name = a\nPlayerArgsEnd\nEndInventory\n",
			"players/b":     "name = b\nposition = (nan,2,400000)\nPlayerArgsEnd\nList main 1\nEmpty\nEmpty\n",
			"players/c":     "nothing",
			"players/odd":   "name = an odd name\nPlayerArgsEnd\nEndInventory\n",
			"auth.txt":      "a:b\na:::0\nA:::0\nA::shout:0\nan odd name:#2#:x:0\n\n",
			"mod_storage/m": "{",
		}, []string{
			"mt-world-no-settings world.mt", "mt-world-seed map_meta.txt:seed", "mt-world-zeroes env_meta.txt",
			"mt-world-player-value players:a", "mt-world-player-value players:a", "mt-world-player-value players:a",
			"mt-world-player-attributes players:a:json", "mt-item-dead players:a.lists[0].items[0]",
			"mt-world-player-name players:an odd name",
			"mt-world-player-value players:b", "mt-world-player-value players:b", "mt-world-player-inventory players:b:lists[0].items[1]",
			"mt-world-player players:c:head",
			"mt-world-player-twice players:a0",
			"mt-world-account-case auth.txt:A", "mt-world-account-name auth.txt:an odd name", "mt-world-password auth.txt:an odd name",
			"mt-world-account-line auth.txt:1", "mt-world-account-twice auth.txt:4",
			"mt-world-storage mod_storage:m:json",
		}},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			judge.Write(t, filepath.Join(dir, name), []byte(text))
		}
		before := state(t, dir)
		if diff := cmp.Diff(c.want, checked(t, dir)); diff != "" {
			t.Errorf("%v: %s", c.files, diff)
		}
		if state(t, dir) != before {
			t.Error("the check changed the world")
		}
	}
}

func TestCheckDatabases(t *testing.T) { world.BothWays(t, testCheckDatabases) }

func testCheckDatabases(t *testing.T) {
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"),
		[]byte("gameid = a\nbackend = dummy\nplayer_backend = sqlite3\nauth_backend = sqlite3\nmod_storage_backend = sqlite3\n"))
	build(t, filepath.Join(dir, "players.sqlite"),
		`CREATE TABLE player (name PRIMARY KEY, pitch, yaw, posX, posY, posZ, hp, breath, creation_date, modification_date);
		INSERT INTO player VALUES ('p', 1, 2, 3, 4, 5, 6, 7, NULL, NULL), ('q', 'x', 2, 3, 4, 5, 6, 7, NULL, NULL),
		(NULL, 1, 2, 3, 4, 5, 6, 7, NULL, NULL);
		CREATE TABLE player_inventories (player, inv_id, inv_width, inv_name, inv_size, PRIMARY KEY (player, inv_id));
		INSERT INTO player_inventories VALUES ('p', 0, 0, 'main', 1);
		CREATE TABLE player_inventory_items (player, inv_id, slot_id, item, PRIMARY KEY (player, inv_id, slot_id));
		INSERT INTO player_inventory_items VALUES
		('p', 0, 0, 'a:b'), ('p', 0, 2, 'c:d');
		CREATE TABLE player_metadata (player, metadata, value, PRIMARY KEY (player, metadata));
		INSERT INTO player_metadata VALUES ('gone', 'k', 'v');`)
	build(t, filepath.Join(dir, "auth.sqlite"),
		`CREATE TABLE auth (id INTEGER PRIMARY KEY, name UNIQUE, password, last_login);
		INSERT INTO auth VALUES (1, 'a', NULL, 0), (2, 'b', '', -1);
		CREATE TABLE user_privileges (id, privilege, PRIMARY KEY (id, privilege)); INSERT INTO user_privileges VALUES (7, 'fly'), (2, 'shout');`)
	build(t, filepath.Join(dir, "mod_storage.sqlite"),
		`CREATE TABLE entries (modname, key, value, PRIMARY KEY (modname, key)); INSERT INTO entries VALUES ('m', NULL, 1);`)
	want := []string{
		"mt-world-player players.sqlite:q:player[\"q\"].pitch",
		"mt-world-unreadable players.sqlite:names.name",
		"mt-world-slot players.sqlite",
		"mt-world-account auth.sqlite:a:auth[\"a\"].password",
		"mt-world-orphan auth.sqlite",
		"mt-world-storage mod_storage.sqlite:m:entries[\"m\"].key",
	}
	if diff := cmp.Diff(want, checked(t, dir)); diff != "" {
		t.Error(diff)
	}
	// NOT IN is never true if the list contains a NULL: without the NULL, the orphan is found.
	build(t, filepath.Join(dir, "players.sqlite"), "DELETE FROM player WHERE name IS NULL;")
	if found := checked(t, dir); !slices.Contains(found, "mt-world-orphan players.sqlite") {
		t.Errorf("the orphan is not found: %v", found)
	}
}

// TestCheckCorpus tests that real worlds have only harmless findings.
func TestCheckCorpus(t *testing.T) { world.BothWays(t, testCheckCorpus) }

func testCheckCorpus(t *testing.T) {
	harmless := map[string]bool{"mt-world-no-backend": true, "mt-world-game": true, "mt-item-legacy": true,
		"mt-item-list-short": true, "mt-world-remote": true, "mt-world-store-none": true} // nobody has entered most of them
	for _, path := range tests.CorpusFiles(t, "minetest", "/env_meta.txt") {
		dir := filepath.Dir(path)
		for _, f := range check.Collect(func(sink check.Sink) {
			err := world.CheckRest(context.Background(), dir, world.CheckOptions{}, sink)
			if s, e := world.ReadWorldMT(dir); e != nil || err != nil && world.FindBackends(dir, s).Players != mapdb.Postgres {
				t.Error(err, e) // whether a server runs here does not depend on the world
			}
		}) {
			if !harmless[f.ID] {
				t.Errorf("%s: %v", filepath.Base(dir), f)
			}
		}
	}
}

// FuzzSQLite damages a database: reading it must give a result or an error.
func FuzzSQLite(f *testing.F) {
	dir := f.TempDir()
	build(f, filepath.Join(dir, "players.sqlite"),
		`CREATE TABLE player (name, pitch, yaw, posX, posY, posZ, hp, breath, creation_date, modification_date); INSERT
		INTO player VALUES ('p', 1, 2, 3, 4, 5, 6, 7, '2022-03-26 13:37:30', NULL);
		CREATE TABLE player_inventories (player, inv_id, inv_width, inv_name, inv_size); INSERT INTO player_inventories
		VALUES ('p', 0, 0, 'main', 4);
		CREATE TABLE player_inventory_items (player, inv_id, slot_id, item); INSERT INTO player_inventory_items VALUES
		('p', 0, 0, 'a:b'), ('p', 0, 2, 'c:d');`)
	data := judge.Read(f, filepath.Join(dir, "players.sqlite"))
	f.Add(uint16(100), []byte{13})
	f.Add(uint16(4196), []byte{0xff, 0xff})
	f.Add(uint16(28), []byte{0x8e}) // billions of pages
	f.Fuzz(func(t *testing.T, at uint16, patch []byte) {
		data := slices.Clone(data)
		copy(data[int(at)%len(data):], patch)
		dir := t.TempDir()
		judge.Write(t, filepath.Join(dir, "world.mt"), []byte("player_backend = sqlite3\n"))
		judge.Write(t, filepath.Join(dir, "players.sqlite"), data)
		before := state(t, dir)
		if err := world.CheckRest(context.Background(), dir, world.CheckOptions{}, func(f check.Finding) { _ = fmt.Sprint(f) }); err != nil {
			t.Error(err)
		}
		if after := state(t, dir); after != before {
			t.Errorf("the check changed the world: %s", cmp.Diff(before, after))
		}
	})
}

// TestDamagedStores tests that the readable part of a damaged file is read and that losses are reported.
func TestDamagedStores(t *testing.T) {
	tests.NotRaced(t, "reads many damaged files, one after the other")
	const players = 400
	dir := t.TempDir()
	path := filepath.Join(dir, "players.sqlite")
	opts := world.Options{Backend: mapdb.SQLite, Write: true}
	none := world.ParseSettings(nil, "")
	s, err := world.OpenPlayers(t.Context(), dir, none, opts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range players {
		p := &world.Player{Name: fmt.Sprintf("player%d", i), HP: i,
			Attributes: []world.Attribute{{Key: "k", Value: strings.Repeat("v", i%90)}}, Inventory: new(item.Inventory)}
		if err := s.Put(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Commit(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	sound := judge.Read(t, path)
	for page := range len(sound) / 4096 {
		if page > 3 && page%tests.Of(t, 4, 1) != 0 {
			continue // the first pages contain the pointers to the others
		}
		data := bytes.Clone(sound)
		clear(data[page*4096 : page*4096+4096])
		judge.Write(t, path, data)
		lost := 0
		s, err := world.OpenPlayers(t.Context(), dir, none, world.Options{Backend: mapdb.SQLite, Lost: func(err error, _ []check.Place) {
			lost++
			if !strings.HasPrefix(err.Error(), "players.sqlite: ") {
				t.Errorf("page %d: %v", page+1, err)
			}
		}})
		if err != nil {
			t.Errorf("page %d: %v", page+1, err)
			continue
		}
		n := 0
		for name, err := range s.Names(t.Context()) {
			if err != nil {
				t.Errorf("page %d: %v", page+1, err)
				continue
			}
			p, err := s.Get(t.Context(), name)
			if err != nil {
				if lost == 0 {
					t.Errorf("page %d: %s: %v", page+1, name, err)
				}
				continue
			}
			if fmt.Sprintf("player%d", p.HP) != name || len(p.Attributes) == 1 && len(p.Attributes[0].Value) != p.HP%90 {
				t.Errorf("page %d: %s is %v", page+1, name, p)
			}
			if len(p.Attributes) == 1 {
				n++
			}
		}
		if n < players/2 || n < players && lost == 0 {
			t.Errorf("page %d: %d players, %d losses", page+1, n, lost)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOddRows tests that values of a row that are ignored are reported, both by reading and by the check.
func TestOddRows(t *testing.T) { world.BothWays(t, testOddRows) }

func testOddRows(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		judge.Write(t, filepath.Join(dir, name), []byte(text))
	}
	write("world.mt", "gameid = a\nbackend = dummy\nplayer_backend = sqlite3\nauth_backend = files\nmod_storage_backend = sqlite3\n")
	for name, sql := range map[string]string{
		"players.sqlite": "CREATE TABLE player (name, pitch, yaw, posX, posY, posZ, hp, breath, creation_date, " +
			"modification_date); INSERT INTO player VALUES ('ann', 1, 2, 3, 4, 5, 6, 7, 'yesterday', '2012-03-04 " +
			"05:06:07'), ('bob', 1, 2, 3, 4, 5, 6, 7, 8, NULL)",
		"mod_storage.sqlite": "CREATE TABLE entries (modname, key, value); INSERT INTO entries VALUES ('m', 'k', 'old'), " +
			"('m', 'k', 'new'), ('m', 'l', 'x')",
	} {
		conn, err := sqlite.OpenConn(filepath.Join(dir, name), sqlite.OpenReadWrite|sqlite.OpenCreate)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(sqlitex.ExecuteScript(conn, sql, nil), conn.Close()); err != nil {
			t.Fatal(err)
		}
	}
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	var lost []string
	o := world.Options{Lost: func(err error, _ []check.Place) { lost = append(lost, err.Error()) }}
	players, err := world.OpenPlayers(ctx, dir, s, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ann", "bob"} {
		p, err := players.Get(ctx, name)
		if err != nil || !p.Created.IsZero() || p.Modified.IsZero() != (name == "bob") {
			t.Errorf("%+v, %v", p, err)
		}
	}
	mods, err := world.OpenStorage(ctx, dir, s, o)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := mods.Get(ctx, "m"); err != nil || len(m.Entries) != 2 || string(m.Entries[0].Value) != "new" {
		t.Errorf("%+v, %v", m, err)
	}
	if err := errors.Join(players.Close(), mods.Close()); err != nil {
		t.Error(err)
	}
	want := []string{
		`players.sqlite: player["ann"].creation_date: found "yesterday", which is not a date`,
		`players.sqlite: player["bob"].creation_date: found "8", which is not a date`,
		`mod_storage.sqlite: entries["m"]: found another row of the key "k": the last one is used`,
	}
	if diff := cmp.Diff(want, lost); diff != "" {
		t.Error(diff)
	}
	found := 0
	err = world.CheckRest(ctx, dir, world.CheckOptions{}, func(f check.Finding) {
		if f.ID == "mt-world-row" {
			found++
		}
	})
	if err != nil || found != len(want) {
		t.Errorf("%d findings, %v", found, err)
	}
}
