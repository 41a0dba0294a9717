package rollback_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/mutate"
	"trowel.example/minetest/rollback"
)

// A nil error of Open and Actions means that all actions were read. SQLite has no checksums: an
// action in a damaged page may be another one, but none is missing.
func TestWhole(t *testing.T) {
	dir := made(t)
	conn, err := sqlite.OpenConn(filepath.Join(dir, rollback.File))
	if err != nil {
		t.Fatal(err)
	}
	more := "WITH RECURSIVE n(i) AS (VALUES(10) UNION ALL SELECT i+1 FROM n WHERE i<150) INSERT INTO action (id, actor, timestamp, type, x, y, z, oldNode, newNode) SELECT i, 1, i*10, 1, i, 2, 3, 1, 2 FROM n"
	if err := errors.Join(sqlitex.ExecuteScript(conn, more, nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
	mutate.Folder{Dir: dir, Files: []string{rollback.File}, Prefixes: 40, Damages: 60, Unsummed: true, Read: func() (all []string, err error) {
		db, err := rollback.Open(dir)
		if err != nil {
			return nil, err
		}
		defer db.Close()
		for a, e := range db.Actions(t.Context(), rollback.Filter{}) {
			if err = errors.Join(err, e); e == nil {
				all = append(all, fmt.Sprint(a))
			}
		}
		return all, err
	}}.Test(t)
}
