package modedit

import (
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// Catalog lists what a repair does.
var Catalog check.Catalog

// What a repair does.
var (
	RepairedTag = Catalog.Add("tl-repair-tag", check.Warning,
		"A key or node whose name was lost, because GUTS decompiled it to a number and compiled that, gets the name that the number is the hash of.",
		"Look whether the name makes sense there.")
	RepairedSeal = Catalog.Add("tl-repair-seal", check.Warning,
		"The hash of an archive or of its list, or the size of its largest block, is stated as it is; the game ignores an archive where they are wrong.",
		"Try the mod in the game: who damaged these numbers may have damaged more.")
)

// RepairTags mends broken tags: keys and nodes that are called by the number of a hash, or by the
// hash of such a number, where that is the hash of a known name. They get that name, by which the
// game finds them again. It returns how many were mended.
func (e *Editor) RepairTags() (int, error) {
	names := e.Names
	if names == nil {
		names = hash.Known()
	}
	meant := func(s string) (string, bool) {
		guess, ok := names.Broken(s)
		if ok {
			if _, known := names.Name(hash.Of(s)); known {
				return "", false // the number is a name
			}
		}
		return strings.ToUpper(guess), ok
	}
	return e.each(e.all(isData), func(f *file, root *text.Node) ([]check.Change, error) {
		if extension(f.path) == ".ADM" {
			return nil, nil // has names and no hashes
		}
		t := tally{file: f.path, unit: "tags"}
		err := new(chooser).nodes(root, func(n *text.Node, at nodePlace) error {
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
			return nil
		})
		return t.changes(), err
	})
}

// Seal states the hash of the archive, that of its list, and the size of its largest block as
// they are, where they are wrong.
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
		e.Report(check.Change{What: what + " was wrong, and is made again", Count: 1})
	}
	return nil
}
