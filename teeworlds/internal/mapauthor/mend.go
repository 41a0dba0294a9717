package mapauthor

import (
	"context"
	"path"
	"regexp"
	"strings"

	"trowel.example/internal/format"
)

var (
	meant    = regexp.MustCompile(`did you mean "([^"]+)"`)
	uses     = regexp.MustCompile(`: the server uses (-?\d+)`)
	expected = regexp.MustCompile(`expected one of ([^:;]+)$`)
	addLine  = regexp.MustCompile(`a line "([^"]+)" in (\S.*/order\.txt) makes it part of the map`)
)

// Mends returns the ways to correct a problem.
func (a *Author) Mends(_ context.Context, p format.Problem) (mends []format.Mend, err error) {
	text := a.read(p.Over.Path)
	row := rowOf(text, p.Over.From.Line)
	old := row[min(p.Over.From.Column, len(row)):min(max(p.Over.To.Column, p.Over.From.Column), len(row))]
	replace := func(title, by string) {
		mends = append(mends, format.Mend{Title: title, Edits: []format.Edit{{Span: p.Over, Text: by}}})
	}
	if m := meant.FindStringSubmatch(p.Message); m != nil && old != "" {
		replace("Replace by "+m[1], m[1])
	}
	if m := uses.FindStringSubmatch(p.Message); m != nil && old != "" {
		replace("Write "+m[1]+", as the server reads it", m[1])
	}
	if m := expected.FindStringSubmatch(p.Message); m != nil && strings.HasPrefix(old, `"`) {
		for _, name := range strings.Split(m[1], ", ") {
			if similar(unquote(old), name) {
				replace("Replace by "+name, quote(name))
			}
		}
	}
	if m := addLine.FindStringSubmatch(p.Message); m != nil {
		list := a.read(m[2])
		line := m[1] + "\n"
		if list != "" && !strings.HasSuffix(list, "\n") {
			line = "\n" + m[1]
		}
		end := format.Spot{Line: strings.Count(list, "\n"), Column: len(list) - strings.LastIndexByte(list, '\n') - 1}
		mends = append(mends, format.Mend{Title: "List " + m[1] + " in " + path.Base(m[2]),
			Edits: []format.Edit{{Span: format.Span{Path: m[2], From: end, To: end}, Text: line}}})
	}
	switch p.ID {
	case "tw-map-setting-refused", "tw-map-setting-idle":
		whole := format.Span{Path: p.Over.Path, From: format.Spot{Line: p.Over.From.Line}, To: format.Spot{Line: p.Over.From.Line + 1}}
		mends = append(mends, format.Mend{Title: "Delete the line", Edits: []format.Edit{{Span: whole}}})
	case "tw-rules-indented":
		blanks := len(row) - len(strings.TrimLeft(row, " \t"))
		s := spanIn(p.Over.From.Line, 0, blanks)
		s.Path = p.Over.Path
		mends = append(mends, format.Mend{Title: "Remove the blanks", Edits: []format.Edit{{Span: s}}},
			format.Mend{Title: "Make it a comment", Edits: []format.Edit{{Span: s, Text: "#"}}})
	}
	return mends, nil
}

// similar reports whether two names differ in at most two letters or in case.
func similar(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	to := 0
	for to < min(len(a), len(b))-from && a[len(a)-1-to] == b[len(b)-1-to] {
		to++
	}
	return max(len(a), len(b))-from-to <= 2
}
