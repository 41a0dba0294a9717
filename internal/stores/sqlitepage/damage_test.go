package sqlitepage

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/testing/tests"
)

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// fromBytes opens a database in memory, without a log.
func fromBytes(name string, data []byte) (*File, error) {
	f := &File{path: name, main: memory{bytes.NewReader(data)}, size: int64(len(data))}
	return f, f.start()
}

// sample is a database with a table, a history of changes, and free pages.
type sample struct {
	path   string
	data   []byte
	truth  map[int64][]any
	shapes []Shape
	// The pages of each row: its leaf and overflow pages.
	where map[int64][]uint32
}

func exec(t testing.TB, conn *sqlite.Conn, query string, args ...any) {
	t.Helper()
	if err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{Args: args}); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

var blockShape = Shape{Table: "blocks", Columns: []Kinds{Integer, Blob}}

func newSample(t testing.TB, r *rand.Rand, pageSize int, churn bool) *sample {
	t.Helper()
	s := &sample{path: filepath.Join(t.TempDir(), "map.sqlite")}
	conn, err := sqlite.OpenConn(s.path, sqlite.OpenReadWrite|sqlite.OpenCreate) // otherwise WAL mode and another page size
	if err != nil {
		t.Fatal(err)
	}
	exec(t, conn, "PRAGMA journal_mode=DELETE")
	exec(t, conn, "PRAGMA synchronous=OFF")
	exec(t, conn, fmt.Sprintf("PRAGMA page_size=%d", pageSize))
	exec(t, conn, "CREATE TABLE blocks (pos INT PRIMARY KEY, data BLOB)")
	exec(t, conn, "BEGIN")
	blob := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(1 + r.IntN(255))
		}
		return b
	}
	n := 300 + r.IntN(1500)
	for i := range n {
		size := r.IntN(pageSize / 2)
		if r.IntN(20) == 0 {
			size = r.IntN(5 * pageSize)
		}
		exec(t, conn, "INSERT INTO blocks VALUES (?, ?)", i*7-3000, blob(size))
	}
	exec(t, conn, "COMMIT")
	if churn {
		exec(t, conn, "DELETE FROM blocks WHERE pos BETWEEN ? AND ?", r.IntN(n*7)-3000, r.IntN(n*7)-1000)
		for range 100 {
			exec(t, conn, "REPLACE INTO blocks VALUES (?, ?)", r.IntN(n)*7-3000, blob(r.IntN(pageSize)))
		}
		exec(t, conn, "BEGIN")
		for i := range n {
			if r.IntN(3) == 0 {
				exec(t, conn, "DELETE FROM blocks WHERE pos = ?", i*7-3000)
			}
		}
		exec(t, conn, "COMMIT")
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if s.data, err = os.ReadFile(s.path); err != nil {
		t.Fatal(err)
	}
	f, err := fromBytes("map.sqlite", s.data)
	if err != nil {
		t.Fatal(err)
	}
	if f.PageSize != pageSize {
		t.Fatalf("pages have %d bytes, want %d", f.PageSize, pageSize)
	}
	list, whole := f.Schema(context.Background())
	if !whole || len(list) != 2 {
		t.Fatalf("the schema is %v", list)
	}
	shape := blockShape
	for _, o := range list {
		if o.Kind == "table" {
			shape.Root = o.Root
		} else {
			shape.Indexes = []uint32{o.Root}
		}
	}
	s.shapes = []Shape{shape}
	s.truth, s.where = make(map[int64][]any), make(map[int64][]uint32)
	losses, err := f.Rows(context.Background(), s.shapes, func(r Row) error {
		s.truth[r.RowID] = r.Values
		s.where[r.RowID] = []uint32{r.Page}
		return nil
	})
	if err != nil || len(losses) > 0 {
		t.Fatalf("of a sound file is lost: %v, %v", losses, err)
	}
	s.sameAsSQLite(t)
	for id, pages := range s.where {
		s.where[id] = append(pages, f.chain(t, pages[0], id)...)
	}
	return s
}

// chain returns the overflow pages of a row.
func (f *File) chain(t testing.TB, leaf uint32, rowid int64) (pages []uint32) {
	data, _ := f.read(leaf)
	p, err := f.parse(leaf, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.cells {
		for next := c.overflow; c.rowid == rowid && next != 0; {
			pages = append(pages, next)
			data, _ := f.read(next)
			next = binary.BigEndian.Uint32(data)
		}
	}
	return pages
}

// sameAsSQLite checks that SQLite reads the same rows.
func (s *sample) sameAsSQLite(t testing.TB) {
	t.Helper()
	conn, err := sqlite.OpenConn(s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	n := 0
	err = sqlitex.ExecuteTransient(conn, "SELECT rowid, pos, data FROM blocks", &sqlitex.ExecOptions{ResultFunc: func(q *sqlite.Stmt) error {
		n++
		data := make([]byte, q.ColumnLen(2))
		q.ColumnBytes(2, data)
		if want := []any{q.ColumnInt64(1), data}; !reflect.DeepEqual(s.truth[q.ColumnInt64(0)], want) {
			t.Errorf("row %d is %.40v, want %.40v", q.ColumnInt64(0), s.truth[q.ColumnInt64(0)], want)
		}
		return nil
	}})
	if err != nil || n != len(s.truth) {
		t.Fatalf("SQLite reads %d rows, %v, this package %d", n, err, len(s.truth))
	}
}

// TestDamage tests that, whatever pages are damaged, no row is wrong, and each row with intact pages is found.
func TestDamage(t *testing.T) {
	rounds := 60
	if !tests.Long(t) {
		rounds = 10
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		s := newSample(t, r, 512<<r.IntN(4), seed%2 == 1)
		f, _ := fromBytes("map.sqlite", s.data)
		size := f.PageSize
		pages := len(s.data) / size
		begin := bytes.Clone(s.data) // the header and the root page of the table
		clear(begin[:2*size])
		check(t, fmt.Sprintf("seed %d, without its beginning", seed), s, begin, map[uint32]bool{1: true, 2: true})
		for range 6 {
			data := bytes.Clone(s.data)
			hit := make(map[uint32]bool)
			how := []string{"zeroed", "garbled", "of 0xff", "cut off"}[r.IntN(4)]
			if how == "cut off" {
				keep := 1 + r.IntN(len(data)-1)
				data = data[:keep]
				for p := keep/size + 1; p <= pages; p++ {
					hit[uint32(p)] = true
				}
			} else {
				for range 1 + r.IntN(1+pages/8) {
					p := r.IntN(pages)
					hit[uint32(p+1)] = true
					page := data[p*size : (p+1)*size]
					for i := range page {
						switch how {
						case "zeroed":
							page[i] = 0
						case "garbled":
							page[i] = byte(r.Uint32())
						default:
							page[i] = 0xff
						}
					}
				}
			}
			check(t, fmt.Sprintf("seed %d, pages %s: %v", seed, how, hit), s, data, hit)
		}
	}
}

func check(t *testing.T, name string, s *sample, data []byte, hit map[uint32]bool) {
	t.Helper()
	f, err := fromBytes("map.sqlite", data)
	if err != nil {
		for id, pages := range s.where {
			if intact(pages, hit) {
				t.Fatalf("%s: %v, but row %d is intact", name, err, id)
			}
		}
		return
	}
	shapes := s.shapes
	if list, whole := f.Schema(context.Background()); !whole || len(list) == 0 {
		shapes = []Shape{blockShape}
	}
	got := make(map[int64]bool)
	stale := 0
	losses, err := f.Rows(context.Background(), shapes, func(r Row) error {
		if got[r.RowID] {
			return nil // the first version is valid
		}
		got[r.RowID] = true
		if !reflect.DeepEqual(r.Values, s.truth[r.RowID]) {
			stale++
			if !r.Found {
				t.Errorf("%s: row %d of page %d is wrong", name, r.RowID, r.Page)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	doubt := false
	for _, l := range losses {
		doubt = doubt || l.Doubt
	}
	if stale > 0 && !doubt {
		t.Errorf("%s: %d rows are wrong, and nothing is said of doubt", name, stale)
	}
	lost := 0
	for id, pages := range s.where {
		if got[id] {
			continue
		}
		lost++
		if intact(pages, hit) && !clashes(losses, id) {
			t.Errorf("%s: row %d of the intact pages %v is not found", name, id, pages)
		}
	}
	if lost > 0 && len(losses) == 0 {
		t.Errorf("%s: %d rows are lost, and nothing is said", name, lost)
	}
}

func intact(pages []uint32, hit map[uint32]bool) bool {
	for _, p := range pages {
		if hit[p] {
			return false
		}
	}
	return true
}

// clashes reports whether it is unknown which of two versions of a row is newer.
func clashes(losses []Loss, id int64) bool {
	for _, l := range losses {
		if l.Row && l.RowID == id {
			return true
		}
	}
	return false
}

// TestManyPages tests that a page count of billions in a header or log costs no more than the existing pages.
func TestManyPages(t *testing.T) {
	s := newSample(t, rand.New(rand.NewPCG(3, 3)), 512, true)
	const many = 0xf0000000

	header := bytes.Clone(s.data)
	binary.BigEndian.PutUint32(header[28:], many)

	var log []byte
	log = binary.BigEndian.AppendUint32(log, 0x377f0683)
	log = binary.BigEndian.AppendUint32(log, 3007000)
	log = binary.BigEndian.AppendUint32(log, 512)
	log = append(log, make([]byte, 12)...)
	sum := walSum{order: binary.BigEndian}
	sign := func() {
		log = binary.BigEndian.AppendUint32(log, sum.a)
		log = binary.BigEndian.AppendUint32(log, sum.b)
	}
	sum.add(log)
	sign()
	frame := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, many-1), many) // page number, page count
	page := make([]byte, 512)
	sum.add(frame)
	sum.add(page)
	log = append(append(log, frame...), log[16:24]...)
	sign()
	log = append(log, page...)

	for _, c := range []struct {
		name      string
		data, log []byte
		inLog     int64
	}{{"header", header, nil, 0}, {"log", s.data, log, 1}} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "map.sqlite")
			for suffix, data := range map[string][]byte{"": c.data, "-wal": c.log} {
				if err := os.WriteFile(path+suffix, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if want := (many - c.inLog - int64(len(s.data)/512)) * 512; f.Missing() != want {
				t.Errorf("%d bytes are missing, want %d", f.Missing(), want)
			}
			f.Schema(t.Context())
			got := make(map[int64]bool)
			if _, err := f.Rows(t.Context(), []Shape{blockShape}, func(r Row) error { got[r.RowID] = true; return nil }); err != nil {
				t.Fatal(err)
			}
			for id := range s.truth {
				if !got[id] {
					t.Errorf("row %d is not found", id)
				}
			}
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
				t.Errorf("%d bytes are allocated for a file of %d", used, len(s.data))
			}
		})
	}
}

// FuzzRows tests that changed bytes never cause a panic or an endless loop.
func FuzzRows(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{512, 1024} {
		s := newSample(f, r, size, true)
		f.Add(s.data[:min(len(s.data), 20*size)])
		f.Add(s.data[size:min(len(s.data), 10*size)])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := fromBytes("x", data)
		if err != nil {
			return
		}
		list, _ := file.Schema(t.Context())
		const every = Null | Integer | Float | Text | Blob
		shapes := []Shape{blockShape, {Table: "b", Root: 3, Columns: []Kinds{every, every, every}}}
		for _, o := range list {
			shapes = append(shapes, Shape{Table: o.Name, Root: o.Root, Columns: []Kinds{every, every}})
		}
		limit := len(data)
		if _, err := file.Rows(t.Context(), shapes, func(Row) error {
			if limit--; limit < 0 {
				t.Fatal("more rows than bytes")
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
}
