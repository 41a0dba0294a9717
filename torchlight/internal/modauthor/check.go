package modauthor

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/internal/translation"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// own are the findings of Check.
var own = func() map[string]bool {
	ids := map[string]bool{"tl-source-unreadable": true}
	for _, k := range slices.Concat(text.Catalog.Kinds(), layout.Catalog.Kinds(), ogre.AnimationCatalog.Kinds(), translation.Catalog.Kinds(),
		imageset.Catalog.Kinds(), ogre.ScriptCatalog.Kinds()) {
		ids[k.ID] = true
	}
	return ids
}()

// Checks reports whether Check returns findings of a kind.
func (a *Author) Checks(id string) bool { return own[id] }

// Check returns the problems of one file.
func (a *Author) Check(_ context.Context, at string) (list []format.Problem, err error) {
	data, err := fs.ReadFile(a.fsys, at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it is closed and was never saved
	}
	if err != nil || isCompiled(at) {
		return nil, err
	}
	content, _ := text.ToUTF8(data) // what can be read; the check reports the rest
	p := placer{author: a, path: at, content: string(content)}
	sink := func(f check.Finding) { list = append(list, p.problems(f)...) }
	switch game := moddir.GamePath(at); path.Ext(game) {
	case ".IMAGESET":
		imageset.Check(data, sink)
	case ".MATERIAL":
		ogre.CheckScript(data, sink)
	default:
		if isTree(game) || moddir.IsForm(at, data) {
			moddir.CheckForm(data, at, a.options, sink)
		}
	}
	return list, nil
}

// CheckAll returns the problems of the mod.
func (a *Author) CheckAll(ctx context.Context, whole func(context.Context, check.Sink) error) (list []format.Problem, err error) {
	var found []check.Finding
	if err := whole(ctx, func(f check.Finding) { found = append(found, f) }); err != nil {
		return nil, err
	}
	p := placer{author: a}
	for _, f := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list = append(list, p.problems(f)...)
	}
	return list, nil
}

// placer finds the places of findings in texts. It keeps the last text.
type placer struct {
	author  *Author
	path    string // of the file that findings without a path are about, and that content belongs to
	content string
	index   *text.Index // of the content; nil until it is needed, or if the content cannot be read
}

// maxPlaces is the number of places of a finding that are problems of their own.
const maxPlaces = 50

// problems returns the problems for a finding: one for each reference to a missing file, otherwise one.
func (p *placer) problems(f check.Finding) (list []format.Problem) {
	if len(f.At) == 0 {
		name, _, _ := strings.Cut(f.Path, ": ")
		if at, known := p.folderPath(name); known {
			f.At = []check.Place{check.File(at)}
		} else {
			return []format.Problem{{Finding: f, Over: format.LineSpan(p.path, p.content, 1, 0)}}
		}
	}
	var spans []format.Span
	each := false
	for _, at := range f.At[:min(len(f.At), maxPlaces)] {
		_, isReference := at.(moddir.Reference)
		each = each || isReference
		spans = append(spans, p.span(f.ID, at))
	}
	if !each {
		return []format.Problem{{Finding: f, Over: spans[0], Also: spans[1:]}}
	}
	for _, s := range spans {
		list = append(list, format.Problem{Finding: f, Over: s})
	}
	return list
}

// folderPath returns the path in the folder of a path in the game or in the folder.
func (p *placer) folderPath(name string) (at string, known bool) {
	if name == "" {
		return p.path, p.path != ""
	}
	a := p.author
	a.mu.RLock()
	defer a.mu.RUnlock()
	if _, known := a.mod.byPath[name]; known {
		return name, true
	}
	if number, known := a.mod.byGame[strings.ToUpper(name)]; known {
		return a.mod.files[number].path, true
	}
	return name, false
}

// load makes the text of a file the current one.
func (p *placer) load(at string) {
	if at != p.path {
		p.path, p.index = at, nil
		p.content, _ = p.author.content(at)
	}
}

// span returns the span of a place.
func (p *placer) span(id string, place check.Place) format.Span {
	switch at := text.Whole(place).(type) {
	case check.Line:
		if path, known := p.folderPath(at.Path); known {
			p.load(path)
		}
		return p.inLine(id, at.Line, at.Column)
	case check.File:
		path, _ := p.folderPath(string(at))
		p.load(path)
		if strings.HasSuffix(id, "-guid") {
			return p.guid()
		}
		return format.LineSpan(path, p.content, 1, 0)
	case text.Place:
		if path, known := p.folderPath(at.Path); known {
			p.load(path)
		}
		if p.index == nil {
			p.index, _ = text.NewIndex([]byte(p.content))
		}
		if p.index != nil {
			return p.inLine(id, max(p.index.Line(at), 1), 0)
		}
	}
	return format.LineSpan(p.path, p.content, 1, 0)
}

// guid returns the span of the GUID of a file, or of its first line.
func (p *placer) guid() format.Span {
	span := format.LineSpan(p.path, p.content, 1, 0)
	found := false
	scan(p.content, func(e event) {
		if !found && !e.open && len(e.way) == 1 && slices.Contains(guidKeys, strings.ToUpper(e.key)) {
			found = true
			span = part{e.valueAt, e.valueAt + len(strings.TrimRight(e.value, " \t\r"))}.span(p.path, e.line)
		}
	})
	return span
}

// aboutNames are the findings about the name of a key. Others without a column are about its value.
var aboutNames = map[string]bool{"tl-text-broken-tag": true, "tl-text-numeric-key": true, "tl-text-unknown-name": true,
	"tl-text-misspelled-key":     true,
	"tl-layout-unknown-property": true, "tl-layout-left-out": true, "tl-layout-marked": true}

// inLine returns the span of a finding in a line, from 1; column 0 means that only the kind of the finding shows the
// part.
func (p *placer) inLine(id string, number, column int) format.Span {
	row, ok := lineOf(p.content, number-1)
	whole := format.LineSpan(p.path, p.content, number, column)
	if !ok {
		return whole
	}
	l := parseLine(row)
	switch {
	case column > 0 && l.property && l.typed && whole.From.Column == l.typ.from:
		return l.typ.span(p.path, number-1)
	case column > 0:
		return whole
	case l.open || l.close:
		return l.name.span(p.path, number-1)
	case l.property && l.colon:
		value := part{l.value.from, len(strings.TrimRight(row, " \t"))}
		if aboutNames[id] || value.to <= value.from {
			value = l.key
		}
		return value.span(p.path, number-1)
	}
	return whole
}
