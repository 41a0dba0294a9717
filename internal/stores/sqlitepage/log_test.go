package sqlitepage

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"zombiezen.com/go/sqlite"
)

// TestLogs tests that logs and journals are applied as by SQLite, with all page sizes and text encodings.
func TestLogs(t *testing.T) {
	const many = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<300) "
	for _, size := range []int{512, 4096, 65536} {
		for _, encoding := range []string{"UTF-8", "UTF-16le", "UTF-16be"} {
			for _, mode := range []string{"WAL", "DELETE"} {
				t.Run(fmt.Sprint(size, encoding, mode), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "a.sqlite")
					conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
					if err != nil {
						t.Fatal(err)
					}
					defer conn.Close()
					exec(t, conn, fmt.Sprintf("PRAGMA page_size=%d", size))
					exec(t, conn, "PRAGMA encoding='"+encoding+"'")
					exec(t, conn, "PRAGMA journal_mode="+mode)
					exec(t, conn, "PRAGMA wal_autocheckpoint=0")
					exec(t, conn, "PRAGMA cache_spill=2")
					exec(t, conn, "PRAGMA cache_size=2")
					exec(t, conn, "CREATE TABLE entries (name TEXT, key BLOB, n REAL)")
					exec(t, conn, many+"INSERT INTO entries SELECT 'naïve ☃ ' || i, x'0102', i * 0.5 FROM n")
					exec(t, conn, "BEGIN")
					exec(t, conn, "UPDATE entries SET name = 'never', key = zeroblob(900)")
					to := filepath.Join(t.TempDir(), "a.sqlite")
					for _, suffix := range []string{"", "-wal", "-journal"} {
						if data, err := os.ReadFile(path + suffix); err == nil {
							if err := os.WriteFile(to+suffix, data, 0o600); err != nil {
								t.Fatal(err)
							}
						}
					}
					f, err := Open(to)
					if err != nil {
						t.Fatal(err)
					}
					defer f.Close()
					if f.PageSize != size {
						t.Fatalf("pages have %d bytes", f.PageSize)
					}
					if f.log == nil {
						t.Fatal("there is a log, and it does not count")
					}
					list, whole := f.Schema(t.Context())
					if !whole || len(list) != 1 {
						t.Fatalf("the schema is %v", list)
					}
					n := int64(0)
					losses, err := f.Rows(t.Context(), []Shape{{Table: "entries", Root: list[0].Root,
						Columns: []Kinds{Text, Blob, Float}}}, func(r Row) error {
						n++
						if want := []any{fmt.Sprint("naïve ☃ ", n), []byte{1, 2}, float64(n) / 2}; r.RowID != n || !reflect.DeepEqual(r.Values, want) {
							// Whole numbers are stored as integers.
							if want[2] = n / 2; n%2 != 0 || !reflect.DeepEqual(r.Values, want) {
								t.Errorf("row %d is %v, want %v", r.RowID, r.Values, want)
							}
						}
						return nil
					})
					if err != nil || len(losses) > 0 || n != 300 {
						t.Errorf("%d rows, lost are %v, %v", n, losses, err)
					}
				})
			}
		}
	}
}
