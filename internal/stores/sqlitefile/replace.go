package sqlitefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/files/filelock"
)

// partOf returns the path of a replacement for a damaged database while it is written, in the same folder.
func partOf(path string) string {
	return filepath.Join(filepath.Dir(path), ".trowel-part-"+filepath.Base(path))
}
func rescuedOf(path string) string {
	return filepath.Join(filepath.Dir(path), ".trowel-rescued-"+filepath.Base(path))
}

// replace renames a rescued database to its final name. It first removes the old log and journal: SQLite would apply
// them to the new database.
func replace(path string) error {
	for _, sibling := range Files(path)[1:] {
		if err := os.Remove(sibling); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(rescuedOf(path), path)
}

// Settle completes the work of a killed run of [RescueInPlace]. If there is work to do and a program uses a file in
// the folder, the error wraps [ErrInUse].
func Settle(path string) error {
	if err := os.RemoveAll(partOf(path)); err != nil {
		return err
	}
	if _, err := os.Stat(rescuedOf(path)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := filelock.CheckUnused(filepath.Dir(path)); err != nil {
		return err
	}
	return replace(path)
}
