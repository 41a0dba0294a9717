package moddir

import (
	"fmt"
	"io/fs"
	"iter"

	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// Sources are the text files of a mod or of the game, from which tables are built.
type Sources interface {
	// Files yields the paths of the sources in upper case, with a slash between names: "MEDIA/SKILLS/X.DAT",
	// "MEDIA/UI/X.LAYOUT". Other files are skipped.
	Files() iter.Seq[string]
	// Tree returns the tree of a file, whether it exists as text or compiled.
	// It fails with fs.ErrNotExist if there is no such file.
	Tree(path string) (*text.Node, error)
}

// Files are the files of a mod or of the game, for lookups.
type Files interface {
	Sources
	// Content returns a file by its path in the game, such as MEDIA/UI/A.DDS, as stored. The error for a missing file
	// is fs.ErrNotExist.
	Content(path string) ([]byte, error)
}

// SourcesOf returns the files of a folder as sources of tables. A folder of the game's files, or a part of it, can be a
// base.
func SourcesOf(fsys fs.FS, o Options) (Files, error) {
	f, err := collect(fsys, true, func(string, string) {})
	if err == nil {
		err = f.clash()
	}
	if err != nil {
		return nil, err
	}
	return f.trees(&o, true), nil
}

// SourcesOfArchive returns the files of an archive as sources of tables.
func SourcesOfArchive(r *pak.Reader, o Options) Files { return sourcesOfArchive(r, o) }

func sourcesOfArchive(r *pak.Reader, o Options) *trees {
	t := &trees{options: &o, content: make(map[string]func() ([]byte, error)), made: make(map[string]*text.Node)}
	for _, f := range r.Files() {
		if !f.Removed() && !f.Duplicate {
			t.add(f.Path, f.Content)
		}
	}
	return t
}

// trees returns the data files of a mod as trees, compiled or not.
type trees struct {
	options *Options
	paths   []string
	content map[string]func() ([]byte, error)
	made    map[string]*text.Node // trees that already exist
}

func (t *trees) add(name string, content func() ([]byte, error)) {
	t.paths = append(t.paths, name)
	t.content[name] = content
}

// trees returns the data files of a folder. Unless orphans is set, compiled files without a source are not listed: they
// can be read, but get no record in a table.
func (f *folder) trees(o *Options, orphans bool) *trees {
	t := &trees{options: o, content: make(map[string]func() ([]byte, error))}
	for _, s := range f.sources {
		t.content[s.path] = func() ([]byte, error) { return fs.ReadFile(f.fsys, s.at) }
		if orphans || !s.twin {
			t.paths = append(t.paths, s.path)
		}
	}
	return t
}

// Files yields the paths of all files.
func (t *trees) Files() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range t.paths {
			if !yield(name) {
				return
			}
		}
	}
}

// Content returns the content of a file.
func (t *trees) Content(name string) ([]byte, error) {
	content := t.content[gameName(name)]
	if content == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return content()
}

// Tree reads a data file.
func (t *trees) Tree(name string) (*text.Node, error) {
	if root := t.made[name]; root != nil {
		return root, nil
	}
	data, err := t.Content(name)
	if err != nil {
		return nil, err
	}
	if text.Recognize(data) {
		file, err := text.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return file.Root, nil
	}
	if formOf(name) == layoutForm {
		file, err := layout.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return file.Text(layout.Options{Path: name}), nil
	}
	file, err := dat.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file.Text(dat.Options{Names: t.options.names(), Path: name}), nil
}
