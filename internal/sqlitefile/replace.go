package sqlitefile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/inuse"
	"trowel.example/internal/wholefile"
)

// Files returns the names of a database and of what SQLite can have beside it.
func Files(name string) []string {
	return []string{name, name + "-wal", name + "-shm", name + "-journal"}
}

// The names in its folder of a database that takes the place of a damaged one: while it is
// made, and when it is whole.
func partOf(path string) string {
	return filepath.Join(filepath.Dir(path), ".trowel-part-"+filepath.Base(path))
}
func rescuedOf(path string) string {
	return filepath.Join(filepath.Dir(path), ".trowel-rescued-"+filepath.Base(path))
}

// RescueInPlace puts a new database into the place of a damaged one that has what can be
// read of it, like [RescueTo]. A run that is ended on the way leaves the old one, or one
// that [Settle] ends. No program may use the database.
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

// replace puts a rescued database into its place. What is beside the old one goes
// first: SQLite would apply it to the new one.
func replace(path string) error {
	for _, beside := range Files(path)[1:] {
		if err := os.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(rescuedOf(path), path)
}

// Settle ends what a run of [RescueInPlace] had begun that was killed. If there is anything
// to do, and a program uses something in the folder, the error wraps [ErrInUse].
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
