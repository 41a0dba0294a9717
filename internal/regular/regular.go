// Package regular opens files that are files: a pipe, which would never open, and a
// device, which would never end, are refused before they are opened, and what is
// larger than its format allows before any memory is taken for it.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/fault"
)

// ErrKind is the cause of an error about what is neither a file nor a folder.
var ErrKind = errors.New("neither a file nor a folder")

// ErrFolder is the cause of an error about a folder in the place of a file.
var ErrFolder = errors.New("a folder, not a file")

// Check returns an error if info is that of neither a file nor a folder.
func Check(info fs.FileInfo, path string) error {
	kind := ""
	switch mode := info.Mode(); {
	case mode.IsRegular(), mode.IsDir():
		return nil
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe, "
	case mode&fs.ModeSocket != 0:
		kind = "a socket, "
	case mode&fs.ModeDevice != 0:
		kind = "a device, "
	}
	return fmt.Errorf("%s: %s%w", path, kind, ErrKind)
}

// Open opens a file or a folder, and nothing else. Links are followed.
func Open(path string) (*os.File, fs.FileInfo, error) {
	return open(path, os.Stat, func(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|nonblock, 0) })
}

func open(path string, stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error)) (*os.File, fs.FileInfo, error) {
	info, err := stat(path)
	if err == nil {
		err = Check(info, path)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := open(path)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil { // it may be another one by now
		err = Check(info, path)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// OpenRoot opens a folder. Links are followed.
func OpenRoot(path string) (*os.Root, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = Check(info, path)
	}
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(path)
}

// TooLarge is the error about a file of size bytes where there can be limit.
func TooLarge(path string, size, limit int64) error {
	return &fault.Error{File: path, Offset: -1, Want: fmt.Sprintf("at most %d bytes", limit), Got: fmt.Sprint(size), Err: fault.ErrLimit}
}

// ReadFile reads a file of at most limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, info, path, limit)
}

func read(f io.Reader, info fs.FileInfo, path string, limit int64) ([]byte, error) {
	if info.IsDir() {
		return nil, fmt.Errorf("%s: %w", path, ErrFolder)
	}
	if info.Size() > limit {
		return nil, TooLarge(path, info.Size(), limit)
	}
	return ReadAll(f, path, info.Size(), limit)
}

// ReadAll reads all of r, which may have expected bytes, and at most limit.
func ReadAll(r io.Reader, path string, expected, limit int64) ([]byte, error) {
	data := make([]byte, 0, min(expected, limit)+1)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, &fault.Error{File: path, Offset: -1, Want: fmt.Sprintf("at most %d bytes", limit), Got: "more", Err: fault.ErrLimit}
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		}
		if len(data) == cap(data) {
			more := make([]byte, len(data), min(2*int64(cap(data))+512, limit+1))
			copy(more, data)
			data = more
		}
	}
}

// OpenIn is [Open] for a path below root, with slashes. No link leads out of that.
func OpenIn(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	fail := func(err error) (*os.File, fs.FileInfo, error) {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	f, info, err := open(filepath.FromSlash(name), root.Stat, func(path string) (*os.File, error) {
		return root.OpenFile(path, os.O_RDONLY|nonblock, 0)
	})
	var e *fs.PathError
	if errors.As(err, &e) {
		return fail(e.Err)
	}
	return f, info, err
}

// Limit returns fsys such that [fs.ReadFile] reads up to limit bytes of each file, and
// takes no memory for more.
func Limit(fsys fs.FS, limit int64) fs.FS { return limited{fsys, limit} }

type limited struct {
	fs.FS
	limit int64
}

func (l limited) ReadFile(name string) ([]byte, error) {
	f, err := l.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := read(f, info, name, l.limit)
	if errors.Is(err, ErrFolder) {
		err = &fs.PathError{Op: "read", Path: name, Err: ErrFolder}
	}
	return data, err
}

func (l limited) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(l.FS, name) }
func (l limited) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(l.FS, name) }
