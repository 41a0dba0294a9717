//go:build unix

package verbs

import "syscall"

// The scripts state permissions for this umask.
func init() { syscall.Umask(0o022) }
