//go:build !unix

package leveldb

import (
	"os"
	"path/filepath"
)

// takeLock opens the lock of the C++ library. Where that has it open, Windows refuses.
func takeLock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o644)
}
