package sandbox

import (
	"bufio"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights of Landlock for files.
const (
	readRights  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	// fileRights are the rights that rules about files, not folders, may have.
	fileRights = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// allRights are those of version 2, the first in which files can be renamed from one folder to another.
	allRights = 1<<14 - 1
)

// everywhere are the paths that every process reads: the runtime of Go, the libraries of cgo, the kernel's own files, names of users,
// time zones and types of files. Of /proc they are the folder of the process itself, and what is about no process.
var everywhere = []string{"/proc/self", "/proc/sys", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/filesystems",
	"/sys/fs/cgroup", "/sys/kernel/mm", "/sys/devices/system/cpu", "/dev/urandom", "/dev/random",
	"/dev/zero", "/dev/stdin", "/etc/localtime", "/usr/share/zoneinfo", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf",
	"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/mime.types", "/usr/share/mime"}

// devices may be written everywhere.
var devices = []string{"/dev/null", "/dev/tty"}

// landlock returns the version of the interface, 0 if the kernel has none or has switched it off.
var landlock = sync.OnceValue(func() int {
	version, _, err := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if err != 0 {
		return 0
	}
	return int(version)
})

// Supported returns what the system offers.
func Supported() Support { return Support{landlock(), hasSeccomp()} }

// rules are limits for the kernel.
type rules struct {
	fd      int
	handled uint64
}

// newRules makes the rules of limits.
func newRules(l Limits) (*rules, error) {
	version := landlock()
	if version < LeastLandlock {
		return nil, errors.ErrUnsupported
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: allRights}
	if version >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 && !l.Network && !l.Programs {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET // not signals: threads with domains of their own send them
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 { // older kernels have a shorter structure
		return nil, errno
	}
	r := &rules{int(fd), attr.Handled_access_fs}
	for _, path := range unique(everywhere, l.Read) {
		r.allow(path, readRights)
	}
	for _, path := range unique(l.List) {
		r.allow(path, unix.LANDLOCK_ACCESS_FS_READ_DIR)
	}
	for _, path := range unique(devices, l.Write) {
		r.allow(path, writeRights|unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
	}
	if l.Programs {
		r.allow("/", unix.LANDLOCK_ACCESS_FS_EXECUTE|readRights)
	} else {
		for _, path := range append(mapped(), program()) {
			r.allow(path, unix.LANDLOCK_ACCESS_FS_EXECUTE|unix.LANDLOCK_ACCESS_FS_READ_FILE)
		}
	}
	return r, nil
}

func unique(paths ...[]string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(paths...))))
}

// allow adds a rule about a path. The kernel follows links in the path, and rejects paths that it has no rules for, such as
// those of pipes, which need none.
func (r *rules) allow(path string, rights uint64) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	at := unix.LandlockPathBeneathAttr{Allowed_access: rights & r.handled, Parent_fd: int32(fd)}
	if at.Allowed_access != 0 {
		_, _, _ = unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
			uintptr(unsafe.Pointer(&at)), 0, 0, 0)
	}
}

// keptCapabilities are those of an administrator that concern the permissions of files, and the ports of servers.
const keptCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH | 1<<unix.CAP_FOWNER |
	1<<unix.CAP_FSETID | 1<<unix.CAP_NET_BIND_SERVICE

// fewer returns the capabilities of the process without those that are not kept. With CAP_PERFMON it could read the memory of other
// processes in /proc.
func fewer() (*unix.CapUserHeader, *[2]unix.CapUserData) {
	header, data := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, new([2]unix.CapUserData)
	if unix.Capget(header, &data[0]) != nil {
		return header, data // none
	}
	for i, kept := range []uint32{keptCapabilities, 0} {
		data[i].Effective &= kept
		data[i].Permitted &= kept
		data[i].Inheritable &= kept
	}
	return header, data
}

// restrict restricts the thread of the caller, and the processes that it starts.
func (r *rules) restrict() error {
	header, data := fewer()
	if err := unix.Capset(header, &data[0]); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func (r *rules) close() { unix.Close(r.fd) }

// mapped returns the files of which code is in memory: the program, and the libraries and the loader of a program with cgo.
func mapped() (files []string) {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		i := strings.IndexByte(lines.Text(), '/')
		if i < 0 {
			continue
		}
		if path := lines.Text()[i:]; !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	return files
}
