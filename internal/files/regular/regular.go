// Package regular opens regular files and folders only. It rejects pipes, whose opening could block, and devices,
// which could be endless, before it opens them, and files that are larger than their format allows before it allocates
// memory.
//
// [FS] defines how symbolic links in folders are read, the same everywhere: a link whose target is a regular file or a folder
// inside the folder being read is replaced by the target. A link that leads out of the folder, that has no target, or whose
// target is anything else is skipped and reported. So a folder from another person never exposes or copies files outside it.
// A name that is not UTF-8 is also skipped and reported: package fs has no paths for it.
//
// Git LFS pointers, the small texts that replace large files until Git LFS fetches them, are recognized by [IsPointer].
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/limits/effort"
)

// ErrKind is the cause of an error about something that is neither a file nor a folder.
var ErrKind = errors.New("neither a file nor a folder")

// ErrFolder is the cause of an error about a folder where a file is expected.
var ErrFolder = errors.New("a folder, not a file")

// Check returns an error unless info describes a file or a folder.
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

// Open opens a file or a folder, and rejects everything else. It follows links.
func Open(path string) (*os.File, fs.FileInfo, error) {
	return open(path, os.Stat, openShared)
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
	if info, err = f.Stat(); err == nil { // it may have been replaced meanwhile
		err = Check(info, path)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// OpenRoot opens a folder. It follows links.
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

// TooLarge returns the error for a file of more bytes than limit allows.
func TooLarge(path string, size int64, limit *effort.Kind) error {
	e := limit.Over(size)
	e.File = path
	return e
}

// ReadFile reads a file of no more bytes than limit allows.
func ReadFile(path string, limit *effort.Kind) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, info, path, limit)
}

func read(f io.Reader, info fs.FileInfo, path string, limit *effort.Kind) ([]byte, error) {
	if info.IsDir() {
		return nil, fmt.Errorf("%s: %w", path, ErrFolder)
	}
	if e := limit.Over(info.Size()); e != nil {
		e.File = path
		return nil, e
	}
	return ReadAll(f, path, info.Size(), limit)
}

// ReadAll reads all of r, which must have no more bytes than limit allows. Expected is a hint for the size.
func ReadAll(r io.Reader, path string, expected int64, limit *effort.Kind) ([]byte, error) {
	most := limit.Limit(0)
	data := make([]byte, 0, min(expected, most)+1)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > most:
			e := limit.More()
			e.File = path
			return nil, e
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		}
		if len(data) == cap(data) {
			more := make([]byte, len(data), min(2*int64(cap(data))+512, most+1))
			copy(more, data)
			data = more
		}
	}
}

// OpenIn is [Open] for a path below root, with slashes. It follows no link out of root.
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
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fail(e.Err)
	}
	return f, info, err
}

// Limit returns fsys with a limit: [fs.ReadFile] reads only files of no more bytes than limit allows, and allocates no memory for
// more.
func Limit(fsys fs.FS, limit *effort.Kind) fs.FS { return limited{fsys, limit} }

type limited struct {
	fs.FS
	limit *effort.Kind
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
