package census

import "trowel.example/internal/format"

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
		one := Table{Name: t.Name, Title: t.Title, Columns: columnsOf(t)}
		for _, s := range d.states {
			if c, ok := s.Tables[t.Name]; ok {
				one.Files++
				one.Rows += c.Rows
			}
		}
		if one.Files > 0 {
			index.Tables = append(index.Tables, one)
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
