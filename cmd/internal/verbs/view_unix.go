//go:build unix

package verbs

import (
	"os/exec"
	"syscall"
)

// detach protects a program from Ctrl-C.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
