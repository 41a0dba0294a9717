package output

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// renameOverEmpty puts a folder in the place of one that has nothing in it, at once.
func renameOverEmpty(from, to string) error {
	if err := unix.Rename(from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// syncAll brings all that was written to the file system of a folder to the disk.
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
