//go:build unix && !aix && !solaris

package output

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// tryLock locks a file as long as it is open, if nobody else has.
func tryLock(f *os.File) error {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
	case nil:
		return nil
	case syscall.EWOULDBLOCK, syscall.EINTR:
		return errTaken
	default:
		return errors.ErrUnsupported // by this file system
	}
}

// private reports whether a folder is the user's own, and nobody else may write in it.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}

// mine reports whether a folder is the user's own.
func mine(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && int(st.Gid) == os.Getegid()
}
