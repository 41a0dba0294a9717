package sqlitefile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/files/inuse"
	"trowel.example/internal/files/wholefile"
)

// Files returns the names of a database and of the files that SQLite can create next to it.
func Files(name string) []string {
	return []string{name, name + "-wal", name + "-shm", name + "-journal"}
}

// partOf returns the path of a replacement for a damaged database while it is written, in the same folder.
func partOf(path string) string {
	return filepath.Join(filepath.Dir(path), ".trowel-part-"+filepath.Base(path))
}
func rescuedOf(path string) string {
	return filepath.Join(filepath.Dir(path), ".trowel-rescued-"+filepath.Base(path))
}

// RescueInPlace replaces a damaged database by a new one with its readable data, like [RescueTo]. A run that is
// interrupted leaves the old database, or one that [Settle] completes. No program may use the database.
func RescueInPlace(ctx context.Context, path string, known []string) error {
	part := partOf(path)
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if _, err = RescueTo(ctx, path, part, known); err == nil {
		err = errors.Join(os.Chmod(part, st.Mode().Perm()), wholefile.Sync(part))
	}
	if err == nil {
		err = os.Rename(part, rescuedOf(path))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return replace(path)
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
	if err := inuse.Check(filepath.Dir(path)); err != nil {
		return err
	}
	return replace(path)
}
