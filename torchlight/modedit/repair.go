package modedit

import (
	"fmt"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// Catalog lists the findings that a repair reports.
var Catalog check.Catalog

// The kinds of repairs.
var (
	RepairedTag = Catalog.Add("tl-repair-tag", check.Warning,
		"A key or node whose name was lost, because GUTS decompiled it to a number and compiled the number, gets its name back.",
		"Check that the name makes sense there.")
	RepairedText = Catalog.Add("tl-repair-text", check.Warning,
		"An unreadable line of a source is repaired: a tag that must close a node, is missing, has no bracket or the "+
			"wrong name; a line that belongs to the value before it.",
		"Check that this is the intended text.")
	RepairedRemoved = Catalog.Add("tl-repair-removed", check.Warning,
		"The path of a file that the mod removes from the game is changed to upper case; the game does not find lower-case paths.",
		"Try the mod in the game: the file is now removed.")
	RepairedSeal = Catalog.Add("tl-repair-seal", check.Warning,
		"The hash of an archive or of its list, or the size of its largest block, is corrected; the game ignores an "+
			"archive with wrong values.",
		"Try the mod in the game: other parts may be damaged, too.")
)

// RepairKind returns the kind of finding for a change of a repair.
func RepairKind(c check.Change) *check.Kind {
	switch {
	case c.Unit == unitLines:
		return RepairedText
	case c.Unit == unitPaths:
		return RepairedRemoved
	case c.Path == "":
		return RepairedSeal
	}
	return RepairedTag
}

// Units of the counts of a repair.
const (
	unitLines = "lines"
	unitPaths = "paths"
)

// RepairTexts repairs sources that cannot be read, with [text.Repair]. It returns the number of repaired lines. Sources
// that cannot be repaired are reported to Options.Miss.
func (e *Editor) RepairTexts() int {
	files := e.matching(isTree)
	type mended struct {
		data []byte
		done []*text.Error
		err  error
	}
	results := make([]mended, len(files))
	parallel.Each(len(files), func(i int) {
		r := &results[i]
		data, err := files[i].read()
		if err == nil && text.Recognize(data) {
			r.data, r.done, r.err = text.Repair(data)
		}
	})
	n := 0
	for i, r := range results {
		if r.err != nil {
			e.Miss(files[i].path, fmt.Sprintf("unchanged, because it cannot be repaired: %v", r.err))
		}
		if len(r.done) == 0 {
			continue
		}
		e.put(files[i], r.data)
		for _, line := range r.done {
			e.Report(check.Change{Path: files[i].path, What: "mended: " + line.Problem(), Count: 1, Unit: unitLines,
				At: []check.Place{check.Line{Path: files[i].path, Line: line.Line, Column: line.Column}}})
		}
		n += len(r.done)
	}
	return n
}

// RepairRemoved converts the paths of files that the mod removes to upper case.
func (e *Editor) RepairRemoved() {
	if e.header == nil {
		return
	}
	for i, path := range e.header.Removed {
		if now := strings.ToUpper(path); now != path {
			e.header.Removed[i] = now
			e.Report(check.Change{Path: now, What: "was " + path, Count: 1, Unit: unitPaths})
		}
	}
}

// RepairTags repairs broken tags: keys and nodes whose name is the number of a hash, or the hash of such a number,
// where this is the hash of a known name. They get that name, with which the game can find them. RepairTags returns the
// number of repaired tags.
func (e *Editor) RepairTags() (int, error) {
	names := e.Names
	if names == nil {
		names = hash.Known()
	}
	meant := func(s string) (string, bool) {
		guess, ok := names.Broken(s)
		if ok {
			if _, known := names.Name(hash.Of(s)); known {
				return "", false // the number itself is a known name
			}
		}
		return strings.ToUpper(guess), ok
	}
	return e.each(e.matching(isData), func(f *file, root *text.Node) ([]check.Change, error) {
		if extension(f.path) == ".ADM" {
			return nil, nil // it has names and no hashes
		}
		t := changeCounts{file: f.path, unit: "tags"}
		for n, at := range new(chooser).nodes(root) {
			for p := range n.Properties() {
				if name, ok := meant(p.Key); ok {
					t.note(at, p.Key, p.Key+" became "+name)
					p.Key = name
				}
			}
			if name, ok := meant(n.Name); ok {
				t.note(at, "", n.Name+" became "+name)
				n.Name = name
			}
		}
		return t.changes(), nil
	})
}

// Seal corrects the hash of the archive, the hash of its manifest, and the size of its largest block, if they are
// wrong.
func (e *Editor) Seal() error {
	if e.archive == nil {
		return nil
	}
	wrong, err := pak.NewEdit(e.archive).Seal()
	if err != nil {
		return err
	}
	e.sealed = true
	for _, what := range wrong {
		e.Report(check.Change{What: what + " was wrong and is corrected", Count: 1})
	}
	return nil
}
