// Package tables builds the .RAW files of a mod from its sources, as GUTS does when it builds the mod: for each table
// it walks a folder and records what the game must know about each file before reading it.
//
// Six of the tables depend only on the mod. UNITDATA follows BASEFILE, by which a unit inherits values, and most chains
// end in the game's own files. [Build] reads those from base, and reports the files that are missing.
//
// The construction of the records is described in docs/formats/torchlight-tables.md.
package tables

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"trowel.example/check"
	"trowel.example/internal/bytes/bin"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// Sources are the files of a mod or of the game.
type Sources interface {
	// Files yields the paths of the sources in upper case, with a slash between names: "MEDIA/SKILLS/X.DAT",
	// "MEDIA/UI/X.LAYOUT". Other files are skipped.
	Files() iter.Seq[string]
	// Tree returns the tree of a file, whether it exists as text or compiled.
	// It fails with fs.ErrNotExist if there is no such file.
	Tree(path string) (*text.Node, error)
}

// Build builds all tables of a mod, by their paths, for example "MEDIA/SKILLS.RAW". Tables without records are omitted.
// The findings report unreadable sources, missing values, and files of the game that are needed but not in base. The
// base may be nil: the tables then contain the known values.
func Build(mod, base Sources) (map[string]raw.Table, []check.Finding) {
	b := builder{mod: mod, base: base}
	for file := range mod.Files() {
		b.files = append(b.files, file)
	}
	tables := map[string]raw.Table{}
	for _, t := range []raw.Table{b.affixes(), b.missiles(), b.roomPieces(), b.skills(), b.triggerables(), b.ui(), b.unitData()} {
		if t.Len() > 0 {
			tables[t.Kind().File()] = t
		}
	}
	return tables, b.found
}

// builder holds the data that all tables share.
type builder struct {
	mod, base Sources
	files     []string // of the mod
	found     []check.Finding
}

func (b *builder) add(k *check.Kind, path, format string, args ...any) {
	check.Sink(func(f check.Finding) { b.found = append(b.found, f) }).Add(k, path, -1, format, args...)
}

// folders are the folders of files with records in tables.
var folders = []string{"MEDIA/AFFIXES/", "MEDIA/LEVELSETS/", "MEDIA/MISSILES/", "MEDIA/SKILLS/", "MEDIA/TRIGGERABLES/",
	"MEDIA/UI/", "MEDIA/UNITS/"}

// Uses reports whether Build reads the tree of a data file or layout with this path, which must be in upper case. Build
// reads others if they are base files of units.
func Uses(path string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(path, folder) })
}

// scan yields the files below a folder of the mod with an extension, in the given order, and their trees. Unreadable
// files are left out.
func (b *builder) scan(folder, ext string, order func(a, b string) int) iter.Seq2[string, *text.Node] {
	var files []string
	for _, file := range b.files {
		if strings.HasPrefix(file, folder) && strings.HasSuffix(file, ext) {
			files = append(files, file)
		}
	}
	slices.SortFunc(files, order)
	files = slices.Compact(files)
	return func(yield func(string, *text.Node) bool) {
		for _, file := range files {
			tree, err := b.mod.Tree(file)
			if err != nil {
				b.add(foundSource, file, "cannot be read: %v", err)
				continue
			}
			if !yield(file, tree) {
				return
			}
		}
	}
}

// byName is the order of a walk that sorts files and folders of a folder together by name, and enters each folder at
// its position.
func byName(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			if a[i] == '/' || b[i] == '/' { // a name ends here and is the shorter one
				return 1 - 2*boolInt(a[i] == '/')
			}
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// filesFirst is the order of a walk that lists the files of a folder by name, and then enters its folders by name.
func filesFirst(a, b string) int {
	same := 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			same = i + 1
		}
	}
	aDeep, bDeep := strings.Contains(a[same:], "/"), strings.Contains(b[same:], "/")
	if aDeep != bDeep {
		return boolInt(aDeep) - boolInt(bDeep)
	}
	return byName(a[same:], b[same:])
}

// number parses a number of a source. Invalid values are interpreted as in GUTS: by their beginning.
func number[T int32 | int64](b *builder, file, key, value string, parse func(string) (T, bool)) T {
	n, clean := parse(value)
	if !clean {
		b.add(foundNumber, file, "%s is %q, which is read as %d", key, value, n)
	}
	return n
}

// integer returns the value of a key of a node, or absent if the node does not have it.
func (b *builder) integer(file string, n *text.Node, key string, absent int32) int32 {
	if value, ok := n.Get(key); ok {
		return number(b, file, key, value, text.ParseInt)
	}
	return absent
}

// guid returns the GUID of a node, or -1 if it has none.
func (b *builder) guid(file string, n *text.Node, key string) raw.GUID {
	if value, ok := n.Get(key); ok {
		return raw.GUID(number(b, file, key, value, text.ParseInt64))
	}
	return -1
}

// upper returns s in upper case. Unpaired surrogates are preserved.
func upper(s string) string {
	if utf8.ValidString(s) {
		return strings.ToUpper(s)
	}
	var b []byte
	for len(s) > 0 {
		r, n := bin.DecodeWTF8(s)
		if utf8.ValidRune(r) && r != utf8.RuneError {
			b = utf8.AppendRune(b, unicode.ToUpper(r))
		} else {
			b = append(b, s[:n]...)
		}
		s = s[n:]
	}
	return string(b)
}
