package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/limits/effort"
)

// Folder is a [Store] in a folder of the file system. The folder and its parents are created for the first file or
// lock. Only the owner may read the stored files, and only one process at a time holds a lock. Releasing a lock
// removes the folders that taking it created if they contain no files.
type Folder string

const fileLock = "lock" // in the folder

// Path returns the path of a file.
func (f Folder) Path(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

func tooLarge(s Store, name string, size int64, limit *effort.Kind) error {
	return regular.TooLarge(s.Path(name), size, limit)
}

// Open opens a file.
func (f Folder) Open(_ context.Context, name string) (File, error) {
	file, info, err := regular.Open(f.Path(name))
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		file.Close()
		return nil, fmt.Errorf("%s: %w", f.Path(name), regular.ErrFolder)
	}
	return folderFile{file, info.Size()}, nil
}

type folderFile struct {
	*os.File
	size int64
}

func (f folderFile) Size() int64 { return f.size }

// Create starts a new file. Until Commit its name begins with a dot.
func (f Folder) Create(_ context.Context, name string) (Writer, error) {
	path := f.Path(name)
	if err := wholefile.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	file, err := os.OpenFile(wholefile.Part(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &folderWriter{file, path}, nil
}

type folderWriter struct {
	*os.File // nil after Commit or Discard
	path     string
}

func (w *folderWriter) Commit() error {
	err := errors.Join(wholefile.Flush(w), w.Close())
	part := w.Name()
	w.File = nil
	if err == nil {
		err = os.Rename(part, w.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return wholefile.SyncDir(filepath.Dir(w.path))
}

func (w *folderWriter) Discard() {
	if w.File != nil {
		_ = w.Close()
		_ = os.Remove(w.Name())
		w.File = nil
	}
}

// List walks a folder. It does not follow links, and omits incomplete files.
func (f Folder) List(ctx context.Context, folder string, do func(Info) error) error {
	top := f.Path(folder)
	return filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		switch {
		case path == top && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() || strings.HasPrefix(e.Name(), ".") && strings.HasSuffix(e.Name(), wholefile.Suffix):
			return nil
		case path == top:
			return fmt.Errorf("%s: not a folder", path)
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(string(f), path)
		if err != nil {
			return err
		}
		return do(Info{filepath.ToSlash(name), info.Size(), info.ModTime()})
	})
}

// Remove removes a file.
func (f Folder) Remove(_ context.Context, name string) error {
	path := f.Path(name)
	if err := os.Remove(path); err != nil {
		return err
	}
	return wholefile.SyncDir(filepath.Dir(path))
}

// Lock takes the lock, which is a file, and removes incomplete files that killed runs left behind.
func (f Folder) Lock(ctx context.Context, _ bool) (Lock, error) {
	var created []string
	for dir := string(f); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		created = append(created, dir)
	}
	for tries := 1; ; tries++ {
		if err := cmp.Or(ctx.Err(), wholefile.MkdirAll(string(f), 0o700)); err != nil {
			return nil, err
		}
		file, err := os.OpenFile(f.Path(fileLock), os.O_CREATE|os.O_RDWR, 0o600)
		if err == nil {
			if err = filelock.Try(file); errors.Is(err, errors.ErrUnsupported) {
				err = nil
			} else if err == nil && !filelock.IsAt(file, file.Name()) {
				err = fs.ErrNotExist
			}
			if err != nil {
				file.Close()
			}
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) && tries < 100:
			continue // a run that stored nothing has removed the file
		case errors.Is(err, filelock.ErrTaken):
			return nil, fmt.Errorf("%s: %w", string(f), ErrLocked)
		case err != nil:
			return nil, err
		}
		f.tidy()
		return &folderLock{file, f, created}, nil
	}
}

type folderLock struct {
	file    *os.File
	in      Folder
	created []string // created folders, innermost first
}

func (*folderLock) Held(context.Context) error { return nil }

func (l *folderLock) Unlock() error {
	if !l.in.isEmpty() {
		return l.file.Close()
	}
	entries, err := os.ReadDir(string(l.in))
	for _, e := range entries {
		if e.IsDir() {
			_ = os.Remove(l.in.Path(e.Name()))
		}
	}
	filelock.RemoveLocked(l.file)
	for _, dir := range l.created {
		if os.Remove(dir) != nil {
			break // another run has stored something in it
		}
	}
	return err
}

// isEmpty reports whether the folder contains no stored files.
func (f Folder) isEmpty() bool {
	// Unlock has no context, and also removes the folder after a cancel.
	return f.List(context.Background(), "", func(i Info) error {
		if i.Name != fileLock {
			return fs.ErrExist
		}
		return nil
	}) == nil
}

// Scratch creates a hidden folder for this run. If the run is killed, the next Lock removes the folder.
func (f Folder) Scratch() (string, error) { return os.MkdirTemp(string(f), ".trowel-*.tmp") }

// tidy removes incomplete files where possible: on some systems a file cannot be removed while a program has it open.
func (f Folder) tidy() {
	entries, _ := os.ReadDir(string(f))
	dirs := []string{string(f)}
	for _, e := range entries {
		switch path := f.Path(e.Name()); {
		case strings.HasPrefix(e.Name(), ".trowel-") && strings.HasSuffix(e.Name(), ".tmp"):
			_ = os.RemoveAll(path)
		case e.IsDir():
			dirs = append(dirs, path)
		}
	}
	for _, dir := range dirs {
		_ = wholefile.RemoveParts(dir)
	}
}
