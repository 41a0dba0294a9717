// Package modedit edits mods of Torchlight II, many files at a time: keys and values of data files and layouts, files
// with all references to them, GUIDs, texts to translate, tables of units as spreadsheets, the header of a mod.
//
// An [Editor] has a mod, an archive, the folder of either, or a single file. Each of its methods makes changes and
// reports each of them; nothing is written before a Write method is called. Everything unchanged is copied: blocks of
// an archive are not even inflated, and a value in a data file keeps its bits when its neighbors change.
//
// Tables of the mod (.RAW) follow their sources. See docs/formats/torchlight-strings.md for the files in which texts
// and tables are exchanged.
package modedit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/glob"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// Options are the options of an editor.
type Options struct {
	Names  *hash.Names                // nil for the known names
	Base   moddir.Files               // the game's files; nil if unknown
	Report func(check.Change)         // receives each change; may be nil
	Miss   func(path, message string) // receives files that cannot be read and are left unchanged; may be nil
	Warn   func(path, message string) // receives values that a compiled file cannot hold exactly; if nil, these are errors

	// Histogram makes changes of numbers report how much they change, after all other changes of the step.
	Histogram bool
}

// forms returns the options for compiling texts.
func (o *Options) forms() moddir.Options { return moddir.Options{Names: o.Names, Warn: o.Warn} }

// Editor edits a mod. Only one goroutine may use it.
type Editor struct {
	Options
	header   *mod.Header // nil if there is none
	named    bool        // the header was changed
	sealed   bool        // the hashes of the archive are to be corrected
	files    map[string]*file
	before   []*file // the files at the time of opening
	archive  *pak.Reader
	mod      *mod.Mod
	folder   fs.FS
	folders  map[string]string // existing folders of the folder, by their names in the game
	isNew    bool              // the mod is new
	owners   []*Editor         // editors from which files were adopted
	ancestor *Editor           // common ancestor of this editor and the owners
}

// file is a file of the mod.
type file struct {
	path string // current path in the game
	from string // original path; "" for a new file
	at   moddir.FolderFile
	read func() ([]byte, error)
	new  bool // the content that read returns has changed

	source *pak.File // the source of the block; nil for a changed content
	owner  *Editor   // the editor from which the file was adopted; nil for none
	was    *file     // the file as adopted, if it was changed since
}

func newEditor(o Options) *Editor {
	if o.Report == nil {
		o.Report = func(check.Change) {}
	}
	if o.Miss == nil {
		o.Miss = func(string, string) {}
	}
	return &Editor{Options: o, files: make(map[string]*file)}
}

// OfMod returns an editor of a mod. The mod must stay open while the editor is in use.
func OfMod(m *mod.Mod, o Options) *Editor {
	e := OfPak(m.Archive, o)
	e.header, e.mod = m.Header.Clone(), m
	return e
}

// OfPak returns an editor of an archive without a header. The archive must stay open.
func OfPak(r *pak.Reader, o Options) *Editor {
	e := newEditor(o)
	e.archive = r
	for _, f := range r.Files() {
		if !f.Removed() && !f.Duplicate {
			e.open(&file{path: f.Path, read: f.Content, source: f})
		}
	}
	return e
}

// OfFolder returns an editor of the folder of a mod or of an archive.
func OfFolder(fsys fs.FS, o Options) (*Editor, error) {
	e := newEditor(o)
	e.folder = fsys
	files, err := moddir.FolderFiles(fsys)
	if err != nil {
		return nil, err
	}
	for name, at := range files {
		e.open(&file{path: name, at: at, read: func() ([]byte, error) { return e.compiled(at.At) }})
	}
	if name := modDatOf(fsys); name != "" {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		if e.header, err = moddir.HeaderOf(data); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return e, nil
}

// OfFile returns an editor of a single file: a data file or a layout, compiled or as text. The name is its path in the
// game, as far as it is known.
func OfFile(name string, data []byte, o Options) *Editor {
	e := newEditor(o)
	e.open(&file{path: moddir.GamePath(name), read: func() ([]byte, error) { return data, nil }})
	return e
}

// open adds a file. Of two files whose paths differ only in case the game finds one; the other is left unchanged.
func (e *Editor) open(f *file) {
	name := gameName(f.path)
	if e.files[name] != nil {
		return
	}
	f.from, e.files[name] = f.path, f
	before := *f
	e.before = append(e.before, &before)
}

// modDatOf returns the name of the MOD.DAT of a folder, or "" if there is none.
func modDatOf(fsys fs.FS) string {
	list, _ := fs.ReadDir(fsys, ".")
	for _, entry := range list {
		if !entry.IsDir() && strings.EqualFold(entry.Name(), "MOD.DAT") {
			return entry.Name()
		}
	}
	return ""
}

// compiled reads a file of the folder. Editable forms other than texts are compiled.
func (e *Editor) compiled(at string) ([]byte, error) {
	data, err := fs.ReadFile(e.folder, at)
	if err != nil || text.Recognize(data) || !moddir.IsForm(at, data) {
		return data, err
	}
	return moddir.Compile(data, at, e.forms())
}

// Paths returns the sorted paths of all files.
func (e *Editor) Paths() []string {
	var paths []string
	for _, f := range e.files {
		paths = append(paths, f.path)
	}
	slices.Sort(paths)
	return paths
}

// Content returns a file by its path, ignoring case, in its stored form after all changes so far. The error for a
// missing file is fs.ErrNotExist.
func (e *Editor) Content(name string) ([]byte, error) {
	f := e.find(name)
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.read()
}

func (e *Editor) find(name string) *file { return e.files[gameName(name)] }

// gameName returns a path in the form that the game uses for lookups: upper-case, with slashes.
func gameName(name string) string { return strings.ToUpper(strings.ReplaceAll(name, `\`, "/")) }

// isTree reports whether the path of a file is that of a data file or a layout.
func isTree(name string) bool { return isData(name) || extension(name) == ".LAYOUT" }

func isData(name string) bool {
	switch extension(name) {
	case ".DAT", ".TEMPLATE", ".HIE", ".ANIMATION", moddir.ADM:
		return true
	}
	return false
}

func extension(name string) string { return strings.ToUpper(path.Ext(name)) }

// errNoTree is the error for files that are neither a text nor a compiled data file or layout.
var errNoTree = errors.New("neither a data file nor a layout")

// Tree returns the tree of a data file or a layout.
func (e *Editor) Tree(name string) (*text.Node, error) {
	data, err := e.Content(name)
	if err != nil {
		return nil, err
	}
	return e.tree(name, data)
}

func (e *Editor) tree(name string, data []byte) (root *text.Node, err error) {
	switch {
	case text.Recognize(data):
		file, err := text.Parse(data)
		if err != nil {
			return nil, err
		}
		return file.Root, nil
	case layout.Recognize(data):
		file, err := layout.Decode(data)
		if err != nil {
			return nil, err
		}
		return file.Text(layout.Options{Path: name}), nil
	case dat.Recognize(data):
		file, err := dat.Decode(data)
		if err != nil {
			return nil, err
		}
		return file.Text(dat.Options{Names: e.Names, Path: name}), nil
	}
	return nil, errNoTree
}

// edited returns a data file or a layout after a change of its tree.
func (e *Editor) edited(name string, data []byte, change func(root *text.Node) error) ([]byte, error) {
	switch {
	case text.Recognize(data):
		return text.Edit(data, change)
	case layout.Recognize(data):
		file, err := layout.Decode(data)
		if err != nil {
			return nil, err
		}
		var plain []byte // the encoded file before the change
		if err := file.Edit(layout.Options{Path: name}, func(root *text.Node) (err error) {
			if err = change(root); err == nil {
				plain, err = file.Encode()
			}
			return err
		}); err != nil {
			return nil, err
		}
		made, err := file.Encode()
		if err == nil && bytes.Equal(made, plain) {
			return data, nil // the unchanged data, which may have details that the model lacks
		}
		return made, err
	case dat.Recognize(data):
		file, err := dat.Decode(data)
		if err != nil {
			return nil, err
		}
		if err := file.Edit(dat.Options{Names: e.Names, Path: name}, change); err != nil {
			return nil, err
		}
		return file.Encode()
	}
	return nil, errNoTree
}

// result is the result of editing a file.
type result struct {
	data    []byte
	changes []check.Change
	err     error
}

// refused is the error of a change that cannot be made although the file is valid.
type refused struct{ error }

// each changes the trees of files, on all cores, and reports the changes in the order of the files. The function change
// returns its changes; each returns the sum of their counts. Unreadable files are reported and left unchanged.
func (e *Editor) each(files []*file, change func(f *file, root *text.Node) ([]check.Change, error)) (n int, err error) {
	results := make([]result, len(files))
	parallel.Each(len(files), func(i int) {
		f, r := files[i], &results[i]
		data, err := f.read()
		asked := false // whether change was called: later errors are caused by the change
		if err == nil {
			made, failed := e.edited(f.path, data, func(root *text.Node) error {
				asked = true
				var err error
				if r.changes, err = change(f, root); err == nil && len(r.changes) == 0 {
					err = errUnchanged
				}
				return err
			})
			r.data, err = made, failed
		}
		switch {
		case errors.Is(err, errUnchanged):
			r.changes = nil
		case err != nil && asked:
			r.err = &refused{err}
		case err != nil:
			r.err = err
		case bytes.Equal(r.data, data) && len(r.changes) > 0:
			r.err = &refused{errors.New("this file cannot contain a value of this type")}
		}
	})
	var stop *refused
	for i, r := range results {
		if errors.As(r.err, &stop) {
			return 0, fmt.Errorf("%s: %w", files[i].path, stop.error)
		}
	}
	for i, r := range results {
		switch {
		case r.err != nil:
			e.Miss(files[i].path, fmt.Sprintf("unchanged, because it cannot be read: %v", r.err))
		case len(r.changes) > 0:
			e.put(files[i], r.data)
			for _, c := range r.changes {
				e.Report(c)
				n += int(c.Count)
			}
		}
	}
	return n, nil
}

var errUnchanged = errors.New("nothing changed")

func (e *Editor) put(f *file, data []byte) {
	f.read, f.new, f.source = func() ([]byte, error) { return data, nil }, true, nil
}

// add adds a file.
func (e *Editor) add(name string, data []byte) {
	f := &file{path: gameName(name)}
	e.put(f, data)
	if e.folder != nil {
		f.at.At = e.place(f.path)
	}
	e.files[f.path] = f
}

// place returns the path in the folder for a file of the game. It uses the names of existing folders.
func (e *Editor) place(name string) string {
	if e.folders == nil {
		e.folders = make(map[string]string)
		for _, f := range e.before {
			for dir := path.Dir(f.at.At); dir != "."; dir = path.Dir(dir) {
				if _, has := e.folders[gameName(dir)]; has {
					break
				}
				e.folders[gameName(dir)] = dir
			}
		}
	}
	at := moddir.FolderPath(name, moddir.Options{})
	for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
		if there, has := e.folders[gameName(dir)]; has {
			return there + at[len(dir):]
		}
	}
	return at
}

// Select returns the paths of the files that match a pattern, ignoring case: * and ? match text within a name, **
// matches any number of folders, and a / at the end matches everything in a folder. MEDIA/ may be omitted. Select
// returns an error if no file matches.
func (e *Editor) Select(pattern string) ([]string, error) {
	files, err := e.selected(pattern, func(string) bool { return true })
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	return paths, err
}

// selected returns the files that match a pattern and whose names pass the filter is.
func (e *Editor) selected(pattern string, is func(name string) bool) ([]*file, error) {
	list := slices.DeleteFunc(matchingIn(e.files, pattern), func(f *file) bool { return !is(gameName(f.path)) })
	if len(list) == 0 {
		missing := &fault.NameError{Kind: "file", Name: pattern}
		if name := e.called(pattern); name != "" {
			missing.Advice = "the file with this NAME is " + strings.TrimPrefix(name, "MEDIA/")
			return nil, missing
		}
		for name := range e.files {
			if is(name) {
				missing.Names = append(missing.Names, strings.TrimPrefix(name, "MEDIA/"))
			}
		}
		slices.Sort(missing.Names)
		for _, name := range missing.Names {
			missing.Names = append(missing.Names, "MEDIA/"+name)
		}
		return nil, missing
	}
	return list, nil
}

// called returns the path of the first data file with a NAME, or "".
func (e *Editor) called(name string) string {
	if strings.ContainsAny(name, "/*?") {
		return ""
	}
	for _, at := range e.Paths() {
		if extension(at) != ".DAT" {
			continue
		}
		if root, err := e.Tree(at); err == nil {
			if p := inherit.Property(root, "NAME"); p != nil && strings.EqualFold(p.Value, name) {
				return at
			}
		}
	}
	return ""
}

// matchingIn returns the sorted files, of a map by their names in the game, that match a pattern.
func matchingIn(files map[string]*file, pattern string) (list []*file) {
	for _, p := range []string{pattern, "MEDIA/" + pattern} {
		match := glob.Path('/', gameName(p))
		for name, f := range files {
			if match(name) {
				list = append(list, f)
			}
		}
		if len(list) > 0 {
			break
		}
	}
	slices.SortFunc(list, func(a, b *file) int { return cmp.Compare(a.path, b.path) })
	return list
}

// matching returns the sorted files whose names pass the filter is.
func (e *Editor) matching(is func(name string) bool) []*file {
	list, _ := e.selected("**", is)
	return list
}
