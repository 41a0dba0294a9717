package sqlitepage

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// counted counts the reads of a file.
type counted struct {
	io.ReaderAt
	reads int
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	c.reads++
	return c.ReaderAt.ReadAt(b, at)
}

// readAll reads every table in every order that its indexes have, and returns the number of rows and the errors.
func readAll(t testing.TB, db *DB) (rows int, bad []error) {
	for _, o := range db.Objects() {
		if o.Kind != "table" {
			continue
		}
		table, err := db.Table(o.Name)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		orders := [][]string{nil}
		for _, ix := range table.indexes {
			if c := ix.keys[0].column; c >= 0 {
				orders = append(orders, []string{table.Columns[c].Name})
			}
		}
		for _, columns := range orders {
			order, err := table.Order(columns...)
			if err != nil {
				t.Fatal(err)
			}
			for e, err := range order.Range(t.Context(), Range{}) {
				for i := range table.Columns {
					if err == nil {
						_, err = e.Value(i)
					}
				}
				if err != nil {
					bad = append(bad, err)
				} else {
					rows++
				}
			}
		}
	}
	return rows, bad
}

// orderSeeds are small databases with all forms of tables.
func orderSeeds(t testing.TB) (seeds [][]byte) {
	r := rand.New(rand.NewPCG(9, 9))
	for i, size := range []int{512, 1024, 4096} {
		path, conn := buildOrders(t, r, size, 8*i, []string{"UTF-8", "UTF-16be", "UTF-16le"}[i], 3)
		for _, table := range orderTables {
			for _, c := range columnsOf(t, conn, table.name, "hidden = 0") {
				exec(t, conn, "DELETE FROM "+table.name+" WHERE length("+quote(c)+") > 2000")
			}
		}
		exec(t, conn, "VACUUM")
		exec(t, conn, "PRAGMA wal_checkpoint(TRUNCATE)")
		conn.Close()
		data := judge.Read(t, path)
		seeds = append(seeds, data)
	}
	return seeds
}

// readDamaged reads everything of a damaged database, and tests that the number of reads is limited.
func readDamaged(t testing.TB, data, log []byte) {
	in := &counted{ReaderAt: bytes.NewReader(data)}
	db, err := newDB(t.Context(), "a.sqlite", in, int64(len(data)), bytes.NewReader(log), int64(len(log)))
	var bad []error
	if err == nil {
		_, bad = readAll(t, db)
	} else {
		bad = []error{err}
	}
	for _, err := range bad {
		if !errors.Is(err, fault.ErrFormat) && !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("an error of another kind: %v", err)
		}
	}
	if db != nil {
		// Each pass reads each page once, and for each of its rows a path from the root.
		passes := len(db.Objects()) * (len(db.Objects()) + 1)
		if limit := (passes + 1) * (len(data)/db.file.PageSize + 2) * (db.file.PageSize/4 + 2) * maxDepth; in.reads > limit {
			t.Fatalf("%d reads of %d bytes", in.reads, len(data))
		}
	}
}

// TestDamagedOrders tests that damage is an error with the number of its page, and that reading ends.
func TestDamagedOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, seed := range orderSeeds(t) {
		for range tests.Of(t, 60, 5000) {
			data := bytes.Clone(seed)
			for range 1 + r.IntN(8) {
				switch at := r.IntN(len(data)); r.IntN(3) {
				case 0:
					data[at] = byte(r.Uint32())
				case 1:
					data[at] ^= 1 << r.IntN(8)
				case 2: // copy a page over another
					size := 512
					copy(data[at/size*size:], data[r.IntN(len(data))/size*size:][:size])
				}
			}
			if r.IntN(10) == 0 {
				data = data[:r.IntN(len(data))]
			}
			readDamaged(t, data, nil)
		}
	}
}

// FuzzDB tests that any bytes end in rows or errors.
func FuzzDB(f *testing.F) {
	for _, seed := range orderSeeds(f) {
		f.Add(seed, []byte{})
		f.Add(seed[:len(seed)/2], seed)
	}
	f.Fuzz(func(t *testing.T, data, log []byte) { readDamaged(t, data, log) })
}

// TestCircle tests that trees and rows whose pages form a circle end with an error.
func TestCircle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sqlite")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, conn, "PRAGMA page_size=512")
	exec(t, conn, "PRAGMA journal_mode=DELETE")
	exec(t, conn, "CREATE TABLE blocks (pos INT PRIMARY KEY, data BLOB)")
	for i := range 500 {
		exec(t, conn, "INSERT INTO blocks VALUES (?, ?)", i, bytes.Repeat([]byte{1}, 30+i%7*300))
	}
	conn.Close()
	sound := judge.Read(t, path)
	open := func(data []byte) *DB {
		db, err := newDB(t.Context(), path, bytes.NewReader(data), int64(len(data)), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	if rows, bad := readAll(t, open(sound)); rows != 1000 || bad != nil {
		t.Fatalf("%d rows, %v", rows, bad)
	}
	table, err := open(sound).Table("blocks")
	if err != nil {
		t.Fatal(err)
	}
	root := int(table.main.root)
	chain, size := 0, 0 // the first overflow page of a long row
	for e, err := range must(table.Order()).Range(t.Context(), Range{}) {
		if err == nil && e.cell.payload > 1500 {
			chain, size = int(e.next), int(e.cell.payload)
			break
		}
	}
	if chain == 0 || size < 1500 {
		t.Fatal("no long row")
	}
	for name, damage := range map[string]func(data []byte){
		"a child is the root":       func(data []byte) { binary.BigEndian.PutUint32(data[(root-1)*512+8:], uint32(root)) },
		"all children are one":      func(data []byte) { copyChildren(data[(root-1)*512:]) },
		"a row continues in itself": func(data []byte) { binary.BigEndian.PutUint32(data[(chain-1)*512:], uint32(chain)) },
	} {
		data := bytes.Clone(sound)
		damage(data)
		db := open(data)
		rows, bad := readAll(t, db)
		if name != "a row continues in itself" && (len(bad) == 0 || rows >= 1000) {
			t.Errorf("%s: %d rows, %v", name, rows, bad)
		}
		for _, err := range bad {
			if !strings.Contains(err.Error(), "page ") || !errors.Is(err, fault.ErrFormat) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	// A record that claims to be large is read as far as the file goes.
	data := bytes.Clone(sound)
	binary.BigEndian.PutUint32(data[(chain-1)*512:], uint32(chain))
	table, err = open(data).Table("blocks")
	if err != nil {
		t.Fatal(err)
	}
	e := &Entry{w: table.main.walk(t.Context()), page: 2, cell: cell{payload: MaxPayload}, next: uint32(chain)}
	if err := e.load(MaxPayload); !errors.Is(err, fault.ErrFormat) || len(e.data) > len(data) {
		t.Errorf("%d bytes of %d, %v", len(e.data), len(data), err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// copyChildren makes all children of an inner page of a table the first child.
func copyChildren(page []byte) {
	for i := range int(binary.BigEndian.Uint16(page[3:])) {
		at, first := binary.BigEndian.Uint16(page[12+2*i:]), binary.BigEndian.Uint16(page[12:])
		copy(page[at:at+4], page[first:])
	}
}

// TestReads tests that a lookup reads only the pages on the way to a row, and that few pages stay in memory.
func TestReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sqlite")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, conn, "PRAGMA journal_mode=DELETE")
	exec(t, conn, "CREATE TABLE blocks (pos INT PRIMARY KEY, data BLOB)")
	exec(t, conn, "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<12000) "+
		"INSERT INTO blocks SELECT i * 7919 % 12007, zeroblob(900) FROM n")
	conn.Close()
	data := judge.Read(t, path)
	in := &counted{ReaderAt: bytes.NewReader(data)}
	db, err := newDB(t.Context(), path, in, int64(len(data)), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	table, err := db.Table("BLOCKS")
	if err != nil {
		t.Fatal(err)
	}
	order, err := table.Order("pos")
	if err != nil {
		t.Fatal(err)
	}
	if in.reads > 4 {
		t.Errorf("opening reads %d times", in.reads)
	}
	in.reads = 0
	rows := 0
	for e, err := range order.Range(t.Context(), Range{From: []any{int64(7000)}, To: []any{int64(7000)}}) {
		if v, bad := e.Value(1); err != nil || bad != nil || len(v.([]byte)) != 900 {
			t.Fatal(err, bad)
		}
		rows++
	}
	if rows != 1 || in.reads > 7 {
		t.Errorf("%d rows in %d reads", rows, in.reads)
	}
	if rows, bad := readAll(t, db); rows != 24000 || bad != nil || len(db.pages) != cacheBytes/4096 || len(db.ring) != len(db.pages) {
		t.Errorf("%d rows, %v, %d of %d pages in memory", rows, bad, len(db.pages), len(data)/4096)
	}
}

// TestUnsupported tests the errors for tables that are not stored as tables.
func TestUnsupported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sqlite")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, conn, "CREATE TABLE a (x INT, y INT AS (x + 1))")
	exec(t, conn, "INSERT INTO a VALUES (1)")
	exec(t, conn, "CREATE VIEW v AS SELECT x FROM a")
	conn.Close()
	db, err := OpenDB(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Table("v"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a view: %v", err)
	}
	if _, err := db.Table("b"); !errors.Is(err, ErrNoTable) {
		t.Errorf("no table: %v", err)
	}
	a, err := db.Table("a")
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range must(a.Order()).Range(t.Context(), Range{}) {
		if v, bad := e.Value(0); err != nil || bad != nil || v != int64(1) {
			t.Errorf("%v, %v, %v", v, err, bad)
		}
		if _, err := e.Value(1); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("a generated column: %v", err)
		}
	}
	if _, err := OpenDB(t.Context(), t.TempDir()); err == nil {
		t.Error("a folder is opened")
	}
}

// TestCorpusTables tests that all rows of all tables of real files are those of SQLite.
func TestCorpusTables(t *testing.T) {
	files := 0
	for _, pattern := range []string{"*/*.sqlite", "*/*/*.sqlite", "*/*/*/*.sqlite"} {
		paths, err := filepath.Glob(filepath.Join(tests.Corpus(t, "minetest"), pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			db, err := OpenDB(t.Context(), path)
			if errors.Is(err, fault.ErrFormat) {
				continue // an empty file, or another type of file with this name
			}
			if err != nil {
				t.Fatal(err)
			}
			files++
			conn, err := sqlite.OpenConn("file:"+path+"?immutable=1", sqlite.OpenReadOnly|sqlite.OpenURI)
			if err != nil {
				t.Fatal(err)
			}
			tables := 0
			for _, o := range db.Objects() {
				if o.Kind != "table" {
					continue
				}
				table, err := db.Table(o.Name)
				if err != nil {
					t.Fatal(err)
				}
				tables++
				query := "SELECT * FROM " + quote(o.Name) + " ORDER BY "
				if got, want := readOrder(t, table, "", Range{}), rowsOf(t, conn, query+"rowid"); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %s: %d rows, %d in SQLite", path, o.Name, len(got), len(want))
				}
				for _, c := range table.Columns {
					got := readOrder(t, table, c.Name, Range{})
					if want := rowsOf(t, conn, query+quote(c.Name)); !sameSet(got, want) {
						t.Errorf("%s: %s by %s: %d rows, %d in SQLite", path, o.Name, c.Name, len(got), len(want))
					}
				}
			}
			if tables == 0 {
				t.Errorf("%s: no tables", path)
			}
			conn.Close()
			db.Close()
		}
	}
	if files < 10 {
		t.Errorf("%d files", files)
	}
}

func sameSet(a, b [][]any) bool {
	count := make(map[string]int)
	for _, row := range a {
		count[fmt.Sprint(row)]++
	}
	for _, row := range b {
		count[fmt.Sprint(row)]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// newDB opens a database in main. The log is the write-ahead log or the journal; nil if there is none. The name is for
// errors. Close does not close the readers.
func newDB(ctx context.Context, name string, main io.ReaderAt, size int64, log io.ReaderAt, logSize int64) (*DB, error) {
	f := &File{path: name, main: unowned{main}, size: size}
	if err := f.startSound(); err != nil {
		return nil, err
	}
	if log != nil {
		log := unowned{log}
		if f.readLog(log, logSize) || f.readJournal(log, logSize) {
			f.log = log
			f.restart()
		}
	}
	return openDB(ctx, f)
}

// unowned is a reader that the caller closes.
type unowned struct{ io.ReaderAt }

func (unowned) Close() error { return nil }
