package sqlitefile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Files of random bytes beside a database are none of it, as for SQLite, which a reader does not wait for.
func TestRandomLog(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		for _, shm := range []int{-1, 0, 32768} {
			for _, size := range []int{1, 32, 5000} {
				name := fmt.Sprintf("%s, %d bytes of log, %d of its index", mode, size, shm)
				path := filepath.Join(t.TempDir(), "map.sqlite")
				conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range []string{"PRAGMA journal_mode=" + mode, "CREATE TABLE t(a)", "INSERT INTO t VALUES(7)"} {
					if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
						t.Fatal(err)
					}
				}
				if err := conn.Close(); err != nil {
					t.Fatal(err)
				}
				random := bytes.Repeat([]byte("random"), 6000)
				if err := os.WriteFile(path+"-wal", random[:size], 0o644); err != nil {
					t.Fatal(err)
				}
				if shm >= 0 {
					if err := os.WriteFile(path+"-shm", random[:shm], 0o644); err != nil {
						t.Fatal(err)
					}
				}
				f, err := Open(path)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				got := int64(0)
				for range 2 {
					if err := f.Begin(t.Context()); err != nil {
						t.Fatal(err)
					}
					err = sqlitex.ExecuteTransient(f.Conn, "SELECT a FROM t", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
						got += s.ColumnInt64(0)
						return nil
					}})
					f.End()
				}
				if err != nil || got != 14 {
					t.Errorf("%s: %d, %v", name, got, err)
				}
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
