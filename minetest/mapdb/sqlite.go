//go:build !js

package mapdb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/sqlitefile"
)

var sqliteBackend = Backend{
	Name:    SQLite,
	Files:   sqlitefile.Files(sqliteName),
	Targets: sqliteTargets,
	open: func(ctx context.Context, dir string, c Config) (DB, error) {
		db, err := openSQLite(ctx, filepath.Join(dir, sqliteName))
		if err != nil {
			return nil, err
		}
		if c.Unseen {
			return unseenSQLite{db}, nil
		}
		return db, nil
	},
	create: func(ctx context.Context, dir string, c Config) (Writer, error) {
		return createSQLite(ctx, filepath.Join(dir, sqliteName), c)
	},
	edit: func(ctx context.Context, dir string, c Config, force bool) (Writer, error) {
		return openSQLiteForWriting(ctx, filepath.Join(dir, sqliteName), c.Unseen, force)
	},
}

// sqliteDB is an SQLite database. It ignores unknown columns, indexes and triggers.
type sqliteDB struct {
	blockTable
	mu   sync.Mutex
	file *sqlitefile.File // the file to read: the rescued data after a rescue

	columns string // see dataColumns
	one     string // the query for the data of a block
	// rescues is set if data that SQLite cannot read should be read without SQLite.
	rescues bool
	sound   *sqlitefile.File // the file as SQLite reads it, while another one is read
	rescued *sqlitefile.File // the data rescued from the file
	largest int64            // the largest size of the file that scans saw, with its log, in bytes
	// stepped is the number of rows that scans have read, for tests.
	stepped int
}

func openSQLite(ctx context.Context, path string) (*sqliteDB, error) {
	f, err := sqlitefile.OpenOrRescue(ctx, path, knownTables)
	if err != nil {
		return nil, err
	}
	db, err := newSQLite(ctx, f)
	if sqlitefile.IsDamage(err) && !f.Rescued() {
		if err = f.Rescue(ctx, knownTables); err == nil {
			db, err = newSQLite(ctx, f)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	db.rescues = true
	return db, nil
}

// newSQLite determines the schema of an open database.
func newSQLite(ctx context.Context, f *sqlitefile.File) (*sqliteDB, error) {
	if err := f.Begin(ctx); err != nil {
		return nil, err
	}
	defer f.End()
	isTable, isView := false, false
	err := sqlitex.ExecuteTransient(f.Conn, "SELECT type='table' AND rootpage>0, type='view' FROM sqlite_master WHERE "+
		"type IN ('table', 'view') AND lower(name)='blocks'", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { isTable, isView = s.ColumnBool(0), s.ColumnBool(1); return nil },
	})
	if err != nil {
		return nil, f.Explain(err)
	}
	var columns []string
	first := "" // the first column of the primary key, if it holds integers
	err = sqlitex.ExecuteTransient(f.Conn, "PRAGMA table_info(blocks)", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			columns = append(columns, strings.ToLower(s.ColumnText(1)))
			isInt := strings.Contains(strings.ToLower(s.ColumnText(2)), "int")
			if isInt && s.ColumnInt(5) == 1 {
				first = columns[len(columns)-1]
			}
			return nil
		},
	})
	if err != nil {
		return nil, f.Explain(err)
	}
	layout, err := layoutOf(f.Path, isTable, isView, columns, first)
	if err != nil {
		return nil, err
	}
	db := &sqliteDB{blockTable: layout, file: f, columns: dataColumns()}
	db.one = "SELECT " + db.columns + " FROM blocks WHERE " + db.match("=", 3) + " LIMIT 1"
	return db, nil
}

// match returns a condition that compares the key, or its first column, with parameters.
func (db *sqliteDB) match(op string, columns int) string {
	switch {
	case db.schema == SchemaPos:
		return "pos " + op + " ?"
	case columns == 1:
		return "x " + op + " ?"
	}
	return "(x, z, y) " + op + " (?, ?, ?)"
}

// dataColumns selects the type and the size of the data first, so that data that is too large is not read.
func dataColumns() string {
	return fmt.Sprintf("typeof(data), octet_length(data), CASE WHEN typeof(data) = 'blob' AND "+
		"octet_length(data) <= %d THEN data END", effort.BlockData.Limit(0))
}

// Get returns the bytes of a block.
func (db *sqliteDB) Get(ctx context.Context, p Pos) (data []byte, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.file.Begin(ctx); err != nil {
		return nil, err
	}
	defer db.file.End()
	if data, err = db.get(p); db.rescue(ctx, err) {
		data, err = db.get(p)
	}
	if errors.Is(err, ErrNotFound) {
		for _, l := range db.file.Losses() {
			if l.Rows {
				return nil, db.lossError(l).at(p)
			}
		}
	} else if err != nil {
		err = errors.Join(ctx.Err(), err) // a canceled query is only "interrupted"
	}
	return data, err
}

func (db *sqliteDB) get(p Pos) (data []byte, err error) {
	found := false
	var row error
	err = sqlitex.Execute(db.file.Conn, db.one, &sqlitex.ExecOptions{
		Args: db.keyOf(p),
		ResultFunc: func(s *sqlite.Stmt) error {
			found = true
			data, row = db.data(s, 0, db.keyOf(p), p)
			return nil
		},
	})
	switch {
	case err != nil:
		return nil, db.file.Explain(err)
	case !found:
		return nil, notFound(p)
	}
	return data, row
}

// data reads the columns of dataColumns, beginning at col.
func (db *sqliteDB) data(s *sqlite.Stmt, col int, key []any, p Pos) ([]byte, error) {
	// The third column is NULL for data that is too large.
	if s.ColumnType(col+2) == sqlite.TypeBlob {
		data := make([]byte, s.ColumnLen(col+2))
		s.ColumnBytes(col+2, data)
		return data, nil
	}
	if kind := s.ColumnText(col); kind != "blob" {
		return nil, badRow(db.file.Path, keyText(key), "data", "a blob", kind).at(p)
	}
	return nil, tooLarge(db.file.Path, keyText(key), s.ColumnInt64(col+1), p)
}

// A cursor is the position at which a scan continues: at or after a key, or the first column of one.
type cursor struct {
	values []any // nil means the beginning
	after  bool
	given  int // the number of rows with this key that were read already
}

// equalKeys reports whether two rows have the same key.
func equalKeys(a, b []any) bool {
	return slices.EqualFunc(a, b, func(x, y any) bool {
		i, isInt := x.(int64)
		j, isInt2 := y.(int64)
		if isInt && isInt2 {
			return i == j
		}
		return reflect.DeepEqual(x, y)
	})
}

// A page is the result of one transaction.
type page struct {
	blocks []Block
	errs   []error // for each block: the error of the row, or nil
	size   int
	until  time.Time // the time at which the page counts as full; zero means never
	next   cursor
	done   bool
}

func (pg *page) add(b Block, err error) {
	pg.blocks, pg.errs = append(pg.blocks, b), append(pg.errs, err)
	pg.size += len(b.Data)
}

// full reports whether a page has reached its limit of rows, bytes or time.
func (pg *page) full(rows int) bool {
	if n := len(pg.blocks); n == 0 || n >= rows || pg.size >= pageBytes {
		return n > 0
	} else if pg.size == 0 && n%64 > 0 { // positions are read faster than the time
		return false
	}
	return !pg.until.IsZero() && time.Now().After(pg.until)
}

// give yields the blocks of a page and the error that ended it early, if any. It reports whether the caller wants
// more.
func (pg *page) give(err error, yield func(Block, error) bool) bool {
	for i, b := range pg.blocks {
		if !yield(b, pg.errs[i]) {
			return false
		}
	}
	if err != nil {
		yield(Block{}, err)
	}
	return err == nil
}

// scan yields the rows of an area, page by page.
func (db *sqliteDB) scan(ctx context.Context, a Area, data bool, yield func(Block, error) bool) {
	a = a.within()
	at, ok := db.start(a)
	if !ok {
		return
	}
	reported, read := false, int64(0)
	// Some callers need the first rows only. NULL keys come first, and must be read in one page.
	for rows := 2 * pageRows; ; rows = min(2*rows, pagePositions) {
		pg, err := db.page(ctx, a, at, rows, data)
		if read += int64(pg.size); err == nil {
			err = db.within(ctx, read)
		}
		if !pg.give(err, yield) {
			return
		}
		if !reported && db.isRescued() {
			reported = true
			for _, err := range db.losses() {
				if !yield(Block{}, err) {
					return
				}
			}
		}
		if pg.done {
			return
		}
		at = pg.next
	}
}

// start returns the cursor at which a scan of an area begins, and whether there is anything to scan.
func (db *sqliteDB) start(a Area) (at cursor, ok bool) {
	if a == All() {
		return at, true
	}
	first, ok := db.order.next(a, a.Min)
	at.values = db.edge(a, first)
	return at, ok
}

// page reads about as many rows as the argument rows, beginning at a cursor, in one transaction.
func (db *sqliteDB) page(ctx context.Context, a Area, at cursor, rows int, data bool) (pg page, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.file.Begin(ctx); err != nil {
		return pg, err
	}
	defer db.file.End()
	pg.until = time.Now().Add(pageTime)
	for again := true; again && err == nil; {
		again, err = db.run(&pg, a, at, rows, data)
		at = pg.next
	}
	if db.rescue(ctx, err) {
		pg.done = false
		return pg, nil
	}
	if err != nil {
		return pg, errors.Join(ctx.Err(), db.file.Explain(err))
	}
	return pg, nil
}

// run reads rows until the page is full, all rows are read, or a row is outside the area. In the last case again is
// set: the caller must run it again at the next cursor.
func (db *sqliteDB) run(pg *page, a Area, at cursor, rows int, data bool) (again bool, err error) {
	keys := len(db.keyOf(Pos{}))
	columns := db.keyColumns()
	if data {
		columns += ", " + db.columns
	}
	where, args := db.between(a, at)
	pg.next = at
	nulls, alike := 0, 0 // alike: the number of preceding rows with the same key
	pg.done = true
	stop := errors.New("stop")
	err = sqlitex.Execute(db.file.Conn, "SELECT "+columns+" FROM blocks"+where+" ORDER BY "+db.keyColumns(), &sqlitex.ExecOptions{
		Args: args,
		ResultFunc: func(s *sqlite.Stmt) error {
			db.stepped++
			key, pos, kind := db.rowKey(s, keys)
			if kind != keyNull {
				if alike++; !pg.next.after || !equalKeys(key, pg.next.values) {
					alike = 0
				}
				if alike < at.given && equalKeys(key, at.values) {
					pg.next = cursor{values: key, after: true}
					pg.until = time.Now().Add(pageTime)
					return nil
				}
				if pg.full(rows) {
					pg.next, pg.done = cursor{values: key, given: alike}, false
					return stop
				}
			}
			switch {
			case kind == keyNull && nulls >= pageRows:
				nulls++ // no condition can continue after it
				return nil
			case kind == keyNull:
				nulls++
				pg.add(Block{}, db.oddRow(key))
				return nil
			case kind != keyPos:
				pg.add(Block{}, db.oddRow(key))
			case !a.Contains(pos):
				next, ok := db.order.next(a, pos)
				pg.next, again, pg.done = cursor{values: db.keyOf(next)}, ok, !ok
				return stop
			case data:
				b, err := db.data(s, keys, key, pos)
				if err != nil {
					pg.add(Block{}, err)
				} else {
					pg.add(Block{pos, b}, nil)
				}
			default:
				pg.add(Block{Pos: pos}, nil)
			}
			pg.next = cursor{values: key, after: true}
			return nil
		},
	})
	if err == stop {
		err = nil
	}
	if nulls > pageRows {
		pg.add(Block{}, badRow(db.file.Path, "NULL", "", "the integers of a position", fmt.Sprintf("%d more rows with NULL", nulls-pageRows)))
	}
	return again, err
}

// between returns a condition for the rows of an area from a cursor on. It may also match rows outside the area.
func (db *sqliteDB) between(a Area, at cursor) (where string, args []any) {
	var all []string
	if at.values != nil {
		op := ">="
		if at.after {
			op = ">"
		}
		all, args = append(all, db.match(op, len(at.values))), append(args, at.values...)
	}
	if a != All() {
		last := db.edge(a, a.Max)
		all, args = append(all, db.match("<=", len(last))), append(args, last...)
	}
	if len(all) > 0 {
		where = " WHERE " + strings.Join(all, " AND ")
	}
	return where, args
}

// rowKey reads the key columns.
func (db *sqliteDB) rowKey(s *sqlite.Stmt, n int) (key []any, p Pos, kind int) {
	for i := range n {
		switch s.ColumnType(i) {
		case sqlite.TypeInteger:
			key = append(key, s.ColumnInt64(i))
		case sqlite.TypeFloat:
			key = append(key, s.ColumnFloat(i))
		case sqlite.TypeText:
			key = append(key, s.ColumnText(i))
		case sqlite.TypeBlob:
			b := make([]byte, s.ColumnLen(i))
			s.ColumnBytes(i, b)
			key = append(key, b)
		default:
			key = append(key, nil)
		}
	}
	p, kind = db.position(key)
	return key, p, kind
}

// Blocks yields the blocks of an area in the order of the primary key.
func (db *sqliteDB) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) { db.scan(ctx, a, true, yield) }
}

// Positions yields the positions of an area; it reads the index only.
func (db *sqliteDB) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return func(yield func(Pos, error) bool) {
		db.scan(ctx, a, false, func(b Block, err error) bool { return yield(b.Pos, err) })
	}
}

// rest implements [Rest].
func (db *sqliteDB) rest() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.file.Rest()
}

// Close closes the database.
func (db *sqliteDB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	err := db.file.Close()
	for _, f := range []*sqlitefile.File{db.sound, db.rescued} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}
