package mapauthor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapdir"
)

// part is a part of a map by the list that contains its name: an image, a sound, an envelope, a group, a layer.
type part struct{ dir, name string }

// partAt returns the part that is named at a place: in a line of a list, or by a field of a layer.
func (a *Author) partAt(at string, spot format.Spot) (p part, over format.Span, ok bool) {
	text := a.read(at)
	row := rowOf(text, spot.Line)
	if path.Base(at) == fileOrder {
		name := strings.TrimSpace(row)
		if name == "" || name[0] == '#' {
			return p, over, false
		}
		return part{path.Dir(at), name}, format.LineSpan(at, text, spot.Line+1, 0), true
	}
	if path.Ext(at) != ".json" {
		return p, over, false
	}
	for _, m := range mentionsIn(at, row) {
		if m.From.Column <= spot.Column && spot.Column <= m.To.Column {
			dir, _ := mapdir.RefField(m.field)
			m.From.Line, m.To.Line = spot.Line, spot.Line
			m.From.Column++ // without quotes
			m.To.Column--
			return part{dir, m.name}, m.Span, true
		}
	}
	return p, over, false
}

// is reports whether a name means the part: systems ignore case and forms of characters.
func (p part) is(name string) bool { return safename.Fold(p.name) == safename.Fold(name) }

// listed returns the line of the part in its list.
func (a *Author) listed(p part) (format.Span, bool) {
	at := p.dir + "/" + fileOrder
	text := a.read(at)
	n := 0
	for line := range strings.Lines(text) {
		n++
		if name := strings.TrimSpace(line); name != "" && name[0] != '#' && p.is(name) {
			return format.LineSpan(at, text, n, 0), true
		}
	}
	return format.Span{}, false
}

// files returns the files of the part: NAME.json and others, or the folder of a group.
func (a *Author) files(p part) (files []string) {
	entries, err := fs.ReadDir(a.fsys, p.dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() {
			name = strings.TrimSuffix(name, path.Ext(name))
		}
		isPart := e.IsDir() == (p.dir == "groups") && e.Name() != fileOrder && e.Name() != "group.json"
		if isPart && p.is(name) {
			files = append(files, p.dir+"/"+e.Name())
		}
	}
	return files
}

// Definitions returns the line of a part in its list, and the texts of the part.
func (a *Author) Definitions(_ context.Context, at string, spot format.Spot) (spans []format.Span, err error) {
	p, _, ok := a.partAt(at, spot)
	if !ok {
		return nil, nil
	}
	if list, ok := a.listed(p); ok && path.Base(at) != fileOrder {
		spans = append(spans, list)
	}
	for _, file := range a.files(p) {
		switch {
		case p.dir == "groups":
			spans = append(spans, format.Span{Path: file + "/group.json"})
		case isText(file):
			spans = append(spans, format.Span{Path: file})
		}
	}
	return spans, nil
}

// References returns the places in layers that name a part.
func (a *Author) References(ctx context.Context, at string, spot format.Spot) ([]format.Span, error) {
	p, _, ok := a.partAt(at, spot)
	if !ok {
		return nil, nil
	}
	return a.mentions(ctx, p)
}

// mentions returns the places in layers that name a part, without quotes.
func (a *Author) mentions(ctx context.Context, p part) (spans []format.Span, err error) {
	err = fs.WalkDir(a.fsys, ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(at) != ".json" || path.Base(at)[0] == '.' {
			return ctx.Err()
		}
		for _, m := range mentionsIn(at, a.read(at)) {
			if dir, _ := mapdir.RefField(m.field); dir == p.dir && p.is(m.name) {
				m.From.Column++
				m.To.Column--
				spans = append(spans, m.Span)
			}
		}
		return ctx.Err()
	})
	return spans, err
}

// Named returns the name of the part at a place.
func (a *Author) Named(_ context.Context, at string, spot format.Spot) (string, format.Span, error) {
	p, over, ok := a.partAt(at, spot)
	if !ok || len(a.files(p)) == 0 {
		return "", over, nil
	}
	return p.name, over, nil
}

// Rename gives a part another name: in its list, as the name of its files, and in the layers that use it.
func (a *Author) Rename(ctx context.Context, at string, spot format.Spot, to string) (r format.Rewrite, err error) {
	p, _, ok := a.partAt(at, spot)
	if !ok {
		return r, errors.New("nothing here has a name that can be changed")
	}
	list, listed := a.listed(p)
	files := a.files(p)
	switch {
	case !listed || len(files) == 0:
		return r, fmt.Errorf("%s/%s is not a part of the map", p.dir, p.name)
	case to == "" || strings.TrimSpace(to) != to || to[0] == '#' || safename.Escape(to) != to || !fs.ValidPath(to) || to == ".":
		return r, fmt.Errorf("%q cannot be the name of a file on every system", to)
	case strings.HasPrefix(p.dir, "groups/") && (safename.Fold(to) == "order" || safename.Fold(to) == "group"):
		return r, fmt.Errorf("a layer cannot have the file name %q", to)
	case to == p.name:
		return r, nil
	}
	other := part{p.dir, to}
	if _, taken := a.listed(other); !other.is(p.name) && (taken || len(a.files(other)) > 0) {
		return r, fmt.Errorf("%s/%s exists already", p.dir, to)
	}
	spans, err := a.mentions(ctx, p)
	if err != nil {
		return r, err
	}
	r.Edits = append(r.Edits, format.Edit{Span: list, Text: to})
	for _, s := range spans {
		r.Edits = append(r.Edits, format.Edit{Span: s, Text: strings.Trim(quote(to), `"`)})
	}
	for _, file := range files {
		ext := path.Ext(file)
		if p.dir == "groups" {
			ext = ""
		}
		r.Moves = append(r.Moves, format.Move{From: file, To: p.dir + "/" + to + ext})
	}
	return r, nil
}

// unlisted returns the names of parts in a folder that its list lacks.
func (a *Author) unlisted(dir string) (names []string) {
	entries, _ := fs.ReadDir(a.fsys, dir)
	seen := make(map[string]bool)
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
		if e.IsDir() {
			name = e.Name()
		}
		p := part{dir, name}
		if _, listed := a.listed(p); listed || seen[name] || len(a.files(p)) == 0 {
			continue
		}
		seen[name] = true
		names = append(names, name)
	}
	return names
}

// names returns the names in a list.
func (a *Author) names(dir string) (names []string) {
	for line := range strings.Lines(a.read(dir + "/" + fileOrder)) {
		if name := strings.TrimSpace(line); name != "" && name[0] != '#' {
			names = append(names, name)
		}
	}
	return names
}
