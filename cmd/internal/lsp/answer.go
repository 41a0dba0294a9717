package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trowel.example/internal/format"
)

// quickFix is the kind of the code actions of the server.
const quickFix = "quickfix"

// questions are the requests that the server answers while it reads further messages.
var questions map[string]func(s *Server, ctx context.Context, params json.RawMessage) (any, error)

func init() {
	questions = map[string]func(s *Server, ctx context.Context, params json.RawMessage) (any, error){
		"textDocument/hover":         about(hover),
		"textDocument/completion":    about(complete),
		"textDocument/definition":    about(definition),
		"textDocument/references":    about(references),
		"textDocument/prepareRename": about(prepareRename),
		"textDocument/rename":        about(rename),
		"textDocument/codeAction":    (*Server).codeActions,
	}
}

// place is a place in an open document, about which the editor asks.
type place struct {
	*folder
	*converter
	name string
	at   format.Spot
	doc  *document
	ask  placeParams
}

// about returns the answer to a question about a place. Outside of folders the answer is null.
func about(answer func(ctx context.Context, p *place) (any, error)) func(*Server, context.Context, json.RawMessage) (any, error) {
	return func(s *Server, ctx context.Context, params json.RawMessage) (any, error) {
		var p placeParams
		if err := decode(params, &p); err != nil {
			return nil, err
		}
		f, doc, err := s.document(p.Document.URI)
		if f == nil || err != nil {
			return nil, err
		}
		if err := f.ready(ctx); err != nil {
			return nil, err
		}
		at := doc.text.spot(doc.text.offset(p.Position, s.bytes))
		return answer(ctx, &place{f, f.converter(), f.name(doc.path), at, doc, p})
	}
}

// document returns an open document and its folder, or nil if no author answers for it.
func (s *Server) document(uri string) (*folder, *document, error) {
	name := pathOf(uri)
	doc := s.docs.get(name)
	if doc == nil {
		return nil, nil, &failure{codeParams, fmt.Sprintf("%s is not open", uri)}
	}
	f := s.knownFolder(name)
	if f == nil || f.author == nil {
		return nil, nil, nil
	}
	return f, doc, nil
}

func hover(ctx context.Context, p *place) (any, error) {
	text, over, err := p.author.Describe(ctx, p.name, p.at)
	if text == "" || err != nil {
		return nil, err
	}
	over.Path = p.name
	r := p.textRange(over)
	return hoverResult{markup{"markdown", text}, &r}, nil
}

// maxCompletions is the number of completions that are sent. The editor asks again when the user types more.
const maxCompletions = 300

// completionKinds are the numbers of the kinds of completions in the protocol.
var completionKinds = map[format.CompletionKind]int{format.CompleteText: 1, format.CompleteKey: 10, format.CompleteValue: 12,
	format.CompleteFile: 17, format.CompleteThing: 18, format.CompleteKeyword: 14}

func complete(ctx context.Context, p *place) (any, error) {
	all, err := p.author.Complete(ctx, p.name, p.at)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b format.Completion) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Label, b.Label))
	})
	list := completionList{Items: []completionItem{}, Incomplete: len(all) > maxCompletions}
	for i, c := range all[:min(len(all), maxCompletions)] {
		c.Edit.Path = p.name
		item := completionItem{Label: c.Label, Kind: completionKinds[c.Kind], Detail: c.Detail, SortText: fmt.Sprintf("%04d", i),
			Edit: textEdit{p.textRange(c.Edit.Span), c.Edit.Text}}
		if c.Help != "" {
			item.Help = &markup{"plaintext", c.Help}
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

func definition(ctx context.Context, p *place) (any, error) {
	spans, err := p.author.Definitions(ctx, p.name, p.at)
	return p.locations(spans), err
}

func references(ctx context.Context, p *place) (any, error) {
	spans, err := p.author.References(ctx, p.name, p.at)
	if err == nil && p.ask.Context.Declaration {
		var own []format.Span
		own, err = p.author.Definitions(ctx, p.name, p.at)
		spans = append(own, spans...)
	}
	return p.locations(spans), err
}

func (p *place) locations(spans []format.Span) []location {
	list := []location{}
	for _, s := range spans {
		list = append(list, p.location(s))
	}
	return list
}

func prepareRename(ctx context.Context, p *place) (any, error) {
	name, over, err := p.author.Named(ctx, p.name, p.at)
	if name == "" || err != nil {
		return nil, err
	}
	over.Path = p.name
	return prepareResult{p.textRange(over), name}, nil
}

func rename(ctx context.Context, p *place) (any, error) {
	r, err := p.author.Rename(ctx, p.name, p.at, p.ask.NewName)
	if err != nil {
		return nil, err
	}
	return p.workspaceEdit(r)
}

// workspaceEdit converts a rewrite.
func (c *converter) workspaceEdit(r format.Rewrite) (workspaceEdit, error) {
	s := c.folder.server
	if len(r.Moves) > 0 && !s.renames {
		return workspaceEdit{}, errors.New("this editor cannot rename files for a language server: use `trowel edit FOLDER -- rename`")
	}
	byURI := make(map[string][]textEdit)
	var uris []string
	docs := make(map[string]documentID)
	for _, e := range r.Edits {
		uri := c.uri(e.Path)
		if _, known := byURI[uri]; !known {
			uris = append(uris, uri)
			docs[uri] = documentID{URI: uri}
			if doc := s.docs.get(c.folder.path(e.Path)); doc != nil {
				docs[uri] = documentID{uri, &doc.version}
			}
		}
		byURI[uri] = append(byURI[uri], textEdit{c.textRange(e.Span), e.Text})
	}
	if !s.changes {
		return workspaceEdit{Changes: byURI}, nil
	}
	var out workspaceEdit
	for _, uri := range uris {
		out.DocumentChanges = append(out.DocumentChanges, documentEdit{docs[uri], byURI[uri]})
	}
	for _, m := range r.Moves {
		out.DocumentChanges = append(out.DocumentChanges, renameFile{"rename", c.uri(m.From), uriOf(c.folder.path(m.To))})
	}
	return out, nil
}

// codeActions returns the ways to correct the problems in a range.
func (s *Server) codeActions(ctx context.Context, params json.RawMessage) (any, error) {
	var p actionParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	actions := []codeAction{}
	only := p.Context.Only
	if len(only) > 0 && !slices.ContainsFunc(only, func(kind string) bool { return kind == "" || kind == quickFix }) {
		return actions, nil
	}
	f, doc, err := s.document(p.Document.URI)
	if f == nil || err != nil {
		return actions, err
	}
	if err := f.ready(ctx); err != nil {
		return nil, err
	}
	c := f.converter()
	name := f.name(doc.path)
	fresh, err := f.author.Check(ctx, name) // the text may have changed since the problems were sent
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.quick[name] = fresh
	f.mu.Unlock()
	for _, problem := range f.problems(name) {
		at := c.textRange(problem.Over)
		if before(at.End, p.Range.Start) || before(p.Range.End, at.Start) {
			continue
		}
		mends, err := f.author.Mends(ctx, problem)
		if err != nil {
			return nil, err
		}
		for _, m := range mends {
			edit, err := c.workspaceEdit(format.Rewrite{Edits: m.Edits})
			if err != nil {
				return nil, err
			}
			actions = append(actions, codeAction{strings.TrimSpace(m.Title), quickFix, []diagnostic{c.diagnostic(problem)}, edit})
		}
	}
	return actions, nil
}

// before reports whether a precedes b.
func before(a, b position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}
