package fleet

import (
	"errors"
	"os"
	"path/filepath"

	"trowel.example/internal/filelock"
)

const (
	scratchPrefix = "trowel-worker-"
	scratchLock   = "lock"
)

// scratch makes a folder for what a worker and its processes need for a while, and removes those of
// workers that were killed. The function that it returns removes it.
func scratch() (dir string, end func(), err error) {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), scratchPrefix+"*", scratchLock))
	for _, name := range old {
		if f, err := os.OpenFile(name, os.O_RDWR, 0); err == nil {
			if filelock.Try(f) == nil {
				_ = os.RemoveAll(filepath.Dir(name))
			}
			f.Close()
		}
	}
	if dir, err = os.MkdirTemp("", scratchPrefix+"*"); err != nil {
		return "", nil, err
	}
	// It is locked before it has its name, so that nobody takes it for one that was left behind.
	lock, err := os.Create(filepath.Join(dir, scratchLock+".new"))
	if err == nil {
		if err = filelock.Try(lock); errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
		if err == nil {
			err = os.Rename(lock.Name(), filepath.Join(dir, scratchLock))
		}
	}
	end = func() {
		lock.Close()
		_ = os.RemoveAll(dir)
	}
	if err != nil {
		end()
		return "", nil, err
	}
	return dir, end, nil
}
