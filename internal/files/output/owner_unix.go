//go:build unix && !aix && !solaris

package output

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether the user owns a folder and nobody else has permissions for it.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}

// mine reports whether the current user and group own a folder.
func mine(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && int(st.Gid) == os.Getegid()
}
