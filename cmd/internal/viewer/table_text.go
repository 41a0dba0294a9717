package viewer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// tablesOf returns the tables in a text.
func (d *document) tablesOf(name string) []*table {
	d.tablesOnce.Do(func() {
		if len(d.text) > maxTable {
			return
		}
		var err error
		switch strings.ToLower(path.Ext(name)) {
		case ".csv":
			d.tables, err = separated(d.text, ',')
		case ".tsv":
			d.tables, err = separated(d.text, '\t')
		case ".json":
			d.tables, err = jsonTables(d.text)
		}
		if err != nil {
			d.tables = nil // the text panel shows the error
		}
	})
	return d.tables
}

// separated parses CSV or TSV. The first row contains the names of the columns.
func separated(text []byte, comma rune) ([]*table, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = comma, true, -1
	t := new(table)
	for cells := 0; ; {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if t.columns == nil {
			t.columns = record
			continue
		}
		line, _ := r.FieldPos(0)
		t.rows = append(t.rows, tableRow{line: line, cells: record})
		for len(t.columns) < len(record) {
			t.columns = append(t.columns, fmt.Sprint(len(t.columns)+1))
		}
		if cells += len(record); cells > maxCells || len(t.columns) > maxColumns {
			return nil, errTable
		}
	}
	if len(t.rows) == 0 {
		return nil, nil
	}
	t.first = len(t.columns)
	return []*table{t}, nil
}

var errTable = fmt.Errorf("not a table, or too large")

// jsonTables returns the lists of objects: the whole text, or its members.
func jsonTables(text []byte) ([]*table, error) {
	j := jsonReader{text: text, line: 1}
	dec := json.NewDecoder(bytes.NewReader(text))
	var whole json.RawMessage
	if err := dec.Decode(&whole); err != nil {
		return nil, err
	}
	start := int(dec.InputOffset()) - len(whole)
	switch whole[0] {
	case '[':
		t, err := j.table("", whole, start)
		if t == nil || err != nil {
			return nil, err
		}
		return []*table{t}, nil
	case '{':
		var list []*table
		err := members(whole, start, func(name string, value json.RawMessage, at int) error {
			if value[0] != '[' {
				return nil
			}
			t, err := j.table(name, value, at)
			if t != nil {
				list = append(list, t)
			}
			return err
		})
		return list, err
	}
	return nil, nil
}

// members calls see for the members of an object, in order. Offsets are relative to the text in which the
// object begins at start.
func members(object json.RawMessage, start int, see func(name string, value json.RawMessage, at int) error) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := see(fmt.Sprint(name), value, start+int(dec.InputOffset())-len(value)); err != nil {
			return err
		}
	}
	return nil
}

type jsonReader struct {
	text    []byte
	counted int // offset up to which lines are counted
	line    int
	cells   int
}

// lineAt returns the line of an offset. Offsets must increase from call to call.
func (j *jsonReader) lineAt(offset int) int {
	j.line += bytes.Count(j.text[j.counted:offset], []byte("\n"))
	j.counted = offset
	return j.line
}

// table returns the table of a list, or nil if the list does not consist of objects.
func (j *jsonReader) table(name string, list json.RawMessage, start int) (*table, error) {
	dec := json.NewDecoder(bytes.NewReader(list))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	t := &table{name: name}
	columns := make(map[string]int)
	for dec.More() {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		if value[0] != '{' {
			return nil, nil
		}
		at := start + int(dec.InputOffset()) - len(value)
		row := tableRow{line: j.lineAt(at)}
		err := members(value, at, func(key string, value json.RawMessage, _ int) error {
			i, known := columns[key]
			if !known {
				i = len(t.columns)
				columns[key] = i
				t.columns = append(t.columns, key)
			}
			for len(row.cells) <= i {
				row.cells = append(row.cells, "")
			}
			row.cells[i] = cellOf(value)
			return nil
		})
		if err != nil {
			return nil, err
		}
		t.rows = append(t.rows, row)
		if j.cells += len(row.cells); j.cells > maxCells || len(columns) > maxColumns {
			return nil, errTable
		}
	}
	if t.rows == nil {
		return nil, nil
	}
	t.first = len(t.columns)
	return t, nil
}

// cellOf returns the text of a value: strings without quotes, lists of strings separated by commas.
func cellOf(value json.RawMessage) string {
	switch value[0] {
	case '"':
		var s string
		if json.Unmarshal(value, &s) == nil {
			return s
		}
	case 'n':
		return ""
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(value, &list) == nil && !slices.ContainsFunc(list, func(v json.RawMessage) bool { return v[0] == '[' || v[0] == '{' }) {
			parts := make([]string, len(list))
			for i, v := range list {
				parts[i] = cellOf(v)
			}
			return strings.Join(parts, ", ")
		}
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}
