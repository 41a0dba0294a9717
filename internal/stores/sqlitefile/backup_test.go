package sqlitefile

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestBackup tests that a copy is consistent while a program writes continuously, and that it has no log or journal.
func TestBackup(t *testing.T) {
	for _, mode := range []string{"DELETE", "TRUNCATE", "PERSIST", "WAL"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "map.sqlite")
			conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []string{
				"PRAGMA journal_mode=" + mode, "PRAGMA synchronous=OFF", "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT, filler BLOB)",
				"WITH RECURSIVE r(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM r WHERE i<3000) INSERT INTO t SELECT i, 0, randomblob(500) FROM r",
			} {
				if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
					t.Fatal(err)
				}
			}
			conn.SetBusyTimeout(busyPatience)
			stop := make(chan struct{})
			var writer sync.WaitGroup
			defer func() { // also if the test fails, because its folder is removed then
				close(stop)
				writer.Wait()
				if err := conn.Close(); err != nil {
					t.Error(err)
				}
			}()
			writer.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					// All rows have the same number at any time.
					if err := sqlitex.ExecuteTransient(conn, "UPDATE t SET n = n + 1", nil); err != nil {
						t.Error(err)
						return
					}
				}
			})
			for i := range 6 {
				to := filepath.Join(t.TempDir(), "copy.sqlite")
				if err := Backup(t.Context(), path, to); err != nil {
					t.Fatal(i, err)
				}
				if list, _ := os.ReadDir(filepath.Dir(to)); len(list) != 1 {
					t.Errorf("beside the copy: %v", list)
				}
				f, err := Open(to)
				if err != nil {
					t.Fatal(err)
				}
				sound, err := f.Sound(t.Context())
				rows, numbers := 0, 0
				err = errors.Join(err, sqlitex.ExecuteTransient(f.Conn, "SELECT count(*), count(DISTINCT n) FROM t",
					&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
						rows, numbers = s.ColumnInt(0), s.ColumnInt(1)
						return nil
					}}))
				if err != nil || !sound || rows != 3000 || numbers != 1 {
					t.Errorf("%d rows with %d numbers, sound is %v, %v", rows, numbers, sound, err)
				}
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
