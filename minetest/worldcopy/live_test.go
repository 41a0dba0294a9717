package worldcopy_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// TestLiveCopy tests that a world with a running server is copied as it is at one moment, without logs.
func TestLiveCopy(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		t.Run(mode, func(t *testing.T) {
			dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 20, 28)
			worldtest.SetLine(t, filepath.Join(dir, "world.mt"), "mod_storage_backend = files", "mod_storage_backend = sqlite3")
			path := filepath.Join(dir, "mod_storage.sqlite")
			conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []string{
				"PRAGMA journal_mode=" + mode, "PRAGMA synchronous=OFF",
				"CREATE TABLE entries (modname TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (modname, key))",
				"WITH RECURSIVE r(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM r WHERE i<2000) INSERT INTO entries SELECT 'mod', " +
					"CAST('k' || i AS BLOB), x'30' FROM r",
			} {
				if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
					t.Fatal(err)
				}
			}
			stop := make(chan struct{})
			var writer sync.WaitGroup
			writer.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					if err := sqlitex.ExecuteTransient(conn, fmt.Sprintf("UPDATE entries SET value = CAST('%d' AS BLOB)", i),
						nil); err != nil && sqlite.ErrCode(err).ToPrimary() != sqlite.ResultBusy {
						t.Error(err)
						return
					}
				}
			})
			for i := range 4 {
				dst := filepath.Join(t.TempDir(), "dst")
				_, err := worldcopy.Copy(context.Background(), dir, dst, worldcopy.Options{Map: "sqlite", Sink: func(f check.Finding) {
					if f.ID != "mt-copy-differs" {
						t.Errorf("%d: %v", i, f)
					}
				}})
				if err != nil {
					t.Fatal(i, err)
				}
				entries, _ := os.ReadDir(dst)
				for _, e := range entries {
					if strings.Contains(e.Name(), "sqlite-") {
						t.Errorf("%d: the copy has %s", i, e.Name())
					}
				}
			}
			close(stop)
			writer.Wait()
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBrokenStore tests that a store that was copied as files is reported if it cannot be read.
func TestBrokenStore(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 5, 28)
	for _, c := range []struct {
		name, was, now string
		content        string
	}{
		{"mod_storage.sqlite", "mod_storage_backend = files", "mod_storage_backend = sqlite3", "no database at all"},
		{"players.db/CURRENT", "player_backend = files", "player_backend = leveldb", "MANIFEST-1\n"},
	} {
		worldtest.SetLine(t, filepath.Join(dir, "world.mt"), c.was, c.now)
		judge.Write(t, filepath.Join(dir, filepath.FromSlash(c.name)), []byte(c.content))
	}
	told := ""
	_, err := worldcopy.Copy(context.Background(), dir, filepath.Join(t.TempDir(), "dst"),
		worldcopy.Options{Map: mapdb.LevelDB, Sink: func(f check.Finding) { told += f.String() + "\n" }})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"error: players: ", "error: mods: "} {
		if !strings.Contains(told, want) {
			t.Errorf("of %s nothing is reported:\n%s", want, told)
		}
	}
}
