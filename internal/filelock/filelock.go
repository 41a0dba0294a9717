// Package filelock locks files, as long as they are open and wherever the file system can.
package filelock

import (
	"errors"
	"os"
)

// ErrTaken means that another program has locked the file.
var ErrTaken = errors.New("locked by another program")

// Try locks a file as long as it is open. The error is [ErrTaken] if another program has,
// and wraps [errors.ErrUnsupported] where nobody can.
func Try(f *os.File) error { return try(f) }
