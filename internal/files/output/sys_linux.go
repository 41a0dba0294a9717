package output

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// renameOverEmpty replaces an empty folder by another one, atomically.
func renameOverEmpty(from, to string) error {
	if err := unix.Rename(from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// syncAll flushes the file system that contains a folder to disk.
func syncAll(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := unix.Syncfs(int(d.Fd())); err != nil {
		return &fs.PathError{Op: "syncfs", Path: dir, Err: err}
	}
	return nil
}
