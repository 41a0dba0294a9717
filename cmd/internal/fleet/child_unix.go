//go:build unix

package fleet

import (
	"os/exec"
	"syscall"
)

// apart protects the children from keys typed at the worker's terminal, such as Ctrl-C.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
