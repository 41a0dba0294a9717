package review

import (
	"io"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// Merged is the report of a merge.
type Merged struct {
	Inputs    []string
	Output    string              // "" if nothing was written
	Files     []format.MergedFile // of a merge of many files
	Conflicts []check.Conflict
	Changes   []check.Change
}

// MergeTable returns the table of a merge of many files: the names of the files, and rows with a part and the use of each file's
// version, or "" if the file has none.
func MergeTable(files []format.MergedFile) (names []string, rows [][]string) {
	for _, f := range files {
		for _, u := range f.Uses {
			if !slices.Contains(names, u.File) {
				names = append(names, u.File)
			}
		}
	}
	for _, f := range files {
		row := make([]string, 1+len(names))
		row[0] = f.Path
		for _, u := range f.Uses {
			row[1+slices.Index(names, u.File)] = u.Use
		}
		rows = append(rows, row)
	}
	return names, rows
}

// HTML writes the report as one page, which needs no other file.
func (m *Merged) HTML(w io.Writer) error {
	type line struct{ Path, What, Took string }
	var conflicts, changes []line
	for _, c := range m.Conflicts[:min(len(m.Conflicts), htmlLines)] {
		what := check.Change{What: c.What, At: c.At}.String()
		conflicts = append(conflicts, line{plain(c.Path), plain(what), plain(c.Took)})
	}
	for _, c := range m.Changes[:min(len(m.Changes), htmlLines)] {
		path := c.Path
		c.Path = ""
		changes = append(changes, line{plain(path), plain(c.String()), ""})
	}
	names, rows := MergeTable(m.Files)
	more := len(rows) - min(len(rows), htmlLines)
	rows = rows[:len(rows)-more]
	for _, row := range append(slices.Clone(rows), names) {
		for i := range row {
			row[i] = plain(row[i])
		}
	}
	inputs := slices.Clone(m.Inputs)
	for i := range inputs {
		inputs[i] = plain(inputs[i])
	}
	verdict := words.Count(len(m.Conflicts), "conflict")
	if len(rows) > 0 {
		verdict += ", " + words.Count(len(m.Files), "file") + " with different versions"
	}
	return page.ExecuteTemplate(w, "merged", map[string]any{"Inputs": inputs, "Output": plain(m.Output), "Verdict": verdict, "Names": names,
		"Rows": rows, "MoreRows": more, "Conflicts": conflicts, "MoreConflicts": len(m.Conflicts) - len(conflicts),
		"Changes": changes, "MoreChanges": len(m.Changes) - len(changes)})
}
