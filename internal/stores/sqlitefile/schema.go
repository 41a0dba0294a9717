//go:build !js

package sqlitefile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// maxSchema is the maximum number of tables, indexes, triggers and views that are compared.
const maxSchema = 1000

// Misfits returns what keeps a program from changing the tables of a database as it would. It compiles the statements of the program
// against the schema, copied to a database in memory: nothing is changed, and no trigger runs. The tables are alternatives if they
// have the same name: the first whose columns exist counts.
func Misfits(ctx context.Context, path string, tables []Table) (list []Misfit, err error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	s := schema{columns: make(map[string][]column)}
	if err := s.read(ctx, f); err != nil {
		return nil, err
	}
	if s.memory, err = sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenCreate); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.memory.Close()) }()
	if err := tame(s.memory); err != nil {
		return nil, err
	}
	s.memory.SetInterrupt(ctx.Done())
	for _, o := range s.objects {
		if o.kind != "trigger" {
			_ = sqlitex.ExecuteTransient(s.memory, o.sql, nil) // without what it needs, statements do not compile
		}
	}
	var done []string
	for _, t := range tables {
		if !slices.Contains(done, t.Name) && s.has(&t) {
			done = append(done, t.Name)
			list = append(list, s.misfits(&t)...)
		}
	}
	return list, ctx.Err()
}

// Mend runs the statements of misfits in one transaction.
func Mend(ctx context.Context, path string, statements []string) (err error) {
	f, err := Writable(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	f.Conn.SetInterrupt(ctx.Done())
	defer f.Conn.SetInterrupt(nil)
	end, err := sqlitex.ImmediateTransaction(f.Conn)
	if err != nil {
		return f.Explain(err)
	}
	defer end(&err)
	for _, sql := range statements {
		if err := sqlitex.ExecuteTransient(f.Conn, sql, nil); err != nil {
			return f.Explain(err)
		}
	}
	return nil
}

type column struct {
	name     string
	required bool // NOT NULL without a default
}

type object struct{ kind, name, table, sql string }

type schema struct {
	memory  *sqlite.Conn
	objects []object
	columns map[string][]column // by the lower-case name of the table
}

// read reads the schema of a file. Tables come before indexes, views and triggers.
func (s *schema) read(ctx context.Context, f *File) error {
	if err := f.Begin(ctx); err != nil {
		return err
	}
	defer f.End()
	err := sqlitex.ExecuteTransient(f.Conn, fmt.Sprintf("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND "+
		"name NOT LIKE 'sqlite\\_%%' ESCAPE '\\' ORDER BY type <> 'table', type = 'trigger', rowid LIMIT %d", maxSchema),
		&sqlitex.ExecOptions{ResultFunc: func(r *sqlite.Stmt) error {
			s.objects = append(s.objects, object{r.ColumnText(0), r.ColumnText(1), r.ColumnText(2), r.ColumnText(3)})
			return nil
		}})
	return f.Explain(err)
}

// has reports whether the database has a table with all columns of the keys.
func (s *schema) has(t *Table) bool {
	all, err := s.tableColumns(t.Name)
	if err != nil || len(all) == 0 {
		return false
	}
	for _, name := range t.Keys[0] {
		if !slices.ContainsFunc(all, func(c column) bool { return c.name == strings.ToLower(name) }) {
			return false
		}
	}
	return true
}

func (s *schema) tableColumns(table string) (all []column, err error) {
	if all, ok := s.columns[table]; ok {
		return all, nil
	}
	err = sqlitex.ExecuteTransient(s.memory, "SELECT name, \"notnull\" AND dflt_value IS NULL AND hidden = 0, pk FROM "+
		"pragma_table_xinfo(?)", &sqlitex.ExecOptions{Args: []any{table}, ResultFunc: func(r *sqlite.Stmt) error {
		all = append(all, column{strings.ToLower(r.ColumnText(0)), r.ColumnBool(1)})
		return nil
	}})
	s.columns[table] = all
	return all, err
}

// unique returns the sets of columns of which rows have different values, in lower case and in order of their names, and the names of
// the indexes that SQLite did not make itself.
func (s *schema) unique(table string) (sets [][]string, names []string) {
	add := func(name, query string, arg string) {
		var set []string
		_ = sqlitex.ExecuteTransient(s.memory, query, &sqlitex.ExecOptions{Args: []any{arg}, ResultFunc: func(r *sqlite.Stmt) error {
			set = append(set, strings.ToLower(r.ColumnText(0)))
			return nil
		}})
		if slices.Sort(set); len(set) > 0 {
			sets, names = append(sets, set), append(names, name)
		}
	}
	add("", "SELECT name FROM pragma_table_info(?) WHERE pk > 0", table)
	type index struct{ name, origin string }
	var all []index
	_ = sqlitex.ExecuteTransient(s.memory, "SELECT name, origin FROM pragma_index_list(?) WHERE \"unique\" AND NOT partial",
		&sqlitex.ExecOptions{Args: []any{table}, ResultFunc: func(r *sqlite.Stmt) error {
			all = append(all, index{r.ColumnText(0), r.ColumnText(1)})
			return nil
		}})
	for _, i := range all {
		name := i.name
		if i.origin != "c" {
			name = ""
		}
		add(name, "SELECT name FROM pragma_index_info(?)", i.name)
	}
	return sets, names
}

func quotedAll(names []string, end string) string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = quoted(n) + end
	}
	return strings.Join(list, ", ")
}

// compile returns the error of the first statement of the program that SQLite rejects.
func (s *schema) compile(t *Table) error {
	where := " WHERE " + strings.ReplaceAll(quotedAll(t.Keys[0], " = ?"), ", ", " AND ")
	list := []string{
		"SELECT " + quotedAll(t.Columns, "") + " FROM " + quoted(t.Name) + where,
		"REPLACE INTO " + quoted(t.Name) + " (" + quotedAll(t.Columns, "") + ") VALUES (?" + strings.Repeat(", ?", len(t.Columns)-1) + ")",
		"DELETE FROM " + quoted(t.Name) + where,
	}
	if t.Updates {
		list = append(list, "UPDATE "+quoted(t.Name)+" SET "+quotedAll(t.Columns, " = ?")+where)
	}
	for _, sql := range list {
		stmt, _, err := s.memory.PrepareTransient(sql)
		if err != nil {
			return err
		}
		if err := stmt.Finalize(); err != nil {
			return err
		}
	}
	return nil
}

func (s *schema) misfits(t *Table) (list []Misfit) {
	add := func(mend []string, format string, args ...any) {
		list = append(list, Misfit{t.Name, fmt.Sprintf(format, args...), mend})
	}
	if err := s.compile(t); err != nil {
		add(nil, "%s", Why(err))
	}
	all, _ := s.tableColumns(t.Name)
	for _, c := range all {
		if c.required && !slices.ContainsFunc(t.Columns, func(name string) bool { return strings.ToLower(name) == c.name }) &&
			!slices.ContainsFunc(t.Keys, func(key []string) bool { return slices.Contains(key, c.name) }) {
			add([]string{"ALTER TABLE " + quoted(t.Name) + " DROP COLUMN " + quoted(c.name)},
				"the column %.60q must not be NULL and has no default, and the engine writes no value", c.name)
		}
	}
	sets, names := s.unique(t.Name)
	var keys [][]string
	for _, key := range t.Keys {
		sorted := strings.Fields(strings.ToLower(strings.Join(key, " ")))
		slices.Sort(sorted)
		keys = append(keys, sorted)
		if !slices.ContainsFunc(sets, func(set []string) bool { return slices.Equal(set, sorted) }) {
			columns := quotedAll(key, "")
			add([]string{
				"DELETE FROM " + quoted(t.Name) + " WHERE rowid NOT IN (SELECT min(rowid) FROM " + quoted(t.Name) + " GROUP BY " + columns + ")",
				"CREATE UNIQUE INDEX " + quoted("trowel_key_"+t.Name+"_"+key[0]) + " ON " + quoted(t.Name) + " (" + columns + ")",
			}, "no key of %s: each save adds a row", strings.Join(key, ", "))
		}
	}
	for i, set := range sets {
		contains := func(key []string) bool {
			return !slices.ContainsFunc(key, func(c string) bool { return !slices.Contains(set, c) })
		}
		if slices.ContainsFunc(keys, contains) {
			continue
		}
		var mend []string
		if names[i] != "" {
			mend = []string{"DROP INDEX " + quoted(names[i])}
		}
		add(mend, "rows must have different values of %s: a save removes other rows", strings.Join(set, ", "))
	}
	for _, o := range s.objects {
		if o.kind != "trigger" || !strings.EqualFold(o.table, t.Name) {
			continue
		}
		err := sqlitex.ExecuteTransient(s.memory, o.sql, nil)
		if err == nil {
			err = s.compile(t)
		}
		if err != nil {
			add([]string{"DROP TRIGGER " + quoted(o.name)}, "the trigger %.60q: %s", o.name, Why(err))
			_ = sqlitex.ExecuteTransient(s.memory, "DROP TRIGGER IF EXISTS "+quoted(o.name), nil)
		}
	}
	return list
}
