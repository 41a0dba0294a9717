//go:build !unix

package leveldb

import (
	"os"
	"path/filepath"
)

// takeLock opens the lock file of the C++ library. Windows refuses this while the library has the file open.
func takeLock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o644)
}
