package modedit

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/torchlight/internal/translation"
	"trowel.example/torchlight/text"
)

// FormatPO returns texts as a PO file for a language, or as a template if language is "". There is one entry for each
// different text, with all its places as notes.
func FormatPO(texts []Text, project, language string) []byte {
	f := &translation.PO{Header: "Project-Id-Version: " + strings.ReplaceAll(project, "\n", " ") + "\nLanguage: " + strings.ToLower(language) +
		"\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"}
	index := make(map[string]int)
	for _, t := range texts {
		i, ok := index[t.Value]
		if !ok {
			i = len(f.Entries)
			index[t.Value] = i
			f.Entries = append(f.Entries, translation.Entry{ID: t.Value, Str: []string{t.Translation}})
		}
		f.Entries[i].Notes = append(f.Entries[i].Notes, t.Path+": "+t.Node)
	}
	return f.Format()
}

// ParsePO reads the translations of a PO file, each for all places of its text. It omits translations that are marked
// as fuzzy, and returns their number. The error is a [*fault.TextError].
func ParsePO(data []byte) (texts []Text, fuzzy int, err error) {
	f, err := translation.ParsePO(data)
	if err != nil {
		return nil, 0, err
	}
	for i := range f.Entries {
		switch e := &f.Entries[i]; {
		case e.Str[0] == "":
		case e.Fuzzy():
			fuzzy++
		default:
			texts = append(texts, Text{Value: e.ID, Translation: e.Str[0]})
		}
	}
	return texts, fuzzy, nil
}

// textColumns are the columns of the CSV form of texts.
var textColumns = []string{"file", "node", "original", "translation"}

// FormatCSV returns texts as CSV in UTF-8 with a byte order mark, which spreadsheets need to recognize UTF-8. There is
// a row for each place, with the columns file, node, original and translation. Texts that a spreadsheet would change
// begin with #.
func FormatCSV(texts []Text) []byte {
	rows := [][]string{textColumns}
	for _, t := range texts {
		rows = append(rows, []string{t.Path, t.Node, toSheet(text.Translate, t.Value), toSheet(text.Translate, t.Translation)})
	}
	return formatRows(rows)
}

// ParseCSV reads a CSV of FormatCSV. Columns are separated by commas, semicolons or tabs and may be in any order. Each
// translation applies only to its place, or, without the columns file and node, to all places of the text. The error is
// a [*fault.TextError].
func ParseCSV(data []byte) ([]Text, error) {
	rows, lines, err := parseRows(data)
	if err != nil {
		return nil, err
	}
	var at [4]int
	for i, name := range textColumns {
		at[i] = slices.IndexFunc(rows[0], func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), name) })
		if at[i] < 0 && i >= 2 {
			return nil, &fault.TextError{Line: 1, Msg: "no column " + name}
		}
	}
	var texts []Text
	for i, row := range rows[1:] {
		cell := func(c int) string {
			if at[c] < 0 || at[c] >= len(row) {
				return ""
			}
			return row[at[c]]
		}
		t := Text{cell(0), cell(1), fromSheet(text.Translate, cell(2)), fromSheet(text.Translate, cell(3))}
		if (t.Path == "") != (t.Node == "") {
			return nil, &fault.TextError{Line: lines[i+1], Msg: "expected file and node together, found only one of them"}
		}
		if t.Value != "" {
			texts = append(texts, t)
		}
	}
	return texts, nil
}

const bom = "\ufeff"

func formatRows(rows [][]string) []byte {
	var b bytes.Buffer
	b.WriteString(bom)
	w := csv.NewWriter(&b)
	_ = w.WriteAll(rows) // cannot fail: it writes to memory
	return b.Bytes()
}

// parseRows reads CSV with a header row, and returns the line at which each row begins. Line ends in cells become line
// feeds.
func parseRows(data []byte) (rows [][]string, lines []int, err error) {
	if data, err = text.ToUTF8(data); err != nil {
		return nil, nil, &fault.TextError{Msg: "expected UTF-8 or UTF-16: save it as CSV UTF-8"}
	}
	head, _, _ := bytes.Cut(data, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	for _, comma := range ";\t" {
		if strings.Count(string(head), string(comma)) > strings.Count(string(head), string(r.Comma)) {
			r.Comma = comma
		}
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			var at *csv.ParseError
			if errors.As(err, &at) {
				return nil, nil, &fault.TextError{Line: at.Line, Column: at.Column, Msg: at.Err.Error()}
			}
			return nil, nil, err
		}
		line, _ := r.FieldPos(0)
		rows, lines = append(rows, row), append(lines, line)
	}
	if len(rows) == 0 {
		return nil, nil, &fault.TextError{Line: 1, Msg: "expected a row with the names of the columns, found nothing"}
	}
	return rows, lines, nil
}

// ParseTexts reads translations in PO or CSV; the extension of the file name gives the form. Fuzzy is the number of
// fuzzy translations that were omitted.
func ParseTexts(name string, data []byte) (texts []Text, fuzzy int, err error) {
	switch extension(name) {
	case ".PO", ".POT":
		return ParsePO(data)
	case ".CSV", ".TSV", ".TXT":
		texts, err = ParseCSV(data)
		return texts, 0, err
	}
	return nil, 0, errors.New("expected the name of a .po or .csv file")
}
