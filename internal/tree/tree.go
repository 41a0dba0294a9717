// Package tree makes a file system out of files whose contents are not there
// yet: the folder form of a game file. Listing it makes no contents; opening a
// file, or asking for its size, makes that file's.
package tree

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"trowel.example/internal/budget"
	"trowel.example/internal/pattern"
)

// Sidecar is the name of the file of a tree that keeps what only matters for
// giving back the same bytes. A tree without it builds to a clean file.
const Sidecar = ".trowel.json"

// Meta is what a tree knows of a file without making it. FileInfo.Sys gives it.
type Meta struct {
	Stored int64     // bytes that it takes in the game file; -1 if that is not known
	Note   string    // what it is, such as "50 x 45 tiles"
	Time   time.Time // when it was changed, if the game file tells
	Owner  bool      // nobody but its owner may read what it is made from
	Last   bool      // it is made quicker once all other files were
	Binary bool      // it is no text, whatever it holds
	Memory int64     // about how many bytes of memory making it takes; 0 if that is little

	// May reports whether a line of it may match a pattern: false where that is known
	// without making it. Nil is a file of which nothing is known.
	May func(*pattern.Pattern) bool
}

// making is for what takes much memory to be made: see [Room].
var making = budget.New(192 << 20)

// Room waits until there is memory to make files of all trees of the program at a time, and to use
// what was made until done is called. The caller must not make another file meanwhile.
func Room(files ...Meta) (done func()) {
	n := int64(0)
	for _, f := range files {
		n += f.Memory
	}
	return making.Take(n)
}

// Keeper is a tree whose sidecar is made from what making its other files shows at
// the same time: what that takes is done only once somebody says that the sidecar is wanted.
type Keeper interface {
	fs.FS
	// Keep says that the sidecar will be asked for, once all files were.
	Keep()
}

// Keep says that the sidecar of a tree will be asked for, once all its files were. The
// sidecar is the same without, but takes longer.
func Keep(fsys fs.FS) {
	if k, ok := fsys.(Keeper); ok {
		k.Keep()
	}
}

// FS is a tree of files. The zero value is an empty one. Files are added before
// it is used; then it may be used by many goroutines.
type FS struct {
	root node
}

type node struct {
	name    string
	entries []*node // of a folder, in the order in which they were added
	index   map[string]*node

	content func() ([]byte, error) // of a file; nil for a folder
	meta    Meta
}

// Add adds a file; the folders on its path come into being. The content is
// made again whenever the file is opened, so that a large tree never stands in
// memory as a whole. A second file of the same name replaces the first.
func (t *FS) Add(name string, meta Meta, content func() ([]byte, error)) {
	dir := &t.root
	for {
		first, rest, deeper := strings.Cut(name, "/")
		n := dir.index[first]
		if n == nil {
			n = &node{name: first}
			if dir.index == nil {
				dir.index = make(map[string]*node)
			}
			dir.index[first] = n
			dir.entries = append(dir.entries, n)
		}
		if !deeper {
			n.content, n.meta = content, meta
			return
		}
		dir, name = n, rest
	}
}

// AddBytes adds a file whose content is there.
func (t *FS) AddBytes(name string, data []byte) {
	t.Add(name, Meta{Stored: -1}, func() ([]byte, error) { return data, nil })
}

func (t *FS) find(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n := &t.root
	if name == "." {
		return n, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if n = n.index[part]; n == nil {
			return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
	}
	return n, nil
}

// Open opens a file or folder, as [fs.FS] says.
func (t *FS) Open(name string) (fs.File, error) {
	n, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	return n.shown(path.Base(name)).Open(name)
}

// ReadFile returns the content of a file. The caller may change it.
func (t *FS) ReadFile(name string) ([]byte, error) {
	n, err := t.find("readfile", name)
	if err == nil && n.isDir() {
		err = &fs.PathError{Op: "readfile", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return nil, err
	}
	data, err := n.content()
	if err != nil {
		return nil, &fs.PathError{Op: "readfile", Path: name, Err: err}
	}
	return slices.Clone(data), nil
}

// Stat describes a file or folder without making it; asking for its size does.
func (t *FS) Stat(name string) (fs.FileInfo, error) {
	n, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return n.shown(path.Base(name)).Info(), nil
}

// ReadDir lists a folder in the order of names.
func (t *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := t.find("readdir", name)
	if err == nil && !n.isDir() {
		err = &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return nil, err
	}
	l, err := n.list()
	return l.page(0, l.N), err
}

func (n *node) isDir() bool { return n.content == nil }

// shown returns the node as it is under a name.
func (n *node) shown(name string) Node {
	if n.isDir() {
		return Node{Name: name, Meta: n.meta, List: n.list}
	}
	return Node{Name: name, Meta: n.meta, Content: n.content}
}

func (n *node) list() (List, error) {
	all := slices.SortedFunc(slices.Values(n.entries), func(a, b *node) int { return strings.Compare(a.name, b.name) })
	return List{len(all), func(i int) Node { return all[i].shown(all[i].name) }}, nil
}
