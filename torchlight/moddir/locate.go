package moddir

import (
	"context"
	"io/fs"

	"trowel.example/check"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// Locate returns the line in a folder for each place of a finding. The folder must be the result of [Open], [OpenPak],
// [OpenSingle] or [OpenAsIs]. A place in none of its files gets no path. A place without a line, or in a file for which
// want returns false, gets line 0.
func Locate(ctx context.Context, fsys fs.FS, places []check.Place, want func(path string) bool) ([]check.Line, error) {
	pathOf := singlePath(fsys)
	if s, ok := fsys.(*shown); ok {
		pathOf = func(name string) string {
			if at := s.paths()[s.archive.Find(name)]; at != "" || s.origins()[name] == nil {
				return at
			}
			return name // a path of the folder itself
		}
	}
	lines := make([]check.Line, len(places))
	var text texts
	for i, p := range places {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lines[i] = text.locate(fsys, p, pathOf, want)
	}
	return lines, nil
}

// singlePath returns a function that returns the path of the only file of a folder.
func singlePath(fsys fs.FS) func(string) string {
	at, err := onlyFile(fsys)
	if err != nil {
		at = ""
	}
	return func(string) string { return at }
}

// texts caches the last text, because places mostly are sorted by file.
type texts struct {
	path  string
	data  []byte
	index *text.Index // nil if it is not a text of the game
}

func (t *texts) locate(fsys fs.FS, place check.Place, pathOf func(string) string, want func(string) bool) check.Line {
	switch p := text.Whole(place).(type) {
	case check.File:
		return check.Line{Path: pathOf(string(p))}
	case check.Line:
		p.Path = pathOf(p.Path)
		return p
	case text.Place:
		l := check.Line{Path: pathOf(p.Path)}
		if l.Path == "" || !want(l.Path) || p.Node == "" && p.Object == 0 {
			return l
		}
		t.open(fsys, l.Path)
		switch {
		case t.index != nil:
			l.Line = t.index.Line(p)
		case tableForm.isText(t.data):
			l.Line = raw.LineOf(t.data, p.Node)
		}
		return l
	}
	return check.Line{}
}

// open reads a file. An unreadable file counts as empty.
func (t *texts) open(fsys fs.FS, path string) {
	if t.path == path {
		return
	}
	*t = texts{path: path}
	t.data, _ = fs.ReadFile(fsys, path)
	if text.Recognize(t.data) {
		t.index, _ = text.NewIndex(t.data)
	}
}
