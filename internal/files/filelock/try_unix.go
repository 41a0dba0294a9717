//go:build unix && !aix && !solaris

package filelock

import (
	"errors"
	"os"
	"syscall"
)

func try(f *os.File) error {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
	case nil:
		return nil
	case syscall.EWOULDBLOCK, syscall.EINTR:
		return ErrTaken
	default:
		return errors.ErrUnsupported // not supported by this file system
	}
}

func removed(error) bool { return false }
