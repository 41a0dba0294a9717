package sqlitepage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
)

// query is a parsed query of [DB.Select].
type query struct {
	columns  []string
	count    bool // count(*) instead of columns
	distinct bool
	table    string
	where    string // a column; "" for all rows
	arg      int    // the number of the argument that the column equals, from 0; -1 for notIn
	notIn    [2]string
	by       []string
}

// parseQuery parses a query.
func parseQuery(sql string) (q query, ok bool) {
	list, ok := tokensOf(sql)
	r := &tokenReader{list}
	if !ok || !r.skip("SELECT") {
		return q, false
	}
	q.distinct = r.skip("DISTINCT")
	if r.skip("count") {
		inner, ok := r.group()
		if q.count = true; !ok || len(inner) != 1 || inner[0].kind != '*' || q.distinct {
			return q, false
		}
	} else if q.columns, ok = r.names(); !ok {
		return q, false
	}
	if !r.skip("FROM") {
		return q, false
	}
	q.table, ok = r.name()
	if ok && r.skip("WHERE") {
		q.where, ok = r.name()
		ok = ok && q.condition(r)
	}
	if ok && r.skip("ORDER", "BY") {
		q.by, ok = r.names()
	}
	return q, ok && len(r.rest) == 0
}

// condition parses the condition after its column.
func (q *query) condition(r *tokenReader) bool {
	if r.skipChar('=') {
		text, found := strings.CutPrefix(r.next().text, "$")
		n, err := strconv.Atoi(text)
		q.arg = n - 1
		return found && err == nil && n > 0
	}
	q.arg = -1
	if !r.skip("NOT", "IN") {
		return false
	}
	inner, ok := r.group()
	in := &tokenReader{inner}
	if !ok || !in.skip("SELECT") {
		return false
	}
	if q.notIn[0], ok = in.name(); !ok || !in.skip("FROM") {
		return false
	}
	q.notIn[1], ok = in.name()
	return ok && len(in.rest) == 0
}

// names reads names with commas between them.
func (r *tokenReader) names() (list []string, ok bool) {
	for {
		name, ok := r.name()
		if !ok {
			return nil, false
		}
		if list = append(list, name); !r.skipChar(',') {
			return list, true
		}
	}
}

// Select calls row for each row of a query of this form, with values as of [Entry.Value]:
//
//	SELECT [DISTINCT] column, ... | count(*) FROM table
//	  [WHERE column = $1 | WHERE column NOT IN (SELECT column FROM table)] [ORDER BY column, ...]
//
// Rows without ORDER BY come in the order of an index that has all columns of the query, if there is one. Damage is
// passed to lost; if lost returns true, Select continues after the damaged page. For other queries the error wraps
// errors.ErrUnsupported.
func (db *DB) Select(ctx context.Context, sql string, args []any, row func(values []any) error, lost func(error) bool) error {
	q, ok := parseQuery(sql)
	if !ok || q.where != "" && q.arg >= len(args) {
		return db.unsupported("", "a query of one table", fmt.Sprintf("%.200s", sql))
	}
	t, err := db.Table(q.table)
	if err != nil {
		return err
	}
	s := &selecting{query: q, table: t, ctx: ctx, lost: lost}
	for _, name := range q.columns {
		column := t.Column(name)
		if column < 0 {
			return noColumn(name)
		}
		s.values = append(s.values, column)
	}
	order, rng, err := s.order(args)
	if err == nil && q.where != "" && q.arg < 0 {
		err = s.readExcluded()
	}
	if err != nil {
		return err
	}
	n := int64(0)
	var failed error
	seen := make(map[string]bool)
	if err := s.each(order, rng, func(e *Entry) error {
		values, ok, err := s.read(e)
		if !ok || err != nil {
			return err
		}
		if n++; q.count {
			return nil
		}
		if q.distinct {
			key := fmt.Sprintf("%#v", values)
			if seen[key] {
				return nil
			}
			seen[key] = true
		}
		if failed = row(values); failed != nil {
			return errEnds
		}
		return nil
	}); err != nil && err != errEnds {
		return err
	}
	if q.count {
		return row([]any{n})
	}
	return failed
}

// errEnds ends a query early.
var errEnds = errors.New("ends")

// selecting is a running query.
type selecting struct {
	query
	table    *TableReader
	ctx      context.Context
	values   []int
	filter   int // the column of NOT IN
	excluded map[any]bool
	lost     func(error) bool
}

// order chooses an order of the table in which the rows of the query are adjacent, or come as requested.
func (s *selecting) order(args []any) (*Order, Range, error) {
	t := s.table
	if s.where != "" && s.arg >= 0 {
		key := []any{args[s.arg]}
		o, err := t.Order(append([]string{s.where}, s.by...)...)
		return o, Range{From: key, To: key}, err
	}
	if len(s.by) > 0 {
		o, err := t.Order(s.by...)
		return o, Range{}, err
	}
	needed := s.values
	if s.where != "" {
		needed = append(slices.Clone(needed), t.Column(s.where))
	}
	for _, ix := range t.indexes {
		if !slices.ContainsFunc(needed, func(c int) bool { _, ok := ix.place[c]; return !ok && c != t.rowid }) && len(needed) > 0 {
			return &Order{table: t, index: ix}, Range{}, nil
		}
	}
	o, err := t.Order()
	return o, Range{}, err
}

// each calls do for the rows of a range.
func (s *selecting) each(o *Order, rng Range, do func(*Entry) error) error {
	for e, err := range o.Range(s.ctx, rng) {
		if err == nil {
			err = do(e)
		}
		if err != nil && !(errors.Is(err, fault.ErrFormat) && s.lost(err)) {
			return err
		}
	}
	return nil
}

// readExcluded reads the values of the second table of NOT IN.
func (s *selecting) readExcluded() error {
	if s.filter = s.table.Column(s.where); s.filter < 0 {
		return noColumn(s.where)
	}
	s.excluded = make(map[any]bool)
	return s.table.db.Select(s.ctx, "SELECT "+s.notIn[0]+" FROM "+s.notIn[1], nil, func(values []any) error {
		s.excluded[mapKey(values[0])] = true
		return nil
	}, s.lost)
}

// mapKey returns a key of a map that is the same for equal values.
func mapKey(v any) any {
	switch v := v.(type) {
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	case []byte:
		return [1]string{string(v)} // not equal to a text
	}
	return v
}

// read returns the values of a row; ok is false if NOT IN excludes the row.
func (s *selecting) read(e *Entry) (values []any, ok bool, err error) {
	if s.excluded != nil {
		v, err := e.Value(s.filter)
		// The result of a comparison with NULL is NULL, which is not true.
		if err != nil || s.excluded[nil] || s.excluded[mapKey(v)] || v == nil && len(s.excluded) > 0 {
			return nil, false, err
		}
	}
	for _, column := range s.values {
		v, err := e.Value(column)
		if err != nil {
			return nil, false, err
		}
		values = append(values, v)
	}
	return values, true, nil
}
