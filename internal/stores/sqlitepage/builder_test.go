package sqlitepage

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

var (
	oneColumn    = Table{Name: "blocks", SQL: "CREATE TABLE `blocks` (`pos` INT PRIMARY KEY, `data` BLOB)", Key: []int{0}}
	threeColumns = Table{Name: "blocks", SQL: "CREATE TABLE `blocks` (`x` INTEGER, `y` INTEGER, `z` INTEGER, `data` " +
		"BLOB NOT NULL, PRIMARY KEY (`x`, `z`, `y`))", Key: []int{0, 2, 1}}
)

// builtRow is a row to be built.
type builtRow struct {
	ints []int64
	data []byte
}

// randomRows returns rows with different keys in random order, whose data fits a page or continues in up to eight
// pages.
func randomRows(r *rand.Rand, t Table, n int) []builtRow {
	seen := map[string]bool{}
	rows := make([]builtRow, 0, n)
	for len(rows) < n {
		ints := make([]int64, len(t.Key))
		for i := range ints {
			if ints[i] = r.Int64N(1<<21) - 1<<20; len(ints) == 1 {
				ints[i] = r.Int64() >> r.IntN(64) * (1 - 2*r.Int64N(2))
			}
			if r.IntN(3) == 0 {
				ints[i] = r.Int64N(5) - 2
			}
		}
		size := r.IntN(200)
		switch r.IntN(30) {
		case 0, 1, 2:
			size = r.IntN(30000)
		case 3, 4:
			size = 4030 + r.IntN(60) // about the size of a page
		case 5:
			size = 0
		}
		if key := fmt.Sprint(ints); !seen[key] {
			seen[key] = true
			rows = append(rows, builtRow{ints, bytes.Repeat([]byte{byte(1 + r.IntN(255))}, size)})
		}
	}
	return rows
}

// addAll adds rows, with a Flush at random intervals.
func addAll(t testing.TB, r *rand.Rand, b *Builder, rows []builtRow) {
	t.Helper()
	for _, row := range rows {
		err := b.Add(row.ints, row.data)
		if err == nil && r.IntN(500) == 0 {
			err = b.Flush()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// whole checks with SQLite that a database is valid and has exactly the given rows.
func whole(t *testing.T, path string, table Table, rows []builtRow) {
	t.Helper()
	holds(t, path, table, rows, true)
}

// holds checks with SQLite that a database has the rows, both ordered by key, which uses the index, and one by one.
func holds(t *testing.T, path string, table Table, rows []builtRow, sound bool) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ask := func(query string, row func(*sqlite.Stmt) error, args ...any) {
		t.Helper()
		if err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: row}); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	if sound {
		ask("PRAGMA integrity_check", func(s *sqlite.Stmt) error {
			if text := s.ColumnText(0); text != "ok" {
				t.Errorf("SQLite says %s", text)
			}
			return nil
		})
	}
	columns := []string{"pos"}
	order, match := "pos", "pos = ?"
	if len(table.Key) == 3 {
		columns, order, match = []string{"x", "y", "z"}, "x, z, y", "x = ? AND y = ? AND z = ?"
	}
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b builtRow) int {
		c := 0
		for _, k := range table.Key {
			c = cmp.Or(c, cmp.Compare(a.ints[k], b.ints[k]))
		}
		return c
	})
	i := 0
	query := "SELECT data"
	for _, c := range columns {
		query += ", " + c
	}
	ask(query+" FROM blocks ORDER BY "+order, func(s *sqlite.Stmt) error {
		data := make([]byte, s.ColumnLen(0))
		s.ColumnBytes(0, data)
		if i >= len(sorted) || !bytes.Equal(data, sorted[i].data) {
			t.Fatalf("row %d in the order of the keys differs", i)
		}
		for k := range columns {
			if s.ColumnInt64(k+1) != sorted[i].ints[k] {
				t.Fatalf("row %d is at %d, not %v", i, s.ColumnInt64(k+1), sorted[i].ints)
			}
		}
		i++
		return nil
	})
	if i != len(rows) {
		t.Errorf("%d rows, not %d", i, len(rows))
	}
	byKey := map[string][]byte{}
	err = Scan(path, table, func(ints []int64, data []byte) error {
		byKey[fmt.Sprint(ints)] = data
		return nil
	})
	if err != nil || len(byKey) != len(rows) {
		t.Errorf("Scan gives %d rows of %d, %v", len(byKey), len(rows), err)
	}
	for _, row := range rows {
		if !bytes.Equal(byKey[fmt.Sprint(row.ints)], row.data) {
			t.Fatalf("Scan gives another row at %v", row.ints)
		}
	}
	for _, row := range rows[:min(len(rows), 50)] {
		var args []any
		for _, v := range row.ints {
			args = append(args, v)
		}
		found := false
		ask("SELECT 1 FROM blocks WHERE "+match, func(*sqlite.Stmt) error { found = true; return nil }, args...)
		if !found {
			t.Errorf("no row at %v", row.ints)
		}
	}
}

// TestBuild tests that SQLite accepts built databases of any size, and can change them.
func TestBuild(t *testing.T) {
	for _, table := range []Table{oneColumn, threeColumns} {
		for seed, n := range []int{0, 1, 2, 5, 20, 300, 4000, tests.Of(t, 10_000, 40_000)} {
			r := rand.New(rand.NewPCG(uint64(seed), uint64(len(table.Key))))
			path := filepath.Join(t.TempDir(), "map.sqlite")
			b, err := Create(path, table)
			if err != nil {
				t.Fatal(err)
			}
			rows := randomRows(r, table, n)
			addAll(t, r, b, rows)
			if sql := Unfinished(path); sql != table.SQL {
				t.Errorf("unfinished: %q", sql)
			}
			if older, err := b.Finish(); err != nil || older != nil {
				t.Fatal(older, err)
			}
			if sql := Unfinished(path); sql != "" {
				t.Errorf("finished, but %q", sql)
			}
			whole(t, path, table, rows)
			if n != 4000 {
				continue
			}
			conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
			if err != nil {
				t.Fatal(err)
			}
			exec(t, conn, "UPDATE blocks SET data = x'010203' WHERE rowid % 3 = 0")
			exec(t, conn, "DELETE FROM blocks WHERE rowid % 7 = 0")
			for i := range rows {
				if (i+1)%3 == 0 {
					rows[i].data = []byte{1, 2, 3}
				}
			}
			i := 0
			rows = slices.DeleteFunc(rows, func(builtRow) bool { i++; return i%7 == 0 })
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			whole(t, path, table, rows)
		}
	}
}

// TestBuildJudge tests that the SQLite command-line program accepts built databases.
func TestBuildJudge(t *testing.T) {
	judge.Find(t, "sqlite3")
	for _, table := range []Table{oneColumn, threeColumns} {
		r := rand.New(rand.NewPCG(1, 2))
		path := filepath.Join(t.TempDir(), "map.sqlite")
		b, err := Create(path, table)
		if err != nil {
			t.Fatal(err)
		}
		addAll(t, r, b, randomRows(r, table, 20_000))
		if _, err := b.Finish(); err != nil {
			t.Fatal(err)
		}
		said, err := judge.Run(t, t.TempDir(), "sqlite3", path, "PRAGMA integrity_check; SELECT count(*) FROM blocks;")
		if err != nil || string(said) != "ok\n20000\n" {
			t.Errorf("sqlite3: %s, %v", said, err)
		}
	}
}

// TestBuildResume tests that a file cut off anywhere has the rows up to a point, and that resuming from there gives a
// byte-identical database.
func TestBuildResume(t *testing.T) {
	for seed := range tests.Of(t, 8, 24) {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		table := []Table{oneColumn, threeColumns}[seed%2]
		path := filepath.Join(t.TempDir(), "map.sqlite")
		b, err := Create(path, table)
		if err != nil {
			t.Fatal(err)
		}
		rows := randomRows(r, table, 2500)
		kept := r.IntN(len(rows))
		addAll(t, r, b, rows[:kept])
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		addAll(t, r, b, rows[kept:])
		b.Abandon()
		if info, err := os.Stat(path); err != nil {
			t.Fatal(err)
		} else if seed%4 != 0 {
			kept = 0
			size := builtSize + r.Int64N(info.Size()-builtSize+1)
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
		}
		b, err = Resume(path, table)
		if err != nil {
			t.Fatal(err)
		}
		n, err := b.Count()
		if err != nil || n < int64(kept) || n > int64(len(rows)) {
			t.Fatalf("%d rows: at least %d of %d should be there; %v", n, kept, len(rows), err)
		}
		addAll(t, r, b, rows[n:])
		if older, err := b.Finish(); err != nil || older != nil {
			t.Fatal(older, err)
		}
		whole(t, path, table, rows)
	}
}

// TestBuildTwice tests that Finish returns all but the last of the rows with the same key.
func TestBuildTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map.sqlite")
	b, err := Create(path, oneColumn)
	if err != nil {
		t.Fatal(err)
	}
	rows := randomRows(rand.New(rand.NewPCG(4, 4)), oneColumn, 1000)
	for _, row := range rows {
		if err := b.Add(row.ints, []byte("old")); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range rows[:500] {
		if err := b.Add(row.ints, row.data); err != nil {
			t.Fatal(err)
		}
	}
	for i := range rows[500:] {
		rows[500+i].data = []byte("old")
	}
	if n, err := b.Count(); n != 1000 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	older, err := b.Finish()
	if err != nil || len(older) != 500 {
		t.Fatal(older, err)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, conn, "BEGIN")
	for _, row := range older {
		exec(t, conn, "DELETE FROM blocks WHERE rowid = ?", row)
	}
	exec(t, conn, "COMMIT")
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	whole(t, path, oneColumn, rows)
}

// TestBuildLockPage tests that the page which SQLite locks, at 1 GiB, is skipped by rows that continue after it and by
// rows that begin there.
func TestBuildLockPage(t *testing.T) {
	table := oneColumn
	for _, short := range []int{0, 1, 2, 40} { // pages between the start of a row of two pages and the lock page
		path := filepath.Join(t.TempDir(), "map.sqlite")
		b, err := Create(path, table)
		if err != nil {
			t.Fatal(err)
		}
		// Simulate many pages by a hole in the file that no tree refers to.
		b.next = lockPage - uint32(short)
		var rows []builtRow
		for i := range 30 {
			rows = append(rows, builtRow{[]int64{int64(i)}, bytes.Repeat([]byte{byte(i + 1)}, 1000+i%3*4092)})
		}
		addAll(t, rand.New(rand.NewPCG(1, 1)), b, rows)
		if _, err := b.Finish(); err != nil {
			t.Fatal(err)
		}
		holds(t, path, table, rows, false)
	}
}

// TestScanDamage tests that Scan detects damage to any byte of the structure of a table or its index. Damage to the
// data of rows and to free space is not detected.
func TestScanDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map.sqlite")
	b, err := Create(path, oneColumn)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	rows := randomRows(r, oneColumn, 2000)
	addAll(t, r, b, rows)
	if _, err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	whole := judge.Read(t, path)
	digest := func() (sum uint64, err error) {
		n := 0
		err = Scan(path, oneColumn, func(ints []int64, data []byte) error {
			if n++; n > len(rows) {
				t.Fatal("there are more rows than there were")
			}
			sum += uint64(crc32.ChecksumIEEE(data)) * uint64(ints[0])
			return nil
		})
		return sum, err
	}
	want, err := digest()
	if err != nil {
		t.Fatal(err)
	}
	conn := func() string { // the result of SQLite's integrity check
		c, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
		if err != nil {
			return err.Error()
		}
		defer c.Close()
		said := ""
		err = sqlitex.ExecuteTransient(c, "PRAGMA integrity_check(1)",
			&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { said = s.ColumnText(0); return nil }})
		if err != nil {
			return err.Error()
		}
		return said
	}
	found, tries := 0, tests.Of(t, 50, 150)
	for range tries {
		at := builtSize + r.IntN(len(whole)-builtSize)
		if r.IntN(2) == 0 {
			at = at/builtSize*builtSize + r.IntN(64) // in a page header
		}
		data := bytes.Clone(whole)
		data[at] ^= byte(1 + r.IntN(255))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		sum, err := digest()
		if err != nil || sum != want {
			found++
			continue
		}
		// Undetected damage must not matter to SQLite, except in the accounting of free space.
		if said := conn(); said != "ok" && !strings.Contains(said, "ragmentation") && !strings.Contains(said, "free space") &&
			!strings.Contains(said, "Rowid") {
			t.Errorf("a byte at %d is damaged (in page %d at %d), which Scan does not see: %s", at, at/builtSize+1, at%builtSize, said)
		}
	}
	if found < tries/4 {
		t.Errorf("only %d of %d", found, tries)
	}
}

// FuzzResume tests that any file with the mark of an unfinished database can be resumed to a valid database.
func FuzzResume(f *testing.F) {
	r := rand.New(rand.NewPCG(6, 6))
	path := filepath.Join(f.TempDir(), "map.sqlite")
	b, err := Create(path, oneColumn)
	if err != nil {
		f.Fatal(err)
	}
	addAll(f, r, b, randomRows(r, oneColumn, 60))
	if err := b.Flush(); err != nil {
		f.Fatal(err)
	}
	data := judge.Read(f, path)
	b.Abandon()
	f.Add(data, 0, byte(0))
	f.Add(data, 5000, byte(1))
	f.Add(data[:len(data)-5000], 4100, byte(255))
	f.Fuzz(func(t *testing.T, data []byte, at int, value byte) {
		if at >= 0 && at < len(data) {
			data = bytes.Clone(data)
			data[at] = value
		}
		path := filepath.Join(t.TempDir(), "map.sqlite")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := Resume(path, oneColumn)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Add([]int64{1 << 40}, []byte("one more")); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Finish(); err != nil {
			t.Fatal(err)
		}
		file, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if !file.headed {
			t.Error("no header")
		}
	})
}
