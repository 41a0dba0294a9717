package output

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks a file as long as it is open, if nobody else has.
func tryLock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	switch err {
	case nil:
		return nil
	case windows.ERROR_LOCK_VIOLATION, windows.ERROR_IO_PENDING:
		return errTaken
	}
	return errors.ErrUnsupported
}

// private reports whether a folder is the user's own. Who may write in it is left to the
// folder that it is in.
func private(fs.FileInfo) bool { return true }

func mine(fs.FileInfo) bool { return false }
