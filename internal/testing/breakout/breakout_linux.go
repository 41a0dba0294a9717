// Package breakout tries to leave a sandbox, for tests: it does what a program would do that a hostile file has taken over.
package breakout

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Variable is set for programs that are to try.
const Variable = "TROWEL_TEST_BREAKOUT"

// threads is the number of threads that try. Half of them begin before the restriction.
const threads = 64

// mark begins the line with the counts of successful attempts.
const mark = "BREAKOUT "

// A Target is what is outside.
type Target struct {
	Dir string // with the file secret
	TCP string // addresses of listening sockets
	UDP string

	// Report is a folder inside for the counts of processes whose messages are not printed; "": none.
	Report string
}

// attempts are the ways out, by what they need.
var attempts = map[string][]func(Target) error{
	"read": {
		func(t Target) error { return closing(os.Open(filepath.Join(t.Dir, "secret"))) },
		func(t Target) error { return closing(os.Open(t.Dir)) },
		func(t Target) error { return closing(os.Open(filepath.Join("/proc/self/root", t.Dir, "secret"))) },
		func(Target) error { return closing(os.Open(fmt.Sprintf("/proc/%d/cmdline", os.Getppid()))) },
	},
	"write": {
		func(t Target) error {
			return closing(os.OpenFile(filepath.Join(t.Dir, "secret"), os.O_WRONLY|os.O_APPEND, 0))
		},
		func(t Target) error { return closing(os.CreateTemp(t.Dir, "")) },
		func(t Target) error { _, err := os.MkdirTemp(t.Dir, ""); return err },
		func(t Target) error { return os.Truncate(filepath.Join(t.Dir, "empty"), 0) },
		func(t Target) error { return os.Symlink("x", unused(t)) },
		func(t Target) error { return os.Link(filepath.Join(t.Dir, "secret"), unused(t)) },
		func(t Target) error { return unix.Mknod(unused(t), unix.S_IFIFO|0o600, 0) },
		func(t Target) error { // without Landlock's right to truncate, reading is enough
			return closing(os.OpenFile(filepath.Join(t.Dir, "empty"), os.O_RDONLY|os.O_TRUNC, 0))
		},
		func(t Target) error {
			how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_TRUNC}
			fd, err := unix.Openat2(unix.AT_FDCWD, filepath.Join(t.Dir, "empty"), &how)
			if err == nil {
				unix.Close(fd)
			}
			return err
		},
		func(t Target) error { return os.Chmod(filepath.Join(t.Dir, "empty"), 0o600) },
		func(t Target) error { return unix.Fchmodat(unix.AT_FDCWD, filepath.Join(t.Dir, "empty"), 0o600, 0) },
		func(t Target) error {
			return unix.Fchmodat(unix.AT_FDCWD, filepath.Join(t.Dir, "empty"), 0o600, unix.AT_SYMLINK_NOFOLLOW)
		},
		func(t Target) error { return os.Chown(filepath.Join(t.Dir, "empty"), -1, -1) },
		func(t Target) error { return os.Lchown(filepath.Join(t.Dir, "empty"), -1, -1) },
		func(t Target) error { return os.Chtimes(filepath.Join(t.Dir, "empty"), time.Now(), time.Now()) },
		func(t Target) error {
			return unix.Utimes(filepath.Join(t.Dir, "empty"), []unix.Timeval{{Sec: 1}, {Sec: 1}})
		},
		func(t Target) error {
			return unlessUnsupported(unix.Setxattr(filepath.Join(t.Dir, "empty"), "user.trowel", []byte("x"), 0))
		},
		func(t Target) error {
			return unlessUnsupported(unix.Removexattr(filepath.Join(t.Dir, "empty"), "user.missing"))
		},
	},
	"signal": {
		func(Target) error { return unix.Kill(os.Getppid(), 0) },
		func(Target) error { return unix.Tgkill(os.Getppid(), os.Getppid(), 0) },
		func(Target) error {
			_, _, errno := unix.Syscall(unix.SYS_TKILL, uintptr(os.Getppid()), 0, 0)
			return asError(errno)
		},
		func(Target) error {
			pid, err := unix.PidfdOpen(os.Getppid(), 0)
			if err == nil {
				err = unix.PidfdSendSignal(pid, 0, nil, 0)
				unix.Close(pid)
			}
			return err
		},
	},
	"network": {
		func(t Target) error { return closing(net.Dial("tcp", t.TCP)) },
		func(t Target) error {
			c, err := net.Dial("udp", t.UDP)
			if err == nil {
				_, err = c.Write([]byte("x"))
				c.Close()
			}
			return err
		},
		func(t Target) error { return closing(net.Dial("unix", filepath.Join(t.Dir, "socket"))) },
		func(t Target) error { return closing(net.Dial("unixgram", filepath.Join(t.Dir, "datagrams"))) },
		func(t Target) error { return closing(net.Dial("unix", "@"+filepath.Base(t.Dir)+t.TCP)) },
		func(Target) error { return closing(net.Listen("tcp", "127.0.0.1:0")) },
		func(Target) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0); return err },
	},
	"exec": {
		func(Target) error { return exec.Command("/bin/true").Run() },
	},
	"process": {
		func(Target) error {
			pid, err := unix.PidfdOpen(os.Getppid(), 0)
			if err == nil {
				_, err = unix.PidfdGetfd(pid, 0, 0)
				unix.Close(pid)
			}
			return err
		},
		func(Target) error {
			var b [1]byte
			local := []unix.Iovec{{Base: &b[0], Len: 1}}
			_, err := unix.ProcessVMReadv(os.Getpid(), local, []unix.RemoteIovec{{Base: uintptr(0), Len: 1}}, 0)
			if errors.Is(err, unix.EFAULT) {
				return nil // it would read any other address
			}
			return err
		},
		func(Target) error {
			_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
			if errno == unix.EFAULT {
				return nil
			}
			return errno
		},
		func(Target) error {
			nice, err := unix.Getpriority(unix.PRIO_PROCESS, os.Getppid())
			if err == nil {
				err = unix.Setpriority(unix.PRIO_PROCESS, os.Getppid(), 20-nice)
			}
			return err
		},
		func(Target) error {
			var cores unix.CPUSet
			err := unix.SchedGetaffinity(os.Getppid(), &cores)
			if err == nil {
				err = unix.SchedSetaffinity(os.Getppid(), &cores)
			}
			return err
		},
		func(Target) error { return unix.Prlimit(os.Getppid(), unix.RLIMIT_CORE, nil, new(unix.Rlimit)) },
		func(Target) error { // the kernel would send signals for input of the pipe
			var pipe [2]int
			err := unix.Pipe(pipe[:])
			if err == nil {
				_, err = unix.FcntlInt(uintptr(pipe[0]), unix.F_SETOWN, os.Getppid())
				unix.Close(pipe[0])
				unix.Close(pipe[1])
			}
			return err
		},
	},
}

// unlessUnsupported returns nil for the error of a call that reached a file system without such attributes, or a file without one.
func unlessUnsupported(err error) error {
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENODATA) {
		return nil
	}
	return err
}

func asError(errno unix.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

var number atomic.Int64

func unused(t Target) string {
	return filepath.Join(t.Dir, fmt.Sprint("new", number.Add(1), "-", os.Getpid()))
}

func closing[C interface{ Close() error }](c C, err error) error {
	if err == nil {
		c.Close()
	}
	return err
}

// Prepare begins the first half of the threads, and returns a function that tries with all of them and prints the counts. It returns nil
// if the variable is not set.
func Prepare() func() {
	var t Target
	if json.Unmarshal([]byte(os.Getenv(Variable)), &t) != nil {
		return nil
	}
	start := make(chan struct{})
	var all, ready sync.WaitGroup
	counts := make(map[string]*atomic.Int64)
	for name := range attempts {
		counts[name] = new(atomic.Int64)
	}
	begin := func() {
		ready.Add(1)
		all.Go(func() {
			runtime.LockOSThread()
			ready.Done()
			<-start
			for name, ways := range attempts {
				for _, way := range ways {
					if way(t) == nil {
						counts[name].Add(1)
					}
				}
			}
		})
	}
	for range threads / 2 {
		begin()
	}
	ready.Wait()
	return sync.OnceFunc(func() {
		for range threads / 2 {
			begin()
		}
		close(start)
		all.Wait()
		found := make(map[string]int64)
		for name, n := range counts {
			found[name] = n.Load()
		}
		data, _ := json.Marshal(found)
		text := fmt.Sprintf("%s%s\n", mark, data)
		if t.Report != "" {
			_ = os.WriteFile(filepath.Join(t.Report, fmt.Sprintf("breakout-%d", os.Getpid())), []byte(text), 0o600)
		}
		fmt.Fprint(os.Stderr, text)
	})
}

// Most returns the count of a way out if every attempt succeeds.
func Most(name string) int64 { return int64(threads * len(attempts[name])) }

// Names are the ways out.
var Names = []string{"read", "write", "network", "exec", "signal", "process"}

// Outside makes a target for a test. The folder is not below that of temporary files.
func Outside(t testing.TB, dir string) Target {
	t.Helper()
	for _, name := range []string{"secret", "empty"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	target := Target{Dir: dir}
	listen := func(network, at string) net.Addr {
		if strings.HasSuffix(network, "gram") || network == "udp" {
			c, err := net.ListenPacket(network, at)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			return c.LocalAddr()
		}
		l, err := net.Listen(network, at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for c, err := l.Accept(); err == nil; c, err = l.Accept() {
				c.Close()
			}
		}()
		return l.Addr()
	}
	target.TCP = listen("tcp", "127.0.0.1:0").String()
	target.UDP = listen("udp", "127.0.0.1:0").String()
	listen("unix", filepath.Join(dir, "socket"))
	listen("unixgram", filepath.Join(dir, "datagrams"))
	listen("unix", "@"+filepath.Base(dir)+target.TCP)
	return target
}

// Setting is the setting of the variable for a target.
func (t Target) Setting() string {
	data, _ := json.Marshal(t)
	return Variable + "=" + string(data)
}

// Counts returns the counts of successful attempts in the messages of a program, nil if it has not tried.
func Counts(messages string) (counts map[string]int64) {
	for line := range strings.Lines(messages) {
		if text, ok := strings.CutPrefix(line, mark); ok {
			_ = json.Unmarshal([]byte(text), &counts)
		}
	}
	return counts
}
