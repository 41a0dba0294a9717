package worlddir

import (
	"errors"
	"io"
	"io/fs"

	"trowel.example/internal/files/tree"
)

// otherFile is a file or folder of the world that is presented unchanged.
type otherFile struct {
	fs.File
	info  fs.FileInfo
	path  string
	shown func(e fs.DirEntry) (name string, ok bool) // whether an entry is visible, and its name
	first []tree.Node                                // entries before those of the folder
}

func (f *otherFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// Seek moves to an offset in a file.
func (f *otherFile) Seek(offset int64, whence int) (int64, error) {
	if s, ok := f.File.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, &fs.PathError{Op: "seek", Path: f.path, Err: errors.ErrUnsupported}
}

// ReadDir returns the next n entries.
func (f *otherFile) ReadDir(n int) ([]fs.DirEntry, error) {
	dir, ok := f.File.(fs.ReadDirFile)
	if !ok || !f.info.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: f.path, Err: errors.New("not a folder")}
	}
	var page []fs.DirEntry
	for len(f.first) > 0 && (n <= 0 || len(page) < n) {
		page = append(page, f.first[0].Entry())
		f.first = f.first[1:]
	}
	for n <= 0 || len(page) < n {
		entries, err := dir.ReadDir(max(n-len(page), min(n, 0)))
		for _, e := range entries {
			if name, ok := f.shown(e); ok {
				page = append(page, renamedEntry{e, name})
			}
		}
		switch {
		case err == io.EOF && len(page) > 0:
			return page, nil
		case err != nil || n <= 0:
			return page, err
		}
	}
	return page, nil
}

// renamedEntry is an entry with its name in the tree.
type renamedEntry struct {
	fs.DirEntry
	name string
}

func (e renamedEntry) Name() string   { return e.name }
func (e renamedEntry) String() string { return fs.FormatDirEntry(e) }

func (e renamedEntry) Info() (fs.FileInfo, error) {
	i, err := e.DirEntry.Info()
	if err != nil {
		return nil, err
	}
	return tree.Renamed(i, e.name), nil
}
