//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// detach keeps Ctrl-C away from a program.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
