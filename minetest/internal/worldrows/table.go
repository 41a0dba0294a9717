package worldrows

import "trowel.example/internal/format"

// column is a column of a table, with the function that returns its cells.
type column[T any] struct {
	format.Column
	cell func(v *T) format.Cell
}

func col[T any](name string, kind format.ColumnType, help string, cell func(v *T) format.Cell) column[T] {
	return column[T]{format.Column{Name: name, Type: kind, Help: help}, cell}
}

// opt is col for a column that may be null.
func opt[T any](name string, kind format.ColumnType, help string, cell func(v *T) format.Cell) column[T] {
	c := col(name, kind, help, cell)
	c.Optional = true
	return c
}

// table is a table whose rows are made from values of type T.
type table[T any] struct {
	format.Table
	cells []func(v *T) format.Cell
}

func tableOf[T any](name, title string, columns ...column[T]) *table[T] {
	t := &table[T]{Table: format.Table{Name: name, Title: title}}
	for _, c := range columns {
		t.Columns, t.cells = append(t.Columns, c.Column), append(t.cells, c.cell)
	}
	return t
}

// only makes the table one that exists only with an option.
func (t *table[T]) only(o format.Option) *table[T] {
	t.Option = o.Name
	return t
}

// rows are rows of any tables.
type rows struct {
	of    []*format.Table
	cells []format.Cell
}

// add appends the row of a value.
func add[T any](r *rows, t *table[T], v T) {
	r.of = append(r.of, &t.Table)
	for _, cell := range t.cells {
		r.cells = append(r.cells, cell(&v))
	}
}

// flush calls row with each of the rows, and removes them.
func (r *rows) flush(row Func) (err error) {
	cells := r.cells
	for _, t := range r.of {
		n := len(t.Columns)
		if err = row(t, cells[:n:n]); err != nil {
			break
		}
		cells = cells[n:]
	}
	clear(r.cells) // release the texts
	r.of, r.cells = r.of[:0], r.cells[:0]
	return err
}

// text returns a text cell, which is null for "".
func text(s string) format.Cell {
	if s == "" {
		return format.Cell{}
	}
	return format.TextCell(s)
}
