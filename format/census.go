package format

import (
	"context"
	"fmt"
	"math"
	"time"
)

// Census is what a file says as rows of tables, for query engines.
type Census struct {
	Tables []*Table

	// Rows calls row with each row of the tables: of the file, or of the shard that the job
	// names. The values are those of the columns, in their order, and are the caller's again
	// after the call. What cannot be read is told by [Job.Miss], and the rest goes on.
	Rows func(ctx context.Context, job *Job, src *Source, row func(t *Table, values []Cell) error) error
}

// Table is a kind of rows. Every table has, before the columns named here, the column file: what
// the user calls the file that the row is of.
type Table struct {
	Name    string // stable, in lower case with underscores, such as "minetest_blocks"
	Title   string // what a row is, one line
	Columns []Column
}

// Column is a column of a [Table].
type Column struct {
	Name     string // stable, in lower case with underscores
	Type     ColumnType
	Optional bool   // a cell may be null
	Help     string // what it says, with unit and range
}

// ColumnType is what the cells of a column are.
type ColumnType uint8

// What cells are.
const (
	ColumnInt   ColumnType = iota // an integer of 64 bits
	ColumnInt32                   // an integer of 32 bits
	ColumnFloat                   // a number of 64 bits
	ColumnBool
	ColumnText // UTF-8: what is none has U+FFFD in place of each byte that does not belong to it
	ColumnBytes
	ColumnTime // to the millisecond, UTC
)

func (t ColumnType) String() string {
	switch t {
	case ColumnInt:
		return "int64"
	case ColumnInt32:
		return "int32"
	case ColumnFloat:
		return "double"
	case ColumnBool:
		return "boolean"
	case ColumnText:
		return "string"
	case ColumnBytes:
		return "binary"
	case ColumnTime:
		return "timestamp"
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// Cell is the value of a column in a row. The zero value is null.
type Cell struct {
	valid bool
	bits  uint64
	text  string
}

// Null reports whether the cell has no value.
func (c Cell) Null() bool { return !c.valid }

// Int returns the value of a cell of [ColumnInt] or [ColumnInt32].
func (c Cell) Int() int64 { return int64(c.bits) }

// Float returns the value of a cell of [ColumnFloat].
func (c Cell) Float() float64 { return math.Float64frombits(c.bits) }

// Bool returns the value of a cell of [ColumnBool].
func (c Cell) Bool() bool { return c.bits != 0 }

// Text returns the value of a cell of [ColumnText] or [ColumnBytes].
func (c Cell) Text() string { return c.text }

// Time returns the value of a cell of [ColumnTime], in UTC.
func (c Cell) Time() time.Time { return time.UnixMilli(int64(c.bits)).UTC() }

// IntCell makes a cell of [ColumnInt] or [ColumnInt32].
func IntCell[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32](v T) Cell {
	return Cell{valid: true, bits: uint64(int64(v))}
}

// FloatCell makes a cell of [ColumnFloat].
func FloatCell(v float64) Cell { return Cell{valid: true, bits: math.Float64bits(v)} }

// BoolCell makes a cell of [ColumnBool].
func BoolCell(v bool) (c Cell) {
	if c.valid = true; v {
		c.bits = 1
	}
	return c
}

// TextCell makes a cell of [ColumnText] or [ColumnBytes].
func TextCell(v string) Cell { return Cell{valid: true, text: v} }

// TimeCell makes a cell of [ColumnTime].
func TimeCell(v time.Time) Cell { return Cell{valid: true, bits: uint64(v.UnixMilli())} }
