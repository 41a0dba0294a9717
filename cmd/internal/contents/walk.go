// Package contents goes through what is in the trees of files, for verbs and pages alike.
package contents

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
)

// PageSize is how many entries of a folder are in memory at a time.
const PageSize = 1024

// Walk calls visit for every file and folder below dir, a folder before what
// is in it; [fs.SkipDir] leaves a folder out. Folders are read page by page,
// however large they are: those of one page come in the order of names, larger
// ones in their own. What is neither file nor folder is skipped, so that
// links lead nowhere.
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
	for first := true; ; first = false {
		page, readErr := pages.ReadDir(PageSize)
		if readErr != nil && readErr != io.EOF {
			return readErr
		}
		if first && len(page) < PageSize {
			slices.SortFunc(page, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
		}
		for _, e := range page {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := visitEntry(ctx, fsys, dir, e, visit); err != nil {
				return err
			}
		}
		if readErr == io.EOF || len(page) == 0 {
			return nil
		}
	}
}

func visitEntry(ctx context.Context, fsys fs.FS, dir string, e fs.DirEntry, visit func(string, fs.DirEntry) error) error {
	// So that no caller has to think of "..".
	if name := e.Name(); name == "." || strings.Contains(name, "/") || !fs.ValidPath(name) {
		return fmt.Errorf("%s: %q cannot be the name of a file", dir, name)
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
