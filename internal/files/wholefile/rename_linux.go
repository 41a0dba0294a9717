package wholefile

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

func exchange(root *os.Root, a, b string) error { return renameat2(root, a, b, unix.RENAME_EXCHANGE) }

func moveNew(root *os.Root, from, to string) error {
	return renameat2(root, from, to, unix.RENAME_NOREPLACE)
}

// renameat2 renames in opened folders, so that no link can lead out of root.
func renameat2(root *os.Root, from, to string, flags uint) error {
	at, err := root.Open(filepath.Dir(from))
	if err != nil {
		return err
	}
	defer at.Close()
	goal, err := root.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer goal.Close()
	err = unix.Renameat2(int(at.Fd()), filepath.Base(from), int(goal.Fd()), filepath.Base(to), flags)
	switch err {
	case nil:
		return nil
	case unix.ENOSYS, unix.EINVAL, unix.ENOTSUP:
		return errors.ErrUnsupported // not supported by the kernel or this file system
	}
	return &os.LinkError{Op: "rename", Old: filepath.Join(root.Name(), from), New: filepath.Join(root.Name(), to), Err: err}
}
