package filelock

import (
	"errors"
	"os"
	"path/filepath"
)

// tempLock is the name of the lock file in a folder, which its process keeps locked.
const tempLock = "lock"

// TempDir creates a temporary folder whose name starts with prefix, which must be unique to its purpose, and removes
// those of killed processes. The returned function removes the folder; files in it must be closed before, because some
// systems cannot remove open files.
func TempDir(prefix string) (dir string, end func(), err error) {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*", tempLock))
	for _, name := range old {
		removeOrphan(name)
	}
	for {
		if dir, err = os.MkdirTemp("", prefix+"*"); err != nil {
			return "", nil, err
		}
		lock, err := os.Create(filepath.Join(dir, tempLock))
		if err != nil {
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
		end = func() {
			lock.Close()
			_ = os.RemoveAll(dir)
		}
		err = Try(lock)
		_, gone := os.Lstat(lock.Name())
		if gone == nil && (err == nil || errors.Is(err, errors.ErrUnsupported)) {
			return dir, end, nil
		}
		end() // another process removed it as an orphan before it was locked
	}
}

// removeOrphan removes the folder of a lock that no process holds.
func removeOrphan(name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	if Try(f) != nil {
		f.Close()
		return
	}
	_ = os.RemoveAll(filepath.Dir(name)) // while no other process can lock it
	f.Close()
	_ = os.RemoveAll(filepath.Dir(name)) // on systems where the open file was kept
}
