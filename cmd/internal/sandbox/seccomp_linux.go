//go:build amd64 || arm64

package sandbox

import (
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Calls that the filter denies.
var (
	// neverCalls change the system, other processes, the rules by which the kernel limits this one, or by their names the
	// properties of files, for which Landlock has no rights.
	neverCalls = []uint32{unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_MOUNT, unix.SYS_UMOUNT2,
		unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
		unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_BPF,
		unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
		unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_PERSONALITY, unix.SYS_ACCT,
		unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
		unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT, unix.SYS_TRUNCATE,
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
		unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
		unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_KCMP,
		unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET,
		unix.SYS_SEMCTL, unix.SYS_MSGGET, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK}
	// programCalls start programs. Programs that are started need signals for each other; the filter does not know their numbers.
	programCalls = []uint32{unix.SYS_EXECVE, unix.SYS_EXECVEAT}
	otherSignals = []uint32{unix.SYS_TKILL, unix.SYS_PIDFD_SEND_SIGNAL}
	ownSignals   = []uint32{unix.SYS_KILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO}
	// networkCalls include those that connect a socket when they send.
	networkCalls = []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN,
		unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG}
	// ownCalls change the process that their first argument names.
	ownCalls = []uint32{unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM,
		unix.SYS_SCHED_SETATTR}
	// requests are those of ioctl that type into a terminal, or let the kernel send signals to other processes.
	requests = []uint32{unix.TIOCSTI, unix.TIOCLINUX, fiosetown, unix.SIOCSPGRP}
	// commands are those of fcntl that let the kernel send signals to other processes.
	commands = []uint32{unix.F_SETOWN, unix.F_SETOWN_EX, unix.F_SETSIG}
)

// Offsets in the data of a filter; the low half of an argument is first on both processors.
const (
	offsetCall = 0
	offsetArch = 4
)

// fiosetown is FIOSETOWN, which x/sys lacks.
const fiosetown = 0x8901

func offsetOf(argument int) uint32 { return 16 + 8*uint32(argument) }

var architecture = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]

// otherABI is the first number of the calls of x32, a second interface of kernels for amd64.
const otherABI = 0x4000_0000

// An assembler writes a filter.
type assembler struct{ code []unix.SockFilter }

func (p *assembler) add(code uint16, k uint32, jt, jf uint8) {
	p.code = append(p.code, unix.SockFilter{Code: code, K: k, Jt: jt, Jf: jf})
}

func (p *assembler) load(offset uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }

func (p *assembler) allow() { p.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW, 0, 0) }

func (p *assembler) deny(errno unix.Errno) {
	p.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(errno), 0, 0)
}

// ifEqual skips the next instruction unless the loaded value is k.
func (p *assembler) ifEqual(k uint32) { p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, 1) }

// call adds instructions for one call, which must end with allow or deny.
func (p *assembler) call(number uint32, body func()) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, number, 0, 0)
	at := len(p.code)
	body()
	p.code[at-1].Jf = uint8(len(p.code) - at)
}

// only denies calls unless an argument is one of the values.
func (p *assembler) only(calls []uint32, argument int, values ...uint32) {
	for _, call := range calls {
		p.call(call, func() {
			p.load(offsetOf(argument))
			for _, v := range values {
				p.ifEqual(v)
				p.allow()
			}
			p.deny(unix.EPERM)
		})
	}
}

// except denies a call if an argument, of which the bits of the mask count, is one of the values.
func (p *assembler) except(call uint32, argument int, mask uint32, values ...uint32) {
	p.call(call, func() {
		p.load(offsetOf(argument))
		p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, mask, 0, 0)
		for _, v := range values {
			p.ifEqual(v)
			p.deny(unix.EPERM)
		}
		p.allow()
	})
}

// filterOf returns the program that denies the calls that limits do not have. It denies all calls of other processors' interfaces.
func filterOf(l Limits) []unix.SockFilter {
	self, p := uint32(os.Getpid()), new(assembler)
	p.load(offsetArch)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, architecture, 1, 0)
	p.deny(unix.EPERM)
	p.load(offsetCall)
	p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, otherABI, 0, 1)
	p.deny(unix.EPERM)
	calls := slices.Concat(neverCalls, namedCalls)
	if !l.Programs {
		calls = slices.Concat(calls, programCalls, otherSignals)
	}
	if !l.Network {
		calls = append(calls, networkCalls...)
	}
	for _, call := range calls {
		p.ifEqual(call)
		p.deny(unix.EPERM)
	}
	p.ifEqual(unix.SYS_OPENAT2) // its flags are in memory; programs then use openat
	p.deny(unix.ENOSYS)
	if !l.Programs {
		p.only(ownSignals, 0, self)
	}
	p.only(ownCalls, 0, 0, self)
	p.except(unix.SYS_IOCTL, 1, ^uint32(0), requests...)
	p.except(unix.SYS_FCNTL, 1, ^uint32(0), commands...)
	// Landlock before version 3 has no right for truncation, and lets files that may only be read be emptied when they are opened.
	p.except(unix.SYS_OPENAT, 2, unix.O_TRUNC|unix.O_ACCMODE, unix.O_TRUNC|unix.O_RDONLY)
	if openCall != 0 {
		p.except(openCall, 1, unix.O_TRUNC|unix.O_ACCMODE, unix.O_TRUNC|unix.O_RDONLY)
	}
	p.call(unix.SYS_UTIMENSAT, func() { // without a path it changes an open file
		for half := range uint32(2) {
			p.load(offsetOf(1) + 4*half)
			p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, 0)
			p.deny(unix.EPERM)
		}
		p.allow()
	})
	p.allow()
	return p.code
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
