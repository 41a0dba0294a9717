package filelock

import (
	"errors"
	"io/fs"
	"os"
)

// Hold opens and locks the file of a name, and creates it if it does not exist. Where files cannot
// be locked it opens the file only. [Release] or Close ends the lock.
func Hold(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err = Try(f); errors.Is(err, errors.ErrUnsupported) {
			return f, nil
		}
		if err == nil {
			var mine, named fs.FileInfo
			if mine, err = f.Stat(); err == nil {
				named, err = os.Stat(path)
			}
			if err == nil && os.SameFile(mine, named) {
				return f, nil
			}
			if err == nil || errors.Is(err, fs.ErrNotExist) { // its last holder has removed it
				f.Close()
				continue
			}
		}
		f.Close()
		return nil, err
	}
}

// Release removes a file that [Hold] has locked, and ends the lock. Where an open file cannot be
// removed, the file may stay: it is the next holder's.
func Release(f *os.File) error {
	removed := os.Remove(f.Name()) == nil
	err := f.Close()
	if !removed {
		_ = os.Remove(f.Name())
	}
	return err
}
