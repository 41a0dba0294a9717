// Package scratch makes folders for what a process needs for a while. The folder of a process that was
// killed is removed by the next one.
package scratch

import (
	"errors"
	"os"
	"path/filepath"

	"trowel.example/internal/filelock"
)

// lockName is the name of the file in a folder that its process has locked.
const lockName = "lock"

// Make makes a folder among the temporary files of the system, whose name begins with a prefix that no
// other kind has, and removes those of processes that were killed. The function that it returns removes
// the folder; files in it must be closed then, for some systems remove no others.
func Make(prefix string) (dir string, end func(), err error) {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*", lockName))
	for _, name := range old {
		removeOrphan(name)
	}
	for {
		if dir, err = os.MkdirTemp("", prefix+"*"); err != nil {
			return "", nil, err
		}
		lock, err := os.Create(filepath.Join(dir, lockName))
		if err != nil {
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
		end = func() {
			lock.Close()
			_ = os.RemoveAll(dir)
		}
		err = filelock.Try(lock)
		_, gone := os.Lstat(lock.Name())
		if gone == nil && (err == nil || errors.Is(err, errors.ErrUnsupported)) {
			return dir, end, nil
		}
		end() // before it was locked another process took it for an orphan
	}
}

// removeOrphan removes the folder of a lock that no process holds.
func removeOrphan(name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	if filelock.Try(f) != nil {
		f.Close()
		return
	}
	_ = os.RemoveAll(filepath.Dir(name)) // while nobody else can lock it
	f.Close()
	_ = os.RemoveAll(filepath.Dir(name)) // where a file that is open stays
}
