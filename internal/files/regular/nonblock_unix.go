//go:build unix

package regular

import "syscall"

// nonblock prevents opening a pipe, which may have replaced a file, from waiting for a writer.
const nonblock = syscall.O_NONBLOCK
