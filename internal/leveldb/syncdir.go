package leveldb

import (
	"os"
	"runtime"
)

// syncDir makes sure that the names in a folder outlive a crash of the system.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such thing, and needs none
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
