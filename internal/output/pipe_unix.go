//go:build unix

package output

import (
	"errors"
	"syscall"
)

const nonblock = syscall.O_NONBLOCK

// noReader reports whether a pipe was not opened because no program reads it.
func noReader(err error) bool { return errors.Is(err, syscall.ENXIO) }
