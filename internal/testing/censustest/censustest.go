// Package censustest runs SQL queries on the rows of a game's census, as query engines do, for tests.
package censustest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/internal/format"
)

// Query is a query about files, with its answer. The SQL must be accepted by every engine.
type Query struct {
	Name string // the question
	SQL  string
	Want []string // expected rows, with values separated by |; null is NULL
}

// Seed is a file made for queries.
type Seed struct {
	Name string
	Data []byte
}

// DB is a database with the tables of a game and the rows of some files.
type DB struct {
	t      testing.TB
	conn   *sqlite.Conn
	insert map[*format.Table]*sqlite.Stmt
}

var columnTypes = map[format.ColumnType]string{
	format.ColumnInt: "INTEGER", format.ColumnBool: "INTEGER", format.ColumnFloat: "REAL",
	format.ColumnText: "TEXT", format.ColumnTime: "TEXT",
}

// New returns the tables of the formats of a game, without rows.
func New(t testing.TB, game *format.Game) *DB {
	t.Helper()
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	db := &DB{t, conn, make(map[*format.Table]*sqlite.Stmt)}
	t.Cleanup(func() { conn.Close() })
	for _, f := range game.Formats {
		if f.Census == nil {
			continue
		}
		if err := f.Census.Check(); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		for _, table := range f.Census.Tables {
			if db.insert[table] != nil {
				continue
			}
			columns := "file TEXT NOT NULL"
			for _, c := range table.Columns {
				if columns += ", " + c.Name + " " + columnTypes[c.Type]; !c.Optional {
					columns += " NOT NULL"
				}
			}
			if err := sqlitex.ExecuteTransient(conn, "CREATE TABLE "+table.Name+" ("+columns+") STRICT", nil); err != nil {
				t.Fatal(err)
			}
			db.insert[table] = conn.Prep("INSERT INTO " + table.Name + " VALUES (?" + strings.Repeat(", ?", len(table.Columns)) + ")")
		}
	}
	return db
}

// Add adds the rows of a file, checks that they match their tables, and returns the losses that were reported. It has
// the given words of the option for positions.
func (db *DB) Add(f *format.Format, src *format.Source, positions ...string) (missed []string, err error) {
	db.t.Helper()
	var mu sync.Mutex
	job := &format.Job{Values: map[string]string{format.OptionPositions.Name: strings.Join(positions, "\n")}, Reports: format.Reports{
		OnMiss: func(_, message string) {
			mu.Lock()
			defer mu.Unlock()
			missed = append(missed, message)
		},
	}}
	err = f.Census.Rows(db.t.Context(), job, src, func(table *format.Table, values []format.Cell) error {
		if !slices.Contains(f.Census.Tables, table) {
			db.t.Errorf("%s: a row of %s, which is not one of its tables", src.Path, table.Name)
			return nil
		}
		if err := table.CheckRow(values); err != nil {
			db.t.Errorf("%s: %v", src.Path, err)
			return nil
		}
		db.put(table, src.Path, values)
		return nil
	})
	return missed, err
}

func (db *DB) put(table *format.Table, file string, values []format.Cell) {
	stmt := db.insert[table]
	stmt.BindText(1, file)
	for i, v := range values {
		switch at := i + 2; {
		case v.Null():
			stmt.BindNull(at)
		case table.Columns[i].Type == format.ColumnFloat:
			stmt.BindFloat(at, v.Float())
		case columnTypes[table.Columns[i].Type] == "TEXT":
			stmt.BindText(at, v.String())
		default:
			stmt.BindInt64(at, v.Int())
		}
	}
	_, err := stmt.Step()
	if err = cmp.Or(err, stmt.Reset()); err != nil {
		db.t.Errorf("%s: %v", file, err)
	}
}

// Ask returns the rows of a query, in the form of [Query.Want].
func (db *DB) Ask(sql string) (rows []string) {
	db.t.Helper()
	if err := sqlitex.ExecuteTransient(db.conn, sql, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		values := make([]string, stmt.ColumnCount())
		for i := range values {
			if values[i] = stmt.ColumnText(i); stmt.ColumnIsNull(i) {
				values[i] = "NULL"
			}
		}
		rows = append(rows, strings.Join(values, "|"))
		return nil
	}}); err != nil {
		db.t.Errorf("%s: %v", sql, err)
	}
	return rows
}

// Find returns the hits of a `find` query in a file.
func Find(t testing.TB, f *format.Format, src *format.Source, words ...string) (hits []format.Hit) {
	t.Helper()
	steps, err := format.ParseSteps(new(format.Job), f.Finder.Commands, words)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Finder.Find(t.Context(), new(format.Job), src, steps[0], func(h format.Hit) error {
		hits = append(hits, h)
		return nil
	}); err != nil {
		t.Errorf("%s: %q: %v", src.Path, words, err)
	}
	return hits
}

// Field returns a field of a hit.
func Field(h format.Hit, key string) string {
	for _, f := range h.Fields {
		if f.Key == key {
			return fmt.Sprint(f.Value)
		}
	}
	return ""
}

// Answers checks the answers to queries about seeds. Each query must have rows.
func Answers(t testing.TB, game *format.Game, f *format.Format, seeds []Seed, queries []Query) {
	t.Helper()
	db := New(t, game)
	for _, s := range seeds {
		if missed, err := db.Add(f, format.NewSource(s.Name, s.Data)); err != nil || len(missed) > 0 {
			t.Errorf("%s: %v, %q", s.Name, err, missed)
		}
	}
	for _, q := range queries {
		if len(q.Want) == 0 {
			t.Errorf("%s: the seeds have no answer", q.Name)
		}
		if got := db.Ask(q.SQL); !slices.Equal(got, q.Want) {
			t.Errorf("%s: %q, want %q", q.Name, got, q.Want)
		}
	}
}

// Info returns the facts that `info` prints about a file, by key.
func Info(t testing.TB, f *format.Format, src *format.Source) map[string]any {
	t.Helper()
	file, err := f.Open(t.Context(), new(format.Job), src)
	if err != nil {
		t.Fatalf("%s: %v", src.Path, err)
	}
	defer file.Close()
	info, err := file.Info(t.Context(), new(format.Job))
	if err != nil {
		t.Errorf("%s: %v", src.Path, err)
	}
	fields := make(map[string]any)
	for _, field := range info.Fields {
		fields[field.Key] = field.Value
	}
	return fields
}

// Findings returns the findings of `check` in a file.
func Findings(t testing.TB, f *format.Format, src *format.Source) []check.Finding {
	t.Helper()
	file, err := f.Open(t.Context(), new(format.Job), src)
	if err != nil {
		t.Fatalf("%s: %v", src.Path, err)
	}
	defer file.Close()
	return check.Collect(func(sink check.Sink) {
		if err := file.Check(t.Context(), new(format.Job), sink); err != nil {
			t.Errorf("%s: %v", src.Path, err)
		}
	})
}
