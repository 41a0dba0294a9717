package modedit

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// compiledLayout is the extension that Torchlight I appends to the name of a layout for its second compiled form.
const compiledLayout = ".CMP"

// Port makes the files of a mod of Torchlight I in a folder into sources for Torchlight II, as far as the differences are known. It removes
// compiled files (.ADM, .CMP) whose sources are next to them, and the tables; a compiled data file without its source is decompiled. It
// replaces the type BOOLEAN by BOOL. A compiled file that is removed without a source is reported by Miss. Warn receives what no known file
// of Torchlight II has: keys, nodes, and kinds of objects in layouts. Port does not change values.
func (e *Editor) Port() error {
	if e.folder == nil {
		return errors.New("mods of Torchlight I are folders: extract the archive first")
	}
	for _, name := range e.Paths() {
		if err := e.portCompiled(e.find(name)); err != nil {
			return err
		}
	}
	lacks := unknowns{names: e.Names}
	if lacks.names == nil {
		lacks.names = hash.Known()
	}
	for _, name := range e.Paths() {
		f := e.find(name)
		if ext := extension(f.path); !isData(f.path) && ext != ".LAYOUT" && ext != ".UILAYOUT" {
			continue
		}
		data, err := f.read()
		if err != nil {
			e.Miss(f.path, fmt.Sprintf("cannot be read: %v", err))
			continue
		}
		e.portTypes(f, data)
		e.findUnknown(f, &lacks)
	}
	lacks.report(e.warn)
	return nil
}

// warn reports a warning.
func (e *Editor) warn(name, message string) {
	if e.Warn != nil {
		e.Warn(name, message)
	}
}

// portCompiled removes or decompiles a compiled file of Torchlight I.
func (e *Editor) portCompiled(f *file) error {
	ext, base := extension(f.path), path.Base(gameName(f.path))
	isTable := strings.HasPrefix(base, "MASSFILE.DAT") || strings.HasPrefix(base, "MASTERRESOURCEUNITS.DAT")
	if ext != moddir.ADM && ext != compiledLayout && !isTable {
		return nil
	}
	source := strings.TrimSuffix(gameName(f.path), ext)
	what := "removed, because its source is next to it"
	switch {
	case isTable:
		what = "removed: a table of Torchlight I"
	case e.find(source) != nil:
	case ext == compiledLayout:
		what = ""
		e.Miss(f.path, "removed, but its source is missing, and this compiled form of Torchlight I cannot be read")
	default:
		data, err := f.read()
		var root *text.Node
		if err == nil {
			root, err = e.tree(f.path, data)
		}
		what = "became " + path.Base(source)
		if err != nil {
			what = ""
			e.Miss(f.path, fmt.Sprintf("removed, but its source is missing, and it cannot be read: %v", err))
			break
		}
		e.add(source, text.Format(root))
	}
	delete(e.files, gameName(f.path))
	if what != "" {
		e.Report(check.Change{Path: f.path, What: what, Count: 1, Unit: "files"})
	}
	return nil
}

// portTypes replaces the type BOOLEAN, which Torchlight II does not have, in a source.
func (e *Editor) portTypes(f *file, data []byte) {
	if !text.Recognize(data) {
		return
	}
	n := 0
	const old, now = "<BOOLEAN>", "<BOOL>"
	for _, pair := range [][2][]byte{{[]byte(old), []byte(now)}, {bin.AppendUTF16(nil, old), bin.AppendUTF16(nil, now)}} {
		n += bytes.Count(data, pair[0])
		data = bytes.ReplaceAll(data, pair[0], pair[1])
	}
	if n > 0 {
		e.put(f, data)
		e.Report(check.Change{Path: f.path, What: "BOOLEAN became BOOL", Count: int64(n), Unit: "keys"})
	}
}

// unknowns counts the names that no known file of Torchlight II has.
type unknowns struct {
	names *hash.Names
	list  []*unknown
	by    map[string]*unknown
}

// unknown is a name that no known file of Torchlight II has.
type unknown struct {
	what         string // such as "key CLOUDS"
	times, files int
	first, last  string
}

func (u *unknowns) add(file, what string) {
	if u.by == nil {
		u.by = make(map[string]*unknown)
	}
	one := u.by[what]
	if one == nil {
		one = &unknown{what: what, first: file}
		u.by[what], u.list = one, append(u.list, one)
	}
	one.times++
	if one.last != file {
		one.files, one.last = one.files+1, file
	}
}

// isKnown reports whether a file of Torchlight II may have a name.
func (u *unknowns) isKnown(name string) bool {
	_, known := u.names.Name(hash.Of(name))
	return known || name == ""
}

// maxUnknown is the number of names that are reported one by one.
const maxUnknown = 200

// report reports the names, the most frequent first.
func (u *unknowns) report(warn func(name, message string)) {
	slices.SortStableFunc(u.list, func(a, b *unknown) int { return b.times - a.times })
	for i, one := range u.list {
		if i == maxUnknown {
			warn("", fmt.Sprintf("and %s that no known file of Torchlight II has", words.Count(len(u.list)-i, "more name")))
			break
		}
		warn(one.first, fmt.Sprintf("no known file of Torchlight II has the %s (%s in %s)", one.what, words.Count(one.times, "time"),
			words.Count(one.files, "file")))
	}
}

// findUnknown adds the names in a file that no known file of Torchlight II has.
func (e *Editor) findUnknown(f *file, lacks *unknowns) {
	root, err := e.Tree(f.path)
	switch {
	case errors.Is(err, errNoTree) && !isData(f.path):
		e.warn(f.path, "is not a layout of Torchlight II, whose menus have another form than the XML of Torchlight I")
		return
	case err != nil:
		e.Miss(f.path, fmt.Sprintf("cannot be read: %v", err))
		return
	}
	for n, at := range new(chooser).nodes(root) {
		if !isData(f.path) {
			if at.top(n) && at.depth > 0 {
				findUnknownObject(f.path, n, lacks)
			}
			continue
		}
		if !lacks.isKnown(n.Name) {
			lacks.add(f.path, "node "+n.Name)
		}
		for p := range n.Properties() {
			if !lacks.isKnown(p.Key) {
				lacks.add(f.path, "key "+p.Key)
			}
		}
	}
}

// findUnknownObject is findUnknown for the properties of an object of a layout.
func findUnknownObject(name string, n *text.Node, lacks *unknowns) {
	kind, _ := n.Get("DESCRIPTOR")
	descriptor := layout.DescriptorNamed(kind)
	if descriptor == nil {
		lacks.add(name, "kind of objects "+kind)
		return
	}
	for p := range n.Properties() {
		switch key := strings.ToUpper(p.Key); {
		case key == "DESCRIPTOR" || ofObject[key] || key == "NAME":
		case !descriptor.Has(p.Key):
			lacks.add(name, "key "+p.Key+" of objects "+descriptor.Name)
		}
	}
}
