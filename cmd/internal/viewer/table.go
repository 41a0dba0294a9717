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

// A file of the tree is shown as a table if it is CSV, TSV, or JSON that is a list of objects. A JSON object
// with lists of objects as members has one table for each list.

const (
	maxTable   = 32 << 20 // size in bytes of a text with tables
	maxCells   = 4 << 20  // cells of all tables
	maxColumns = 1000
	cellText   = 300 // letters sent of a cell
)

// table is a table of texts.
type table struct {
	name    string
	columns []string
	rows    []tableRow

	mu    sync.Mutex
	order order
	found []int // row numbers in that order
}

type tableRow struct {
	line  int // line of the text, from 1
	cells []string
}

// order selects and sorts the rows.
type order struct {
	by      int // column to sort by; -1: the order in the file
	down    bool
	pattern string // text in any cell, ignoring case; "" selects all rows
}

// tablesOf returns the tables in a text.
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
			d.tables = nil // the text panel shows the error
		}
	})
	return d.tables
}

// separated parses CSV or TSV. The first row contains the names of the columns.
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

// jsonTables returns the lists of objects: the whole text, or its members.
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

// members calls see for the members of an object, in order. Offsets are relative to the text in which the
// object begins at start.
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
	counted int // offset up to which lines are counted
	line    int
	cells   int
}

// lineAt returns the line of an offset. Offsets must increase from call to call.
func (j *jsonReader) lineAt(offset int) int {
	j.line += bytes.Count(j.text[j.counted:offset], []byte("\n"))
	j.counted = offset
	return j.line
}

// table returns the table of a list, or nil if the list does not consist of objects.
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

// cellOf returns the text of a value: strings without quotes, lists of strings separated by commas.
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

// in returns the numbers of the selected rows, sorted. The last result is kept, because a page requests many
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

// sortKey is the sort key of a cell: numbers sort before texts, and empty cells are last.
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

// readTable returns rows of a table. Parameters: path; table, the number of the table in the file; by, the
// column to sort by, and down for descending order; q, a text in the rows; from and n. A row is [line of the
// text, cells].
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

// hasTable reports whether a file of the tree is shown as a table. Only files with the names of tables are
// read.
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
