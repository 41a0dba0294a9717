package worldquery_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/world"
)

const madeActions = `
CREATE TABLE actor (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL);
CREATE TABLE node (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL);
CREATE TABLE action (id INTEGER PRIMARY KEY AUTOINCREMENT, actor INTEGER NOT NULL, timestamp TIMESTAMP NOT NULL, type INTEGER NOT NULL,
	list TEXT, "index" INTEGER, "add" INTEGER, stackNode INTEGER, stackQuantity INTEGER, nodeMeta INTEGER, x INT, y INT, z INT,
	oldNode INTEGER, oldParam1 INTEGER, oldParam2 INTEGER, oldMeta TEXT, newNode INTEGER, newParam1 INTEGER, newParam2
	INTEGER, newMeta TEXT, guessedActor INTEGER);
INSERT INTO actor VALUES (1, 'player:ann'), (2, 'player:bob');
INSERT INTO node VALUES (1, 'air'), (2, 'default:dirt'), (4, 'default:diamond');
INSERT INTO action (id, actor, timestamp, type, x, y, z, oldNode, oldParam2, newNode, newParam2, guessedActor) VALUES
	(1, 1, 1000, 1, 5, 6, -7, 1, 0, 2, 3, 1);
INSERT INTO action (id, actor, timestamp, type, list, "index", "add", stackNode, stackQuantity, nodeMeta, x, y, z) VALUES
	(4, 2, 4000, 2, 'main', 3, 0, 4, 9, 1, 5, 6, -7), (5, 7, 5000, 2, 'main', 0, 1, 8, 9, 0, NULL, NULL, NULL);`

// TestActions tests the rows of rollback.sqlite, and that lost names and other damage are findings.
func TestActions(t *testing.T) {
	dir := t.TempDir()
	read := func() (actions, findings, missed []string) {
		t.Helper()
		all := make(seen)
		o := worldquery.RowOptions{OnMiss: func(err error) { missed = append(missed, err.Error()) }}
		if err := worldquery.Rest(t.Context(), dir, world.ParseSettings(nil, ""), o, all.take); err != nil {
			t.Fatal(err)
		}
		for _, f := range all["minetest_findings"] {
			if strings.Contains(f, rollback.File) {
				findings = append(findings, f)
			}
		}
		return all["minetest_actions"], findings, missed
	}
	if actions, findings, missed := read(); len(actions)+len(findings)+len(missed) > 0 {
		t.Errorf("a world without records: %q, %q, %q", actions, findings, missed)
	}
	path := filepath.Join(dir, rollback.File)
	conn, err := sqlite.OpenConn(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(conn, madeActions, nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
	actions, findings, missed := read()
	if want := []string{
		`["1" "1970-01-01T00:16:40Z" "player:ann" "true" "node" "5" "6" "-7" "air" "0" "default:dirt" "3" "null" "null" "null" "null" "null"]`,
		`["4" "1970-01-01T01:06:40Z" "player:bob" "false" "inventory" "5" "6" "-7" "null" "null" "null" "null" ` +
			`"main" "3" "false" "default:diamond" "9"]`,
		`["5" "1970-01-01T01:23:20Z" "null" "false" "inventory" "null" "null" "null" "null" "null" "null" "null" ` +
			`"main" "0" "true" "null" "9"]`,
	}; !slices.Equal(actions, want) {
		t.Errorf("%q", actions)
	}
	if len(findings) != 1 || !strings.Contains(findings[0], "action 5 has no name for the actor") || len(missed) != 1 {
		t.Errorf("%q, %q", findings, missed)
	}
	judge.Write(t, path, []byte("SQLite format 3\x00, or so"))
	if actions, findings, missed := read(); len(actions) > 0 || len(findings) != 1 || len(missed) != 1 ||
		!strings.Contains(findings[0], "mt-world-unreadable") {
		t.Errorf("%q, %q, %q", actions, findings, missed)
	}
}
