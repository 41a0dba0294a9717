//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package mount

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"trowel.example/internal/files/mountinfo"
)

// FileAt returns the path of the game file that is mounted at a folder, and reports whether one is. alive is false if the
// program of the mount has ended: the folder is unusable until it is unmounted.
func FileAt(dir string) (file string, alive, ok bool) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", false, false
	}
	if parent, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil { // a dead mount itself cannot be resolved
		full = filepath.Join(parent, filepath.Base(full))
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	mounts, err := mountinfo.Read()
	if err != nil {
		return "", false, false
	}
	for _, m := range mounts {
		if m.Point != full || m.Type == "" {
			continue
		}
		if ok = m.Type == "fuse."+typeName; ok { // the last one covers the others
			file = m.Source
		}
	}
	_, err = os.Stat(full)
	return file, ok && !errors.Is(err, syscall.ENOTCONN), ok
}
