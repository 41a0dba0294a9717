//go:build !linux

package wholefile

import (
	"io/fs"
	"os"
	"time"
)

// SetMode changes the permissions of a file or folder.
func SetMode(path string, mode fs.FileMode) error { return os.Chmod(path, mode) }

// SetTimeOf changes the times of a file.
func SetTimeOf(path string, at time.Time) error { return os.Chtimes(path, at, at) }
