package wholefile

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

// SetTime changes the times of a file that is open for writing.
func SetTime(f *os.File, at time.Time) error {
	t := syscall.NsecToFiletime(at.UnixNano())
	if err := syscall.SetFileTime(syscall.Handle(f.Fd()), nil, &t, &t); err != nil {
		return &fs.PathError{Op: "SetFileTime", Path: f.Name(), Err: err}
	}
	return nil
}
