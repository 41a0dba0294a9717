package worlddir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/files/tree"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// backends are the settings of worlds with their parts in each of the backends that are files.
var backends = map[string]string{
	"sqlite":  "gameid = minetest\nbackend = sqlite3\nplayer_backend = sqlite3\nauth_backend = sqlite3\nmod_storage_backend = sqlite3\n",
	"xyz":     "gameid = minetest\nbackend = sqlite3\nplayer_backend = sqlite3\nauth_backend = sqlite3\nmod_storage_backend = sqlite3\n",
	"leveldb": "backend = leveldb\nplayer_backend = leveldb\nauth_backend = leveldb\nmod_storage_backend = files\n",
	"files":   "# a comment\nbackend = sqlite3\nplayer_backend = files\nauth_backend = files\nmod_storage_backend = files\n",
}

const (
	legacyPassword = "iEPX+SQWIR3p67lj/0zigSWTKHg"
	testMod        = "test_mod"
)

// makeWorld creates a world with content in all parts.
func makeWorld(t testing.TB, backend string) *World {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("world.mt", backends[backend])
	write("env_meta.txt", "game_time = 5\nEnvArgsEnd\n")
	write("worldmods/a/init.lua", "-- nothing\n")
	write("blocks", "a file whose name the tree needs")
	write(tree.Sidecar, "another one")
	write("rollback.sqlite-wal", "no file of the world")
	write("schems/100%25.mts", "MTSM")
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	config, err := world.MapConfig(dir, settings, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if backend == "xyz" {
		config.Schema = mapdb.SchemaXYZ
	}
	fillMap(t, dir, config)
	o := world.Options{Write: true}
	players, err := world.OpenPlayers(t.Context(), dir, settings, o)
	if err != nil {
		t.Fatal(err)
	}
	auth, err := world.OpenAuth(t.Context(), dir, settings, o)
	if err != nil {
		t.Fatal(err)
	}
	storage, err := world.OpenStorage(t.Context(), dir, settings, o)
	if err != nil {
		t.Fatal(err)
	}
	put(t, players, testPlayers(t)...)
	put(t, auth,
		&world.Account{Name: "open", Privileges: []string{"interact", "shout"}, LastLogin: -1},
		&world.Account{Name: "foo", Password: legacyPassword, LastLogin: 1700000000},
		&world.Account{Name: "bar", Password: world.NewVerifier("bar", "secret"), Privileges: []string{"server"}})
	put(t, storage, testStorage(backend)...)
	return openWorld(t, dir)
}

func put[T any](t testing.TB, s world.Store[T], things ...T) {
	t.Helper()
	for _, thing := range things {
		if err := s.Put(t.Context(), thing); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Commit(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
}

func testPlayers(t testing.TB) []*world.Player {
	t.Helper()
	inv, _, err := item.ParseInventory([]byte("List main 4\nWidth 2\nItem default:dirt 5\nEmpty\nItem default:pick 1 " +
		"300 \"\\u0001k\\u0002v\\u0003\"\nEmpty\nEndInventoryList\nList craft 9\nWidth " +
		"3\nEmpty\nEmpty\nEmpty\nEmpty\nEmpty\nEmpty\nEmpty\nEmpty\nEmpty\nEndInventoryList\nEndInventory\n"))
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2024, 2, 29, 12, 30, 1, 0, time.UTC)
	return []*world.Player{
		{Name: "singleplayer", Pos: [3]float64{1.5, -20, 305}, Pitch: 30.5, Yaw: 288, HP: 20, Breath: 10, Created: day,
			Modified: day.Add(time.Hour), Inventory: inv,
			Attributes: []world.Attribute{{Key: "zeta", Value: "1 < 2"}, {Key: "alpha", Value: "ü\n"}}},
		{Name: "Empty", Created: day, Modified: day, Inventory: new(item.Inventory)},
	}
}

func testStorage(backend string) []*world.ModData {
	m := &world.ModData{Mod: testMod}
	m.Set("zeta", []byte("plain"))
	m.Set("alpha", []byte(`{"json":"<&>"}`))
	if strings.Contains(backends[backend], "mod_storage_backend = sqlite3") {
		m.Set("binary", []byte{0, 1, 0xff})
		m.Set("key \xff", nil)
	}
	return []*world.ModData{m, {Mod: "other", Entries: []world.Entry{{Key: []byte("k"), Value: []byte("v")}}}}
}

// fillMap creates blocks of all kinds: all versions, at every corner of the map, and some that cannot be read.
func fillMap(t testing.TB, dir string, c mapdb.Config) {
	t.Helper()
	db, err := mapdb.Create(t.Context(), dir, c)
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[mapdb.Pos][]byte{
		{X: 5}:       []byte("no block"),
		{X: 6}:       {},
		{X: 7, Y: 1}: {28},
	}
	for version := range mapblock.Newest + 1 {
		data, err := everything(t, version).EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		pos := mapdb.Pos{X: int16(version%3*2047 - 2047), Y: int16(version%2*4095 - 2048), Z: int16(version - 15)}
		blocks[pos] = data
	}
	for level := range 10 {
		blocks[mapdb.Pos{X: 20, Y: int16(level), Z: 20}] = atLevel(t, 28, level)
	}
	err = db.Update(t.Context(), func(tx mapdb.Tx) error {
		for pos, data := range blocks {
			if err := tx.Put(pos, data); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// atLevel returns a block whose zlib streams have the given level.
func atLevel(t testing.TB, version, level int) []byte {
	t.Helper()
	data, err := everything(t, version).EncodeFresh()
	if err != nil {
		t.Fatal(err)
	}
	if data, err = recompress(data, []int{level, level}); err != nil {
		t.Fatal(err)
	}
	return data
}
