package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"trowel.example/internal/format"
)

// things has a required and an optional column of each type.
var things = func() *format.Table {
	t := &format.Table{Name: "things", Title: "things of all types"}
	for typ := format.ColumnInt; typ <= format.ColumnTime; typ++ {
		t.Columns = append(t.Columns,
			format.Column{Name: fmt.Sprintf("z%d", typ), Type: typ, Help: typ.String()},
			format.Column{Name: fmt.Sprintf("a%d", typ), Type: typ, Help: "perhaps " + typ.String(), Optional: true})
	}
	return t
}()

func thing(i int) []format.Cell {
	cells := []format.Cell{
		format.IntCell(math.MaxInt64 - int64(i)), format.FloatCell(float64(i) / 3), format.BoolCell(i%3 == 0),
		format.TextCell(fmt.Sprint("text ", i%7)), format.TimeCell(time.UnixMilli(int64(i) * 1001)),
	}
	var row []format.Cell
	for k, c := range cells {
		row = append(row, c)
		if (i>>k)&1 == 0 {
			c = format.Cell{}
		}
		row = append(row, c)
	}
	return row
}

func write(t testing.TB, table *format.Table, rows int, row func(int) (string, []format.Cell)) []byte {
	var out bytes.Buffer
	w := NewWriter(&out, table, "1.2.3")
	for i := range rows {
		if err := w.Write(row(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || w.Rows() != int64(rows) {
		t.Fatal(w.Rows(), err)
	}
	return out.Bytes()
}

func named(i int) (string, []format.Cell) { return fmt.Sprint("f", i%3), thing(i) }

// dump returns the content of a file, row by row.
func dump(t testing.TB, data []byte) []string {
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	r := parquet.NewReader(f)
	defer r.Close()
	rows := make([]parquet.Row, 100)
	for {
		n, err := r.ReadRows(rows)
		for _, row := range rows[:n] {
			lines = append(lines, fmt.Sprintf("%q", row))
		}
		if err == io.EOF {
			return lines
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriter(t *testing.T) {
	data := write(t, things, 3000, named)
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range f.Schema().Columns() {
		names = append(names, strings.Join(path, "."))
	}
	want := []string{"file"}
	for _, c := range things.Columns {
		want = append(want, c.Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	for key, want := range map[string]string{"trowel.version": "1.2.3", "trowel.table": "things",
		"trowel.title": things.Title, "trowel.table_version": things.Version(), "trowel.column.a3": "perhaps string",
		"trowel.column.file": things.All()[0].Help} {
		if got, _ := f.Lookup(key); got != want {
			t.Errorf("%s: %q", key, got)
		}
	}
	lines := dump(t, data)
	if len(lines) != 3000 {
		t.Fatal(len(lines))
	}
	for i, line := range lines {
		var want parquet.Row
		file, cells := named(i)
		want = append(want, parquet.ValueOf(file))
		for k, c := range cells {
			want = append(want, valueOf(things.Columns[k].Type, c))
		}
		if s := fmt.Sprintf("%q", want); s != line {
			t.Fatalf("row %d:\n%s\n%s", i, line, s)
		}
	}
	if !bytes.Equal(data, write(t, things, 3000, named)) {
		t.Error("the same rows give other bytes")
	}
	if empty := write(t, things, 0, nil); len(dump(t, empty)) != 0 {
		t.Error("rows from nowhere")
	}
}

// TestWrongRows tests that a row that does not match the declaration is an error that names the table and the
// column, and that the file stays valid.
func TestWrongRows(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, things, "1")
	for i, want := range map[int]string{0: "table things: z0 is null", 2: "table things: z1 is null"} {
		row := thing(1)
		row[i] = format.Cell{}
		if err := w.Write("f", row); err == nil || err.Error() != want {
			t.Error(err)
		}
	}
	if err := w.Write("f", thing(1)[:3]); err == nil || !strings.Contains(err.Error(), "things") {
		t.Error(err)
	}
	if err := errors.Join(w.Write("f", thing(1)), w.Close()); err != nil || len(dump(t, out.Bytes())) != 1 {
		t.Error(err)
	}
}

var texts = &format.Table{Name: "texts", Title: "texts",
	Columns: []format.Column{{Name: "few", Type: format.ColumnText, Help: "a few"},
		{Name: "many", Type: format.ColumnText, Optional: true, Help: "many"}}}

// TestLargeColumns tests that a column with too many values continues without a dictionary, and that row groups
// are limited in bytes.
func TestLargeColumns(t *testing.T) {
	long := strings.Repeat("x", 80_000)
	row := func(i int) (string, []format.Cell) {
		many := format.TextCell(fmt.Sprint(long, i))
		if i%2 == 0 {
			many = format.Cell{}
		}
		return "f", []format.Cell{format.TextCell(fmt.Sprint(i % 5)), many}
	}
	var out bytes.Buffer
	w := NewWriter(&out, texts, "1")
	w.most = 6 << 20
	for i := range 200 {
		if err := w.Write(row(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data := out.Bytes()
	lines := dump(t, data)
	for i, line := range lines {
		_, cells := row(i)
		if want := fmt.Sprintf("%q", parquet.Row{parquet.ValueOf("f"), valueOf(format.ColumnText, cells[0]),
			valueOf(format.ColumnText, cells[1])}); line != want {
			t.Fatalf("row %d differs", i)
		}
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(f.RowGroups()) != 2 || f.NumRows() != 200 {
		t.Error(err, len(f.RowGroups()), f.NumRows())
	}
}

func TestCopy(t *testing.T) {
	old, more := write(t, things, 2000, named), write(t, things, 10, named)
	var out bytes.Buffer
	w := NewWriter(&out, things, "2")
	all := func(string) bool { return true }
	err := errors.Join(
		w.Copy(bytes.NewReader(more), int64(len(more)), all),
		w.Copy(bytes.NewReader(old), int64(len(old)), func(file string) bool { return file == "f1" }),
		w.Close())
	if err != nil {
		t.Fatal(err)
	}
	want := dump(t, more)
	for i, line := range dump(t, old) {
		if i%3 == 1 {
			want = append(want, line)
		}
	}
	if diff := cmp.Diff(want, dump(t, out.Bytes())); diff != "" {
		t.Error(diff)
	}
	w = NewWriter(io.Discard, texts, "2")
	if err := w.Copy(bytes.NewReader(old), int64(len(old)), all); !errors.Is(err, errOther) {
		t.Error(err)
	}
}

// BenchmarkWriter writes rows similar to those of the nodes of a world.
func BenchmarkWriter(b *testing.B) {
	table := &format.Table{Name: "nodes", Title: "nodes", Columns: []format.Column{
		{Name: "x", Type: format.ColumnInt, Help: "x"}, {Name: "y", Type: format.ColumnInt, Help: "y"},
		{Name: "z", Type: format.ColumnInt, Help: "z"},
		{Name: "name", Type: format.ColumnText, Help: "name"}, {Name: "count", Type: format.ColumnInt, Help: "count"},
	}}
	names := make([]format.Cell, 300)
	for i := range names {
		names[i] = format.TextCell(fmt.Sprint("default:node_", i))
	}
	var size counter
	w := NewWriter(&size, table, "1")
	cells := make([]format.Cell, 5)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		block := i / 5
		cells[0], cells[1], cells[2] = format.IntCell(int32(block%100)), format.IntCell(int32(block/100%40)), format.IntCell(int32(block/4000))
		cells[3], cells[4] = names[i*i%300], format.IntCell(int32(i*7919%4096))
		if err := w.Write("world", cells); err != nil {
			b.Fatal(err)
		}
		i++
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(size)/float64(b.N), "file-bytes/row")
}

type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
