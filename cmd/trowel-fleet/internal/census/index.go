package census

import (
	"context"
	"io"
	"maps"
	"slices"

	"trowel.example/internal/format"
)

const indexName = "census.json"

// Index is the content of census.json.
type Index struct {
	Census  int     `json:"census"` // version of the layout
	Program string  `json:"program"`
	Tables  []Table `json:"tables"`

	// Left maps the partitions that were left out, because nothing in them has changed since the time that the
	// user gave, to their files.
	Left map[string]string `json:"left,omitempty"`

	// Empty maps the tables without rows to the program that made their files.
	Empty map[string]string `json:"empty,omitempty"`
}

// Table is a table of a dataset.
type Table struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Columns []Column `json:"columns"`
	Files   int      `json:"files"`
	Rows    int64    `json:"rows"`
}

// Column is a column of a table.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Optional bool   `json:"optional,omitempty"`
	Help     string `json:"help"`
}

// Index returns the index of the dataset, with the tables that have rows.
func (d *Dataset) Index() Index {
	index := Index{Census: 1, Program: d.Program, Tables: []Table{}, Left: d.left, Empty: d.empty}
	for _, t := range d.Tables {
		if all := d.states.totals[t.Name]; all.files > 0 {
			index.Tables = append(index.Tables, Table{t.Name, t.Title, columnsOf(t), all.files, all.rows})
		}
	}
	return index
}

func (d *Dataset) newIndex() []byte { return encode(d.Index()) }

func columnsOf(t *format.Table) (columns []Column) {
	for _, c := range t.All() {
		columns = append(columns, Column{c.Name, c.Type.String(), c.Optional, c.Help})
	}
	return columns
}

// wants reports whether a table is part of the dataset.
func (d *Dataset) wants(t *format.Table) bool { return t.Option == "" || d.With(t.Option) }

// writeEmpty ensures that each table without rows has an empty file, and that no other table has one.
func (d *Dataset) writeEmpty(ctx context.Context) error {
	wanted := make(map[string]bool)
	for _, t := range d.Tables {
		if d.states.totals[t.Name].files > 0 || !d.wants(t) {
			continue
		}
		wanted[t.Name] = true
		if d.empty[t.Name] == d.Program {
			continue
		}
		if err := d.store.Put(ctx, tableFile(t.Name, noRows), func(w io.Writer) error { return d.Create(w, t, d.Program).Close() }); err != nil {
			return err
		}
		d.empty[t.Name] = d.Program
	}
	for _, name := range slices.Sorted(maps.Keys(d.empty)) {
		if wanted[name] || !tableName(name) {
			continue
		}
		if err := d.store.Remove(ctx, tableFile(name, noRows)); err != nil {
			return err
		}
		delete(d.empty, name)
	}
	return nil
}
