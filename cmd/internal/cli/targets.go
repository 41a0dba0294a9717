package cli

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"trowel.example/cmd/internal/contents"
	"trowel.example/format"
	"trowel.example/internal/parallel"
	"trowel.example/internal/tree"
)

// target is a file that a verb for many files has to do with.
type target struct {
	name  string
	found bool   // in a folder, not named by the user
	from  string // what the user named
	at    string // the path of what was found, from there
	err   error  // it cannot be looked at

	size    int64 // of what is no file of the system
	version string

	asTree func(*format.Format) bool // whether the tree form of a format is not to be built; nil: it is
}

// targets yields the files that a name stands for.
func (a *app) targets(ctx context.Context, name string, yield func(target) error) error {
	if err := a.mayLookAt(name); err != nil {
		return yield(target{name: name, from: name, err: err})
	}
	if a.isElsewhere(name) {
		return a.objects(ctx, name, yield)
	}
	info, err := os.Stat(name)
	if name == "-" || err != nil || !info.IsDir() || a.isGame(name) {
		return yield(target{name: name, from: name})
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return err
	}
	defer root.Close()
	return contents.Walk(ctx, anyName{root}, ".", func(at string, e fs.DirEntry) error {
		full := filepath.Join(name, filepath.FromSlash(at))
		switch {
		case e.IsDir() && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir // .git and the like
		case e.IsDir() && a.isResume(full):
			return fs.SkipDir
		case e.IsDir() && !a.isGame(full):
			f, err := root.Open(filepath.FromSlash(at))
			if err != nil {
				return cmp.Or(yield(target{name: full, found: true, from: name, at: at, err: named(err, full)}), fs.SkipDir)
			}
			return f.Close()
		}
		if e.IsDir() {
			return cmp.Or(yield(target{name: full, found: true, from: name, at: at}), fs.SkipDir)
		}
		if a.isPart(full) {
			return nil
		}
		return yield(target{name: full, found: true, from: name, at: at})
	})
}

// anyName opens what is below a root whatever bytes its name has.
type anyName struct{ *os.Root }

func (r anyName) Open(name string) (fs.File, error) { return r.Root.Open(filepath.FromSlash(name)) }

// isPart reports whether a file that was found is part of another one in its folder, which is
// found, too.
func (a *app) isPart(name string) bool {
	for _, f := range a.formats {
		if f.PartOf == nil {
			continue
		}
		whole, is := f.PartOf(path.Base(filepath.ToSlash(name)))
		if !is {
			continue
		}
		if src, err := a.source(name); err == nil { // else it is told of itself
			is = src.HasBeside(whole)
			src.Close()
			return is
		}
	}
	return false
}

// isGame reports whether a folder is a game file, or the tree form of one. One that
// cannot even be looked at without a panic is left to the verb.
func (a *app) isGame(name string) (is bool) {
	panicked := parallel.Catch(func() { is = a.looksLikeGame(name) })
	return is || panicked != nil
}

func (a *app) looksLikeGame(name string) bool {
	src, err := format.OpenSource(name)
	if err != nil {
		return false
	}
	defer src.Close()
	if _, err := a.formats.Find(src); err == nil {
		return true
	}
	fsys, closer, err := openFolder(name, nil)
	if err != nil {
		return hasSidecar(name)
	}
	defer closer.Close()
	_, err = a.formats.FindTree(fsys)
	return err == nil || hasSidecar(name)
}

// hasSidecar reports whether a folder has what only the tree form of a file has, so
// that it is one even if nobody can tell of which.
func hasSidecar(name string) bool {
	info, err := os.Lstat(filepath.Join(name, tree.Sidecar))
	return err == nil && info.Mode().IsRegular()
}
