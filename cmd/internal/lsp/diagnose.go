package lsp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/format"
)

// severities are the numbers of severities in the protocol.
var severities = map[check.Severity]int{check.Error: 1, check.Warning: 2, check.Info: 3}

// publish sends the problems of a file to the editor, if they have changed.
func (f *folder) publish(name string) {
	problems := f.problems(name)
	slices.SortStableFunc(problems, func(a, b format.Problem) int {
		return cmp.Or(cmp.Compare(a.Over.From.Line, b.Over.From.Line), cmp.Compare(a.Over.From.Column, b.Over.From.Column),
			cmp.Compare(b.Severity, a.Severity))
	})
	params := diagnosticsParams{URI: uriOf(f.path(name)), Diagnostics: []diagnostic{}}
	doc := f.server.docs.get(f.path(name))
	c := f.converter()
	for i, p := range problems {
		if i == maxProblems {
			p.Message = fmt.Sprintf("%d more problems are not listed", len(problems)-maxProblems)
			p.ID, p.Also = "", nil
			params.Diagnostics = append(params.Diagnostics, c.diagnostic(p))
			break
		}
		params.Diagnostics = append(params.Diagnostics, c.diagnostic(p))
	}
	data, err := json.Marshal(params.Diagnostics)
	f.mu.Lock()
	last, sent := f.printed[name]
	same := err == nil && (sent && last == string(data) || !sent && len(params.Diagnostics) == 0 && doc == nil)
	if f.printed[name] = string(data); len(params.Diagnostics) == 0 && doc == nil {
		delete(f.printed, name)
	}
	f.mu.Unlock()
	if same {
		return
	}
	if doc != nil {
		params.URI, params.Version = doc.uri, &doc.version
	}
	f.server.notify("textDocument/publishDiagnostics", params)
}

// converter converts spans to ranges. It keeps the texts of files.
type converter struct {
	folder *folder
	texts  map[string]*text
}

func (f *folder) converter() *converter { return &converter{f, make(map[string]*text)} }

func (c *converter) text(name string) *text {
	t := c.texts[name]
	if t == nil {
		t = c.folder.textOf(name)
		c.texts[name] = t
	}
	return t
}

func (c *converter) textRange(s format.Span) textRange {
	t := c.text(s.Path)
	from, to := t.offsetOf(s.From), t.offsetOf(s.To)
	return textRange{t.position(from, c.folder.server.bytes), t.position(max(from, to), c.folder.server.bytes)}
}

// uri returns the URI of a file, as the editor writes it if the file is open.
func (c *converter) uri(name string) string {
	path := c.folder.path(name)
	if doc := c.folder.server.docs.get(path); doc != nil {
		return doc.uri
	}
	return uriOf(path)
}

func (c *converter) location(s format.Span) location { return location{c.uri(s.Path), c.textRange(s)} }

// maxRelated is the number of other places of a problem that are sent.
const maxRelated = 20

func (c *converter) diagnostic(p format.Problem) diagnostic {
	d := diagnostic{Range: c.textRange(p.Over), Severity: severities[p.Severity], Code: p.ID, Source: "trowel", Message: p.Message}
	for _, s := range p.Also[:min(len(p.Also), maxRelated)] {
		d.Related = append(d.Related, relatedInfo{c.location(s), "also here"})
	}
	return d
}
