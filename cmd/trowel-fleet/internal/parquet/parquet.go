// Package parquet writes tables as Apache Parquet files, row by row, and copies rows between such files.
package parquet

import (
	"errors"
	"io"
	"reflect"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"trowel.example/internal/format"
)

const (
	// maxRows and maxBytes limit the size of a row group before encoding. Query engines skip row groups and
	// process them in parallel, which works well at this size.
	maxRows  = 1 << 20
	maxBytes = 128 << 20

	batch   = 1024      // rows per batch
	maxDict = 512 << 10 // size of a dictionary in bytes; columns with more different values have none
)

// Writer writes a file with the rows of a table. The column file precedes the columns of the table.
type Writer struct {
	table *format.Table
	out   *parquet.GenericWriter[any]
	cols  []*parquet.ColumnWriter
	held  [][]parquet.Value // values by column, not passed to the library yet

	rows, inGroup, bytes, most int64 // most is the maximum size of a row group in bytes
}

// NewWriter starts a file. Its metadata contain the version of the program, a description of the table and of
// each column.
func NewWriter(w io.Writer, t *format.Table, program string) *Writer {
	options := []parquet.WriterOption{
		schemaOf(t), parquet.CreatedBy("trowel", program, ""),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}),
		parquet.DictionaryMaxBytes(maxDict), parquet.DataPageVersion(1),
		parquet.KeyValueMetadata("trowel.version", program),
		parquet.KeyValueMetadata("trowel.table", t.Name),
		parquet.KeyValueMetadata("trowel.table_version", t.Version()),
		parquet.KeyValueMetadata("trowel.title", t.Title),
	}
	for _, c := range t.All() {
		options = append(options, parquet.KeyValueMetadata("trowel.column."+c.Name, c.Help))
	}
	out := parquet.NewGenericWriter[any](w, options...)
	return &Writer{table: t, out: out, cols: out.ColumnWriters(), held: make([][]parquet.Value, 1+len(t.Columns)), most: maxBytes}
}

// Write writes a row. If the row does not match the declaration of the table, Write returns an error and writes
// nothing.
func (w *Writer) Write(file string, cells []format.Cell) error {
	if err := w.table.CheckRow(cells); err != nil {
		return err
	}
	w.put(0, text(file))
	for i, c := range cells {
		w.put(i+1, valueOf(w.table.Columns[i].Type, c))
	}
	return w.next()
}

// put adds a value to a column of the row.
func (w *Writer) put(col int, v parquet.Value) {
	present := 0
	if !v.IsNull() && col > 0 && w.table.Columns[col-1].Optional {
		present = 1
	}
	w.bytes += 8
	if k := v.Kind(); k == parquet.ByteArray {
		w.bytes += int64(len(v.ByteArray()))
	}
	w.held[col] = append(w.held[col], v.Level(0, present, col))
}

// next ends the row.
func (w *Writer) next() error {
	w.rows++
	if w.inGroup++; w.inGroup%batch != 0 && w.bytes < w.most {
		return nil
	}
	if err := w.handOn(); err != nil || w.inGroup < maxRows && w.bytes < w.most {
		return err
	}
	w.inGroup, w.bytes = 0, 0
	return w.out.Flush()
}

// handOn passes the held values to the column writers.
func (w *Writer) handOn() error {
	for i, values := range w.held {
		if len(values) == 0 { // the library takes the address of the first value
			continue
		}
		if _, err := w.cols[i].WriteRowValues(values); err != nil {
			return err
		}
		clear(values) // the values hold texts
		w.held[i] = values[:0]
	}
	return nil
}

// Rows returns the number of rows so far.
func (w *Writer) Rows() int64 { return w.rows }

// Close ends the file.
func (w *Writer) Close() error { return errors.Join(w.handOn(), w.out.Close()) }

// errOther is returned by [Writer.Copy] for a file with other columns.
var errOther = errors.New("its columns differ")

// Copy copies the rows from a file of the same table for whose value in the column file keep returns true. The
// caller must ensure that a Writer made the file, for example by a hash: the library may not terminate on
// damaged files.
func (w *Writer) Copy(r io.ReaderAt, size int64, keep func(file string) bool) error {
	in, err := parquet.OpenFile(r, size)
	if err != nil {
		return err
	}
	if version, _ := in.Lookup("trowel.table_version"); version != w.table.Version() {
		return errOther
	}
	rows := parquet.NewReader(in)
	defer rows.Close()
	some := make([]parquet.Row, batch)
	for {
		n, err := rows.ReadRows(some)
		for _, row := range some[:n] {
			if len(row) != len(w.held) {
				return errOther
			}
			if !keep(row[0].String()) {
				continue
			}
			for i, v := range row {
				w.put(i, v.Clone()) // the original belongs to the reader
			}
			if err := w.next(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func text(s string) parquet.Value {
	return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// valueOf returns the value of a cell in a column of a type.
func valueOf(t format.ColumnType, c format.Cell) parquet.Value {
	if c.Null() {
		return parquet.NullValue()
	}
	switch t {
	case format.ColumnInt, format.ColumnTime:
		return parquet.Int64Value(c.Int())
	case format.ColumnFloat:
		return parquet.DoubleValue(c.Float())
	case format.ColumnBool:
		return parquet.BooleanValue(c.Bool())
	}
	return text(c.Text())
}

// schemaOf returns the schema of a table.
func schemaOf(t *format.Table) *parquet.Schema {
	g := group{Group: make(parquet.Group)}
	for _, c := range t.All() {
		n := nodeOf(c.Type)
		if c.Optional {
			n = parquet.Optional(n)
		}
		g.Group[c.Name] = n
		g.fields = append(g.fields, &field{n, c.Name})
	}
	return parquet.NewSchema(t.Name, g)
}

func nodeOf(t format.ColumnType) parquet.Node {
	switch t {
	case format.ColumnInt:
		return parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked)
	case format.ColumnFloat:
		return parquet.Leaf(parquet.DoubleType)
	case format.ColumnBool:
		return parquet.Leaf(parquet.BooleanType)
	case format.ColumnTime:
		return parquet.Encoded(parquet.Timestamp(parquet.Millisecond), &parquet.DeltaBinaryPacked)
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}

// group is a group of fields in the order of the table. The library would sort them by name.
type group struct {
	parquet.Group
	fields []parquet.Field
}

func (g group) Fields() []parquet.Field { return g.fields }

type field struct {
	parquet.Node
	name string
}

func (f *field) Name() string { return f.name }

// Value is required for rows that are Go values. This package has none.
func (f *field) Value(base reflect.Value) reflect.Value { return base.FieldByName(f.name) }
