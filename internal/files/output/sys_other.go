//go:build !linux

package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/files/wholefile"
)

func renameOverEmpty(from, to string) error { return errors.ErrUnsupported }

// syncAll flushes all files in a folder to disk.
func syncAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			syncDir(path)
			return nil
		case !e.Type().IsRegular():
			return nil
		}
		return syncFile(path)
	})
}

// syncFile flushes a file to disk. Windows requires that the file is opened for writing; read-only files are opened
// for reading.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return err
	}
	err = wholefile.Flush(f)
	if errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
