// Package wholefile writes files atomically: a file exists completely or not at all.
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
	"slices"
	"strings"
)

// Suffix is the suffix of the names of incomplete files, which begin with a dot.
const Suffix = ".trowel-part"

// Part returns the path of a file while it is being written.
func Part(path string) string {
	return filepath.Join(filepath.Dir(path), "."+strings.TrimPrefix(filepath.Base(path), ".")+Suffix)
}

// Write writes the data of r to a file. It replaces an existing file once all data is on disk, and keeps its
// permissions; a new file gets those of mode.
func Write(path string, r io.Reader, mode fs.FileMode) error {
	if st, err := os.Stat(path); err == nil {
		mode = st.Mode().Perm() // keep a secret file secret
	}
	part := Part(path)
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err = errors.Join(err, Flush(f), f.Close()); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return SyncDir(filepath.Dir(path))
}

// Create creates an empty file in the folder of path, with a unique name, to be renamed to path by [os.Rename] or
// [Keep]. Its permissions depend on the umask, as for any new file.
func Create(path string) (*os.File, error) {
	for {
		part := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%x%s", strings.TrimPrefix(filepath.Base(path), "."), rand.Uint64(), Suffix))
		f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Keep renames a file, which must be on disk and in the folder of path, to path. If path exists, even if only just
// created, that file is kept and part is removed.
func Keep(part, path string) error {
	err := MovePath(part, path)
	if errors.Is(err, fs.ErrExist) {
		return os.Remove(part)
	}
	return err
}

// IsPart reports whether a name is that of an incomplete file.
func IsPart(name string) bool { return strings.HasPrefix(name, ".") && strings.HasSuffix(name, Suffix) }

// RemoveParts removes incomplete files of killed runs from a folder. No program may be writing in the folder.
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
		if IsPart(e.Name()) && e.Type().IsRegular() {
			err = errors.Join(err, root.Remove(path.Join(dir, e.Name())))
		}
	}
	return err
}

var unflushed bool

// SkipFlush is for tests: with skip, nothing is flushed to disk, which takes most of the time of small writes.
func SkipFlush(skip bool) { unflushed = skip }

// Flushes reports whether [Flush] flushes.
func Flushes() bool { return !unflushed }

// Flush flushes a file to disk, so that it survives a crash of the system. The program flushes nothing in another way.
func Flush(f interface{ Sync() error }) error {
	if unflushed {
		return nil
	}
	return f.Sync()
}

// SyncDir flushes the names in a folder to disk, so that they survive a crash of the system.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows does not support or need this
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(Flush(f), f.Close())
}

// MkdirAll is [os.MkdirAll] for folders that survive a crash of the system, where that is possible.
func MkdirAll(dir string, mode fs.FileMode) error {
	var created []string
	for at := filepath.Clean(dir); at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		created = append(created, at)
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return err
	}
	for _, at := range slices.Backward(created) {
		_ = SyncDir(filepath.Dir(at)) // some file systems cannot, and some parents cannot be read
	}
	return nil
}

// Sync flushes a file to disk.
func Sync(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(Flush(f), f.Close())
}
