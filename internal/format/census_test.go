package format_test

import (
	"context"
	"math"
	"testing"
	"time"

	"trowel.example/internal/format"
)

// TestCheckRow tests that rows are accepted only if they match the columns of the table.
func TestCheckRow(t *testing.T) {
	when := time.Date(2026, 11, 22, 1, 2, 3, 4_000_000, time.UTC)
	values := map[format.ColumnType]format.Cell{
		format.ColumnInt: format.IntCell(int64(math.MinInt64)), format.ColumnFloat: format.FloatCell(math.Inf(1)),
		format.ColumnBool: format.BoolCell(true), format.ColumnText: format.TextCell("a"),
		format.ColumnTime: format.TimeCell(when),
	}
	for kind := range format.ColumnType(len(values)) {
		table := &format.Table{Name: "t", Columns: []format.Column{{Name: "a", Type: kind}}}
		for other, v := range values {
			if err := table.CheckRow([]format.Cell{v}); (err == nil) != (kind == other) {
				t.Errorf("%v for %v: %v", v, kind, err)
			}
		}
		for _, row := range [][]format.Cell{nil, {{}}, {values[kind], values[kind]}} {
			if table.CheckRow(row) == nil {
				t.Errorf("%v: a row %v is taken", kind, row)
			}
		}
		table.Columns[0].Optional = true
		if err := table.CheckRow([]format.Cell{{}}); err != nil {
			t.Errorf("%v: null: %v", kind, err)
		}
	}
	if got := values[format.ColumnTime].Time(); !got.Equal(when) {
		t.Errorf("the time is %v", got)
	}
	if values[format.ColumnInt].Int() != math.MinInt64 || !math.IsInf(values[format.ColumnFloat].Float(), 1) ||
		!values[format.ColumnBool].Bool() || values[format.ColumnText].Text() != "a" {
		t.Error("a value does not come back")
	}
	for text, want := range map[string]string{"": "", "grün": "grün", "a\xff\xfeb": "a\ufffd\ufffdb",
		"\xe2\x82": "\ufffd\ufffd", "\ufffd": "\ufffd"} {
		if got := format.TextCell(text).Text(); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestCheckCensus(t *testing.T) {
	column := format.Column{Name: "a_1", Help: "A."}
	good := func() *format.Table {
		return &format.Table{Name: "t", Title: "A row.", Columns: []format.Column{column}}
	}
	for what, change := range map[string]func(*format.Census){
		"a name in capitals":   func(c *format.Census) { c.Tables[0].Name = "T" },
		"no title":             func(c *format.Census) { c.Tables[0].Title = "" },
		"no columns":           func(c *format.Census) { c.Tables[0].Columns = nil },
		"a word of SQL":        func(c *format.Census) { c.Tables[0].Columns[0].Name = "offset" },
		"two of a name":        func(c *format.Census) { c.Tables = append(c.Tables, good()) },
		"two columns":          func(c *format.Census) { c.Tables[0].Columns = append(c.Tables[0].Columns, column) },
		"the column of all":    func(c *format.Census) { c.Tables[0].Columns[0].Name = "file" },
		"a column with a dash": func(c *format.Census) { c.Tables[0].Columns[0].Name = "a-b" },
		"no help":              func(c *format.Census) { c.Tables[0].Columns[0].Help = "" },
		"an unknown type":      func(c *format.Census) { c.Tables[0].Columns[0].Type = 99 },
	} {
		census := &format.Census{Tables: []*format.Table{good()},
			Rows: func(context.Context, *format.Job, *format.Source, func(*format.Table, []format.Cell) error) error {
				return nil
			}}
		if err := census.Check(); err != nil {
			t.Fatal(err)
		}
		if change(census); census.Check() == nil {
			t.Errorf("%s is taken", what)
		}
	}
}
