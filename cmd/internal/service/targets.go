package service

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"trowel.example/cmd/internal/treediff"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// Target is a file to process.
type Target struct {
	Name  string
	Found bool   // found in a folder, not named by the user
	From  string // the user's argument
	at    string // path of the found file below the argument
	Err   error  // the file cannot be read

	size    int64 // size in bytes of a file outside of the file system
	version string

	// AsTree reports whether the tree form of a format is opened as a tree; nil: the tree is built.
	AsTree func(*format.Format) bool
}

// Targets yields the files that a name refers to.
func (s *Service) Targets(ctx context.Context, name string, yield func(Target) error) error {
	if err := s.MayLookAt(name); err != nil {
		return yield(Target{Name: name, From: name, Err: err})
	}
	if s.IsElsewhere(name) {
		return s.objects(ctx, name, yield)
	}
	info, err := os.Stat(name)
	if name == "-" || err != nil || !info.IsDir() || s.IsGame(name) {
		return yield(Target{Name: name, From: name})
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return err
	}
	defer root.Close()
	return treediff.Walk(ctx, anyName{root}, ".", func(at string, e fs.DirEntry) error {
		full := filepath.Join(name, filepath.FromSlash(at))
		switch {
		case e.IsDir() && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir // .git and similar folders
		case e.IsDir() && s.isResume(full):
			return fs.SkipDir
		case e.IsDir() && !s.IsGame(full):
			f, err := root.Open(filepath.FromSlash(at))
			if err != nil {
				return cmp.Or(yield(Target{Name: full, Found: true, From: name, at: at, Err: wording.Named(err, full)}), fs.SkipDir)
			}
			return f.Close()
		}
		if e.IsDir() {
			return cmp.Or(yield(Target{Name: full, Found: true, From: name, at: at}), fs.SkipDir)
		}
		if s.isPart(ctx, full) {
			return nil
		}
		return yield(Target{Name: full, Found: true, From: name, at: at})
	})
}

// anyName opens files below a root even if their names are not valid UTF-8.
type anyName struct{ *os.Root }

func (r anyName) Open(name string) (fs.File, error) { return r.Root.Open(filepath.FromSlash(name)) }

// isPart reports whether a found file is part of another game file in the same folder, which is found
// separately.
func (s *Service) isPart(ctx context.Context, name string) bool {
	for _, f := range s.Formats {
		if f.PartOf == nil {
			continue
		}
		whole, ok := f.PartOf(path.Base(filepath.ToSlash(name)))
		if !ok {
			continue
		}
		if src, err := s.Source(ctx, name); err == nil { // otherwise the file itself reports the error
			ok = src.HasBeside(whole)
			src.Close()
			return ok
		}
	}
	return false
}

// IsGame reports whether a folder is a game file or the tree form of one. A folder whose detection panics
// counts as one, so that the verb reports the error.
func (s *Service) IsGame(name string) (ok bool) {
	panicked := parallel.Catch(func() { ok = s.looksLikeGame(name) })
	return ok || panicked != nil
}

func (s *Service) looksLikeGame(name string) bool {
	src, err := format.OpenSource(name)
	if err != nil {
		return false
	}
	defer src.Close()
	if _, err := s.Formats.Find(src); err == nil {
		return true
	}
	fsys, closer, err := OpenFolder(name, nil)
	if err != nil {
		return hasSidecar(name)
	}
	defer closer.Close()
	_, err = s.Formats.FindTree(fsys)
	return err == nil || hasSidecar(name)
}

// hasSidecar reports whether a folder contains the sidecar of a tree form. The folder is then a tree form even
// if its format is unknown.
func hasSidecar(name string) bool {
	info, err := os.Lstat(filepath.Join(name, tree.Sidecar))
	return err == nil && info.Mode().IsRegular()
}
