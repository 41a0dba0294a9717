package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Variables that a process passes to the program that it starts or executes. They hold the number of the process that set them, so
// that they have no effect if they are inherited by others.
const (
	// PROCESS QUESTIONS ANSWERS INPUT LIMITS PROGRAMS NETWORK: file descriptors of the helper and of limits as JSON, which the process
	// has not entered yet, -1 for none; and limits without paths
	envInside = "TROWEL_SANDBOX_INSIDE"
	envHelper = "TROWEL_SANDBOX_HELPER" // PROCESS
)

// inside is set in a process that has entered the sandbox.
var inside bool

// again is set in a process that got its limits when it was executed, and limits are those of them that are not of Landlock.
var (
	again  bool
	limits Limits
)

// Limited returns limits without paths, and true, in a process that got its limits when it was executed.
func Limited() (Limits, bool) { return limits, again }

// errDeniedCall is the error of calls that the filter denies. Landlock has another one, and so do permissions.
const errDeniedCall = unix.EPERM

// mayAccess reports whether permissions allow what the system denied, where that is certain.
func mayAccess(op, path string) bool {
	if strings.HasSuffix(op, "at") && !filepath.IsAbs(path) {
		return false
	}
	if _, err := os.Lstat(path); err == nil && op == "open" {
		return unix.Access(path, unix.R_OK) == nil
	}
	return unix.Access(filepath.Dir(path), unix.W_OK|unix.X_OK) == nil
}

// Begin is called first in the main function. In a helper it serves the questions of its parent, and ends the process. In a
// process that got its limits when it was executed, it enters them unless it is inside, and returns the helper outside, if there is
// one.
func Begin(h Handlers) *Helper {
	text, isHelper := os.LookupEnv(envHelper)
	_ = os.Unsetenv(envHelper)
	if isHelper && text == fmt.Sprint(os.Getppid()) {
		interrupts := make(chan os.Signal, 1)
		signal.Notify(interrupts, os.Interrupt) // Ctrl-C is for the parent
		h.Serve(os.NewFile(3, "questions"), os.NewFile(4, "answers"))
		os.Exit(0)
	}
	text = os.Getenv(envInside)
	_ = os.Unsetenv(envInside)
	var process, questions, answers, input, paths int
	_, err := fmt.Sscan(text, &process, &questions, &answers, &input, &paths, &limits.Programs, &limits.Network)
	if err != nil || process != os.Getpid() && process != os.Getppid() {
		return nil
	}
	file := func(fd int) *os.File {
		if fd < 0 {
			return nil
		}
		unix.CloseOnExec(fd)
		return os.NewFile(uintptr(fd), "helper")
	}
	var helper *Helper
	if questions >= 0 {
		helper = newHelper(file(questions), file(answers), file(input))
	}
	if paths >= 0 {
		var l Limits // without a complete list, nothing is allowed
		f := file(paths)
		_ = json.NewDecoder(f).Decode(&l)
		f.Close()
		if !restrictThreads(l) {
			reexecute(l, helper)
		}
	} else {
		inside = true
	}
	again = true
	return helper
}

// program returns the path of this program: the one that it was started by, if that is the same file.
func program() string {
	const self = "/proc/self/exe"
	path, err := os.Executable()
	if err != nil {
		return self
	}
	a, err := os.Stat(path)
	b, err2 := os.Stat(self)
	if err != nil || err2 != nil || !os.SameFile(a, b) {
		return self // it was removed or replaced
	}
	return path
}

// StartHelper starts this program as a helper, which ends with this process. With input it has the terminal, and an input for
// the program that it starts. It returns nil if the helper cannot be started.
func StartHelper(input bool) *Helper {
	if again {
		return nil
	}
	var open []*os.File
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, nil
		}
		open = append(open, r, w)
		return r, w
	}
	qr, qw := pipe()
	ar, aw := pipe()
	ir, iw := pipe()
	cmd := exec.Command(program())
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", envHelper, os.Getpid()))
	cmd.ExtraFiles = []*os.File{qr, aw}
	if input {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = ir, os.Stdout, os.Stderr
	}
	if len(open) != 6 || cmd.Start() != nil {
		for _, f := range open {
			f.Close()
		}
		return nil
	}
	for _, f := range []*os.File{qr, aw, ir} {
		f.Close()
	}
	if !input {
		iw.Close()
		iw = nil
	}
	return newHelper(qw, ar, iw)
}

// Enter restricts the process to the limits. With cgo it executes the program again; then it returns only if that is impossible, or
// in the executed program. With listens, the process keeps sockets until [Settle].
func Enter(l Limits, h *Helper, listens bool) {
	// The rule for /proc/self is about a file of the kernel that lives as long as it is in use.
	_, _ = unix.Open("/proc/self", unix.O_PATH|unix.O_CLOEXEC, 0)
	if !again && !restrictThreads(l) {
		reexecute(l, h)
	}
	calls := l
	calls.Network = l.Network || listens
	inside = filter(calls) == nil || inside
	if !listens {
		entered()
	}
}

// Settle gives up the system calls that the limits do not have.
func Settle(l Limits) {
	if Off() {
		return
	}
	inside = filter(l) == nil || inside
	entered()
}

// Reexecute makes [Enter] execute the program again without cgo, too. Only tests set it.
var Reexecute bool

// restrictThreads restricts all threads, if the runtime can make a system call in all of them: it cannot with cgo.
func restrictThreads(l Limits) bool {
	rules, err := newRules(l)
	if err != nil || Reexecute {
		return false
	}
	defer rules.close()
	header, data := fewer()
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(header)), uintptr(unsafe.Pointer(data)), 0)
	if errno == 0 {
		_, _, errno = syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	}
	if errno == 0 {
		_, _, errno = syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules.fd), 0, 0)
	}
	inside = errno == 0
	return inside
}

// reexecute executes the program again inside the limits. It returns if that is impossible.
func reexecute(l Limits, h *Helper) {
	rules, err := newRules(l)
	if err != nil {
		return
	}
	defer rules.close()
	fds := []int{-1, -1, -1}
	if h != nil {
		for i, f := range []*os.File{h.questions, h.answers, h.Input} {
			if f == nil {
				continue
			}
			fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD, 10) // not closed by exec
			if err != nil {
				return
			}
			_ = unix.SetNonblock(fd, true)
			defer unix.Close(fd)
			fds[i] = fd
		}
	}
	path := program()
	env := append(os.Environ(), fmt.Sprintf("%s=%d %d %d %d -1 %t %t", envInside, os.Getpid(), fds[0], fds[1],
		fds[2], l.Programs, l.Network))
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // without an unlock: if the thread cannot execute the program, it ends
		if rules.restrict() == nil {
			_ = syscall.Exec(path, os.Args, env)
		}
	}()
	<-done
}

// Start starts a command, this program, which enters the limits at once. The handlers answer its questions.
func Start(cmd *exec.Cmd, l Limits, h Handlers) error {
	if Off() || landlock() < LeastLandlock {
		return cmd.Start()
	}
	var ours, theirs []*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			f.Close()
		}
	}
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(append(ours, theirs...))
			return err
		}
		if i == 0 { // questions
			r, w = w, r
		}
		ours, theirs = append(ours, w), append(theirs, r)
	}
	first := 3 + len(cmd.ExtraFiles)
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs...)
	cmd.Env = append(cmd.Environ(), fmt.Sprintf("%s=%d %d %d -1 %d %t %t", envInside, os.Getpid(), first, first+1, first+2,
		l.Programs, l.Network))
	err := cmd.Start()
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return err
	}
	go func() {
		_ = json.NewEncoder(ours[2]).Encode(l)
		ours[2].Close()
		h.Serve(ours[0], ours[1])
		closeAll(ours[:2])
	}()
	return nil
}
