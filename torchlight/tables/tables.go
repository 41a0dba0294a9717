// Package tables builds the .RAW files of a mod from its sources, as GUTS does
// when it builds the mod: it goes through a folder for each table and puts
// down what the game has to know of each file before it reads it.
//
// Six of the tables need nothing but the mod. UNITDATA follows BASEFILE, by
// which a unit takes over what it does not say, and most chains end in the
// game's own files. [Build] reads those from base, and where there is none
// says which files it lacked.
//
// How each record is made is told in docs/formats/torchlight-tables.md.
package tables

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"trowel.example/check"
	"trowel.example/internal/bin"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// Sources are the files of a mod or of the game.
type Sources interface {
	// Files yields the paths of the sources in capitals, with a slash between
	// names: "MEDIA/SKILLS/X.DAT", "MEDIA/UI/X.LAYOUT". Others are skipped.
	Files() iter.Seq[string]
	// Tree returns the tree of a file, whether it exists as text or compiled.
	// It fails with fs.ErrNotExist if there is no such file.
	Tree(path string) (*text.Node, error)
}

// Build builds all tables of a mod, keyed by their paths, such as
// "MEDIA/SKILLS.RAW". A table without records is left out. The findings tell
// which sources could not be read, what they lack, and which files of the game
// were needed and are not in base, which may be nil: the tables then hold what
// is known.
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

// builder holds what all tables share.
type builder struct {
	mod, base Sources
	files     []string // of the mod
	found     []check.Finding
}

func (b *builder) add(k *check.Kind, path, format string, args ...any) {
	check.Sink(func(f check.Finding) { b.found = append(b.found, f) }).Add(k, path, -1, format, args...)
}

// folders are those of the files that tables are made from.
var folders = []string{"MEDIA/AFFIXES/", "MEDIA/LEVELSETS/", "MEDIA/MISSILES/", "MEDIA/SKILLS/", "MEDIA/TRIGGERABLES/", "MEDIA/UI/", "MEDIA/UNITS/"}

// Uses reports whether Build asks for the tree of a file of a path in capitals, if it is
// a data file or a layout. It asks for others where units are based on them.
func Uses(path string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(path, folder) })
}

// scan yields the files below a folder of the mod that have an extension, in
// an order, and their trees. Those that cannot be read are left out.
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
				b.add(foundSource, file, "it cannot be read: %v", err)
				continue
			}
			if !yield(file, tree) {
				return
			}
		}
	}
}

// byName is the order of a walk that takes the files and folders of a folder
// together by name, and goes into each folder as it comes.
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

// filesFirst is the order of a walk that takes the files of a folder by name,
// and then goes into its folders by name.
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

// number reads a number of a source. Something else counts as GUTS reads it: by its
// beginning.
func number[T int32 | int64](b *builder, file, key, value string, parse func(string) (T, bool)) T {
	n, clean := parse(value)
	if !clean {
		b.add(foundNumber, file, "%s is %q, which is read as %d", key, value, n)
	}
	return n
}

// integer returns the value of a key of a node, or another if it has none.
func (b *builder) integer(file string, n *text.Node, key string, absent int32) int32 {
	if value, ok := n.Get(key); ok {
		return number(b, file, key, value, text.ParseInt)
	}
	return absent
}

// guid returns the GUID of a node; -1 if it has none.
func (b *builder) guid(file string, n *text.Node, key string) raw.GUID {
	if value, ok := n.Get(key); ok {
		return raw.GUID(number(b, file, key, value, text.ParseInt64))
	}
	return -1
}

// upper returns s in capitals. A lone surrogate stays what it is.
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

// walk yields n and every node in it, a node before those inside it. Trees
// are not deeper than text.MaxDepth.
func walk(n *text.Node) iter.Seq[*text.Node] {
	return func(yield func(*text.Node) bool) { visit(n, yield) }
}

func visit(n *text.Node, yield func(*text.Node) bool) bool {
	if !yield(n) {
		return false
	}
	for child := range n.Children() {
		if !visit(child, yield) {
			return false
		}
	}
	return true
}
