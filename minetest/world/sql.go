package world

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/internal/text/words"
)

// tables contains the statements that create the tables of a store.
type tables struct{ sqlite, postgres []string }

// sqlConn is a connection to a database of SQLite or PostgreSQL. In both, arguments are $1, $2 and so on, in the
// order of the text.
type sqlConn interface {
	// query calls row for each row. The values are nil, int64, float64, string, []byte or time.Time.
	query(ctx context.Context, sql string, args []any, row func(values []any) error) error
	// missingSlots is query, for the name of each player who has items in slots that do not exist.
	missingSlots(ctx context.Context, row func(values []any) error) error
	// columns returns the columns of all tables, without views: the rows of a view may be endless.
	columns(ctx context.Context) (map[string][]string, error)
	close() error
}

// missingSlots selects the players who have items in slots that do not exist.
const missingSlots = "SELECT DISTINCT i.player FROM player_inventory_items i LEFT JOIN player_inventories v ON " +
	"v.player = i.player AND v.inv_id = i.inv_id WHERE i.item <> '' AND (v.inv_size IS NULL OR i.slot_id < 0 OR " +
	"i.slot_id >= v.inv_size)"

// sqlDB is a database with the tables of a store.
type sqlDB struct {
	file    string // for errors
	conn    sqlConn
	columns map[string][]string // of each table
	write   bool
	loose   bool                              // the database does not enforce foreign keys
	lost    func(err error, at []check.Place) // receives what cannot be read; may be nil
	began   bool                              // whether a transaction is open
	begin   string
	create  []string // the statements that create the tables, each with "IF NOT EXISTS"

	// A file that does not exist is created by the first change, and removed again if there is no Commit.
	make   func(ctx context.Context) (sqlConn, error)
	remove func() error
	made   bool
}

// lose reports something that is ignored.
func (db *sqlDB) lose(path string, at check.Place, format string, args ...any) {
	if db.lost != nil {
		db.lost(&fault.Error{File: db.file, Path: path, Offset: -1, Got: fmt.Sprintf(format, args...), Err: fault.ErrFormat}, []check.Place{at})
	}
}

func (db *sqlDB) has(table string) bool { return len(db.columns[table]) > 0 }

// query calls do for each row of a query. The path is the place of the rows in errors.
func (db *sqlDB) query(ctx context.Context, path, sql string, args []any, do func(r *row) error) error {
	return db.run(ctx, path, do, func(row func(values []any) error) error { return db.conn.query(ctx, sql, args, row) })
}

// run is query for a function that yields rows.
func (db *sqlDB) run(ctx context.Context, path string, do func(r *row) error, rows func(func(values []any) error) error) error {
	if db.conn == nil {
		return nil
	}
	err := rows(func(values []any) error {
		r := row{file: db.file, path: path, values: values}
		if err := do(&r); err != nil {
			return err
		}
		return r.err
	})
	var e *fault.Error
	switch {
	case err == nil || ctx.Err() != nil || Failed(err):
		return err
	case errors.As(err, &e):
		return e
	case sqlitefile.IsFull(err):
		return fmt.Errorf("%s: %w", db.file, sqlitefile.ErrFull)
	}
	return &fault.Error{File: db.file, Path: path, Offset: -1, Got: sqlitefile.Why(err), Err: err}
}

// exec runs a statement that changes the database, in the transaction.
func (db *sqlDB) exec(ctx context.Context, path, sql string, args ...any) error {
	if !db.write {
		return ErrReadOnly
	}
	if err := db.start(ctx); err != nil {
		return err
	}
	return db.query(ctx, path, sql, args, func(*row) error { return nil })
}

// start begins the transaction and creates the file and the tables if they are missing.
func (db *sqlDB) start(ctx context.Context) (err error) {
	if db.began {
		return nil
	}
	if db.conn == nil {
		if db.conn, err = db.make(ctx); err != nil {
			return err
		}
		db.made = true
	}
	none := func(*row) error { return nil }
	if err := db.query(ctx, "", db.begin, nil, none); err != nil {
		return err
	}
	db.began = true
	for _, sql := range db.create {
		if err := db.query(ctx, "", sql, nil, none); err != nil {
			return err
		}
	}
	db.columns, err = db.conn.columns(ctx)
	return err
}

func (db *sqlDB) commit(ctx context.Context) error {
	if !db.write {
		return ErrReadOnly
	}
	if !db.began {
		return nil
	}
	err := db.query(ctx, "", "COMMIT", nil, func(*row) error { return nil })
	if err == nil {
		db.began, db.made = false, false
	}
	return err
}

func (db *sqlDB) close() (err error) {
	if db.conn == nil {
		return nil
	}
	if db.began {
		// After a cancel, too. If this fails, the transaction ends with the connection, or has already ended.
		_ = db.query(context.Background(), "", "ROLLBACK", nil, func(*row) error { return nil })
	}
	err = db.conn.close()
	if db.made {
		err = errors.Join(err, db.remove())
	}
	return err
}

// row is a row of a result. It keeps its first error.
type row struct {
	file, path string
	values     []any
	err        error
}

func (r *row) fail(column, want string, v any) {
	if r.err != nil {
		return
	}
	got := fmt.Sprintf("a %T", v)
	switch v := v.(type) {
	case nil:
		got = "NULL"
	case string:
		got = fmt.Sprintf("%.40q", v)
	case []byte:
		got = fmt.Sprintf("a blob of %s", words.Count(len(v), "byte"))
	}
	r.err = &fault.Error{File: r.file, Path: r.path + "." + column, Offset: -1, Want: want, Got: got, Err: fault.ErrFormat}
}

// text returns a column as a text.
func (r *row) text(i int, column string) string {
	switch v := r.values[i].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		r.fail(column, "a string", v)
		return ""
	}
}

// textOrNull is like text, but returns "" for NULL.
func (r *row) textOrNull(i int, column string) string {
	if r.values[i] == nil {
		return ""
	}
	return r.text(i, column)
}

func (r *row) float(i int, column string) float64 {
	switch v := r.values[i].(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	default:
		r.fail(column, "a number", v)
		return 0
	}
}

// int returns a column as an integer from lo to hi.
func (r *row) int(i int, column string, lo, hi int64) int64 {
	v, ok := r.values[i].(int64)
	if f, isFloat := r.values[i].(float64); isFloat && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		v, ok = int64(f), true
	}
	want := fmt.Sprintf("an integer from %d to %d", lo, hi)
	if lo == math.MinInt64 {
		want = "an integer"
	}
	switch {
	case !ok:
		r.fail(column, want, r.values[i])
	case v < lo || v > hi:
		r.fail(column, want, strconv.FormatInt(v, 10))
	default:
		return v
	}
	return 0
}

// sqlTime is the layout of times in SQLite.
const sqlTime = "2006-01-02 15:04:05.999999"

// time returns a column as a time: the zero time if there is none. It returns false if the column contains something
// else.
func (r *row) time(i int) (time.Time, bool) {
	switch v := r.values[i].(type) {
	case time.Time:
		return dated(v.UTC()), true
	case string:
		t, err := time.Parse(sqlTime, v)
		return dated(t), err == nil || v == ""
	case nil:
		return time.Time{}, true
	}
	return time.Time{}, false
}

// undated is stored for an unknown time in columns that need a time. It is constant, so that the output does not
// depend on the date.
var undated = time.Unix(0, 0).UTC()

func dated(t time.Time) time.Time {
	if t.Equal(undated) {
		return time.Time{}
	}
	return t
}

// rowsOf defines how things are stored in tables. The function get returns [ErrNotFound] if there is no row.
type rowsOf[T any] struct {
	names  func(db *sqlDB) string // the query for all names; "" if there is no table
	get    func(ctx context.Context, db *sqlDB, name string) (T, error)
	put    func(ctx context.Context, db *sqlDB, thing T) error
	delete func(ctx context.Context, db *sqlDB, name string) error
}

// sqlStore is a store backed by an SQL database.
type sqlStore[T any] struct {
	db *sqlDB
	rowsOf[T]
}

func (s *sqlStore[T]) Names(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		query := s.names(s.db)
		if query == "" {
			return
		}
		// Read all names first: PostgreSQL runs no other query while rows are being read.
		var names []string
		bad := s.each(ctx, query, func(r *row, name string) { names = append(names, name) })
		for _, name := range names {
			if !yield(name, nil) {
				return
			}
		}
		for _, err := range bad {
			if !yield("", err) {
				return
			}
		}
	}
}

// each runs a query whose first column is a name, and calls take for the first row of each name. It returns the
// errors of the other rows, and, last, the error that ended the query.
func (s *sqlStore[T]) each(ctx context.Context, query string, take func(r *row, name string)) (bad []error) {
	seen := make(map[string]bool)
	err := s.db.query(ctx, "names", query, nil, func(r *row) error {
		name := r.text(0, "name")
		if r.err == nil && seen[name] {
			r.err = wrong(s.db.file, fmt.Sprintf("%.40q", name), "one row of this name", "another row, which is ignored")
		}
		if r.err == nil {
			take(r, name)
		}
		seen[name] = true
		if r.err != nil {
			bad = append(bad, r.err)
		}
		r.err = nil
		return nil
	})
	if err != nil {
		bad = append(bad, err)
	}
	return bad
}

func (s *sqlStore[T]) Get(ctx context.Context, name string) (T, error) { return s.get(ctx, s.db, name) }

func (s *sqlStore[T]) Put(ctx context.Context, thing T) error {
	return s.change(ctx, func() error { return s.put(ctx, s.db, thing) })
}

func (s *sqlStore[T]) Delete(ctx context.Context, name string) error {
	return s.change(ctx, func() error { return s.delete(ctx, s.db, name) })
}

// change runs do, whose changes are made completely or not at all, and leaves the transaction open.
func (s *sqlStore[T]) change(ctx context.Context, do func() error) error {
	if err := s.db.exec(ctx, "", "SAVEPOINT trowel"); err != nil {
		return err
	}
	err := do()
	if err != nil && s.db.exec(ctx, "", "ROLLBACK TO SAVEPOINT trowel") != nil {
		return err // the error ended the transaction
	}
	return errors.Join(err, s.db.exec(ctx, "", "RELEASE SAVEPOINT trowel"))
}

func (s *sqlStore[T]) Commit(ctx context.Context) error { return s.db.commit(ctx) }

// Start creates the database if it is missing, in the transaction.
func (s *sqlStore[T]) Start(ctx context.Context) error { return s.db.start(ctx) }

func (s *sqlStore[T]) Close() error { return s.db.close() }

// makes reports whether a statement creates the table with the given lower-case name.
func makes(sql, table string) bool {
	return strings.HasPrefix(strings.ToLower(sql), "create table if not exists "+table+" (")
}
