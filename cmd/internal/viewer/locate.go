package viewer

import (
	"cmp"
	"context"
	"io/fs"
	"net/http"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/format"
)

// locate returns the files and lines of the tree that describe places, according to [format.Locator].
func (e *edition) locate(ctx context.Context, places []check.Place, want func(path string) bool) ([]check.Line, error) {
	fsys, err := e.files(ctx)
	if err != nil {
		return nil, err
	}
	lines := make([]check.Line, len(places))
	if l, ok := e.file.(format.Locator); ok {
		// The Locator needs the tree itself, not the public one.
		if lines, err = l.Locate(ctx, e.tree, places, want); err != nil {
			return nil, err
		}
	}
	for i, p := range places {
		if lines[i].Path != "" {
			continue
		}
		var own check.Line
		switch p := p.(type) {
		case check.Line:
			own = p
		case check.File:
			own.Path = string(p)
		}
		if _, err := fs.Stat(fsys, own.Path); err == nil && own.Path != "" && own.Path != "." {
			lines[i] = own
		}
	}
	return lines, nil
}

// maxMarks is the maximum number of marked lines in a text.
const maxMarks = 10_000

// mark is a finding on a line of a text.
type mark struct {
	Line     int            `json:"line"`    // from 1; findings about the whole file are on line 1
	Finding  int            `json:"finding"` // the number of the finding and that of its place
	Place    int            `json:"place"`
	Severity check.Severity `json:"severity"`
	Message  string         `json:"message"`
}

// listMarks returns the findings on lines of a text. The parameter is path. Before the end of the check, there
// are not.
func listMarks(_ context.Context, e *edition, r *http.Request) (any, error) {
	path := r.URL.Query().Get("path")
	marks := []mark{}
	s := e.of.server
	s.panels.mu.Lock()
	c := s.panels.checks[e.key()]
	s.panels.mu.Unlock()
	if c != nil {
		c.mu.Lock()
		findings, lines := c.findings, c.lines
		c.mu.Unlock()
		for i := range lines {
			for k, l := range lines[i] {
				if l.Path == path && len(marks) < maxMarks {
					marks = append(marks, mark{max(1, l.Line), i, k, findings[i].Severity, findings[i].Message})
				}
			}
		}
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.Line, b.Line) })
	return map[string]any{"marks": marks}, nil
}
