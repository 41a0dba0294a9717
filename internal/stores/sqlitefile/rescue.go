//go:build !js

package sqlitefile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/stores/sqlitepage"
	"trowel.example/internal/text/words"
)

// Losses returns the parts of the file that could not be rescued.
func (f *File) Losses() []Loss { return f.losses }

// Rescued reports whether the File reads a rescued copy.
func (f *File) Rescued() bool { return f.saved }

// Rescue writes all readable data of the pages of the file to a new temporary database, and reads that one from now
// on. Known contains the statements that create the expected tables, several for a table that exists in several
// shapes: they are used if the schema of the file is damaged.
func (f *File) Rescue(ctx context.Context, known []string) error {
	if f.saved {
		return nil
	}
	if err := f.Close(); err != nil {
		return err
	}
	dir, end, err := filelock.TempDir(scratchPrefix)
	if err != nil {
		return err
	}
	f.endCopy, f.saved, f.frozen = end, true, false
	to := filepath.Join(dir, filepath.Base(f.Path))
	f.losses, err = rescueTo(ctx, f.Path, to, known)
	if err != nil {
		return err
	}
	if f.Conn, err = sqlite.OpenConn(to, sqlite.OpenReadOnly); err != nil {
		return err
	}
	return tame(f.Conn)
}

// rescuer fills a new database.
type rescuer struct {
	ctx    context.Context
	conn   *sqlite.Conn
	tables []*rescued // parallel to shapes
	shapes []sqlitepage.Shape
	losses []Loss
}

// rescued is a table that is being rescued.
type rescued struct {
	name    string // in the damaged database
	made    string // in the new one
	columns []string
	rowid   int // index of the column that is an alias of the rowid, -1 if there is none
	rows    int
	found   int // number of rows from orphan pages
	doubled int
	inserts map[int]*sqlite.Stmt
}

// rescueTo writes a new database, like [File.Rescue], and returns the losses.
func rescueTo(ctx context.Context, from, to string, known []string) (_ []Loss, err error) {
	pages, err := sqlitepage.Open(from)
	if err != nil {
		return nil, err
	}
	defer pages.Close()
	conn, err := sqlite.OpenConn(to, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	r := &rescuer{ctx: ctx, conn: conn}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// After a crash the database is made again.
	for _, s := range []string{"PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF", "PRAGMA trusted_schema=OFF", "BEGIN"} {
		if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
			return nil, err
		}
	}
	conn.SetInterrupt(ctx.Done())
	schema, whole := pages.Schema(ctx)
	if err := r.prepare(schema, whole, known); err != nil {
		return nil, err
	}
	lost, err := pages.Rows(ctx, r.shapes, r.row)
	if err != nil {
		return nil, err
	}
	for _, t := range r.tables {
		for _, s := range t.inserts {
			err = errors.Join(err, s.Finalize())
		}
	}
	if err != nil {
		return nil, err
	}
	r.reportLosses(pages, lost)
	if err := r.choose(); err != nil {
		return nil, err
	}
	for _, kind := range []string{"index", "view", "trigger"} {
		for _, o := range schema {
			if o.Kind == kind && o.SQL != "" {
				// Statements that fail, such as for an index over duplicate rows, are skipped.
				_ = sqlitex.ExecuteTransient(conn, o.SQL, nil)
			}
		}
	}
	return r.losses, sqlitex.ExecuteTransient(conn, "COMMIT", nil)
}

// prepare creates the tables: according to the schema, or as known.
func (r *rescuer) prepare(schema []sqlitepage.Object, whole bool, known []string) error {
	have := make(map[string]bool)
	for _, o := range schema {
		if o.Kind != "table" || strings.HasPrefix(strings.ToLower(o.Name), "sqlite_") || o.Root == 0 {
			continue
		}
		made, err := r.table(o.Name, o.SQL)
		if err != nil {
			continue // the statement fails, for example because the schema is damaged
		}
		have[strings.ToLower(o.Name)] = true
		shape := &r.shapes[made]
		shape.Root = o.Root
		for _, i := range schema {
			if i.Kind == "index" && strings.EqualFold(i.Table, o.Name) && i.Root != 0 {
				shape.Indexes = append(shape.Indexes, i.Root)
			}
		}
	}
	if whole && len(have) > 0 {
		return nil
	}
	for _, sql := range known {
		name := tableName(sql)
		if have[name] {
			continue
		}
		if _, err := r.table(name, sql); err != nil {
			return err
		}
	}
	return nil
}

// tableName returns the name of the table that a statement creates.
func tableName(sql string) string {
	sql = strings.TrimPrefix(sql, "CREATE TABLE ")
	sql = strings.TrimPrefix(sql, "IF NOT EXISTS ")
	name, _, _ := strings.Cut(sql, "(")
	return strings.ToLower(strings.Trim(name, " `\"[]"))
}

// table creates a table, and returns its index. If a table of the name exists, it uses another name until the right
// shape is known.
func (r *rescuer) table(name, sql string) (int, error) {
	t := &rescued{name: name, made: name, rowid: -1, inserts: make(map[int]*sqlite.Stmt)}
	for _, other := range r.tables {
		if strings.EqualFold(other.made, name) {
			t.made = fmt.Sprintf("%s_%d", name, len(r.tables))
			sql = "CREATE TABLE " + quoted(t.made) + sql[strings.Index(sql, "("):]
		}
	}
	if err := sqlitex.ExecuteTransient(r.conn, sql, nil); err != nil {
		return 0, err
	}
	shape := sqlitepage.Shape{Table: name}
	keys := 0
	err := sqlitex.ExecuteTransient(r.conn, "PRAGMA table_info("+quoted(t.made)+")",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			kinds := kindsOf(s.ColumnText(2))
			key := s.ColumnInt(5) > 0
			if s.ColumnInt(3) == 0 && !key {
				kinds |= sqlitepage.Null
			}
			if key {
				if keys++; keys == 1 && strings.EqualFold(s.ColumnText(2), "INTEGER") {
					t.rowid = len(t.columns)
				} else {
					t.rowid = -1
				}
			}
			shape.Columns = append(shape.Columns, kinds)
			t.columns = append(t.columns, s.ColumnText(1))
			return nil
		}})
	if err != nil || len(t.columns) == 0 {
		return 0, errors.Join(err, errors.New("no columns"))
	}
	if t.rowid >= 0 {
		shape.Columns[t.rowid] = sqlitepage.Null
	}
	r.tables, r.shapes = append(r.tables, t), append(r.shapes, shape)
	return len(r.tables) - 1, nil
}

// kindsOf returns the kinds of values in a column of a declared type.
func kindsOf(declared string) sqlitepage.Kinds {
	declared = strings.ToUpper(declared)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(declared, p) })
	}
	switch {
	case has("INT"):
		return sqlitepage.Integer
	case has("CHAR", "CLOB", "TEXT"):
		return sqlitepage.Text | sqlitepage.Blob
	case declared == "" || has("BLOB"):
		return sqlitepage.Blob | sqlitepage.Text
	case has("REAL", "FLOA", "DOUB"):
		return sqlitepage.Float | sqlitepage.Integer
	}
	return sqlitepage.Integer | sqlitepage.Float | sqlitepage.Text
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// row inserts a row into its table, unless it has a row with the same key.
func (r *rescuer) row(row sqlitepage.Row) error {
	t := r.tables[row.Table]
	n := len(row.Values)
	insert := t.inserts[n]
	if insert == nil {
		columns := make([]string, 0, n+1)
		for _, c := range t.columns[:n] {
			columns = append(columns, quoted(c))
		}
		if t.rowid < 0 && !slices.ContainsFunc(t.columns, func(c string) bool { return strings.EqualFold(c, "rowid") }) {
			columns = append(columns, "rowid")
		}
		var err error
		sql := "INSERT OR IGNORE INTO " + quoted(t.made) + " (" + strings.Join(columns, ", ") + ") VALUES (?" +
			strings.Repeat(", ?", len(columns)-1) + ")"
		if insert, _, err = r.conn.PrepareTransient(sql); err != nil {
			return err
		}
		t.inserts[n] = insert
	}
	for i, v := range row.Values {
		if i == t.rowid {
			v = row.RowID
		}
		switch v := v.(type) {
		case nil:
			insert.BindNull(i + 1)
		case int64:
			insert.BindInt64(i+1, v)
		case float64:
			insert.BindFloat(i+1, v)
		case string:
			insert.BindText(i+1, v)
		case []byte:
			if insert.BindBytes(i+1, v); len(v) == 0 {
				insert.BindZeroBlob(i+1, 0)
			}
		}
	}
	if insert.BindParamCount() > n {
		insert.BindInt64(n+1, row.RowID)
	}
	if _, err := insert.Step(); err != nil {
		return errors.Join(r.ctx.Err(), err)
	}
	if err := insert.Reset(); err != nil {
		return err
	}
	switch {
	case r.conn.Changes() > 0 && row.Found:
		t.found++
		t.rows++
	case r.conn.Changes() > 0:
		t.rows++
	case !row.Found:
		t.doubled++
	}
	return nil
}

// reportLosses combines the lost pages and rows to one loss per table.
func (r *rescuer) reportLosses(pages *sqlitepage.File, lost []sqlitepage.Loss) {
	type kind struct {
		table string
		index bool
	}
	byTable := make(map[kind][]sqlitepage.Loss)
	var order []kind
	for _, l := range lost {
		k := kind{l.Table, l.Index}
		if byTable[k] == nil {
			order = append(order, k)
		}
		byTable[k] = append(byTable[k], l)
	}
	for _, k := range order {
		list := byTable[k]
		loss := Loss{Table: k.table, Rows: !k.index}
		numbers := make(map[uint32]bool)
		rows, doubt := 0, false
		for _, l := range list {
			if !numbers[l.Page] {
				numbers[l.Page] = true
				loss.At = append(loss.At, check.Span{Offset: pages.Offset(l.Page), Length: int64(pages.PageSize)})
			}
			if l.Row {
				rows++
			}
			doubt = doubt || l.Doubt
		}
		first := list[0]
		what := "table " + k.table
		switch {
		case k.index:
			what = "an index of " + what
		case k.table == "sqlite_master":
			what = "the schema"
		}
		loss.Text = fmt.Sprintf("%s: page %d is damaged: %v", what, first.Page, first.Reason)
		if first.Row {
			loss.Text = fmt.Sprintf("%s: row %d in page %d cannot be read: %v", what, first.RowID, first.Page, first.Reason)
		}
		if n := len(numbers); n > 1 {
			loss.Text += fmt.Sprintf(", and %s", words.Count(n-1, "more page"))
		}
		if k.index {
			loss.Text += "; no rows are lost"
		} else if k.table != "sqlite_master" {
			loss.Text += r.kept(k.table, doubt)
		} else if loss.Rows = doubt; doubt {
			loss.Text += "; salvaged rows may be outdated"
		}
		r.losses = append(r.losses, loss)
	}
	for _, t := range r.tables {
		if t.doubled > 0 {
			r.losses = append(r.losses, Loss{Table: t.name, Rows: true,
				Text: fmt.Sprintf("table %s: %s with the key of another row, or none", t.name, words.Count(t.doubled, "row"))})
		}
	}
	if at := pages.Moved(); at >= 0 {
		r.losses = append(r.losses, Loss{
			Text: fmt.Sprintf("the pages from offset %d are not in their places", at),
			At:   []check.Place{check.Span{Offset: at, Length: pages.Size() - at}},
		})
	}
	if cut := pages.Missing(); cut > 0 {
		r.losses = append(r.losses, Loss{
			Rows: true, Text: fmt.Sprintf("the file is cut off: %s bytes are missing", words.Thousands(cut)),
			At: []check.Place{check.Span{Offset: pages.Size(), Length: cut}},
		})
	}
}

// kept describes how much of a table was read.
func (r *rescuer) kept(table string, doubt bool) string {
	rows, found := 0, 0
	for _, t := range r.tables {
		if t.name == table {
			rows, found = max(rows, t.rows), max(found, t.found)
		}
	}
	text := "; salvaged " + words.Count(rows, "row")
	if doubt && found > 0 {
		text += fmt.Sprintf(", %d of them from pages that may be outdated", found)
	}
	return text
}

// choose keeps, of each table, the shape with the most rows.
func (r *rescuer) choose() error {
	best := make(map[string]*rescued)
	for _, t := range r.tables {
		if b := best[t.name]; b == nil || t.rows > b.rows {
			best[t.name] = t
		}
	}
	for _, t := range r.tables {
		if best[t.name] == t {
			continue
		}
		if t.rows > 0 {
			r.losses = append(r.losses, Loss{Table: t.name, Rows: true,
				Text: fmt.Sprintf("table %s: %s with a different number or type of columns", t.name, words.Count(t.rows, "row"))})
		}
		if err := sqlitex.ExecuteTransient(r.conn, "DROP TABLE "+quoted(t.made), nil); err != nil {
			return err
		}
	}
	for name, t := range best {
		if t.made == name {
			continue
		}
		if err := sqlitex.ExecuteTransient(r.conn, "ALTER TABLE "+quoted(t.made)+" RENAME TO "+quoted(name), nil); err != nil {
			return err
		}
	}
	return nil
}

// Examine reports whether a database is damaged, and returns the parts that cannot be read.
func Examine(ctx context.Context, path string, tables []string) ([]Loss, bool, error) {
	f, err := OpenOrRescue(ctx, path, tables)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if !f.Rescued() && filelock.UsedBy(path) == "" {
		if _, err := f.Verify(ctx, tables); err != nil {
			return nil, false, err
		}
	}
	return f.Losses(), f.Rescued(), nil
}

// RescueInPlace replaces a damaged database by a new one with its readable data, like [rescueTo]. A run that is
// interrupted leaves the old database, or one that [Settle] completes. No program may use the database.
func RescueInPlace(ctx context.Context, path string, known []string) error {
	part := partOf(path)
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if _, err = rescueTo(ctx, path, part, known); err == nil {
		err = errors.Join(wholefile.SetMode(part, st.Mode().Perm()), wholefile.Sync(part))
	}
	if err == nil {
		err = os.Rename(part, rescuedOf(path))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return replace(path)
}
