//go:build unix

package output

import (
	"errors"
	"syscall"
)

const nonblock = syscall.O_NONBLOCK

// noReader reports whether err means that no program has opened a pipe for reading.
func noReader(err error) bool { return errors.Is(err, syscall.ENXIO) }
