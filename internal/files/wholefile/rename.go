package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Exchange atomically exchanges the names of two files or folders below root. The error wraps [errors.ErrUnsupported]
// if the operating system or the file system does not support this.
func Exchange(root *os.Root, a, b string) error { return exchange(root, a, b) }

// Move renames a file or folder below root if the new name is unused; otherwise the error wraps [fs.ErrExist]. If two
// programs move files to the same name, at most one succeeds.
func Move(root *os.Root, from, to string) error {
	err := moveNew(root, from, to)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	info, err := root.Lstat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		if err := root.Link(from, to); err == nil {
			return root.Remove(from)
		} else if errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	// Hard links are unsupported here, or it is a folder; renaming a folder can replace only an empty folder.
	if _, err := root.Lstat(to); err == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return root.Rename(from, to)
}

// MovePath is [Move] for two paths in the same folder.
func MovePath(from, to string) error {
	root, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer root.Close()
	name, err := filepath.Rel(filepath.Dir(to), from)
	if err != nil {
		return err
	}
	return Move(root, name, filepath.Base(to))
}
