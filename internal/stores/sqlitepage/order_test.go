package sqlitepage

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// orderTables are tables in the forms that differ in the file, the columns added later, and the orders that have
// an index.
var orderTables = []struct {
	name, sql, later string
	indexes          []string
	orders           []string
	sorted           []string
}{
	{
		name: "blocks", sql: "CREATE TABLE `blocks` (`pos` INT PRIMARY KEY, `data` BLOB)",
		later: "ALTER TABLE blocks ADD COLUMN mtime INTEGER DEFAULT -7", orders: []string{"pos"}, sorted: []string{"mtime", "mtime,pos"},
	},
	{
		name: "xyz", sql: "CREATE TABLE `xyz` (`x` INTEGER, `y` INTEGER, `z` INTEGER, `data` BLOB NOT NULL, PRIMARY KEY (`x`, `z`, `y`))",
		orders: []string{"x", "x,z", "x,z,y"}, sorted: []string{"z", "x,y"},
	},
	{
		name: "auth", sql: "CREATE TABLE auth (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE COLLATE NOCASE, /* ) */ " +
			"password VARCHAR(50, 2) DEFAULT ('it''s'), last_login INTEGER NOT NULL DEFAULT 0 CHECK (last_login <> ')'), UNIQUE (id, name))",
		later: "ALTER TABLE auth ADD COLUMN \"odd name\" REAL DEFAULT 3", orders: []string{"id", "name", "id,name"}, sorted: []string{"password"},
	},
	{
		name: "plain", sql: "CREATE TABLE plain (a, b TEXT COLLATE RTRIM, c REAL, \"d\" NUMERIC, [e f] BLOB DEFAULT x'00ff')",
		indexes: []string{"CREATE INDEX plain1 ON plain (a)", "CREATE INDEX plain2 ON plain (b, c)",
			"CREATE UNIQUE INDEX plain3 ON plain (d DESC, a)", "CREATE INDEX plain4 ON plain (c) WHERE c > 0",
			"CREATE INDEX plain5 ON plain (a + 1)", "CREATE INDEX plain6 ON plain(b COLLATE BINARY)"},
		later: "ALTER TABLE plain ADD COLUMN g TEXT DEFAULT 5.5", orders: []string{"a", "b", "b,c"}, sorted: []string{"c", "d", "c,b"},
	},
	{
		name: "keyed", sql: "CREATE TABLE keyed (v, k1 TEXT COLLATE NOCASE, w REAL, k2 INT, PRIMARY KEY (k2 DESC, k1, k2), " +
			"UNIQUE (w, v)) WITHOUT ROWID",
		indexes: []string{"CREATE INDEX keyed1 ON keyed (v)", "CREATE INDEX keyed2 ON keyed (k1 COLLATE BINARY)"},
		later:   "ALTER TABLE keyed ADD COLUMN z DEFAULT NULL", orders: []string{"v", "w", "w,v"}, sorted: []string{"k1", "k2", "z"},
	},
	{
		name: "whole", sql: "CREATE TABLE whole (n INTEGER PRIMARY KEY, v TEXT, u TEXT UNIQUE) WITHOUT ROWID",
		orders: []string{"n", "u"}, sorted: []string{"v"},
	},
	{
		name: "down", sql: "CREATE TABLE down (id INTEGER PRIMARY KEY DESC, v TEXT, UNIQUE (v, id), UNIQUE (v, id))",
		orders: []string{"v", "v,id"}, sorted: []string{"id"},
	},
	{
		name: "computed", sql: "CREATE TABLE computed (a INT, twice INT GENERATED ALWAYS AS (a * 2), b TEXT, " +
			"thrice INT AS (a * 3) STORED, c REAL)",
		indexes: []string{"CREATE INDEX computed1 ON computed (thrice, c)"},
		orders:  []string{"thrice", "thrice,c"}, sorted: []string{"b"},
	},
}

// randomValue returns a value of any kind; some are equal or almost equal to others, and some fill several pages.
func randomValue(r *rand.Rand) any {
	texts := []string{"", "a", "A", "b", "B ", "b  ", "é", "☃ snow", "𝄞", "5", "5.5", " 7 ", "1e3", "naïve\x00zero",
		strings.Repeat("long", 300), strings.Repeat("x", 90000)}
	switch r.IntN(12) {
	case 0:
		return nil
	case 1:
		return []float64{0.5, -1e300, 3, 9007199254740993, math.Inf(1), 1e18, math.Copysign(0, -1)}[r.IntN(7)]
	case 2:
		return r.NormFloat64()
	case 3:
		return []byte(texts[r.IntN(14)])
	case 4, 5, 6:
		if r.IntN(20) > 0 {
			return texts[r.IntN(14)] + fmt.Sprint(r.IntN(50))
		}
		return texts[r.IntN(len(texts))]
	case 7:
		return r.Int64() >> r.IntN(64)
	case 8:
		return []int64{math.MaxInt64, math.MinInt64, 0, 1, 1 << 53, 9007199254740993, -1}[r.IntN(7)]
	}
	return r.Int64N(400) - 200
}

// build makes a database with random rows. The last changes are in the write-ahead log.
func buildOrders(t testing.TB, r *rand.Rand, pageSize, reserved int, encoding string, rows int) (path string, conn *sqlite.Conn) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.sqlite")
	open := func() {
		var err error
		if conn, err = sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate); err != nil {
			t.Fatal(err)
		}
		exec(t, conn, "PRAGMA synchronous=OFF")
	}
	open()
	exec(t, conn, fmt.Sprintf("PRAGMA page_size=%d", pageSize))
	exec(t, conn, "PRAGMA encoding='"+encoding+"'")
	exec(t, conn, fmt.Sprintf("PRAGMA auto_vacuum=%d", r.IntN(3)))
	exec(t, conn, "PRAGMA journal_mode=DELETE")
	exec(t, conn, "PRAGMA user_version=1") // writes the first page
	conn.Close()
	data := judge.Read(t, path)
	data[20] = byte(reserved)
	usable := (pageSize - reserved) % 65536
	data[105], data[106] = byte(usable>>8), byte(usable)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	open()
	exec(t, conn, "PRAGMA journal_mode=WAL")
	exec(t, conn, "PRAGMA wal_autocheckpoint=0")
	insert := func() {
		for _, table := range orderTables {
			exec(t, conn, "BEGIN")
			columns, holes := "", ""
			for _, c := range columnsOf(t, conn, table.name, "hidden = 0") {
				columns, holes = columns+", "+quote(c), holes+", ?"
			}
			for range rows {
				args := make([]any, strings.Count(holes, "?"))
				for i := range args {
					args[i] = randomValue(r)
					if b, ok := args[i].([]byte); ok && len(b) == 0 || i == 0 && table.name == "auth" {
						args[i] = nil
					}
				}
				exec(t, conn, "INSERT OR IGNORE INTO "+table.name+" ("+columns[2:]+") VALUES ("+holes[2:]+")", args...)
			}
			exec(t, conn, "COMMIT")
		}
	}
	for _, table := range orderTables {
		exec(t, conn, table.sql)
		for _, sql := range table.indexes {
			exec(t, conn, sql)
		}
	}
	insert()
	exec(t, conn, "PRAGMA wal_checkpoint")
	for _, table := range orderTables {
		if table.later != "" {
			exec(t, conn, table.later)
		}
	}
	for range 3 { // the same pages several times
		for _, table := range orderTables {
			exec(t, conn, fmt.Sprintf("DELETE FROM %s WHERE abs(random()) %% 3 = 0", table.name))
		}
		insert()
		if r.IntN(2) == 0 {
			exec(t, conn, "PRAGMA wal_checkpoint(RESTART)")
		}
	}
	for _, table := range orderTables {
		exec(t, conn, fmt.Sprintf("DELETE FROM %s WHERE abs(random()) %% 5 = 0", table.name))
	}
	return path, conn
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// columnsOf returns the columns of a table.
func columnsOf(t testing.TB, conn *sqlite.Conn, table, where string) (names []string) {
	for _, row := range rowsOf(t, conn, "SELECT name FROM pragma_table_xinfo(?) WHERE "+where, table) {
		names = append(names, row[0].(string))
	}
	return names
}

// rowsOf returns the rows of a query of SQLite.
func rowsOf(t testing.TB, conn *sqlite.Conn, query string, args ...any) (rows [][]any) {
	t.Helper()
	err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(s *sqlite.Stmt) error {
		row := make([]any, s.ColumnCount())
		for i := range row {
			switch s.ColumnType(i) {
			case sqlite.TypeInteger:
				row[i] = s.ColumnInt64(i)
			case sqlite.TypeFloat:
				row[i] = s.ColumnFloat(i)
			case sqlite.TypeText:
				row[i] = s.ColumnText(i)
			case sqlite.TypeBlob:
				b := make([]byte, s.ColumnLen(i))
				s.ColumnBytes(i, b)
				row[i] = b
			}
		}
		rows = append(rows, row)
		return nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return rows
}

// readOrder returns the rows of a range, with all columns that are stored.
func readOrder(t testing.TB, table *TableReader, columns string, r Range) (rows [][]any) {
	t.Helper()
	var list []string
	if columns != "" {
		list = strings.Split(columns, ",")
	}
	o, err := table.Order(list...)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range o.Range(t.Context(), r) {
		if err != nil {
			t.Fatalf("%s %s: %v", table.Name, columns, err)
		}
		var row []any
		for i, c := range table.Columns {
			if c.virtual {
				continue
			}
			v, err := e.Value(i)
			if err != nil {
				t.Fatalf("%s %s: %v", table.Name, columns, err)
			}
			kind, size, err := e.Size(i)
			if err != nil || kind != kindOf(v) || kind == Blob && size != int64(len(v.([]byte))) {
				t.Fatalf("%s %s: %v has size %d, %v", table.Name, columns, kind, size, err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

// compareOrders compares every order of every table, and random ranges of them, with SQLite.
func compareOrders(t *testing.T, r *rand.Rand, path string, conn *sqlite.Conn) {
	db, err := OpenDB(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, want := range orderTables {
		table, err := db.Table(want.name)
		if err != nil {
			t.Fatal(err)
		}
		columns := columnsOf(t, conn, want.name, "hidden <> 2")
		selected := ""
		for _, c := range columns {
			selected += ", " + quote(c)
		}
		selected = "SELECT " + selected[2:] + " FROM " + want.name
		if table.primary == nil {
			got, rows := readOrder(t, table, "", Range{}), rowsOf(t, conn, selected+" ORDER BY rowid")
			if !reflect.DeepEqual(got, rows) {
				t.Errorf("%s: %d rows, %d in SQLite", want.name, len(got), len(rows))
			}
		}
		for i, order := range append(want.orders, want.sorted...) {
			list := strings.Split(order, ",")
			if o, err := table.Order(list...); err != nil || o.sorted != (i >= len(want.orders)) {
				t.Errorf("%s: the order %s is sorted: %v, %v", want.name, order, o.sorted, err)
			}
			by := " ORDER BY " + order
			same := func(what string, got, rows [][]any) {
				t.Helper()
				sortEqual(got, list, columns)
				sortEqual(rows, list, columns)
				if !reflect.DeepEqual(got, rows) {
					t.Errorf("%s by %s: %s: %d rows, %d in SQLite", want.name, order, what, len(got), len(rows))
				}
			}
			all := rowsOf(t, conn, selected+by)
			same("all", readOrder(t, table, order, Range{}), all)
			for range 12 {
				n := 1 + r.IntN(len(list))
				key := func() (values []any) {
					if len(all) > 0 && r.IntN(3) > 0 { // of a row
						row := all[r.IntN(len(all))]
						for _, c := range list[:n] {
							values = append(values, row[slices.Index(columns, c)])
						}
					}
					for len(values) < n {
						values = append(values, randomValue(r))
					}
					for i, v := range values {
						b, ok := v.([]byte)
						_, float := v.(float64)
						if v == nil || ok && len(b) == 0 || float && table.Columns[table.Column(list[i])].Affinity == TextAffinity {
							values[i] = int64(3) // a comparison with NULL has no result, and SQLite's text of a float depends on its version
						}
					}
					return values
				}
				rng := Range{From: key(), To: key(), After: r.IntN(2) == 0, Before: r.IntN(2) == 0}
				if r.IntN(3) == 0 {
					rng.To, rng.After, rng.Before = rng.From, false, false
				}
				from, args := limitSQL(list[:n], rng.From, ">", rng.After)
				to, more := limitSQL(list[:n], rng.To, "<", rng.Before)
				rows := rowsOf(t, conn, selected+" WHERE "+from+" AND "+to+by, append(args, more...)...)
				same(fmt.Sprintf("%.60v", rng), readOrder(t, table, order, rng), rows)
			}
		}
	}
}

// sortEqual sorts consecutive rows that have the same values in some columns.
func sortEqual(rows [][]any, by, columns []string) {
	for at := 0; at < len(rows); {
		end := at + 1
		for end < len(rows) && !slices.ContainsFunc(by, func(c string) bool {
			i := slices.Index(columns, c)
			return !reflect.DeepEqual(rows[at][i], rows[end][i])
		}) {
			end++
		}
		slices.SortFunc(rows[at:end], func(a, b []any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		at = end
	}
}

// limitSQL returns a condition that limits the rows by a key, where NULL is less than everything.
func limitSQL(columns []string, key []any, op string, strict bool) (sql string, args []any) {
	if len(columns) == 1 {
		if !strict {
			op += "="
		}
		sql, args = columns[0]+" "+op+" ?", key
	} else {
		rest, more := limitSQL(columns[1:], key[1:], op, strict)
		sql = fmt.Sprintf("%s %s ? OR %s = ? AND %s", columns[0], op, columns[0], rest)
		args = append([]any{key[0], key[0]}, more...)
	}
	if strings.HasPrefix(op, "<") {
		sql += " OR " + columns[0] + " IS NULL"
	}
	return "(" + sql + ")", args
}

// TestOrders tests that all orders, and ranges of them, are those of SQLite, in files of all forms.
func TestOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	encodings := []string{"UTF-8", "UTF-16le", "UTF-16be"}
	for i, size := range tests.Of(t, []int{512, 4096, 65536}, []int{512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}) {
		reserved := []int{0, 32, 8}[i%3]
		t.Run(fmt.Sprint(size, encodings[i%3], reserved), func(t *testing.T) {
			path, conn := buildOrders(t, r, size, reserved, encodings[i%3], tests.Of(t, 16, 150))
			compareOrders(t, r, path, conn)
			exec(t, conn, "PRAGMA wal_checkpoint(TRUNCATE)")
			compareOrders(t, r, path, conn)
			conn.Close()
		})
	}
}
