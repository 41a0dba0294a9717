// Package treediff walks, searches and compares the trees of files.
package treediff

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// Change is the kind of change of a file between the trees.
type Change string

// Kinds of changes.
const (
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed"
)

// Trees are two trees to compare.
type Trees struct {
	Old, New fs.FS
	Sidecar  bool                // compare the sidecar, too
	Label    func(string) string // returns the path for the header of a diff; nil: the path is unchanged
}

// Error is an error of one of the trees.
type Error struct {
	New bool // the error is from the new tree
	Err error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error of the tree.
func (e *Error) Unwrap() error { return e.Err }

// Pair is a file in one or both trees.
type Pair struct {
	Path   string
	Change Change // for a file in both trees: Changed, even if its content is the same
	Other  string // path in the new tree, if it differs
}

// Difference is the comparison of a pair.
type Difference struct {
	Pair
	Same             bool
	OldSize, NewSize int64  // sizes of the files in both trees
	Text             string // unified diff; "" for binary files, or if only the encoding differs
	Plus, Minus      int    // numbers of added and removed lines
	Err              error  // the files could not be read
}

// Compare calls emit for each file, first those of the old tree, including unchanged files. If a file cannot be
// read, Err of the Difference is set.
func (t *Trees) Compare(ctx context.Context, emit func(Difference) error) error {
	return parallel.Ordered(ctx, func(yield func(Pair) error) error { return t.pairs(ctx, yield) }, t.File, emit)
}

// pairs yields the files of the old tree, then the files that exist only in the new tree. If both trees consist
// of one file, these files are compared, whatever their names are.
func (t *Trees) pairs(ctx context.Context, yield func(Pair) error) error {
	if a, b := t.only(t.Old), t.only(t.New); a != "" && b != "" {
		return yield(Pair{a, Changed, b})
	}
	visit := func(other fs.FS, isNew bool, here, there Change) func(string, fs.DirEntry) error {
		return func(name string, e fs.DirEntry) error {
			if e.IsDir() || name == tree.Sidecar && !t.Sidecar {
				return nil
			}
			info, err := fs.Stat(other, name)
			switch {
			case err == nil && !info.IsDir():
				if there == "" {
					return nil // already compared
				}
				return yield(Pair{Path: name, Change: there})
			case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
				return yield(Pair{Path: name, Change: here})
			}
			return &Error{isNew, err}
		}
	}
	if err := Walk(ctx, t.Old, ".", visit(t.New, true, Removed, Changed)); err != nil {
		return err
	}
	return Walk(ctx, t.New, ".", visit(t.Old, false, Added, ""))
}

// only returns the only file of a tree, not counting its sidecar, or "" if there is not exactly one.
func (t *Trees) only(fsys fs.FS) string {
	list, err := fs.ReadDir(fsys, ".")
	if err != nil || t.Sidecar || len(list) > 2 {
		return ""
	}
	name := ""
	for _, e := range list {
		if e.Name() == tree.Sidecar {
			continue
		}
		if e.IsDir() || name != "" {
			return ""
		}
		name = e.Name()
	}
	return name
}

// File compares the files of a pair. A file that exists only in one tree is not read.
func (t *Trees) File(p Pair) Difference {
	d := Difference{Pair: p}
	if p.Change != Changed {
		return d
	}
	if p.Other == "" {
		p.Other = p.Path
	}
	defer tree.Room(Meta(fs.Stat(t.Old, p.Path)), Meta(fs.Stat(t.New, p.Other)))()
	old, err := fs.ReadFile(t.Old, p.Path)
	if err != nil {
		d.Err = &Error{false, err}
		return d
	}
	now, err := fs.ReadFile(t.New, p.Other)
	if err != nil {
		d.Err = &Error{true, err}
		return d
	}
	d.OldSize, d.NewSize = int64(len(old)), int64(len(now))
	if d.Same = bytes.Equal(old, now); d.Same {
		return d
	}
	oldText, ok := Text(old)
	nowText, also := Text(now)
	if !ok || !also {
		return d
	}
	label := t.Label
	if label == nil {
		label = func(path string) string { return path }
	}
	d.Text = unified("a/"+label(p.Path), "b/"+label(p.Other), oldText, nowText)
	_, lines, _ := strings.Cut(d.Text, "@@") // after the names
	for line := range strings.Lines(lines) {
		switch line[0] {
		case '+':
			d.Plus++
		case '-':
			d.Minus++
		}
	}
	return d
}

// SameBytes reports whether two sources are byte-identical files. Their formats then need not be detected.
func SameBytes(a, b *format.Source) (bool, error) {
	if a.IsDir() || b.IsDir() || a.Size != b.Size {
		return false, nil
	}
	bufA, bufB := make([]byte, 1<<16), make([]byte, 1<<16)
	for at := int64(0); at < a.Size; {
		n, errA := a.ReadAt(bufA, at)
		m, errB := b.ReadAt(bufB, at)
		if n != m || n == 0 || !bytes.Equal(bufA[:n], bufB[:m]) {
			return false, nil
		}
		if at += int64(n); at < a.Size && (errA != nil || errB != nil) {
			return false, errors.Join(errA, errB)
		}
	}
	return true, nil
}
