package viewer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A file of the tree is shown as a table if it is CSV, TSV, or JSON that is a list of objects
// or has such lists in it, one table each.

const (
	maxTable   = 32 << 20 // bytes of a text of which tables are made
	maxCells   = 4 << 20  // of all its tables
	maxColumns = 1000
	cellText   = 300 // letters of a cell that are sent
)

// table is a table with the text of its cells.
type table struct {
	name    string
	columns []string
	rows    []tableRow

	mu    sync.Mutex
	order order
	found []int // rows in that order
}

type tableRow struct {
	line  int // of the text, from 1
	cells []string
}

// order says which rows there are, and in what order.
type order struct {
	by      int // column; -1: as they stand
	down    bool
	pattern string // in any case, in any cell; "" is all
}

// tablesOf returns the tables that are in a text.
func (d *document) tablesOf(name string) []*table {
	d.tablesOnce.Do(func() {
		if len(d.text) > maxTable {
			return
		}
		var err error
		switch strings.ToLower(path.Ext(name)) {
		case ".csv":
			d.tables, err = separated(d.text, ',')
		case ".tsv":
			d.tables, err = separated(d.text, '\t')
		case ".json":
			d.tables, err = jsonTables(d.text)
		}
		if err != nil {
			d.tables = nil // the text shows what it is
		}
	})
	return d.tables
}

// separated reads CSV or TSV, the first row of which has the names of the columns.
func separated(text []byte, comma rune) ([]*table, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = comma, true, -1
	t := new(table)
	for cells := 0; ; {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if t.columns == nil {
			t.columns = record
			continue
		}
		line, _ := r.FieldPos(0)
		t.rows = append(t.rows, tableRow{line, record})
		for len(t.columns) < len(record) {
			t.columns = append(t.columns, fmt.Sprint(len(t.columns)+1))
		}
		if cells += len(record); cells > maxCells || len(t.columns) > maxColumns {
			return nil, errTable
		}
	}
	if len(t.rows) == 0 {
		return nil, nil
	}
	return []*table{t}, nil
}

var errTable = fmt.Errorf("it is no table, or too large")

// jsonTables finds the lists of objects: the whole, or members of it.
func jsonTables(text []byte) ([]*table, error) {
	j := jsonReader{text: text, line: 1}
	dec := json.NewDecoder(bytes.NewReader(text))
	var whole json.RawMessage
	if err := dec.Decode(&whole); err != nil {
		return nil, err
	}
	start := int(dec.InputOffset()) - len(whole)
	switch whole[0] {
	case '[':
		t, err := j.table("", whole, start)
		if t == nil || err != nil {
			return nil, err
		}
		return []*table{t}, nil
	case '{':
		var list []*table
		err := members(whole, start, func(name string, value json.RawMessage, at int) error {
			if value[0] != '[' {
				return nil
			}
			t, err := j.table(name, value, at)
			if t != nil {
				list = append(list, t)
			}
			return err
		})
		return list, err
	}
	return nil, nil
}

// members goes through an object in its own order. Offsets are those of the text in which the
// object stands at start.
func members(object json.RawMessage, start int, see func(name string, value json.RawMessage, at int) error) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := see(fmt.Sprint(name), value, start+int(dec.InputOffset())-len(value)); err != nil {
			return err
		}
	}
	return nil
}

type jsonReader struct {
	text    []byte
	counted int // bytes of the text up to which lines are counted
	line    int
	cells   int
}

// lineAt returns the line of an offset; they come in order.
func (j *jsonReader) lineAt(offset int) int {
	j.line += bytes.Count(j.text[j.counted:offset], []byte("\n"))
	j.counted = offset
	return j.line
}

// table makes a table of a list, nil if it is none of objects.
func (j *jsonReader) table(name string, list json.RawMessage, start int) (*table, error) {
	dec := json.NewDecoder(bytes.NewReader(list))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	t := &table{name: name}
	columns := make(map[string]int)
	for dec.More() {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		if value[0] != '{' {
			return nil, nil
		}
		at := start + int(dec.InputOffset()) - len(value)
		row := tableRow{line: j.lineAt(at)}
		err := members(value, at, func(key string, value json.RawMessage, _ int) error {
			i, known := columns[key]
			if !known {
				i = len(t.columns)
				columns[key] = i
				t.columns = append(t.columns, key)
			}
			for len(row.cells) <= i {
				row.cells = append(row.cells, "")
			}
			row.cells[i] = cellOf(value)
			return nil
		})
		if err != nil {
			return nil, err
		}
		t.rows = append(t.rows, row)
		if j.cells += len(row.cells); j.cells > maxCells || len(columns) > maxColumns {
			return nil, errTable
		}
	}
	if t.rows == nil {
		return nil, nil
	}
	return t, nil
}

// cellOf returns a value as people read it: texts as they are, lists of them with commas.
func cellOf(value json.RawMessage) string {
	switch value[0] {
	case '"':
		var s string
		if json.Unmarshal(value, &s) == nil {
			return s
		}
	case 'n':
		return ""
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(value, &list) == nil && !slices.ContainsFunc(list, func(v json.RawMessage) bool { return v[0] == '[' || v[0] == '{' }) {
			parts := make([]string, len(list))
			for i, v := range list {
				parts[i] = cellOf(v)
			}
			return strings.Join(parts, ", ")
		}
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}

func (r tableRow) cell(i int) string {
	if i < len(r.cells) {
		return r.cells[i]
	}
	return ""
}

// in returns the numbers of the rows in an order. The last one is kept: a page asks for many
// parts of it.
func (t *table) in(o order) []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.found != nil && t.order == o {
		return t.found
	}
	pattern := strings.ToLower(o.pattern)
	found := []int{}
	for i, r := range t.rows {
		if pattern == "" || slices.ContainsFunc(r.cells, func(c string) bool { return strings.Contains(strings.ToLower(c), pattern) }) {
			found = append(found, i)
		}
	}
	if o.by >= 0 {
		keys := make([]sortKey, len(t.rows))
		for _, i := range found {
			keys[i] = keyOf(t.rows[i].cell(o.by))
		}
		slices.SortStableFunc(found, func(a, b int) int {
			c := keys[a].compare(keys[b])
			if o.down && keys[a].kind != empty && keys[b].kind != empty {
				c = -c
			}
			return c
		})
	}
	t.order, t.found = o, found
	return found
}

// sortKey is what a cell is sorted by: numbers before texts, and what is empty at the end.
type sortKey struct {
	kind  int
	exact int64
	float float64
	text  string
}

const (
	integer = iota
	decimal
	words
	empty
)

func keyOf(cell string) sortKey {
	if cell == "" {
		return sortKey{kind: empty}
	}
	if n, err := strconv.ParseInt(cell, 10, 64); err == nil {
		return sortKey{kind: integer, exact: n, float: float64(n)}
	}
	if f, err := strconv.ParseFloat(cell, 64); err == nil {
		return sortKey{kind: decimal, float: f}
	}
	return sortKey{kind: words, text: strings.ToLower(cell)}
}

func (k sortKey) compare(o sortKey) int {
	switch {
	case k.kind == integer && o.kind == integer:
		return cmp.Compare(k.exact, o.exact)
	case k.kind <= decimal && o.kind <= decimal:
		return cmp.Compare(k.float, o.float)
	case k.kind == words && o.kind == words:
		return strings.Compare(k.text, o.text)
	}
	return cmp.Compare(max(k.kind, decimal), max(o.kind, decimal))
}

// readTable answers with rows of a table: path; table, its number among those of the file; by,
// a column, and down; q, what is to be in a row; from and n. A row is [line of the text, cells].
func readTable(ctx context.Context, e *edition, r *http.Request) (any, error) {
	q := r.URL.Query()
	d, release, err := e.document(ctx, q.Get("path"))
	if err != nil {
		return nil, err
	}
	defer release()
	tables := d.tablesOf(q.Get("path"))
	if len(tables) == 0 {
		return nil, problem{http.StatusNotFound, q.Get("path") + ": it is no table"}
	}
	number, err := wholeOr(q.Get("table"), 0, 0, len(tables)-1)
	if err != nil {
		return nil, err
	}
	t := tables[number]
	o := order{pattern: q.Get("q"), down: q.Get("down") != ""}
	if o.by, err = wholeOr(q.Get("by"), -1, -1, len(t.columns)-1); err != nil {
		return nil, err
	}
	from, err := wholeOr(q.Get("from"), 0, 0, maxPosition)
	if err != nil {
		return nil, err
	}
	n, err := wholeOr(q.Get("n"), 200, 1, pageRows)
	if err != nil {
		return nil, err
	}
	type head struct {
		Name  string `json:"name"`
		Total int    `json:"total"`
	}
	var heads []head
	for _, t := range tables {
		heads = append(heads, head{t.name, len(t.rows)})
	}
	found := t.in(o)
	from = min(from, len(found))
	rows := [][2]any{}
	for _, i := range found[from:min(len(found), from+n)] {
		cells := make([]string, len(t.columns))
		for k := range cells {
			cells[k] = t.rows[i].cell(k)
			if end := letters([]byte(cells[k]), cellText); end < len(cells[k]) {
				cells[k] = cells[k][:end] + "…"
			}
		}
		rows = append(rows, [2]any{t.rows[i].line, cells})
	}
	return map[string]any{"tables": heads, "columns": t.columns, "rows": rows, "from": from, "total": len(found)}, nil
}

// hasTable reports whether a file of the tree is shown as a table. Only the names of those that
// may be are looked into.
func (e *edition) hasTable(ctx context.Context, name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".csv", ".tsv", ".json":
		d, release, err := e.document(ctx, name)
		if err != nil {
			return false
		}
		defer release()
		return len(d.tablesOf(name)) > 0
	}
	return false
}
