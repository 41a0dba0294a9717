package rollback_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/mutate"
	"trowel.example/minetest/internal/rollback"
)

// TestWhole tests that if Open and Actions return no error, all actions were read. SQLite has no checksums: an action
// in a damaged page may be changed, but none may be missing.
func TestWhole(t *testing.T) { rollback.BothWays(t, testWhole) }

func testWhole(t *testing.T) {
	dir := made(t)
	conn, err := sqlite.OpenConn(filepath.Join(dir, rollback.File))
	if err != nil {
		t.Fatal(err)
	}
	more := "WITH RECURSIVE n(i) AS (VALUES(10) UNION ALL SELECT i+1 FROM n WHERE i<150) INSERT INTO action (id, " +
		"actor, timestamp, type, x, y, z, oldNode, newNode) SELECT i, 1, i*10, 1, i, 2, 3, 1, 2 FROM n"
	if err := errors.Join(sqlitex.ExecuteScript(conn, more, nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
	mutate.Folder{Dir: dir, Files: []string{rollback.File}, Prefixes: 40, Damages: 60, Unsummed: true, Read: func() (all []string, err error) {
		db, err := rollback.Open(t.Context(), dir)
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

// TestRescue tests that the readable actions of a damaged database are returned with an error about the others, and
// that actors and nodes without a name are errors, also when selecting the actions of one actor.
func TestRescue(t *testing.T) { rollback.BothWays(t, testRescue) }

func testRescue(t *testing.T) {
	for _, inOrder := range []bool{false, true} {
		testRescueIn(t, inOrder)
	}
}

// testRescueIn is testRescue by Actions, or by All.
func testRescueIn(t *testing.T, inOrder bool) {
	dir := made(t)
	path := filepath.Join(dir, rollback.File)
	change := func(script string) {
		t.Helper()
		conn, err := sqlite.OpenConn(path)
		if err == nil {
			err = errors.Join(sqlitex.ExecuteScript(conn, script, nil), conn.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	change("WITH RECURSIVE n(i) AS (VALUES(10) UNION ALL SELECT i+1 FROM n WHERE i<900) INSERT INTO action (id, " +
		"actor, timestamp, type, x, y, z, oldNode, newNode, oldMeta) SELECT i, 1, i*10, 1, i, 2, 3, 1, 2, 'meta' || i FROM n")
	read := func(f rollback.Filter) (n, lost int) {
		t.Helper()
		db, err := rollback.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		seen := map[int64]bool{}
		all := db.Actions(t.Context(), f)
		if f == (rollback.Filter{}) && inOrder {
			all = db.All(t.Context())
		}
		for a, err := range all {
			if errors.Is(err, fault.ErrLost) {
				lost++
			} else if err != nil {
				t.Fatal(err)
			}
			if a.ID != 0 {
				if n++; seen[a.ID] {
					t.Errorf("action %d comes twice", a.ID)
				}
				seen[a.ID] = true
			}
		}
		if _, err := db.Count(t.Context(), f); (lost > 0) != errors.Is(err, fault.ErrLost) && f.Actor != "" {
			t.Errorf("the count: %v", err)
		}
		return n, lost
	}
	if n, lost := read(rollback.Filter{}); n != 896 || lost > 0 {
		t.Fatal(n, lost)
	}
	change("DELETE FROM actor WHERE id = 2; DELETE FROM node WHERE id = 3")
	if n, lost := read(rollback.Filter{}); n != 896 || lost != 3 {
		t.Errorf("lost names: %d actions, %d errors", n, lost)
	}
	if n, lost := read(rollback.Filter{Actor: "bob"}); n != 0 || lost != 1 {
		t.Errorf("a lost actor: %d actions, %d errors", n, lost)
	}
	data := judge.Read(t, path)
	clear(data[len(data)/2 : len(data)/2+3*4096])
	judge.Write(t, path, data)
	if n, lost := read(rollback.Filter{}); n < 500 || n >= 896 || lost != 4 {
		t.Errorf("damaged pages: %d actions, %d errors", n, lost)
	}
}
