//go:build unix

package regular

import "syscall"

// nonblock keeps a pipe that took the place of a file from waiting for a writer.
const nonblock = syscall.O_NONBLOCK
