//go:build unix

package fleet

import (
	"os/exec"
	"syscall"
)

// apart keeps what is typed at the worker, such as Ctrl-C, from its children.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
