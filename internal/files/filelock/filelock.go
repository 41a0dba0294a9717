// Package filelock locks files while they are open, if the file system supports locks. It reports whether another program
// has a file open, and creates temporary folders that the next process removes if their process was killed.
package filelock

import (
	"errors"
	"os"
)

// ErrTaken means that another program has locked the file.
var ErrTaken = errors.New("locked by another program")

// Try locks a file until it is closed. The error is [ErrTaken] if another program has locked the file. It wraps
// [errors.ErrUnsupported] if the file system has no locks.
func Try(f *os.File) error { return try(f) }
