package format

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// Census is what a file says as rows of tables, for query engines.
type Census struct {
	Tables []*Table

	// Rows calls row with each row of the tables: of the file, or of the shard that the job
	// names. The values are those of the columns, in their order, and are the caller's again
	// after the call. What cannot be read is told by [Job.Miss], and the rest goes on.
	Rows func(ctx context.Context, job *Job, src *Source, row func(t *Table, values []Cell) error) error

	// Digest returns a short text that changes when what the rows are made of does: of the file,
	// or of the shard that the job names. It takes less time than the rows; "" means that nobody
	// can tell. Nil: of a file it is the hash of its bytes, and of a folder nobody can tell.
	Digest func(ctx context.Context, job *Job, src *Source) (string, error)

	// Before returns what Digest returned at the time that options [ForCensus] tell of; "" if none
	// is given, or that is not known of the shard. It is called for the file first, to see that
	// what they name is as it should be. An error is about that. It may be nil.
	Before func(ctx context.Context, job *Job, src *Source) (string, error)

	// Small reports whether a file that comes apart is so small that its rows are better kept together
	// with those of other small files. It reads next to nothing. Nil: no file is.
	Small func(src *Source) bool
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
	kind cellKind
	bits uint64
	text string
}

// cellKind is what made a cell.
type cellKind uint8

const (
	cellNull cellKind = iota
	cellInt
	cellFloat
	cellBool
	cellText
	cellBytes
	cellTime
)

// fits are the kinds of cells that columns of a type have.
var fits = [...]cellKind{
	ColumnInt: cellInt, ColumnFloat: cellFloat, ColumnBool: cellBool,
	ColumnText: cellText, ColumnBytes: cellBytes, ColumnTime: cellTime,
}

// Null reports whether the cell has no value.
func (c Cell) Null() bool { return c.kind == cellNull }

// Int returns the value of a cell of [ColumnInt].
func (c Cell) Int() int64 { return int64(c.bits) }

// Float returns the value of a cell of [ColumnFloat].
func (c Cell) Float() float64 { return math.Float64frombits(c.bits) }

// Bool returns the value of a cell of [ColumnBool].
func (c Cell) Bool() bool { return c.bits != 0 }

// Text returns the value of a cell of [ColumnText] or [ColumnBytes].
func (c Cell) Text() string { return c.text }

// Time returns the value of a cell of [ColumnTime], in UTC.
func (c Cell) Time() time.Time { return time.UnixMilli(int64(c.bits)).UTC() }

// String is the cell for people.
func (c Cell) String() string {
	switch c.kind {
	case cellNull:
		return "null"
	case cellFloat:
		return fmt.Sprint(c.Float())
	case cellBool:
		return fmt.Sprint(c.Bool())
	case cellText:
		return c.text
	case cellBytes:
		return fmt.Sprintf("%x", c.text)
	case cellTime:
		return c.Time().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(c.Int())
}

// IntCell makes a cell of [ColumnInt].
func IntCell[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32](v T) Cell {
	return Cell{kind: cellInt, bits: uint64(int64(v))}
}

// FloatCell makes a cell of [ColumnFloat].
func FloatCell(v float64) Cell { return Cell{kind: cellFloat, bits: math.Float64bits(v)} }

// BoolCell makes a cell of [ColumnBool].
func BoolCell(v bool) Cell {
	c := Cell{kind: cellBool}
	if v {
		c.bits = 1
	}
	return c
}

// TextCell makes a cell of [ColumnText], with U+FFFD in place of each byte that is none of UTF-8.
func TextCell(v string) Cell {
	if !utf8.ValidString(v) {
		v = strings.Map(func(r rune) rune { return r }, v)
	}
	return Cell{kind: cellText, text: v}
}

// BytesCell makes a cell of [ColumnBytes].
func BytesCell(v string) Cell { return Cell{kind: cellBytes, text: v} }

// TimeCell makes a cell of [ColumnTime].
func TimeCell(v time.Time) Cell { return Cell{kind: cellTime, bits: uint64(v.UnixMilli())} }

// CheckRow returns an error unless a row has a cell for each column, of its type and within its
// range, and null only where that may be.
func (t *Table) CheckRow(values []Cell) error {
	if len(values) != len(t.Columns) {
		return fmt.Errorf("table %s: %d cells for %d columns", t.Name, len(values), len(t.Columns))
	}
	for i, v := range values {
		c := &t.Columns[i]
		switch {
		case v.Null() && c.Optional:
		case v.Null():
			return fmt.Errorf("table %s: %s is null", t.Name, c.Name)
		case v.kind != fits[c.Type]:
			return fmt.Errorf("table %s: %s cannot be %q: it is of type %v", t.Name, c.Name, v, c.Type)
		}
	}
	return nil
}

// Check returns an error unless the tables are declared as they should be: with names that
// every query engine takes without quotes, none twice, and with something said about each.
func (c *Census) Check() error {
	tables := make(map[string]bool)
	for _, t := range c.Tables {
		if !validName(t.Name) || tables[t.Name] || t.Title == "" || len(t.Columns) == 0 {
			return fmt.Errorf("table %q: it needs a name of its own of a-z, 0-9 and _, a title and columns", t.Name)
		}
		tables[t.Name] = true
		columns := make(map[string]bool)
		for _, col := range t.All() {
			if !validName(col.Name) || columns[col.Name] || col.Help == "" || int(col.Type) >= len(fits) {
				return fmt.Errorf("table %s, column %q: it needs a name of its own of a-z, 0-9 and _, a type and a help", t.Name, col.Name)
			}
			columns[col.Name] = true
		}
	}
	return nil
}

// fileColumn is the column that every table has before its own.
var fileColumn = Column{Name: "file", Help: "what the user calls the file, with / between folders", Type: ColumnText}

// All returns the columns with the one that every table has, in their order.
func (t *Table) All() []Column { return append([]Column{fileColumn}, t.Columns...) }

func validName(name string) bool {
	return name != "" && name[0] >= 'a' && name[0] <= 'z' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" &&
		!strings.Contains(reserved, " "+name+" ")
}

// reserved are the words of SQL that cannot be a name in one query engine or another.
const reserved = " all analyze and any array as asc between both by case cast check collate column constraint create cross cube current_date " +
	"current_time current_timestamp current_user default deferrable desc describe distinct do drop else end escape except exists extract false fetch filter for foreign " +
	"from full function grant group grouping having in initially inner insert intersect interval into is join lateral leading left like limit localtime " +
	"localtimestamp natural not null offset on only or order outer overlaps partition primary procedure qualify references returning right row rows select " +
	"session_user set show some start summarize symmetric table tablesample then time to trailing true union unique unnest unpivot unknown update user using values variadic when " +
	"where window with within "
