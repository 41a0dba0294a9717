//go:build !js

package worldrepair_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldrepair"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// TestSchemas tests that tables to which the engine cannot write are reported and repaired, and that the backup has the old ones.
func TestSchemas(t *testing.T) {
	const (
		pos    = "CREATE TABLE blocks (pos INT PRIMARY KEY, data BLOB);"
		xyz    = "CREATE TABLE blocks (x INTEGER, y INTEGER, z INTEGER, data BLOB NOT NULL, PRIMARY KEY (x, z, y));"
		posRow = "REPLACE INTO blocks (pos, data) VALUES (5, x'1d')"
		xyzRow = "REPLACE INTO blocks (x, y, z, data) VALUES (5, 0, 0, x'1d')"
		auth   = "CREATE TABLE auth (id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(32) UNIQUE, password VARCHAR(512), " +
			"last_login INTEGER);"
		privs = "CREATE TABLE user_privileges (id INTEGER, privilege VARCHAR(32), PRIMARY KEY (id, privilege) " +
			"CONSTRAINT fk_id FOREIGN KEY (id) REFERENCES auth (id) ON DELETE CASCADE);"
		authRow = "INSERT INTO auth (name, password, last_login) VALUES ('ann', '', 1)"
	)
	for _, c := range []struct{ name, file, sql, row, want string }{
		{"old", "map", pos, posRow, ""},
		{"oldest", "map", "CREATE TABLE blocks (pos INT NOT NULL PRIMARY KEY, data BLOB);", posRow, ""},
		{"new", "map", xyz, xyzRow, ""},
		{"mapserver", "map", pos + "ALTER TABLE blocks ADD mtime INTEGER DEFAULT 0; " +
			"CREATE INDEX blocks_mtime ON blocks (mtime); CREATE TRIGGER " +
			"u AFTER INSERT ON blocks FOR EACH ROW BEGIN UPDATE blocks SET mtime = 1 WHERE pos = new.pos; END;", posRow, ""},
		{"trigger", "map", xyz + "CREATE TRIGGER u AFTER INSERT ON blocks FOR EACH ROW " +
			"BEGIN UPDATE blocks SET data = '' WHERE pos = new.pos; END;",
			xyzRow, "no such column"},
		{"trigger of deletions", "map", pos + "CREATE TRIGGER u AFTER DELETE ON blocks BEGIN INSERT INTO gone VALUES (old.pos); END;",
			posRow, "no such table"},
		{"column", "map", "CREATE TABLE blocks (pos INT PRIMARY KEY, data BLOB, owner TEXT NOT NULL);", posRow, "owner"},
		{"default", "map", "CREATE TABLE blocks (pos INT PRIMARY KEY, data BLOB, owner TEXT NOT NULL DEFAULT '');", posRow, ""},
		{"no key", "map", "CREATE TABLE blocks (pos INT, data BLOB); INSERT INTO blocks VALUES (5, x'00'), (6, x'01');",
			posRow, "no key"},
		{"index as key", "map", "CREATE TABLE blocks (pos INT, data BLOB); CREATE UNIQUE INDEX i ON blocks (pos);", posRow, ""},
		{"unique", "map", pos + "CREATE UNIQUE INDEX i ON blocks (data);", posRow, "different values"},
		{"accounts", "auth", auth + privs, authRow, ""},
		{"accounts without key", "auth", strings.ReplaceAll(auth, " UNIQUE", "") + privs, authRow, "no key of name"},
		{"account column", "auth", strings.ReplaceAll(auth, "last_login INTEGER", "last_login INTEGER, mail TEXT NOT NULL") + privs,
			authRow, "mail"},
		{"entries", "mod_storage", "CREATE TABLE entries (modname TEXT, key BLOB, value BLOB);",
			"INSERT INTO entries VALUES ('m', 'k', 'v') ON CONFLICT (modname, key) DO UPDATE SET value = 1", "no key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := context.Background()
			dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 1, 29)
			worldtest.SetLine(t, filepath.Join(dir, "world.mt"), "auth_backend = files", "auth_backend = sqlite3")
			worldtest.SetLine(t, filepath.Join(dir, "world.mt"), "mod_storage_backend = files", "mod_storage_backend = sqlite3")
			path := filepath.Join(dir, c.file+".sqlite")
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			run := func(sql string) error {
				conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				return sqlitex.ExecuteScript(conn, sql, nil)
			}
			if err := run(c.sql); err != nil {
				t.Fatal(err)
			}
			old := worldtest.Snapshot(t, dir)[c.file+".sqlite"]
			found := func() (list []string) {
				err := world.CheckRest(ctx, dir, world.CheckOptions{Quick: true}, func(f check.Finding) {
					if f.ID == "mt-world-schema" {
						list = append(list, f.Message)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				return list
			}
			switch before := found(); {
			case c.want == "" && len(before) > 0 || c.want != "" && (len(before) != 1 || !strings.Contains(before[0], c.want)):
				t.Fatalf("found %q", before)
			case c.want == "":
				return
			}
			r, err := worldrepair.InPlace(ctx, dir, "", worldrepair.Options{})
			if err != nil || r.Schemas == 0 {
				t.Fatal(r, err)
			}
			if after := found(); len(after) > 0 {
				t.Errorf("repaired: %q", after)
			}
			if err := run(c.row); err != nil {
				t.Errorf("the engine's statement: %v", err)
			}
			if err := worldbackup.Restore(ctx, dir, r.Backup, worldbackup.Options{}); err != nil {
				t.Fatal(err)
			}
			if again := worldtest.Snapshot(t, dir)[c.file+".sqlite"]; !slices.Equal([]byte(again), []byte(old)) {
				t.Error("the backup has another database")
			}
		})
	}
}
