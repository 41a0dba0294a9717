//go:build unix

package leveldb

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"trowel.example/internal/files/filelock"
)

// takeLock takes the lock that the C++ library holds while it has a database open.
func takeLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w: %w", dir, filelock.ErrInUse, err)
	}
	return f, nil
}
