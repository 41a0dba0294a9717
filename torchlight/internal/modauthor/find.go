package modauthor

import (
	"context"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/torchlight/moddir"
)

// symbolAt returns what is named at a place, and the part of the line that names it. The name of the root of a file means
// the file.
func (a *Author) symbolAt(at string, spot format.Spot) (symbol, format.Span, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	x := a.mod
	if _, known := x.byPath[at]; !known {
		x = a.game
	}
	if s, u, ok := x.at(at, spot); ok {
		return s, u.span(at), true
	}
	content, err := a.content(at)
	if err != nil || !isTree(moddir.GamePath(at)) {
		return symbol{}, format.Span{}, false
	}
	row, _ := lineOf(content, spot.Line)
	if l := parseLine(row); l.open && l.name.has(spot.Column) {
		if way, _ := around(content, spot.Line); len(way) == 0 {
			return symbol{kindFile, moddir.GamePath(at)}, l.name.span(at, spot.Line), true
		}
	}
	return symbol{}, format.Span{}, false
}

// kindsOf returns the symbols that a symbol can mean: those of all kinds with a definition if only the game knows its
// kind.
func (a *Author) kindsOf(s symbol) (list []symbol) {
	if s.kind != kindAny {
		return []symbol{s}
	}
	for i := range things {
		t := symbol{kindThing + kind(i), s.name}
		if len(a.mod.find(t, true)) > 0 || len(a.game.find(t, true)) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// Definitions returns the places that define the thing at a place, in the mod and in the game's files.
func (a *Author) Definitions(_ context.Context, at string, spot format.Spot) (spans []format.Span, err error) {
	s, _, ok := a.symbolAt(at, spot)
	if !ok {
		return nil, nil
	}
	a.mu.RLock()
	var game []format.Span
	for _, s := range a.kindsOf(s) {
		spans = append(spans, a.mod.defined(s)...)
		game = append(game, a.game.defined(s)...)
	}
	a.mu.RUnlock()
	return a.withGame(spans, game)
}

// defined returns the places that define a thing. A file defines itself.
func (x *index) defined(s symbol) []format.Span {
	if s.kind != kindFile {
		return x.find(s, true)
	}
	if number, known := x.byGame[s.name]; known {
		return []format.Span{{Path: x.files[number].path}}
	}
	return nil
}

// maxShown is the number of places in an archive of the game that are shown: each file is written to a temporary folder.
const maxShown = 200

// withGame adds places in the game's files that an editor can open.
func (a *Author) withGame(spans, game []format.Span) ([]format.Span, error) {
	for i, s := range game {
		if i == maxShown && a.baseDir == "" {
			break
		}
		s, err := a.visible(s)
		if err != nil {
			return nil, err
		}
		spans = append(spans, s)
	}
	return spans, nil
}

// mentions returns the places that mention a thing.
func (a *Author) mentions(x *index, s symbol) (spans []format.Span) {
	for _, s := range a.kindsOf(s) {
		spans = append(spans, x.find(s, false)...)
	}
	if s.kind >= kindAny {
		spans = append(spans, x.find(symbol{kindAny, s.name}, false)...)
	}
	return spans
}

// ownerOf returns the definition of a thing, for descriptions: in the mod, or else in the game's files.
func (a *Author) ownerOf(s symbol) (f *file, inGame, ok bool) {
	for _, x := range []*index{a.mod, a.game} {
		for _, span := range x.defined(s) {
			if number, known := x.byPath[span.Path]; known {
				return x.files[number], x == a.game, true
			}
		}
	}
	return nil, false, false
}

// nameIn returns the name of the thing that a file defines, or "".
func (x *index) nameIn(f *file) string {
	for _, id := range f.owns {
		if x.names[id].kind >= kindThing {
			return x.names[id].name
		}
	}
	return ""
}

// contains reports whether a name contains what the user has typed, and the rank of the match.
func contains(name, typed string) (rank int, ok bool) {
	name, typed = strings.ToUpper(name), strings.ToUpper(typed)
	switch {
	case strings.HasPrefix(name, typed):
		return 0, true
	case strings.Contains(name, typed):
		return 1, true
	}
	return 0, false
}
