package modauthor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// Named returns the name at a place, if the mod defines what it names.
func (a *Author) Named(_ context.Context, at string, spot format.Spot) (string, format.Span, error) {
	s, over, ok := a.symbolAt(at, spot)
	if !ok {
		return "", over, nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	for _, s := range a.kindsOf(s) {
		if len(a.mod.defined(s)) == 0 {
			continue
		}
		if s.kind == kindFile {
			return path.Base(a.mod.files[a.mod.byGame[s.name]].path), over, nil
		}
		content, err := a.content(at)
		if err != nil {
			return "", over, err
		}
		row, _ := lineOf(content, over.From.Line)
		return row[min(over.From.Column, len(row)):min(over.To.Column, len(row))], over, nil
	}
	return "", over, nil
}

// Rename gives the thing at a place another name: a GUID another number, a file another path or a name in its folder.
func (a *Author) Rename(ctx context.Context, at string, spot format.Spot, to string) (r format.Rewrite, err error) {
	s, _, ok := a.symbolAt(at, spot)
	if !ok {
		return r, errors.New("nothing here has a name that can be changed")
	}
	to = strings.TrimSpace(to)
	a.mu.RLock()
	kinds := a.kindsOf(s)
	var own []format.Span
	for _, k := range kinds {
		own = append(own, a.mod.defined(k)...)
	}
	inGame := len(own) == 0 && len(kinds) > 0 && len(a.game.defined(kinds[0])) > 0
	a.mu.RUnlock()
	switch {
	case inGame:
		return r, fmt.Errorf("the %s is defined in the game's files, which are not changed", s.kind)
	case len(own) == 0:
		return r, fmt.Errorf("the %s %s is not defined in the mod", s.kind, s.name)
	case to == "" || strings.ContainsAny(to, "\r\n\x00") || len(to) > maxName:
		return r, errors.New("the new name must have 1 to 250 bytes in one line")
	case s.kind == kindFile:
		return a.renameFile(ctx, s.name, to)
	}
	if s.kind == kindGUID {
		id, clean := text.ParseInt64(to)
		if !clean || id == 0 || id == -1 {
			return r, fmt.Errorf("%q is not a GUID: expected a whole number of 64 bits that is neither 0 nor -1", to)
		}
		to = strconv.FormatInt(id, 10)
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	for _, k := range kinds {
		if other, inGame, taken := a.ownerOf(symbol{k.kind, strings.ToUpper(to)}); taken && !strings.EqualFold(to, k.name) {
			where := "the mod"
			if inGame {
				where = "the game's files"
			}
			return r, fmt.Errorf("%s has the %s %s already: %s", where, k.kind, to, other.game)
		}
	}
	spans := own
	if len(kinds) == 1 {
		spans = append(spans, a.mentions(a.mod, kinds[0])...)
	} else {
		return r, fmt.Errorf("%d kinds of things have the name %s: rename it where it is defined", len(kinds), s.name)
	}
	for _, span := range spans {
		r.Edits = append(r.Edits, format.Edit{Span: span, Text: to})
	}
	return r, nil
}

// companions are the extensions of files that belong to a file with another extension: the grids of a layout, the
// picture from which a texture was made, what GUTS compiled.
var companions = map[string][]string{".LAYOUT": {".MPP", ".MPD"}, ".DDS": {".PNG"}}

// renameFile moves a file with its companions, and changes the values that refer to it.
func (a *Author) renameFile(ctx context.Context, game, to string) (r format.Rewrite, err error) {
	to = strings.ReplaceAll(to, `\`, "/")
	a.mu.RLock()
	defer a.mu.RUnlock()
	f := a.mod.files[a.mod.byGame[game]]
	target := path.Join(path.Dir(f.path), to) // in the folder
	if strings.Contains(to, "/") {
		if !strings.HasPrefix(strings.ToUpper(to), "MEDIA/") {
			to = "MEDIA/" + to
		}
		target = moddir.FolderPath(path.Clean(to), a.options)
	}
	now := moddir.GamePath(target)
	switch _, taken := a.mod.byGame[now]; {
	case !fs.ValidPath(target) || !strings.HasPrefix(now, "MEDIA/"):
		return r, fmt.Errorf("%s: expected the path of a file below MEDIA/", to)
	case path.Ext(now) != path.Ext(game):
		return r, fmt.Errorf("%s: expected the extension %s", to, strings.ToLower(path.Ext(game)))
	case now == game:
		return r, fmt.Errorf("%s: the game ignores case, so this is the same name", to)
	case taken:
		return r, fmt.Errorf("%s: already exists", now)
	}
	touched := map[string]bool{f.path: true}
	for _, span := range a.mod.find(symbol{kindFile, game}, false) {
		if path.Ext(moddir.GamePath(span.Path)) == ".RAW" { // tables have all paths in upper case
			r.Edits = append(r.Edits, format.Edit{Span: span, Text: now})
			continue
		}
		touched[span.Path] = true
	}
	folder := a.only(touched)
	e, err := modedit.OfFolder(folder, modedit.Options{Names: a.options.Names, Warn: func(string, string) {}})
	if err != nil {
		return r, err
	}
	if err := e.Rename(game, now); err != nil {
		return r, err
	}
	for _, at := range slices.Sorted(maps.Keys(touched)) {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		name := moddir.GamePath(at)
		if name == game {
			name = now
		}
		before, err := a.content(at)
		if err != nil {
			return r, err
		}
		data, err := e.Content(name)
		if err != nil {
			return r, err
		}
		after, err := text.ToUTF8(data)
		if err != nil || !hasFacts(name) {
			continue
		}
		r.Edits = append(r.Edits, differences(at, before, string(after))...)
	}
	r.Moves = a.moves(f.path, target)
	return r, nil
}

// only returns a folder with some files of the folder of the mod.
func (a *Author) only(paths map[string]bool) fs.FS {
	t := new(tree.FS)
	for _, at := range slices.Sorted(maps.Keys(paths)) {
		t.Add(at, tree.Meta{Stored: -1}, func() ([]byte, error) { return fs.ReadFile(a.fsys, at) })
	}
	return t
}

// moves returns the moves of a file and of its companions. Their extensions can be in any case.
func (a *Author) moves(from, to string) []format.Move {
	moves := []format.Move{{From: from, To: to}}
	ext := path.Ext(from)
	stem, target := strings.TrimSuffix(from, ext), strings.TrimSuffix(to, path.Ext(to))
	entries, _ := fs.ReadDir(a.fsys, path.Dir(from))
	for _, e := range entries {
		at := path.Join(path.Dir(from), e.Name())
		game := moddir.GamePath(at)
		switch {
		case e.IsDir() || at == from:
		case isCompiled(at) && game == moddir.GamePath(from):
			moves = append(moves, format.Move{From: at, To: to + path.Ext(at)})
		case len(at) > len(stem) && strings.EqualFold(at[:len(stem)], stem) &&
			slices.Contains(companions[strings.ToUpper(ext)], strings.TrimPrefix(game, moddir.GamePath(stem))):
			moves = append(moves, format.Move{From: at, To: target + at[len(stem):]})
		}
	}
	return moves
}

// differences returns the edits between two texts: one for each line if their numbers of lines are equal, otherwise one
// for the lines between those that are equal at the beginning and at the end.
func differences(at, before, after string) (edits []format.Edit) {
	old, now := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	if len(old) == len(now) {
		for i := range old {
			if old[i] != now[i] {
				from, to := common(old[i], now[i])
				edits = append(edits, format.Edit{Span: part{from, len(old[i]) - to}.span(at, i), Text: now[i][from : len(now[i])-to]})
			}
		}
		return edits
	}
	first := 0
	for first < min(len(old), len(now)) && old[first] == now[first] {
		first++
	}
	last := 0
	for last < min(len(old), len(now))-first && old[len(old)-1-last] == now[len(now)-1-last] {
		last++
	}
	span := format.Span{Path: at, From: format.Spot{Line: first}, To: format.Spot{Line: len(old) - last}}
	if last == 0 {
		span.To = format.Spot{Line: len(old) - 1, Column: len(old[len(old)-1])}
	}
	return []format.Edit{{Span: span, Text: strings.Join(now[first:len(now)-last], "")}}
}

// common returns the lengths of the equal beginnings and ends of two lines, in whole characters.
func common(a, b string) (from, to int) {
	isStart := func(s string, i int) bool { return i == len(s) || s[i]&0xC0 != 0x80 }
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	for !isStart(a, from) || !isStart(b, from) {
		from--
	}
	for to < min(len(a), len(b))-from && a[len(a)-1-to] == b[len(b)-1-to] {
		to++
	}
	for !isStart(a, len(a)-to) || !isStart(b, len(b)-to) {
		to--
	}
	return from, to
}
