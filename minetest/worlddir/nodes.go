package worlddir

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"time"

	"trowel.example/internal/tree"
)

// node is a file or folder that is made of the world.
type node struct {
	name    string
	meta    tree.Meta
	content func() ([]byte, error) // of a file
	list    func() (list, error)   // of a folder
}

// list is the entries of a folder, which are made when they are asked for.
type list struct {
	n  int
	at func(i int) node
}

// info describes a node. A size that is not known, -1, is made when somebody asks.
type info struct {
	node
	size int64
}

func (i info) Name() string       { return i.name }
func (i info) IsDir() bool        { return i.list != nil }
func (i info) ModTime() time.Time { return i.meta.Time }
func (i info) Sys() any           { return i.meta }

func (i info) Mode() fs.FileMode {
	if i.IsDir() {
		return fs.ModeDir | 0o555
	}
	if i.meta.Owner {
		return 0o400
	}
	return 0o444
}

func (i info) Size() int64 {
	if i.IsDir() {
		return 0
	}
	if i.size >= 0 {
		return i.size
	}
	data, _ := i.content() // whoever opens the file gets the error
	return int64(len(data))
}

// open opens the node at a path.
func (n node) open(name string) (fs.File, error) {
	if n.list != nil {
		l, err := n.list()
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return &openDir{node: n, path: name, list: l}, nil
	}
	data, err := n.content()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{n, bytes.NewReader(data)}, nil
}

type openFile struct {
	node node
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return info{f.node, f.Reader.Size()}, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	node node
	path string
	list list
	next int
}

func (d *openDir) Stat() (fs.FileInfo, error) { return info{d.node, 0}, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.path, Err: fs.ErrInvalid}
}

// ReadDir gives the next n entries, in the order of the world.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	left := d.list.n - d.next
	if n > 0 && left == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > left {
		n = left
	}
	page := make([]fs.DirEntry, n)
	for i := range page {
		page[i] = fs.FileInfoToDirEntry(info{d.list.at(d.next), -1})
		d.next++
	}
	return page, nil
}

// otherFile is a file or folder of the world that is shown as it is.
type otherFile struct {
	fs.File
	info  fs.FileInfo
	path  string
	shown func(e fs.DirEntry) (name string, ok bool) // whether an entry is shown, and as what
	first []node                                     // entries that come before those of the folder
}

func (f *otherFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// Seek moves in a file.
func (f *otherFile) Seek(offset int64, whence int) (int64, error) {
	if s, ok := f.File.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, &fs.PathError{Op: "seek", Path: f.path, Err: errors.ErrUnsupported}
}

// ReadDir gives the next n entries.
func (f *otherFile) ReadDir(n int) ([]fs.DirEntry, error) {
	dir, ok := f.File.(fs.ReadDirFile)
	if !ok || !f.info.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: f.path, Err: errors.New("not a folder")}
	}
	var page []fs.DirEntry
	for len(f.first) > 0 && (n <= 0 || len(page) < n) {
		page = append(page, fs.FileInfoToDirEntry(info{f.first[0], -1}))
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

// renamedEntry is an entry under the name that the tree has for it.
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
	return renamedInfo{i, e.name}, nil
}

type renamedInfo struct {
	fs.FileInfo
	name string
}

func (i renamedInfo) Name() string { return i.name }
