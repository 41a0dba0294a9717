package worldrepo

import (
	"errors"
	"os"
	"path/filepath"

	"trowel.example/internal/filelock"
	"trowel.example/storage"
)

// scratch makes a folder for what a run needs on the disk: in a folder with a repository, which the
// user chose for its room, else where temporary files are. There it has a lock, so that the next run
// removes what one has left that was killed.
func scratch(s storage.Store) (dir string, remove func() error, err error) {
	if f, is := s.(storage.Folder); is {
		dir, err = f.Scratch()
		return dir, func() error { return os.RemoveAll(dir) }, err
	}
	const pattern, lockName = "trowel-backup-*.tmp", "lock"
	left, err := filepath.Glob(filepath.Join(os.TempDir(), pattern))
	if err != nil {
		return "", nil, err
	}
	for _, old := range left {
		f, err := os.OpenFile(filepath.Join(old, lockName), os.O_RDWR, 0)
		if err != nil {
			continue // it is only being made, or another user's
		}
		err = filelock.Try(f)
		f.Close() // first, since some systems do not remove an open file
		if err == nil {
			_ = os.RemoveAll(old)
		}
	}
	if dir, err = os.MkdirTemp("", pattern); err != nil {
		return "", nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		if err = filelock.Try(f); errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() error { return errors.Join(f.Close(), os.RemoveAll(dir)) }, nil
}
