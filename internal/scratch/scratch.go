// Package scratch makes folders for what a process needs for a while. The folder of a process that was
// killed is removed by the next one.
package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"trowel.example/internal/filelock"
)

// lockName is the name of the file in a folder that its process has locked.
const lockName = "lock"

// young is how long a folder may lack its lock while it is being made.
const young = time.Minute

// Make makes a folder among the temporary files of the system, whose name begins with a prefix that no
// other kind has, and removes those of processes that were killed. The function that it returns removes
// the folder; files in it must be closed then, for some systems remove no others.
func Make(prefix string) (dir string, end func(), err error) {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*", lockName))
	for _, name := range old {
		removeOrphan(name)
	}
	if dir, err = os.MkdirTemp("", prefix+"*"); err != nil {
		return "", nil, err
	}
	lock, err := os.Create(filepath.Join(dir, lockName))
	if err == nil {
		if err = filelock.Try(lock); errors.Is(err, errors.ErrUnsupported) {
			err = nil
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

// removeOrphan removes the folder of a lock that no process holds.
func removeOrphan(name string) {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || time.Since(info.ModTime()) < young {
		return
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	err = filelock.Try(f)
	f.Close()
	if err == nil {
		_ = os.RemoveAll(filepath.Dir(name))
	}
}
