//go:build amd64 || arm64

package sandbox

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Calls that the filter denies.
var (
	// neverCalls change the system, other processes, or the rules by which the kernel limits this one.
	neverCalls = []uint32{unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_MOUNT, unix.SYS_UMOUNT2,
		unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
		unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_BPF,
		unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
		unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_PERSONALITY, unix.SYS_ACCT,
		unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME}
	programCalls = []uint32{unix.SYS_EXECVE, unix.SYS_EXECVEAT}
	// networkCalls include those that connect a socket when they send.
	networkCalls = []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN,
		unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG}
	// typing are the requests of ioctl that type into a terminal.
	typing = []uint32{unix.TIOCSTI, unix.TIOCLINUX}
)

// Offsets in the data of a filter; the low half of an argument is first on both processors.
const (
	offsetCall    = 0
	offsetArch    = 4
	offsetRequest = 24 // the second argument
)

var architecture = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]

// otherABI is the first number of the calls of x32, a second interface of kernels for amd64.
const otherABI = 0x4000_0000

// filterOf returns the program that denies the calls that limits do not have. It denies all calls of other processors' interfaces.
func filterOf(l Limits) []unix.SockFilter {
	calls := neverCalls
	if !l.Programs {
		calls = append(calls[:len(calls):len(calls)], programCalls...)
	}
	if !l.Network {
		calls = append(calls[:len(calls):len(calls)], networkCalls...)
	}
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	end := func(value uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: value}
	}
	deny, allow := end(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)), end(unix.SECCOMP_RET_ALLOW)
	equal := func(k uint32) unix.SockFilter { // else it skips the denial
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: 1}
	}
	p := []unix.SockFilter{load(offsetArch), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: architecture, Jt: 1}, deny,
		load(offsetCall), {Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: otherABI, Jf: 1}, deny}
	for _, call := range calls {
		p = append(p, equal(call), deny)
	}
	p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_IOCTL, Jt: 1}, allow, load(offsetRequest))
	for _, request := range typing {
		p = append(p, equal(request), deny)
	}
	return append(p, allow)
}

// filter makes the kernel deny calls to all threads of the process.
func filter(l Limits) error {
	p := filterOf(l)
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}

func hasSeccomp() bool {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return errno == 0
}
