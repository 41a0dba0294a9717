package worldcopy_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
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
	"trowel.example/minetest/worldcopy"
)

// target returns options for a target, with a new database on a server if needed; servers are skipped in short mode.
func target(t *testing.T, name string) worldcopy.Options {
	t.Helper()
	o := worldcopy.Options{Map: name, Remote: true}
	if !tests.Long(t) && (name == mapdb.Postgres || name == mapdb.RedisDB) {
		t.Skip("servers take time")
	}
	switch name {
	case mapdb.Postgres:
		o.Postgres = judge.Postgres(t)
	case mapdb.RedisDB:
		o.Redis = mapdb.Redis{Address: judge.Redis(t), Hash: "blocks"}
	}
	return o
}

// TestEveryTargetFromEverySource tests that every database can be converted to every other, with identical blocks.
func TestEveryTargetFromEverySource(t *testing.T) {
	ctx := context.Background()
	const n = 700
	start := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, n)
	want := worldtest.BlocksOf(t, start)
	if len(want) != n {
		t.Fatalf("the world has %d blocks", len(want))
	}
	for _, from := range worldcopy.Targets() {
		t.Run(from, func(t *testing.T) {
			src := filepath.Join(t.TempDir(), "src")
			if _, err := worldcopy.Copy(ctx, start, src, target(t, from)); err != nil {
				t.Fatal(err)
			}
			before := judge.Files(t, src)
			digest := ""
			for _, to := range worldcopy.Targets() {
				t.Run(to, func(t *testing.T) {
					dst := filepath.Join(t.TempDir(), "dst")
					r, err := worldcopy.Copy(ctx, src, dst, target(t, to))
					if err != nil {
						t.Fatal(err)
					}
					if r.Blocks != n || r.Converted+r.Kept+r.Dropped+r.Rows != 0 {
						t.Errorf("report: %+v", r)
					}
					if digest == "" {
						digest = r.Digest
					} else if r.Digest != digest {
						t.Errorf("digest %s, to another database %s", r.Digest, digest)
					}
					if diff := cmp.Diff(want, worldtest.BlocksOf(t, dst)); diff != "" {
						t.Error(diff)
					}
				})
			}
			if diff := cmp.Diff(before, judge.Files(t, src)); diff != "" {
				t.Errorf("the source has changed: %s", diff)
			}
		})
	}
}

// TestFromSectors tests that both kinds of folders of block files are converted to a database, with and without a
// conversion of the blocks.
func TestFromSectors(t *testing.T) {
	src := t.TempDir()
	want := make(map[mapdb.Pos]string)
	for i, name := range []string{"sectors2/000/000/0000", "sectors2/fff/001/fffe", "sectors/0002ffff/0003"} {
		data := worldtest.Block(i, 20)
		judge.Write(t, filepath.Join(src, filepath.FromSlash(name)), data)
		want[[]mapdb.Pos{{}, {X: -1, Y: -2, Z: 1}, {X: 2, Y: 3, Z: -1}}[i]] = string(data)
	}
	judge.Write(t, filepath.Join(src, "sectors2", "000", "000", "meta"), []byte{20})
	judge.Write(t, filepath.Join(src, "map_meta.txt"), []byte("seed = 1\n[end_of_params]\n"))
	for _, o := range []worldcopy.Options{{}, {Map: "sqlite"}, {Map: mapdb.LevelDB}, {Blocks: 29}} {
		dst := filepath.Join(t.TempDir(), "dst")
		if _, err := worldcopy.Copy(context.Background(), src, dst, o); err != nil {
			t.Fatal(err)
		}
		got := worldtest.BlocksOf(t, dst)
		if o.Blocks != 0 {
			for p, data := range got {
				if data[0] != 29 || want[p] == "" {
					t.Errorf("%v is of version %d", p, data[0])
				}
			}
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v: %s", o, diff)
		}
		files := judge.Files(t, dst)
		if _, ok := files["map_meta.txt"]; !ok || len(got) != len(want) {
			t.Errorf("%+v: %d blocks and %d files", o, len(got), len(files))
		}
	}
}

// TestRows tests that rows that are not blocks, and duplicate blocks, are reported.
func TestRows(t *testing.T) {
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 5)
	conn, err := sqlite.OpenConn(filepath.Join(src, "map.sqlite"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, "CREATE TABLE b (pos INT, data BLOB); INSERT INTO b SELECT * FROM blocks; "+
		"INSERT INTO b SELECT * FROM blocks LIMIT 1; INSERT INTO b VALUES ('far away', x'00'), (7, NULL); DROP TABLE "+
		"blocks; ALTER TABLE b RENAME TO blocks", nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	told := map[string]int{}
	r, err := worldcopy.Copy(context.Background(), src, filepath.Join(t.TempDir(), "dst"),
		worldcopy.Options{Map: mapdb.LevelDB, Sink: func(f check.Finding) { told[f.ID]++ }})
	if err != nil || r.Blocks != 5 || r.Rows != 3 || told["mt-copy-row"] != 2 || told["mt-copy-twice"] != 1 {
		t.Errorf("%+v, %v, %v", r, err, told)
	}
}

// TestDamagedPages tests that damaged pages are counted as pages, not as rows.
func TestDamagedPages(t *testing.T) {
	tests.NotRaced(t, "reads many damaged files, one after the other")
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 200)
	path := filepath.Join(src, "map.sqlite")
	data := judge.Read(t, path)
	size := len(data) / 4096 / 3 * 4096
	clear(data[size : size+2*4096])
	clear(data[2*size : 2*size+4096])
	judge.Write(t, path, data)
	pages := 0
	r, err := worldcopy.Copy(t.Context(), src, filepath.Join(t.TempDir(), "dst"), worldcopy.Options{Map: mapdb.LevelDB,
		Sink: func(f check.Finding) {
			if f.ID == "mt-copy-pages" {
				pages += len(f.At)
			}
		}})
	if err != nil || r.Rows != 0 || r.Damaged != int64(pages) || pages != 3 || r.Blocks == 0 || r.Blocks == 200 {
		t.Errorf("%+v, %v, %d pages", r, err, pages)
	}
}

// TestOtherFiles tests that other files are copied unchanged, and that only the necessary lines of world.mt change.
func TestOtherFiles(t *testing.T) {
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 10)
	judge.Write(t, filepath.Join(src, "map.db", "LOG"), []byte("of another time"))
	dst := filepath.Join(t.TempDir(), "dst")
	var found []check.Finding
	r, err := worldcopy.Copy(context.Background(), src, dst, worldcopy.Options{Map: mapdb.LevelDB,
		Sink: func(f check.Finding) { found = append(found, f) }})
	if err != nil {
		t.Fatal(err)
	}
	want := judge.Files(t, src)
	got := judge.Files(t, dst)
	for name := range got {
		if strings.HasPrefix(name, "map.db/") {
			delete(got, name)
		}
	}
	delete(want, "map.sqlite")
	delete(want, "map.db/LOG")
	want["world.mt"] = strings.Replace(want["world.mt"], "backend = sqlite3", "backend = leveldb", 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(found) != 1 || found[0].ID != "mt-copy-in-the-way" || r.Files != len(want)-1 {
		t.Errorf("%v, %d files", found, r.Files)
	}
}

// TestCopyAsItIs tests that a copy without changes consists of byte-identical files. SQLite databases are compared
// page by page, because they contain a counter of writes.
func TestCopyAsItIs(t *testing.T) {
	for _, backend := range []string{mapdb.SQLite, mapdb.LevelDB} {
		src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: backend}, 10)
		dst := filepath.Join(t.TempDir(), "dst")
		if _, err := worldcopy.Copy(context.Background(), src, dst, worldcopy.Options{}); err != nil {
			t.Fatal(err)
		}
		uncounted := func(all map[string]string) map[string]string {
			if db := []byte(all["map.sqlite"]); len(db) > 0 {
				clear(db[24:28])
				clear(db[92:96])
				all["map.sqlite"] = string(db)
			}
			return all
		}
		if diff := cmp.Diff(uncounted(judge.Files(t, src)), uncounted(judge.Files(t, dst))); diff != "" {
			t.Error(diff)
		}
	}
}

// TestVersions tests that every version is converted to every other as Block.Convert does, and that blocks that
// cannot be converted are kept or dropped.
func TestVersions(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	ctx := context.Background()
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 120)
	db, err := mapdb.OpenForWriting(ctx, src, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	damaged := mapdb.Pos{X: 100}
	same := mapdb.Pos{X: 101}
	if err := db.Update(ctx, func(tx mapdb.Tx) error {
		return errors.Join(tx.Put(damaged, []byte{28, 0, 1}), tx.Put(same, []byte{29, 1, 2}))
	}); err != nil {
		t.Fatal(err)
	}
	db.Close()
	was := worldtest.BlocksOf(t, src)
	versions := []int{17, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29}
	if !tests.Long(t) {
		versions = []int{17, 22, 29}
	}
	for _, version := range versions {
		for _, drop := range []bool{false, true} {
			t.Run(fmt.Sprint(version, drop), func(t *testing.T) {
				want := make(map[mapdb.Pos]string)
				n := worldcopy.Report{}
				for p, data := range was {
					want[p] = data
					b, err := mapblock.Decode([]byte(data))
					switch {
					case int(data[0]) == version:
						continue
					case err != nil && drop:
						delete(want, p)
						n.Dropped++
						continue
					case err != nil:
						n.Kept++
						continue
					}
					to, _, err := b.Convert(version, mapblock.ConvertOptions{Drop: drop})
					if err != nil {
						n.Kept++
						continue
					}
					text, err := to.Encode()
					if err != nil {
						t.Fatal(err)
					}
					n.Converted++
					want[p] = string(text)
				}
				dst := filepath.Join(t.TempDir(), "dst")
				told := map[string]int64{}
				r, err := worldcopy.Copy(ctx, src, dst, worldcopy.Options{Blocks: version, Drop: drop, Sink: func(f check.Finding) { told[f.ID]++ }})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, worldtest.BlocksOf(t, dst)); diff != "" {
					t.Error(diff)
				}
				if r.Blocks != int64(len(want)) || r.Converted != n.Converted || r.Kept != n.Kept || r.Dropped != n.Dropped {
					t.Errorf("report %+v, want %+v", r, n)
				}
				if told["mt-copy-damaged"]+told["mt-copy-kept"] != n.Kept+n.Dropped {
					t.Errorf("findings %v", told)
				}
			})
		}
	}
}

// TestStores tests that players, accounts and mod storage round-trip through all backends.
func TestStores(t *testing.T) {
	ctx := context.Background()
	start := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3)
	src := start
	backends := []string{mapdb.SQLite, mapdb.LevelDB, mapdb.Postgres, world.Files}
	if !tests.Long(t) {
		backends = []string{mapdb.SQLite, mapdb.LevelDB, world.Files}
	}
	for _, to := range backends {
		storage := to
		if to == mapdb.LevelDB {
			storage = mapdb.SQLite
		}
		o := worldcopy.Options{Players: to, Auth: to, Storage: storage, Remote: true}
		if to == mapdb.Postgres {
			o.Postgres = judge.Postgres(t)
		}
		dst := filepath.Join(t.TempDir(), "dst")
		r, err := worldcopy.Copy(ctx, src, dst, o)
		if err != nil {
			t.Fatal(to, err)
		}
		mods := 1
		if to == mapdb.LevelDB {
			mods = 0 // they already are in SQLite
		}
		if r.Players != 2 || r.Accounts != 2 || r.Mods != mods || r.Lost != 0 {
			t.Errorf("%s: %+v", to, r)
		}
		s, err := world.ReadWorldMT(dst)
		if err != nil {
			t.Fatal(err)
		}
		if b := world.FindBackends(dst, s); b.Players != to || b.Auth != to || b.ModStorage != storage {
			t.Errorf("%s: world.mt has %+v", to, b)
		}
		src = dst
	}
	s, _ := world.ReadWorldMT(src)
	players, err := world.OpenPlayers(ctx, src, s, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ann, err := players.Get(ctx, "ann")
	if err != nil || ann.HP != 20 || ann.Pos != [3]float64{10, 20.5, -30} || len(ann.Attributes) != 1 ||
		ann.Inventory.List("main").Items[0].Count != 99 {
		t.Errorf("%+v, %v", ann, err)
	}
	got, want := judge.Files(t, src), judge.Files(t, start)
	for _, name := range []string{"auth.txt", "mod_storage/pig"} {
		if got[name] != want[name] {
			t.Errorf("%s is %q, was %q", name, got[name], want[name])
		}
	}
}

// TestNoAccounts tests that the copy of a world whose files have no accounts has an empty database for them, so that nothing
// seems to be lost.
func TestNoAccounts(t *testing.T) {
	ctx := context.Background()
	src, dst := filepath.Join(t.TempDir(), "src"), filepath.Join(t.TempDir(), "dst")
	files := worldcopy.Options{Players: world.Files, Auth: world.Files, Storage: world.Files}
	if _, err := worldcopy.Copy(ctx, worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 1), src, files); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(filepath.Join(src, "auth.txt")),
		os.WriteFile(filepath.Join(src, "env_meta.txt"), []byte("game_time = 1\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	databases := worldcopy.Options{Players: mapdb.SQLite, Auth: mapdb.SQLite, Storage: mapdb.SQLite}
	if _, err := worldcopy.Copy(ctx, src, dst, databases); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{src, dst} {
		err := world.Check(ctx, dir, world.CheckOptions{}, func(f check.Finding) {
			if strings.HasPrefix(f.ID, "mt-world-store") {
				t.Errorf("%s: %v", filepath.Base(dir), f)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestRefused tests that incompatible options are rejected and nothing is created.
func TestRefused(t *testing.T) {
	ctx := context.Background()
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3)
	full := t.TempDir()
	judge.Write(t, filepath.Join(full, "a"), nil)
	for name, c := range map[string]struct {
		dst  string
		opts worldcopy.Options
		want error
	}{
		"full":     {full, worldcopy.Options{}, fs.ErrExist},
		"inside":   {filepath.Join(src, "copy"), worldcopy.Options{}, nil},
		"around":   {filepath.Dir(src), worldcopy.Options{}, nil},
		"version":  {"", worldcopy.Options{Blocks: 18}, nil},
		"map":      {"", worldcopy.Options{Map: "sectors"}, nil},
		"players":  {"", worldcopy.Options{Players: "redis"}, nil},
		"storage":  {"", worldcopy.Options{Storage: "leveldb"}, nil},
		"postgres": {"", worldcopy.Options{Map: mapdb.Postgres}, nil},
		"auth":     {"", worldcopy.Options{Auth: mapdb.Postgres}, nil},
		"redis":    {"", worldcopy.Options{Map: mapdb.RedisDB}, nil},
	} {
		dst := c.dst
		if dst == "" {
			dst = filepath.Join(t.TempDir(), "dst")
		}
		_, err := worldcopy.Copy(ctx, src, dst, c.opts)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(dst); c.dst == "" && err == nil {
			t.Errorf("%s: %s was made", name, dst)
		}
	}
}

// TestServerLoses tests that blocks that a server lost after confirming them are written again, before the rest is
// copied or when the copy is compared at the end.
func TestServerLoses(t *testing.T) {
	n := tests.Of[int64](t, 4500, 9000)
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, int(n), 28)
	lose := func(t *testing.T, s *miniredis.Miniredis) {
		keys, err := s.HKeys("blocks")
		if err != nil || len(keys) < 100 {
			t.Fatalf("%d blocks, %v", len(keys), err)
		}
		for _, key := range keys[:50] {
			s.HDel("blocks", key)
		}
	}
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprint("late ", late), func(t *testing.T) {
			s := miniredis.RunT(t)
			dst := t.TempDir()
			o := worldcopy.Options{Map: mapdb.RedisDB, Redis: mapdb.Redis{Address: s.Host(), Port: s.Server().Addr().Port, Hash: "blocks"}}
			ctx, stop := context.WithCancel(t.Context())
			o.OnProgress = func(what string, done, of int) {
				if what == "verify" && late || what == "blocks" && done < of && !late {
					stop()
				}
			}
			if _, err := worldcopy.Copy(ctx, src, dst, o); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			lose(t, s)
			o.OnProgress = nil
			r, err := worldcopy.Copy(t.Context(), src, dst, o)
			if err != nil || r.Blocks != n {
				t.Fatalf("%+v, %v", r, err)
			}
			if keys, _ := s.HKeys("blocks"); int64(len(keys)) != n {
				t.Errorf("%d blocks", len(keys))
			}
		})
	}
}

// TestForget tests that the settings of a copy contain only the servers that the copy uses.
func TestForget(t *testing.T) {
	s := miniredis.RunT(t)
	s.RequireAuth("secret1")
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3, 28)
	settings := fmt.Sprintf("backend = redis\nredis_address = %s\nredis_port = %s\nredis_hash = "+
		"blocks\nredis_password = secret2\nredis_password = secret1\npgsql_connection = "+
		"password=secret3\npgsql_player_connection = password=secret4\n", s.Host(), s.Port())
	worldtest.SetLine(t, filepath.Join(src, "world.mt"), "backend = sqlite3", strings.TrimSuffix(settings, "\n"))
	dst := filepath.Join(t.TempDir(), "copy")
	if _, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Map: "sqlite"}); !errors.Is(err, mapdb.ErrNoHash) {
		t.Fatal("without the hash:", err)
	}
	s.HSet("blocks", "0", "block")
	if _, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Map: "sqlite"}); err != nil {
		t.Fatal(err)
	}
	text := string(judge.Read(t, filepath.Join(dst, "world.mt")))
	if strings.Contains(text, "secret") || strings.Contains(text, "redis") ||
		!strings.Contains(text, "backend = sqlite3\n") || !strings.Contains(text, "gameid = minetest\n") {
		t.Error(text)
	}
	if _, err := worldcopy.Copy(t.Context(), src, dst+"2", worldcopy.Options{Players: "sqlite3", Map: mapdb.RedisDB,
		Redis: mapdb.Redis{Address: s.Host(), Port: s.Server().Addr().Port, Hash: "new", Password: "secret1"}}); err != nil {
		t.Fatal(err)
	}
	if text := string(judge.Read(t, filepath.Join(dst+"2", "world.mt"))); strings.Count(text, "redis_password") != 1 ||
		strings.Contains(text, "secret2") || strings.Contains(text, "pgsql") {
		t.Error(text)
	}
}

// TestNoSettings tests that a world without world.mt is copied with the contents of all its databases.
func TestNoSettings(t *testing.T) {
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3, 28)
	first := filepath.Join(t.TempDir(), "first")
	if _, err := worldcopy.Copy(t.Context(), src, first, worldcopy.Options{Map: mapdb.LevelDB, Players: "sqlite3",
		Auth: "leveldb", Storage: "sqlite3"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(first, "world.mt")); err != nil {
		t.Fatal(err)
	}
	if b := world.FindBackends(first, world.ParseSettings(nil, "")); b != (world.Backends{Map: "leveldb",
		Players: "sqlite3", Auth: "leveldb", ModStorage: "sqlite3"}) {
		t.Errorf("%+v", b)
	}
	second := filepath.Join(t.TempDir(), "second")
	if r, err := worldcopy.Copy(t.Context(), first, second, worldcopy.Options{Map: "sqlite"}); err != nil || r.Blocks != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	if text := string(judge.Read(t, filepath.Join(second, "world.mt"))); text != "backend = sqlite3\nplayer_backend = "+
		"sqlite3\nauth_backend = leveldb\nmod_storage_backend = sqlite3\n" {
		t.Errorf("%q", text)
	}
}
