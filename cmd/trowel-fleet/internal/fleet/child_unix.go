//go:build unix

package fleet

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// apart protects the children from keys typed at the worker's terminal, such as Ctrl-C.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// peak returns the memory that a process has used at most, in bytes.
func peak(p *os.ProcessState) int64 {
	r, ok := p.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin":
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) << 10
}
