package sqlitepage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// An Order reads the rows of a table sorted by some columns, ascending, with the collation of each column.
type Order struct {
	table   *TableReader
	columns []int
	index   *index // nil: by rowid, or sorted
	sorted  bool   // no index has this order
}

// A Range is a part of an order. From and To are values of the first columns of the order: nil, int64, float64, string
// or []byte. An empty list is no limit.
type Range struct {
	From, To []any
	After    bool // exclude rows that are equal to From
	Before   bool // exclude rows that are equal to To
}

// Order returns the order by some columns. Without columns it is the order of the rowids, or of the primary key of a
// table without rowids. If no index has this order, each pass sorts the keys of the whole table in memory.
func (t *TableReader) Order(columns ...string) (*Order, error) {
	o := &Order{table: t, index: t.primary}
	if len(columns) == 0 {
		return o, nil
	}
	for _, name := range columns {
		column := t.Column(name)
		if column < 0 {
			return nil, noColumn(name)
		}
		o.columns = append(o.columns, column)
	}
	if o.columns[0] == t.rowid {
		return o, nil // rowids are unique
	}
	indexes := t.indexes
	if t.primary != nil {
		indexes = append([]*index{t.primary}, indexes...)
	}
	for _, ix := range indexes {
		if o.fits(ix) {
			o.index = ix
			return o, nil
		}
	}
	o.sorted = true
	return o, nil
}

func noColumn(name string) error { return fmt.Errorf("no such column: %s", name) }

// Indexed reports whether the table has this order, so that a range reads only its own rows.
func (o *Order) Indexed() bool { return !o.sorted }

// fits reports whether an index begins with the columns of the order.
func (o *Order) fits(ix *index) bool {
	return len(ix.keys) >= len(o.columns) && !slices.ContainsFunc(o.columns, func(column int) bool {
		k := ix.keys[slices.Index(o.columns, column)]
		return k.column != column || k.desc || k.collation != o.table.collation(column) || !knownCollation(k.collation)
	})
}

func (t *TableReader) collation(column int) string {
	if name := t.Columns[column].collation; name != "" {
		return name
	}
	return "BINARY"
}

// Range yields the rows of a range in order. After an error about damage, the loop continues with the rows after the
// damaged page.
func (o *Order) Range(ctx context.Context, r Range) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		from, to, err := o.limits(r)
		if err != nil {
			yield(nil, err)
			return
		}
		if o.sorted {
			o.sort(ctx, from, to, r, yield)
			return
		}
		t := &o.table.main
		if o.index != nil {
			t = &o.index.tree
		}
		var before func(*Entry) (bool, error)
		if len(from) > 0 {
			before = func(e *Entry) (bool, error) {
				e.table, e.index = o.table, o.index
				c, err := o.compare(e, from)
				return c < 0 || c == 0 && r.After, err
			}
		}
		t.walk(ctx).run(t.root, 0, before, func(e *Entry) bool {
			e.table, e.index = o.table, o.index
			if len(to) > 0 {
				c, err := o.compare(e, to)
				if err != nil {
					return yield(nil, err)
				}
				if c > 0 || c == 0 && r.Before {
					return false
				}
			}
			return yield(e, nil)
		}, func(err error) bool { return yield(nil, err) })
	}
}

// limits converts the limits of a range.
func (o *Order) limits(r Range) (from, to []field, err error) {
	t := o.table
	for _, c := range o.columns[:min(len(o.columns), max(len(r.From), len(r.To)))] {
		if !knownCollation(t.collation(c)) {
			return nil, nil, t.unknownCollation(c)
		}
	}
	convert := func(values []any) (list []field) {
		for i, v := range values[:min(len(values), len(o.columns))] {
			list = append(list, t.db.file.fieldFrom(t.Columns[o.columns[i]].Affinity.compared(v)))
		}
		return list
	}
	return convert(r.From), convert(r.To), nil
}

// compare compares the first columns of an entry with a key.
func (o *Order) compare(e *Entry, key []field) (int, error) {
	if o.index != nil {
		return e.compare(o.index, key)
	}
	c := o.table.db.file.compare(field{class: Integer, i: e.cell.rowid}, key[0], "BINARY")
	switch {
	case c != 0 || len(key) == 1:
		return c, nil
	case e.cell.child != 0:
		return 1, nil // the last row of the child may be in the range
	}
	for i, want := range key[1:] {
		v, err := e.field(o.columns[i+1])
		if c = o.table.db.file.compare(v, want, o.table.collation(o.columns[i+1])); c != 0 || err != nil {
			return c, err
		}
	}
	return 0, nil
}

// sort yields rows sorted in memory.
func (o *Order) sort(ctx context.Context, from, to []field, r Range, yield func(*Entry, error) bool) {
	t := o.table
	type sortedRow struct {
		key []field
		ref reference
	}
	compare := func(a, b []field) int {
		for i := range min(len(a), len(b)) {
			if c := t.db.file.compare(a[i], b[i], t.collation(o.columns[i])); c != 0 {
				return c
			}
		}
		return 0
	}
	var list []sortedRow
	natural := &Order{table: t, index: t.primary}
	for e, err := range natural.Range(ctx, Range{}) {
		var row sortedRow
		if err == nil {
			row.key, row.ref, err = o.keyOf(e)
		}
		if err != nil {
			if !yield(nil, err) {
				return
			}
			continue
		}
		if c := compare(row.key, from); c < 0 || c == 0 && r.After && len(from) > 0 {
			continue
		}
		if c := compare(row.key, to); c > 0 || c == 0 && r.Before && len(to) > 0 {
			continue
		}
		list = append(list, row)
	}
	slices.SortStableFunc(list, func(a, b sortedRow) int { return compare(a.key, b.key) })
	w := t.main.walk(ctx)
	for _, row := range list {
		if e, err := t.find(w, row.ref); (e != nil || err != nil) && !yield(e, err) {
			return
		}
	}
}

// keyOf returns copies of the values of the columns of the order and a reference to the row.
func (o *Order) keyOf(e *Entry) (key []field, ref reference, err error) {
	t := o.table
	copied := func(column int) field {
		v, bad := e.field(column)
		err = errors.Join(err, bad)
		v.b = bytes.Clone(v.b)
		return v
	}
	for _, column := range o.columns {
		key = append(key, copied(column))
		if !knownCollation(t.collation(column)) {
			return nil, ref, t.unknownCollation(column)
		}
	}
	if t.primary == nil {
		ref.rowid = e.cell.rowid
		return key, ref, err
	}
	for _, k := range t.primary.keys[:t.keyLength()] {
		ref.key = append(ref.key, copied(k.column))
	}
	return key, ref, err
}
