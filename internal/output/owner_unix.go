//go:build unix && !aix && !solaris

package output

import (
	"io/fs"
	"os"
	"syscall"
)

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
