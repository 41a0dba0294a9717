package sandbox

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const envMode = "TROWEL_TEST_SANDBOX" // threads, execute or child

// TestMain lets the test binary run inside a sandbox that allows the folder of its first argument.
func TestMain(m *testing.M) {
	mode := os.Getenv(envMode)
	if mode == "" {
		os.Exit(m.Run())
	}
	h := Begin(Handlers{"twice": func(q string) string { return q + q }})
	Reexecute = mode == "execute"
	l := Limits{Read: []string{os.Args[1]}}
	if mode == "child" {
		Settle(l)
	} else {
		if h == nil {
			h = StartHelper(false)
		}
		Enter(l, h, false)
	}
	_, inner := os.ReadFile(filepath.Join(os.Args[1], "file"))
	_, outer := os.ReadFile(os.Args[2])
	_, missing := os.Open(filepath.Join(os.Args[1], "missing"))
	program := exec.Command("/bin/true").Run()
	answer, err := h.Ask("twice", "a b\n")
	fmt.Printf("%v %v %v %v %v %v %q %v %d %d\n", again, inner == nil, Denied(outer), Denied(missing), Denied(program), program != nil,
		answer, err, os.Getpid(), len(os.Environ()))
	in, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	fmt.Print(in)
	os.Exit(7)
}

// TestEnter enters the sandbox in each of its ways: arguments, environment, standard input, exit code and process stay, and the process
// outside answers.
func TestEnter(t *testing.T) {
	if s := Supported(); s.Landlock < LeastLandlock || !s.Seccomp {
		t.Skipf("this system has no sandbox: %+v", s)
	}
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "file")
	for _, name := range []string{filepath.Join(dir, "file"), outside} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, _, errno := syscall.AllThreadsSyscall(syscall.SYS_GETPID, 0, 0, 0)
	cgo := errno == syscall.ENOTSUP // one thread restricts itself, and executes the program again
	for _, mode := range []string{"threads", "execute", "child"} {
		cmd := exec.Command(self, dir, outside)
		cmd.Env = append(os.Environ(), envMode+"="+mode)
		cmd.Stdin = strings.NewReader("typed\n")
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		if mode == "child" {
			l := Limits{Read: []string{dir}}
			err = Start(cmd, l, Handlers{"twice": func(q string) string { return q + q }})
		} else {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		want := fmt.Sprintf("%v true true false true true %q <nil> %d %d\ntyped\n", cgo || mode != "threads", "a b\na b\n", cmd.Process.Pid,
			len(os.Environ())+1)
		if code := cmd.ProcessState.ExitCode(); out.String() != want || code != 7 {
			t.Errorf("%s: exit code %d\n%swant\n%s", mode, code, &out, want)
		}
	}
}

// TestDenied tests that only errors are blamed on the sandbox that permissions do not explain.
func TestDenied(t *testing.T) {
	defer func(was bool) { inside = was }(inside)
	inside = true
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}, true},
		{&fs.PathError{Op: "mkdir", Path: filepath.Join(dir, "new"), Err: syscall.EACCES}, true},
		{&fs.PathError{Op: "mkdirat", Path: "new", Err: syscall.EACCES}, false},
		{&fs.PathError{Op: "open", Path: filepath.Join(dir, "missing", "file"), Err: syscall.EACCES}, false},
		{&fs.PathError{Op: "unlink", Path: name, Err: syscall.EPERM}, false},
		{&fs.PathError{Op: "fork/exec", Path: "/bin/true", Err: syscall.EPERM}, true},
		{&os.LinkError{Op: "rename", Old: name, New: filepath.Join(dir, "new"), Err: syscall.EACCES}, true},
		{os.NewSyscallError("socket", syscall.EPERM), true},
		{os.NewSyscallError("connect", syscall.EACCES), false},
	} {
		if got := Denied(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}

// TestStrangers tests that variables of another process have no effect.
func TestStrangers(t *testing.T) {
	t.Setenv(envInside, "1 -1 -1 -1 -1 true true")
	t.Setenv(envHelper, "1")
	if os.Getppid() == 1 {
		t.Skip("the parent of this process is process 1")
	}
	if h := Begin(nil); h != nil || again || inside {
		t.Error("the process believes that it is restricted")
	}
	if os.Getenv(envInside) != "" || os.Getenv(envHelper) != "" {
		t.Error("programs that it starts would inherit the variables")
	}
}
