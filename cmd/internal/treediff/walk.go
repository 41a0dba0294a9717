package treediff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"trowel.example/internal/files/tree"
)

// PageSize is the number of folder entries that are read at a time.
const PageSize = 1024

// Walk calls visit for every file and folder below dir, a folder before its content; [fs.SkipDir] skips a
// folder. The order is that of full paths, as in object storage, for any number of files; the names of a folder
// are all in memory. Folders with their own order ([tree.InOrder]) are read page by page: small ones are sorted
// by name, larger ones keep their own order. Entries that are neither file nor folder are skipped, so links are
// not followed.
func Walk(ctx context.Context, fsys fs.FS, dir string, visit func(name string, e fs.DirEntry) error) error {
	f, err := fsys.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	pages, ok := f.(fs.ReadDirFile)
	if !ok {
		return &fs.PathError{Op: "readdir", Path: dir, Err: errors.New("not a folder")}
	}
	if !tree.InOrder(f) {
		return walkSorted(ctx, fsys, dir, pages, visit)
	}
	first := true
	return eachPage(pages, func(page []fs.DirEntry) error {
		if first && len(page) < PageSize {
			slices.SortFunc(page, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
		}
		first = false
		for _, e := range page {
			if err := visitEntry(ctx, fsys, dir, e, visit); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachPage calls do for the pages of a folder.
func eachPage(pages fs.ReadDirFile, do func(page []fs.DirEntry) error) error {
	for {
		page, err := pages.ReadDir(PageSize)
		if err != nil && err != io.EOF {
			return err
		}
		if err := do(page); err != nil {
			return err
		}
		if err == io.EOF || len(page) == 0 {
			return nil
		}
	}
}

// named is a folder entry with only the data needed here, to save memory.
type named struct {
	name string
	kind fs.FileMode
}

// path returns the name, with a slash if the entry is a folder.
func (n named) path() string {
	if n.kind.IsDir() {
		return n.name + "/"
	}
	return n.name
}

// walkSorted is Walk for an open folder, in the order of paths.
func walkSorted(ctx context.Context, fsys fs.FS, dir string, pages fs.ReadDirFile, visit func(string, fs.DirEntry) error) error {
	var all []named
	if err := eachPage(pages, func(page []fs.DirEntry) error {
		for _, e := range page {
			all = append(all, named{e.Name(), e.Type()})
		}
		return ctx.Err()
	}); err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b named) int { return cmp.Compare(a.path(), b.path()) })
	for _, n := range all {
		if err := visitEntry(ctx, fsys, dir, &entry{fsys, dir, n.name, n.kind}, visit); err != nil {
			return err
		}
	}
	return nil
}

// entry is an entry of a folder.
type entry struct {
	fsys      fs.FS
	dir, name string
	kind      fs.FileMode
}

func (e *entry) Name() string               { return e.name }
func (e *entry) IsDir() bool                { return e.kind.IsDir() }
func (e *entry) Type() fs.FileMode          { return e.kind }
func (e *entry) Info() (fs.FileInfo, error) { return fs.Stat(e.fsys, path.Join(e.dir, e.name)) }

func visitEntry(ctx context.Context, fsys fs.FS, dir string, e fs.DirEntry, visit func(string, fs.DirEntry) error) error {
	// Callers need not check for "..". Names that are not valid UTF-8 are left to the code that opens them.
	if name := e.Name(); name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
		return fmt.Errorf("%s: %q cannot be the name of a file", dir, name)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	name := path.Join(dir, e.Name())
	if !e.IsDir() {
		if !e.Type().IsRegular() {
			return nil
		}
		return visit(name, e)
	}
	switch err := visit(name, e); err {
	case nil:
		return Walk(ctx, fsys, name, visit)
	case fs.SkipDir:
		return nil
	default:
		return err
	}
}
