// Package tree implements file systems whose contents are created on demand: the folder form of a game file. Listing
// the tree creates no contents; opening a file, or requesting its size, creates the content of this file.
package tree

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/pattern"
)

// Sidecar is the name of the file of a tree with data that is needed only for a byte-identical file. A tree without a
// sidecar builds to a clean file.
const Sidecar = ".trowel.json"

// Meta is the information about a file that is available without creating its content. FileInfo.Sys returns it.
type Meta struct {
	Stored int64     // size in the game file in bytes; -1 if unknown
	Note   string    // short description, such as "50 x 45 tiles"
	Time   time.Time // modification time, if the game file stores it
	Owner  bool      // only the owner may read the data that it is made from
	Last   bool      // creating it is faster after all other files
	Binary bool      // not a text file, whatever its content
	Memory int64     // approximate memory in bytes that creating it takes; 0 if that is little

	// May reports whether a line of the file may match a pattern: false if it is known that no line matches. Nil:
	// unknown.
	May func(*pattern.Pattern) bool
}

// making limits the memory for creating files: see [Room].
var making = parallel.NewBudget(192 << 20)

// Room waits until there is enough memory for creating the given files, across all trees of the program. The memory is
// reserved until the caller calls done. The caller must not create other files meanwhile.
func Room(files ...Meta) (done func()) {
	n := int64(0)
	for _, f := range files {
		n += f.Memory
	}
	return making.Take(n)
}

// keeper is a tree whose sidecar can be made from data obtained while creating its other files. This data is collected
// only after a call of Keep.
type keeper interface {
	fs.FS
	// Keep announces that the sidecar will be read after all other files.
	Keep()
}

// Keep announces that the sidecar of a tree will be read after all other files. Without Keep, the sidecar is the same
// but takes longer.
func Keep(fsys fs.FS) {
	if k, ok := fsys.(keeper); ok {
		k.Keep()
	}
}

// FS is a tree of files. The zero value is empty. Files must be added before it is used; then it may be used
// concurrently.
type FS struct {
	root node
}

type node struct {
	name    string
	entries []*node // entries of a folder, in the order in which they were added
	index   map[string]*node

	content func() ([]byte, error) // content of a file; nil for a folder
	pieces  Pieces
	meta    Meta
}

// Add adds a file, and creates the folders on its path. Content is called whenever the file is opened, so that a large
// tree is never in memory as a whole. A second file with the same name replaces the first.
func (t *FS) Add(name string, meta Meta, content func() ([]byte, error)) {
	t.AddPieces(name, meta, content, nil)
}

// Pieces returns a reader of the content of a large file, which is in memory piece by piece, and its size; or nil if only the
// whole content can be made.
type Pieces func() (r io.Reader, size int64, err error)

// AddPieces is Add for a file that is read piece by piece when it is opened, if pieces allows it; [FS.ReadFile] uses content.
func (t *FS) AddPieces(name string, meta Meta, content func() ([]byte, error), pieces Pieces) {
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
			n.content, n.pieces, n.meta = content, pieces, meta
			return
		}
		dir, name = n, rest
	}
}

// AddBytes adds a file with existing content.
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

// Open opens a file or folder, as described by [fs.FS].
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

// Stat describes a file or folder without creating its content; requesting the size does create it.
func (t *FS) Stat(name string) (fs.FileInfo, error) {
	n, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return n.shown(path.Base(name)).Info(), nil
}

// ReadDir lists a folder, sorted by name.
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

// shown returns the node under the given name.
func (n *node) shown(name string) Node {
	if n.isDir() {
		return Node{Name: name, Meta: n.meta, List: n.list}
	}
	return Node{Name: name, Meta: n.meta, Content: n.content, Pieces: n.pieces}
}

func (n *node) list() (List, error) {
	all := slices.SortedFunc(slices.Values(n.entries), func(a, b *node) int { return strings.Compare(a.name, b.name) })
	return List{len(all), func(i int) Node { return all[i].shown(all[i].name) }}, nil
}
