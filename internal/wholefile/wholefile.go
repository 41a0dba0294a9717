// Package wholefile writes files that are there whole or not at all.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// Suffix is what the name of a file ends with that is not complete; it begins with a dot.
const Suffix = ".trowel-part"

// Part returns where a file is while it is written.
func Part(path string) string {
	return filepath.Join(filepath.Dir(path), "."+strings.TrimPrefix(filepath.Base(path), ".")+Suffix)
}

// Write makes a file of what r gives. One that is there is replaced once all is on the disk,
// and its permissions stay; a new one has those of mode.
func Write(path string, r io.Reader, mode fs.FileMode) error {
	if st, err := os.Stat(path); err == nil {
		mode = st.Mode().Perm() // a secret stays one
	}
	part := Part(path)
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return SyncDir(filepath.Dir(path))
}

// Create makes an empty file beside path, with a name that no other process has, for [os.Rename] or
// [Keep] to give it that of path. Who may read it is up to the umask, as with any new file.
func Create(path string) (*os.File, error) {
	for {
		part := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%x%s", strings.TrimPrefix(filepath.Base(path), "."), rand.Uint64(), Suffix))
		f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Keep gives a file that is on the disk, in the folder of path, its name, unless there is one of that
// name, be it since a moment ago: then that stays, and the other one is removed.
func Keep(part, path string) error {
	err := MovePath(part, path)
	if errors.Is(err, fs.ErrExist) {
		return os.Remove(part)
	}
	return err
}

// RemoveParts removes from a folder what runs that were killed have left there half written. Nobody
// may be writing into it.
func RemoveParts(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	return errors.Join(RemovePartsIn(root, "."), root.Close())
}

// RemovePartsIn is [RemoveParts] for a folder below root, with slashes.
func RemovePartsIn(root *os.Root, dir string) error {
	list, err := fs.ReadDir(root.FS(), dir)
	for _, e := range list {
		if strings.HasPrefix(e.Name(), ".") && strings.HasSuffix(e.Name(), Suffix) && e.Type().IsRegular() {
			err = errors.Join(err, root.Remove(path.Join(dir, e.Name())))
		}
	}
	return err
}

// SyncDir makes sure that the names in a folder outlive a crash of the system.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such thing, and needs none
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Sync flushes a file to disk.
func Sync(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
