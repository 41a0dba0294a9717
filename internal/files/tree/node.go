package tree

import (
	"bytes"
	"io"
	"io/fs"
	"time"
)

// A Node is a file or folder of a tree that is too large to be listed completely: a file system finds the node of a
// path, and opens it.
type Node struct {
	Name    string
	Meta    Meta
	Content func() ([]byte, error) // content of a file; called whenever it is opened
	Pieces  Pieces                 // of a large file; may be nil
	List    func() (List, error)   // entries of a folder
}

// A List is the sorted entries of a folder, which are created on request.
type List struct {
	N  int
	At func(i int) Node
}

// page returns the entries i with from <= i < to.
func (l List) page(from, to int) []fs.DirEntry {
	page := make([]fs.DirEntry, 0, to-from)
	for i := range to - from {
		page = append(page, l.At(from+i).Entry())
	}
	return page
}

// Info describes the node. It computes the size only on request.
func (n Node) Info() fs.FileInfo { return info{n, -1} }

// Entry returns the node as an entry of a folder.
func (n Node) Entry() fs.DirEntry { return fs.FileInfoToDirEntry(n.Info()) }

// info describes a node. A size of -1 is unknown and computed on request.
type info struct {
	n    Node
	size int64
}

func (i info) Name() string       { return i.n.Name }
func (i info) IsDir() bool        { return i.n.List != nil }
func (i info) ModTime() time.Time { return i.n.Meta.Time }
func (i info) Sys() any           { return i.n.Meta }

func (i info) Mode() fs.FileMode {
	if i.IsDir() {
		return fs.ModeDir | 0o555
	}
	if i.n.Meta.Owner {
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
	data, _ := i.n.Content() // opening the file returns the error
	return int64(len(data))
}

// Renamed returns info with another name.
func Renamed(info fs.FileInfo, name string) fs.FileInfo { return renamed{info, name} }

type renamed struct {
	fs.FileInfo
	name string
}

func (r renamed) Name() string { return r.name }

// Open opens the node under the given path. A folder returns its entries page by page.
func (n Node) Open(path string) (fs.File, error) {
	if n.List != nil {
		l, err := n.List()
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		return &openDir{node: n, path: path, list: l}, nil
	}
	if n.Pieces != nil {
		if r, size, err := n.Pieces(); err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		} else if r != nil {
			return &openPieces{n, r, size}, nil
		}
	}
	data, err := n.Content()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &openFile{n, bytes.NewReader(data)}, nil
}

type openFile struct {
	node Node
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return info{f.node, f.Reader.Size()}, nil }
func (f *openFile) Close() error               { return nil }

type openPieces struct {
	node Node
	io.Reader
	size int64
}

func (f *openPieces) Stat() (fs.FileInfo, error) { return info{f.node, f.size}, nil }
func (f *openPieces) Close() error               { return nil }

type openDir struct {
	node Node
	path string
	list List
	next int
}

func (d *openDir) Stat() (fs.FileInfo, error) { return info{d.node, 0}, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.path, Err: fs.ErrInvalid}
}

// InOrder reports whether an open folder returns its entries in a fixed order, as all folders of a tree do. Folders of
// the file system do not.
func InOrder(f fs.File) bool {
	o, ok := f.(interface{ InOrder() bool })
	return ok && o.InOrder()
}

func (d *openDir) InOrder() bool { return true }

// ReadDir returns the next n entries.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	left := d.list.N - d.next
	if n > 0 && left == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > left {
		n = left
	}
	d.next += n
	return d.list.page(d.next-n, d.next), nil
}
