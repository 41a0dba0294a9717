// Package sandbox makes the system hold a process to what its verb needs, so that a file that takes over the program gains
// little. On Linux a thread restricts itself with Landlock and executes the program again, which then is restricted as a whole,
// with and without cgo; there it gives up system calls with seccomp, for all threads at once. Kernels without them, and other
// systems, protect less: that is no error. Only the main function of a program uses this package.
package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Variable is the environment variable that switches the sandbox off if its value is off.
const Variable = "TROWEL_SANDBOX"

// Limits are what a process keeps. Paths that do not exist are ignored.
type Limits struct {
	Read     []string // files, and folders with all that they contain
	Write    []string // the same, to read and to change
	List     []string // folders in which names are read
	Programs bool     // it may start programs, from any folder
	Network  bool     // it may open sockets
}

// Support is what the system offers.
type Support struct {
	Landlock int  // version of its interface; 0: it has none
	Seccomp  bool // for this processor
}

// LeastLandlock is the version of Landlock that is needed: the first in which files can be renamed from one folder to another.
const LeastLandlock = 2

// Off reports whether the user has switched the sandbox off.
func Off() bool { return os.Getenv(Variable) == "off" }

// Inside reports whether the process has entered the sandbox.
func Inside() bool { return inside }

// Entered is called when the process has given up all that it will. Only tests set it.
var Entered func()

func entered() {
	if Entered != nil {
		Entered()
	}
}

// Denied reports whether an error of a process inside the sandbox was probably caused by it: the system denies an access that the
// permissions of the file allow. Names without their folder (of an [os.Root]) cannot be judged.
func Denied(err error) bool {
	if err == nil || !inside || !errors.Is(err, fs.ErrPermission) {
		return false
	}
	var path *fs.PathError
	var link *os.LinkError
	named, linked := errors.As(err, &path), errors.As(err, &link)
	switch {
	case errors.Is(err, errDeniedCall): // a socket or a program
		return !linked && (!named || path.Op == "fork/exec")
	case named:
		return mayAccess(path.Op, path.Path)
	case linked:
		return mayAccess(link.Op, link.Old) && mayAccess(link.Op, link.New)
	}
	return false
}

// Existing returns the path itself, or its closest parent that exists.
func Existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
