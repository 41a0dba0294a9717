package viewer

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/check"
	"trowel.example/internal/format"
)

// A file of the tree is shown as a table if it is CSV, TSV, or JSON that is a list of objects. A JSON object
// with lists of objects as members has one table for each list. The tables of the file itself are the hits of
// the queries that a format offers as tables.

const (
	maxTable      = 32 << 20 // size in bytes of a text with tables
	maxCells      = 4 << 20  // cells of all tables
	maxColumns    = 1000
	maxConditions = 20
	cellText      = 300 // letters sent of a cell
)

// table is a table of texts.
type table struct {
	name    string
	columns []string
	first   int // number of columns that are always shown; the others are shown on request
	rows    []tableRow
	more    bool // there are more rows than a table may have

	mu    sync.Mutex
	order order
	found []int // row numbers in that order
}

type tableRow struct {
	line  int // line of the text, from 1
	cells []string
	place check.Place // of a hit; nil in a table of a text
	icon  format.Icon
}

// order selects and sorts the rows.
type order struct {
	by      int // column to sort by; -1: the order in the file
	down    bool
	pattern string // text in any cell, ignoring case; "" selects all rows
	where   string // conditions, a line each
}

// condition is a condition for the cells of a column, such as "DAMAGE above 60".
type condition struct {
	column int
	holds  func(cell string) bool
}

// comparisons are the words of conditions.
var comparisons = map[string]func(cell, value string) bool{
	"is":    func(cell, value string) bool { return strings.EqualFold(cell, value) },
	"not":   func(cell, value string) bool { return !strings.EqualFold(cell, value) },
	"has":   func(cell, value string) bool { return strings.Contains(strings.ToLower(cell), strings.ToLower(value)) },
	"above": func(cell, value string) bool { return less(value, cell) },
	"below": func(cell, value string) bool { return less(cell, value) },
}

// less reports whether a cell is less than another one. Numbers and texts are never less than each other.
func less(a, b string) bool {
	ka, kb := keyOf(a), keyOf(b)
	return ka.kind != empty && kb.kind != empty && (ka.kind == lettered) == (kb.kind == lettered) && ka.compare(kb) < 0
}

// conditions parses the conditions of an order.
func (t *table) conditions(where string) (list []condition, err error) {
	for line := range strings.Lines(where) {
		line = strings.TrimSuffix(line, "\n")
		var one condition
		longest := -1 // length of the name: names may begin with other names, and contain spaces
		for i, name := range t.columns {
			rest, ok := strings.CutPrefix(line, name+" ")
			if !ok || len(name) <= longest {
				continue
			}
			word, value, _ := strings.Cut(rest, " ")
			if holds := comparisons[word]; holds != nil {
				one = condition{i, func(cell string) bool { return holds(cell, value) }}
				longest = len(name)
			}
		}
		if list = append(list, one); longest < 0 || len(list) > maxConditions {
			return nil, problem{http.StatusBadRequest, fmt.Sprintf("%q: expected a column, then is, not, has, above or below, and a value", line)}
		}
	}
	return list, nil
}

func (r tableRow) cell(i int) string {
	if i < len(r.cells) {
		return r.cells[i]
	}
	return ""
}

// in returns the numbers of the selected rows, sorted. The last result is kept, because a page requests many
// parts of it.
func (t *table) in(o order) ([]int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.found != nil && t.order == o {
		return t.found, nil
	}
	where, err := t.conditions(o.where)
	if err != nil {
		return nil, err
	}
	pattern := strings.ToLower(o.pattern)
	found := []int{}
	for i, r := range t.rows {
		fits := pattern == "" || slices.ContainsFunc(r.cells, func(c string) bool { return strings.Contains(strings.ToLower(c), pattern) })
		if fits && !slices.ContainsFunc(where, func(c condition) bool { return !c.holds(r.cell(c.column)) }) {
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
	return found, nil
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
	lettered
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
	return sortKey{kind: lettered, text: strings.ToLower(cell)}
}

func (k sortKey) compare(o sortKey) int {
	switch {
	case k.kind == integer && o.kind == integer:
		return cmp.Compare(k.exact, o.exact)
	case k.kind <= decimal && o.kind <= decimal:
		return cmp.Compare(k.float, o.float)
	case k.kind == lettered && o.kind == lettered:
		return strings.Compare(k.text, o.text)
	}
	return cmp.Compare(max(k.kind, decimal), max(o.kind, decimal))
}

// tableOf returns the table of a request, the names and sizes of all tables next to it, and a function to call when
// it is no longer used. The size of a table that is not read yet is -1.
func tableOf(ctx context.Context, e *edition, q url.Values) (t *table, heads []tableHead, release func(), err error) {
	path := q.Get("path")
	if path == "" {
		return e.listing(ctx, q)
	}
	d, release, err := e.document(ctx, path)
	if err != nil {
		return nil, nil, nil, err
	}
	tables := d.tablesOf(path)
	if len(tables) == 0 {
		release()
		return nil, nil, nil, problem{http.StatusNotFound, path + ": not a table"}
	}
	i, err := wholeOr(q.Get("table"), 0, 0, len(tables)-1)
	if err != nil {
		release()
		return nil, nil, nil, err
	}
	for _, t := range tables {
		heads = append(heads, tableHead{Name: t.name, Total: len(t.rows), Options: []tableOption{}})
	}
	return tables[i], heads, release, nil
}

type tableHead struct {
	Name    string        `json:"name"`
	Total   int           `json:"total"`
	Options []tableOption `json:"options"` // of its query
}

type tableOption struct {
	Name    string   `json:"name"`
	Choices []string `json:"choices"` // null: a whole number from 1 on
	Default string   `json:"default"`
}

// readTable returns rows of a table. Parameters: path, "" for the file itself; table, the number of the table;
// by, the name of the column to sort by, and down for descending order; q, a text in the rows; where, conditions,
// a line each; columns, further columns to show, a line each; from and n; o.NAME, an option of the query of hits. A row
// is [line of the text, cells], and in a table of hits [line, cells, path, icon].
func readTable(ctx context.Context, e *edition, r *http.Request) (any, error) {
	q := r.URL.Query()
	t, heads, release, err := tableOf(ctx, e, q)
	if err != nil {
		return nil, err
	}
	defer release()
	o := order{pattern: q.Get("q"), down: q.Get("down") != "", where: q.Get("where"), by: -1}
	if by := q.Get("by"); by != "" {
		if o.by = slices.Index(t.columns, by); o.by < 0 {
			return nil, problem{http.StatusBadRequest, "no column " + by}
		}
	}
	shown := make([]int, t.first)
	for i := range shown {
		shown[i] = i
	}
	for name := range strings.SplitSeq(q.Get("columns"), "\n") {
		if i := slices.Index(t.columns, name); i >= t.first && !slices.Contains(shown, i) {
			shown = append(shown, i)
		}
	}
	from, err := wholeOr(q.Get("from"), 0, 0, maxPosition)
	if err != nil {
		return nil, err
	}
	n, err := wholeOr(q.Get("n"), 200, 1, pageRows)
	if err != nil {
		return nil, err
	}
	found, err := t.in(o)
	if err != nil {
		return nil, err
	}
	from = min(from, len(found))
	part := found[from:min(len(found), from+n)]
	lines, err := e.linesOf(ctx, t, part)
	if err != nil {
		return nil, err
	}
	rows := [][]any{}
	for k, i := range part {
		row := t.rows[i]
		cells := make([]string, len(shown))
		for k, column := range shown {
			cells[k] = row.cell(column)
			if end := letters([]byte(cells[k]), cellText); end < len(cells[k]) {
				cells[k] = cells[k][:end] + "…"
			}
		}
		one := []any{row.line, cells}
		if row.place != nil {
			one = []any{lines[k].Line, cells, lines[k].Path, iconOf(row.icon)}
		}
		rows = append(rows, one)
	}
	names := make([]string, len(shown))
	for k, column := range shown {
		names[k] = t.columns[column]
	}
	return map[string]any{"tables": heads, "columns": names, "all": t.columns, "first": t.first, "rows": rows, "from": from,
		"total": len(found), "more": t.more}, nil
}

// hasTable reports whether a file of the tree is shown as a table. Only files with the names of tables are
// read.
func (e *edition) hasTable(ctx context.Context, name string) bool {
	if name == "" {
		return len(e.lists()) > 0
	}
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
