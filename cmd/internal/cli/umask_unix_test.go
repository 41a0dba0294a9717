//go:build unix

package cli

import "syscall"

// The scripts state permissions as they are with this umask.
func init() { syscall.Umask(0o022) }
