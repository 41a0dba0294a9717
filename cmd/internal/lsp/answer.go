package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"trowel.example/internal/format"
)

// questions are the requests that the server answers while it reads further messages.
var questions map[string]func(s *Server, ctx context.Context, params json.RawMessage) (any, error)

func init() {
	questions = map[string]func(s *Server, ctx context.Context, params json.RawMessage) (any, error){
		"textDocument/hover":      about(hover),
		"textDocument/completion": about(complete),
		"textDocument/definition": about(definition),
	}
}

// place is a place in an open document, about which the editor asks.
type place struct {
	*folder
	*converter
	name string
	at   format.Spot
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
		return answer(ctx, &place{f, f.converter(), f.name(doc.path), at})
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
	list := []location{}
	for _, s := range spans {
		list = append(list, p.location(s))
	}
	return list, err
}
