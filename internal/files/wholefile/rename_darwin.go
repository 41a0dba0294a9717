package wholefile

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

func exchange(root *os.Root, a, b string) error { return renamex(root, a, b, unix.RENAME_SWAP) }

func moveNew(root *os.Root, from, to string) error { return renamex(root, from, to, unix.RENAME_EXCL) }

func renamex(root *os.Root, from, to string, flags uint32) error {
	if _, err := root.Stat(filepath.Dir(to)); err != nil { // fails if a link leads out of root
		return err
	}
	from, to = filepath.Join(root.Name(), from), filepath.Join(root.Name(), to)
	switch err := unix.RenamexNp(from, to, flags); err {
	case nil:
		return nil
	case unix.ENOSYS, unix.EINVAL, unix.ENOTSUP:
		return errors.ErrUnsupported // not supported by this file system
	default:
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
}
