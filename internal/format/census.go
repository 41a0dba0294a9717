package format

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"trowel.example/internal/text/words"
)

// RowFunc receives a row of a table.
type RowFunc = func(t *Table, values []Cell) error

// Census describes a file as rows of tables, for query engines.
type Census struct {
	Tables []*Table

	// Rows calls row with each row of the tables, for the file or for the shard of the job. The values are in the
	// order of the columns, and row must not keep them. Rows reports unreadable data by [Job.Miss] and continues.
	Rows func(ctx context.Context, job *Job, src *Source, row RowFunc) error

	// Digest returns a short text that changes whenever the data that the rows are made from changes, for the file or
	// for the shard of the job. It takes less time than Rows. It returns "" if it cannot detect changes. Nil: the
	// digest of a file is the hash of its bytes, and changes of a folder cannot be detected.
	Digest func(ctx context.Context, job *Job, src *Source) (string, error)

	// Before returns what Digest returned at the time specified by options with [ForCensus]; "" if no time is given,
	// or if the digest of the shard at that time is unknown. It is called for the whole file first, to validate the
	// options; an error concerns these. It may be nil.
	Before func(ctx context.Context, job *Job, src *Source) (string, error)

	// Small reports whether a file that can be split is so small that its rows should be stored together with those of
	// other small files. It reads almost nothing. Nil: no file is.
	Small func(src *Source) bool

	// Positions returns an error for a word of [OptionPositions] that cannot select anything. Nil: there is no table of
	// positions.
	Positions func(word string) error

	// Views are queries over the tables.
	Views []TableView
}

// TableView is a named query over tables, in SQL that every query engine accepts. The query may also use the table
// census_run, which has one row: the columns moment, a time that may be null, and program.
type TableView struct {
	Name   string   // as of a [Table]
	Title  string   // what a row describes, in one line
	Tables []string // the tables that the query uses
	SQL    string
}

// OptionPositions adds tables of positions to a census.
var OptionPositions = Option{Name: "positions", List: true, For: ForRows,
	Help: "also a table with the position of each node or tile of `what`, as in find: default:chest*, or freeze; may be repeated"}

// Table describes one kind of rows. Every table begins with the column file, which is not listed here: the user's name
// for the file that the row belongs to.
type Table struct {
	Name    string // stable, in lower case with underscores, such as "minetest_blocks"
	Title   string // what a row describes, in one line
	Columns []Column
	Option  string // the name of the option without which there is no such table; "": none
}

// Column is a column of a [Table].
type Column struct {
	Name     string // stable, in lower case with underscores
	Type     ColumnType
	Optional bool   // cells may be null
	Help     string // what it contains, with unit and range
}

// ColumnType is the type of the cells of a column.
type ColumnType uint8

// The types of cells.
const (
	ColumnInt   ColumnType = iota // 64-bit integer
	ColumnFloat                   // 64-bit floating point
	ColumnBool
	ColumnText // UTF-8; each invalid byte is replaced by U+FFFD
	ColumnTime // UTC, in milliseconds
)

var columnTypes = [...]string{
	ColumnInt: "int64", ColumnFloat: "double", ColumnBool: "boolean", ColumnText: "string", ColumnTime: "timestamp",
}

func (t ColumnType) String() string {
	if int(t) < len(columnTypes) {
		return columnTypes[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// TableOf is a table of which each row describes a T.
type TableOf[T any] struct {
	Table
	columns func(r *Rows, v T)
}

// NewTable returns a table. The function columns calls [Rows.Col] for each column of the row about v, always for the same
// columns in the same order. It is called with the zero value for the declarations of the columns.
func NewTable[T any](name, title string, columns func(r *Rows, v T)) *TableOf[T] {
	t := &TableOf[T]{Table{Name: name, Title: title}, columns}
	var zero T
	columns(&Rows{declared: &t.Table}, zero)
	return t
}

// Only makes the table one that exists only with an option.
func (t *TableOf[T]) Only(o Option) *TableOf[T] {
	t.Option = o.Name
	return t
}

// Add adds the row about v.
func (t *TableOf[T]) Add(r *Rows, v T) {
	r.of = append(r.of, &t.Table)
	t.columns(r, v)
}

// Put calls row with the row about v.
func (t *TableOf[T]) Put(row RowFunc, v T) error {
	r := Rows{cells: make([]Cell, 0, len(t.Columns))}
	t.columns(&r, v)
	return row(&t.Table, r.cells)
}

// Rows are rows of any tables.
type Rows struct {
	of       []*Table
	cells    []Cell
	declared *Table // receives the declarations of columns; nil for rows
}

// Col adds a column: its name and help, and its cell in this row, whose type and [Cell.If] declare the column.
func (r *Rows) Col(name string, value Cell, help string) {
	if r.declared != nil {
		r.declared.Columns = append(r.declared.Columns, Column{Name: name, Type: value.of, Optional: value.optional, Help: help})
		return
	}
	r.cells = append(r.cells, value)
}

// Flush calls row with each of the rows, and removes them.
func (r *Rows) Flush(row RowFunc) (err error) {
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

// Cell is the value of a column in a row. The zero value is null.
type Cell struct {
	valid    bool       // not null
	optional bool       // the column may be null
	of       ColumnType // the type of the columns that it fits
	bits     uint64
	text     string
}

// If returns the cell of an optional column, which is null unless ok is set.
func (c Cell) If(ok bool) Cell {
	if !ok {
		c = Cell{of: c.of}
	}
	c.optional = true
	return c
}

// Null reports whether the cell has no value.
func (c Cell) Null() bool { return !c.valid }

// Int returns the value of a cell of [ColumnInt].
func (c Cell) Int() int64 { return int64(c.bits) }

// Float returns the value of a cell of [ColumnFloat].
func (c Cell) Float() float64 { return math.Float64frombits(c.bits) }

// Bool returns the value of a cell of [ColumnBool].
func (c Cell) Bool() bool { return c.bits != 0 }

// Text returns the value of a cell of [ColumnText].
func (c Cell) Text() string { return c.text }

// Time returns the value of a cell of [ColumnTime], in UTC.
func (c Cell) Time() time.Time { return time.UnixMilli(int64(c.bits)).UTC() }

// String formats the cell for people.
func (c Cell) String() string {
	if c.Null() {
		return "null"
	}
	switch c.of {
	case ColumnFloat:
		return fmt.Sprint(c.Float())
	case ColumnBool:
		return fmt.Sprint(c.Bool())
	case ColumnText:
		return c.text
	case ColumnTime:
		return c.Time().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(c.Int())
}

// IntCell makes a cell of [ColumnInt].
func IntCell[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32](v T) Cell {
	return Cell{valid: true, of: ColumnInt, bits: uint64(int64(v))}
}

// FloatCell makes a cell of [ColumnFloat].
func FloatCell(v float64) Cell { return Cell{valid: true, of: ColumnFloat, bits: math.Float64bits(v)} }

// BoolCell makes a cell of [ColumnBool].
func BoolCell(v bool) Cell {
	c := Cell{valid: true, of: ColumnBool}
	if v {
		c.bits = 1
	}
	return c
}

// TextCell makes a cell of [ColumnText]. It replaces each byte that is not valid UTF-8 by U+FFFD.
func TextCell(v string) Cell {
	if !utf8.ValidString(v) {
		v = strings.Map(func(r rune) rune { return r }, v)
	}
	return Cell{valid: true, of: ColumnText, text: v}
}

// TimeCell makes a cell of [ColumnTime].
func TimeCell(v time.Time) Cell {
	return Cell{valid: true, of: ColumnTime, bits: uint64(v.UnixMilli())}
}

// CheckRow returns an error unless a row has one cell for each column, each of the right type and range, with nulls
// only in optional columns.
func (t *Table) CheckRow(values []Cell) error {
	if len(values) != len(t.Columns) {
		return fmt.Errorf("table %s: %s for %s", t.Name, words.Count(len(values), "cell"), words.Count(len(t.Columns), "column"))
	}
	for i, v := range values {
		c := &t.Columns[i]
		switch {
		case v.Null() && c.Optional:
		case v.Null():
			return fmt.Errorf("table %s: %s is null", t.Name, c.Name)
		case v.of != c.Type:
			return fmt.Errorf("table %s: %s cannot be %q: the type is %v", t.Name, c.Name, v, c.Type)
		}
	}
	return nil
}

// Check returns an error unless the tables are declared correctly: with unique names that every query engine accepts
// without quotes, and with a description of each.
func (c *Census) Check() error {
	tables := make(map[string]bool)
	for _, t := range c.Tables {
		if !validName(t.Name) || tables[t.Name] || t.Title == "" || len(t.Columns) == 0 {
			return fmt.Errorf("table %q: a table needs a unique name of a-z, 0-9 and _, a title and columns", t.Name)
		}
		tables[t.Name] = true
		columns := make(map[string]bool)
		for _, col := range t.All() {
			if !validName(col.Name) || columns[col.Name] || col.Help == "" || int(col.Type) >= len(columnTypes) {
				return fmt.Errorf("table %s, column %q: a column needs a unique name of a-z, 0-9 and _, a type and a help text", t.Name, col.Name)
			}
			columns[col.Name] = true
		}
	}
	return nil
}

// fileColumn is the first column of every table.
var fileColumn = Column{Name: "file", Help: "the name given, with / between folders", Type: ColumnText}

// All returns all columns in order, including the column file.
func (t *Table) All() []Column { return append([]Column{fileColumn}, t.Columns...) }

// Version returns a hash of the names and types of the columns, which differs between versions of a table.
func (t *Table) Version() string {
	sum := sha256.New()
	for _, c := range t.All() {
		fmt.Fprintln(sum, c.Name, c.Type, c.Optional)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:4])
}

func validName(name string) bool {
	return name != "" && name[0] >= 'a' && name[0] <= 'z' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" &&
		!strings.Contains(reserved, " "+name+" ")
}

// reserved lists the SQL words that at least one query engine rejects as a name.
const reserved = " all analyze and any array as asc between both by case cast check collate column constraint " +
	"create cross cube current_date " +
	"current_time current_timestamp current_user default deferrable desc describe distinct do drop else end escape " +
	"except exists extract false fetch filter for foreign " +
	"from full function grant group grouping having in initially inner insert intersect interval into is join lateral " +
	"leading left like limit localtime " +
	"localtimestamp natural not null offset on only or order outer overlaps partition primary procedure qualify " +
	"references returning right row rows select " +
	"session_user set show some start summarize symmetric table tablesample then time to trailing true union unique " +
	"unnest unpivot unknown update user using values variadic when " +
	"where window with within "
