package mapdb

import (
	"bytes"
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/fault"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// snapshot returns the names, times and contents of the files below a folder.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		text := fmt.Sprint(info.ModTime(), info.Mode())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += fmt.Sprint(md5.Sum(data))
		}
		all[path] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func unchanged(t testing.TB, dir string, before map[string]string) {
	t.Helper()
	after := snapshot(t, dir)
	for _, path := range []map[string]string{before, after} {
		for name := range path {
			if before[name] != after[name] {
				t.Errorf("%s was %q, is %q", name, before[name], after[name])
			}
		}
	}
}

// native opens a database directly with SQLite, as any other program would.
func native(t testing.TB, dir string, script string) *sqlite.Conn {
	t.Helper()
	conn, err := sqlite.OpenConn(sqlitePath(dir), sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	run(t, conn, script)
	return conn
}

func run(t testing.TB, conn *sqlite.Conn, script string) {
	t.Helper()
	for s := range strings.SplitSeq(script, ";") {
		if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil && strings.TrimSpace(s) != "" {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

const oneBlock = tablePos + "; INSERT INTO blocks VALUES (0, x'01')"

// read returns all blocks and the errors of rows.
func read(t testing.TB, db DB) (map[Pos][]byte, []*RowError) {
	t.Helper()
	all, bad, err := readAll(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return all, bad
}

func readAll(ctx context.Context, db DB) (all map[Pos][]byte, bad []*RowError, err error) {
	all = map[Pos][]byte{}
	for b, err := range db.Blocks(ctx, All()) {
		var row *RowError
		switch {
		case errors.As(err, &row):
			bad = append(bad, row)
		case err != nil:
			return all, bad, err
		default:
			all[b.Pos] = b.Data
		}
	}
	return all, bad, nil
}

// TestSQLiteStates tests that a database in any state is read correctly without changing anything in its folder.
func TestSQLiteStates(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	copyTo := func(t *testing.T, from string, names ...string) string {
		to := t.TempDir()
		for _, n := range names {
			if err := copyFile(sqlitePath(to)+n, sqlitePath(from)+n); err != nil {
				t.Fatal(err)
			}
		}
		return to
	}
	wal := func(t *testing.T) string { // a database in use whose log holds all rows
		dir := t.TempDir()
		conn := native(t, dir, "PRAGMA journal_mode=wal;"+oneBlock)
		t.Cleanup(func() { conn.Close() })
		return dir
	}
	for _, c := range []struct {
		name string
		dir  func(t *testing.T) string
	}{
		{"closed", func(t *testing.T) string {
			dir := t.TempDir()
			native(t, dir, oneBlock).Close()
			return dir
		}},
		{"open", func(t *testing.T) string {
			dir := t.TempDir()
			conn := native(t, dir, oneBlock)
			t.Cleanup(func() { conn.Close() })
			return dir
		}},
		{"in a transaction", func(t *testing.T) string {
			dir := t.TempDir()
			conn := native(t, dir, oneBlock+"; BEGIN; DELETE FROM blocks")
			t.Cleanup(func() { conn.Close() })
			return dir
		}},
		{"after a crash in a transaction", func(t *testing.T) string {
			dir := t.TempDir()
			conn := native(t, dir, oneBlock+"; PRAGMA cache_size=1; BEGIN; DELETE FROM blocks; CREATE TABLE t (a);"+
				"WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<500) INSERT INTO t SELECT randomblob(900) FROM n")
			t.Cleanup(func() { conn.Close() })
			return copyTo(t, dir, "", "-journal")
		}},
		{"wal, closed", func(t *testing.T) string {
			dir := t.TempDir()
			native(t, dir, "PRAGMA journal_mode=wal;"+oneBlock).Close()
			return dir
		}},
		{"wal, open", wal},
		{"wal, after a crash", func(t *testing.T) string { return copyTo(t, wal(t), "", "-wal", "-shm") }},
		{"wal, without its -shm", func(t *testing.T) string { return copyTo(t, wal(t), "", "-wal") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := c.dir(t)
			before := snapshot(t, dir)
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			db, err := Open(t.Context(), dir, Config{})
			if err != nil {
				t.Fatal(err)
			}
			all, bad := read(t, db)
			if len(bad) > 0 || len(all) != 1 || string(all[Pos{}]) != "\x01" {
				t.Errorf("%v, %v", all, bad)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			comparePages(t, dir)
			if c.name == "wal, open" {
				// Both connections are in this process, and SQLite lets them share the -shm file.
				before[sqlitePath(dir)+"-shm"] = snapshot(t, dir)[sqlitePath(dir)+"-shm"]
			}
			unchanged(t, dir, before)
			if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestSQLiteBegins tests that an unused database is read correctly after another program begins to use it.
func TestSQLiteBegins(t *testing.T) {
	dir := t.TempDir()
	native(t, dir, "PRAGMA journal_mode=wal;"+oneBlock).Close()
	db := open(t, dir, Config{})
	read(t, db)
	conn := native(t, dir, "INSERT INTO blocks VALUES (1, x'02')")
	defer conn.Close()
	if all, _ := read(t, db); len(all) != 2 {
		t.Errorf("%d blocks", len(all))
	}
	run(t, conn, "INSERT INTO blocks VALUES (2, x'03')")
	if all, _ := read(t, db); len(all) != 3 {
		t.Errorf("%d blocks", len(all))
	}
}

// TestSQLiteForeignSchema tests that columns, indexes and triggers of other programs are kept and work.
func TestSQLiteForeignSchema(t *testing.T) {
	const mapserver = "CREATE TABLE `blocks` (`pos` INT NOT NULL PRIMARY KEY, `data` BLOB, mtime integer default 0);" +
		"CREATE INDEX blocks_mtime ON blocks(mtime); INSERT INTO blocks VALUES (5, x'00', 42)"
	dir := t.TempDir()
	conn := native(t, dir, mapserver)
	err := sqlitex.ExecuteTransient(conn, "CREATE TRIGGER touched AFTER UPDATE ON blocks FOR EACH ROW BEGIN UPDATE "+
		"blocks SET mtime = 43 WHERE pos = old.pos AND mtime = 42; END", nil)
	if err != nil {
		t.Fatal(err)
	}
	schema := func() (all string) {
		sqlitex.ExecuteTransient(conn, "SELECT sql FROM sqlite_master ORDER BY 1", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			all += s.ColumnText(0) + "\n"
			return nil
		}})
		return all
	}
	before := schema()
	w, err := OpenForWriting(t.Context(), dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	put(t, w, Pos{X: 5}, []byte("new"))
	put(t, w, Pos{X: 6}, []byte("other"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if after := schema(); after != before || !strings.Contains(before, "TRIGGER") {
		t.Errorf("the schema was\n%s\nand is\n%s", before, after)
	}
	got := ""
	sqlitex.ExecuteTransient(conn, "SELECT pos, data, mtime FROM blocks ORDER BY pos",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			got += fmt.Sprintln(s.ColumnText(0), s.ColumnText(1), s.ColumnText(2))
			return nil
		}})
	if want := "5 new 43\n6 other 0\n"; got != want {
		t.Errorf("rows:\n%swant:\n%s", got, want)
	}
	conn.Close()
}

// TestSQLiteHostile tests that invalid rows are reported one by one and that no valid row is lost.
func TestSQLiteHostile(t *testing.T) {
	tests.NotRaced(t, "reads many damaged files, one after the other")
	defer func(was time.Duration) { pageTime = was }(pageTime)
	pageTime = time.Hour // where a page ends decides how many rows with NULL are named
	const loose = "CREATE TABLE blocks (pos, data);"
	many := "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<3000) INSERT INTO blocks SELECT "
	for _, c := range []struct {
		name, script string
		blocks, bad  int
		open         bool
	}{
		{"text", tablePos + "; INSERT INTO blocks VALUES (1, 'text'), (2, x'02'), (3, NULL), (4, 7), (5, 1.5)", 1, 4, true},
		{"keys", tablePos + "; INSERT INTO blocks VALUES (1, x'01'), ('a', x'01'), (x'00', x'01'), (1.5, x'01'), (1e300, " +
			"x'01'), (NULL, x'01'), (NULL, x'02'), (-9223372036854775808, x'01'), (34359738368, x'01')", 1, 8, true},
		{"xyz keys", tableXYZ + "; INSERT INTO blocks VALUES (1, 2, 3, x'01'), (NULL, 2, 3, x'01'), (1, NULL, 3, x'01'), " +
			"(1, 2, NULL, x'01'), ('a', 2, 3, x'01'), (1, x'00', 3, x'01'), (1, 2, 99999, x'01'), (1.5, 2, 3, x'01')", 1, 7, true},
		{"many NULL keys", tablePos + "; INSERT INTO blocks VALUES (1, x'01');" + many + "NULL, x'01' FROM n", 1, 257, true},
		{"many text keys", tablePos + "; INSERT INTO blocks VALUES (1, x'01');" + many + "'key' || i, x'01' FROM n", 1, 3000, true},
		{"many xyz NULLs", tableXYZ + "; INSERT INTO blocks VALUES (1, 1, 1, x'01');" +
			"WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<3000) INSERT INTO blocks SELECT i % 3, " +
			"NULL, i, x'01' FROM n", 1, 257, true},
		{"no primary key", loose + "INSERT INTO blocks VALUES (1, x'01'), ('2', x'02')", 1, 1, true},
		{"huge", tablePos + "; INSERT INTO blocks VALUES (1, zeroblob(67108865)), (2, x'01')", 1, 1, true},
		{"huge generated", "CREATE TABLE blocks (pos INT PRIMARY KEY, data AS (zeroblob(900000000))); INSERT INTO blocks " +
			"(pos) VALUES (1)", 0, 0, false},
		{"names", "CREATE TABLE \"blocks\" (\"pos\" INT PRIMARY KEY, data BLOB, \"x) DROP TABLE blocks --\" TEXT); " +
			"INSERT INTO blocks VALUES (1, x'01', '')", 1, 0, true},
		{"capitals", "CREATE TABLE Blocks (POS INT PRIMARY KEY, Data BLOB); INSERT INTO blocks VALUES (1, x'01')", 1, 0, true},
		{"a view", "CREATE TABLE t (a); CREATE VIEW blocks AS SELECT 1 AS pos, zeroblob(1000000000) AS data", 0, 0, false},
		{"no table", "CREATE TABLE block (pos, data)", 0, 0, false},
		{"other columns", "CREATE TABLE blocks (x, y, data)", 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			native(t, dir, c.script).Close()
			db, err := Open(t.Context(), dir, Config{})
			if pages, failed := openPages(t.Context(), sqlitePath(dir)); (failed == nil) != c.open {
				t.Errorf("without SQLite: %v", failed)
			} else if failed == nil {
				pages.Close()
			}
			if !c.open {
				var e *fault.Error
				if !errors.As(err, &e) || e.File == "" {
					t.Errorf("Open = %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			comparePages(t, dir)
			all, bad, err := readAll(t.Context(), db)
			if err != nil || len(all) != c.blocks || len(bad) != c.bad {
				t.Errorf("%d blocks, %d errors, %v; want %d, %d", len(all), len(bad), err, c.blocks, c.bad)
			}
			for _, row := range bad {
				var e *fault.Error
				if !errors.As(row, &e) || e.Want == "" || len(row.Error()) > 400 {
					t.Errorf("%v", row)
				}
			}
			n := 0
			for range db.Positions(t.Context(), All()) {
				n++
			}
			if n < len(all) {
				t.Errorf("%d positions", n)
			}
		})
	}
	for _, content := range []string{"", "SQLite format 3\x00", strings.Repeat("no database ", 100)} {
		dir := t.TempDir()
		judge.Write(t, sqlitePath(dir), []byte(content))
		var e *fault.Error
		if _, err := Open(t.Context(), dir, Config{}); !errors.As(err, &e) {
			t.Errorf("%.20q: %v", content, err)
		}
	}
	if _, err := Open(t.Context(), t.TempDir(), Config{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Open(t.Context(), t.TempDir(), Config{Backend: "oracle"}); !errors.Is(err, fault.ErrVersion) {
		t.Errorf("unknown backend: %v", err)
	}
}

// TestSQLiteDamage tests that the undamaged pages of a damaged file are read.
func TestSQLiteDamage(t *testing.T) {
	tests.NotRaced(t, "reads many damaged files, one after the other")
	for _, schema := range []Schema{SchemaPos, SchemaXYZ} {
		dir := t.TempDir()
		want := damagedWorld(t, dir, schema)
		good := judge.Read(t, sqlitePath(dir))
		const page = 4096
		most := 0
		for n := 2; n < len(good)/page; n += 1 + len(good)/page/tests.Of(t, 10, 40) {
			bad := bytes.Clone(good)
			clear(bad[n*page : (n+1)*page])
			judge.Write(t, sqlitePath(dir), bad)
			db, err := Open(t.Context(), dir, Config{})
			if err != nil {
				t.Fatal(err)
			}
			all, rows, err := readAll(t.Context(), db)
			for p, data := range all {
				if !bytes.Equal(data, want[p]) {
					t.Fatalf("page %d: %v is another block", n, p)
				}
			}
			if err != nil || len(all) < len(want) && len(rows) == 0 {
				t.Errorf("page %d: %d blocks of %d, %d errors, %v", n, len(all), len(want), len(rows), err)
			}
			most = max(most, len(all))
			db.Close()
		}
		if most < len(want)*7/10 { // one page of the index has the keys of 400 blocks
			t.Errorf("schema %v: at most %d of %d blocks", schema, most, len(want))
		}
		r := rand.New(rand.NewPCG(3, 4))
		for i := range tests.Of(t, 11, 40) {
			bad := bytes.Clone(good)
			for range 1 + r.IntN(20) {
				bad[r.IntN(len(bad))] = byte(r.Uint32())
			}
			judge.Write(t, sqlitePath(dir), bad[:len(bad)-r.IntN(2)*r.IntN(len(bad))])
			if db, err := Open(t.Context(), dir, Config{}); err == nil {
				readAll(t.Context(), db)
				if i%10 == 0 {
					db.Count(t.Context())
				}
				db.Close()
			}
		}
	}
}

// damagedWorld creates a database with several hundred pages.
func damagedWorld(t testing.TB, dir string, schema Schema) map[Pos][]byte {
	w, err := Create(t.Context(), dir, Config{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	want := map[Pos][]byte{}
	for i := range 2000 {
		want[Pos{int16(i % 20), int16(i / 20 % 10), int16(i / 200)}] = bytes.Repeat([]byte{byte(i)}, 300)
	}
	if _, err := Load(t.Context(), w, seq(want)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return want
}

// FuzzSQLite tests that the blocks read from any file round-trip.
func FuzzSQLite(f *testing.F) {
	for _, schema := range []Schema{SchemaPos, SchemaXYZ} {
		dir := f.TempDir()
		w, err := Create(f.Context(), dir, Config{Schema: schema})
		if err != nil {
			f.Fatal(err)
		}
		Load(f.Context(), w, seq(map[Pos][]byte{{1, 2, 3}: []byte("a"), {-1, 0, 0}: []byte("bb")}))
		w.Close()
		data := judge.Read(f, sqlitePath(dir))
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		judge.Write(t, sqlitePath(dir), data)
		db, err := Open(t.Context(), dir, Config{})
		if err != nil {
			return
		}
		defer db.Close()
		all, _, _ := readAll(t.Context(), db)
		w, err := Create(t.Context(), t.TempDir(), Config{Backend: LevelDB})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if n, err := Load(t.Context(), w, seq(all)); err != nil || n != int64(len(all)) {
			t.Fatalf("Load = %d, %v", n, err)
		}
		if again, bad := read(t, w); len(bad) > 0 || !maps.EqualFunc(all, again, bytes.Equal) {
			t.Fatalf("%d blocks, then %d", len(all), len(again))
		}
	})
}

// TestSQLiteFull tests that a full disk is reported as such.
func TestSQLiteFull(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	w, err := Create(t.Context(), t.TempDir(), Config{Backend: SQLite})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.(*sqliteWriter).exec(t.Context(), "PRAGMA max_page_count = 20"); err != nil {
		t.Fatal(err)
	}
	err = w.Update(t.Context(), func(tx Tx) error { return tx.Put(Pos{}, make([]byte, 1<<20)) })
	if !errors.Is(err, sqlitefile.ErrFull) || strings.Contains(err.Error(), "rollback") || strings.Contains(err.Error(), "can be read") {
		t.Error(err)
	}
	if n, err := w.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("%d blocks, %v", n, err)
	}
}

// TestRowsAlike tests that each row of a table without a unique key is read exactly once, wherever a page ends.
func TestRowsAlike(t *testing.T) {
	dir := t.TempDir()
	native(t, dir, "CREATE TABLE blocks (pos INT, data BLOB);"+
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < 9999) INSERT INTO blocks SELECT i/3, x'00' FROM n;"+
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < 9999) INSERT INTO blocks SELECT 5000, x'00' FROM n;"+
		"INSERT INTO blocks VALUES ('odd', x'00'), ('odd', x'00')").Close()
	db, err := Open(t.Context(), dir, Config{Backend: SQLite})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	seen := make(map[Pos]int)
	odd := 0
	for b, err := range db.Blocks(t.Context(), All()) {
		if err != nil {
			odd++
			continue
		}
		seen[b.Pos]++
	}
	wrong := 0
	for pos, n := range seen {
		if want := map[bool]int{true: 10000, false: 3}[pos.Key() == 5000]; n != want && pos.Key() != 3333 {
			t.Errorf("%v: %d rows, should be %d", pos, n, want)
			if wrong++; wrong > 5 {
				break
			}
		}
	}
	if len(seen) != 3335 || odd != 2 {
		t.Errorf("%d positions and %d rows at none", len(seen), odd)
	}
}

// TestCountSlabs tests that Count skips slabs without rows, includes those at both ends, and ignores keys that are
// not positions.
func TestCountSlabs(t *testing.T) {
	low, high := Pos{MinCoord, MinCoord, MinCoord}.Key(), Pos{MaxCoord, MaxCoord, MaxCoord}.Key()
	for _, script := range []string{
		tablePos + fmt.Sprintf(";INSERT INTO blocks (pos, data) VALUES (%d, x'01'), (%d, x'01'), (0, x'01'), (%d, "+
			"x'01'), (%d, x'01'), (1<<62, x'01'), (-(1<<62), x'01'), ('a', x'01'), (x'05', x'01')",
			low, high, Pos{MaxCoord, MaxCoord, 3}.Key(), Pos{MinCoord, MinCoord, 4}.Key()),
		tableXYZ + ";INSERT INTO blocks (x, y, z, data) VALUES (-2048, -2048, -2048, x'01'), (2047, 2047, 2047, x'01'), " +
			"(0, 0, 0, x'01'), (3, 2047, 2047, x'01'), (4, -2048, -2048, x'01')," +
			" (1<<62, 0, 0, x'01'), (-(1<<62), 0, 0, x'01'), ('a', 0, 0, x'01'), (0, 5000, 0, x'01')",
	} {
		dir := t.TempDir()
		native(t, dir, script).Close()
		db := open(t, dir, Config{})
		if n, err := db.Count(t.Context()); n != 5 || err != nil {
			t.Errorf("%s: %d, %v", script, n, err)
		}
	}
}

// BenchmarkCount measures counting a few blocks: the time must not depend on their positions.
func BenchmarkCount(b *testing.B) {
	dir := b.TempDir()
	native(b, dir, tablePos+";INSERT INTO blocks (pos, data) VALUES (0, x'01')").Close()
	db, err := Open(b.Context(), dir, Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for b.Loop() {
		if n, err := db.Count(b.Context()); n != 1 || err != nil {
			b.Fatal(n, err)
		}
	}
}
