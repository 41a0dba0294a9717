package output

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"trowel.example/internal/files/wholefile"
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
	return wholefile.Flush(fileSystem{d})
}

// fileSystem is the file system that contains a folder.
type fileSystem struct{ dir *os.File }

func (s fileSystem) Sync() error {
	if err := unix.Syncfs(int(s.dir.Fd())); err != nil {
		return &fs.PathError{Op: "syncfs", Path: s.dir.Name(), Err: err}
	}
	return nil
}
