package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Exchange gives two files or folders below root each other's names, at once. The error wraps
// [errors.ErrUnsupported] where the system, or this file system, cannot do that.
func Exchange(root *os.Root, a, b string) error { return exchange(root, a, b) }

// Move renames a file or folder below root only where nothing has the new name; else the error wraps
// [fs.ErrExist]. Two programs that move to one name cannot both succeed.
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
	// There are no links here, or it is a folder, which takes the place of nothing but an empty one.
	if _, err := root.Lstat(to); err == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return root.Rename(from, to)
}

// MovePath is [Move] for two paths in one folder.
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
