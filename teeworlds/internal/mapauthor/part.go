package mapauthor

import (
	"context"
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
