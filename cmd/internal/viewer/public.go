package viewer

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"

	"trowel.example/internal/files/tree"
)

// public is the tree of a file without secrets: the sidecar, which is needed only for building and may contain
// data about passwords, is left out, and passwords in files are masked.
type public struct {
	tree fs.FS
	mask func(path string, content []byte) []byte // nil: there are no passwords
}

// maxFile is the maximum size in bytes of a file of a tree that is read for the page.
const maxFile = 64 << 20

func (p public) Open(name string) (fs.File, error) {
	if path.Base(name) == tree.Sidecar {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f, err := p.tree.Open(name)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if d, ok := f.(fs.ReadDirFile); ok && st.IsDir() {
		return publicFolder{d}, nil
	}
	if p.mask == nil {
		return f, nil
	}
	defer f.Close()
	data, err := readFile(f, name, st)
	if err != nil {
		return nil, err
	}
	data = p.mask(name, data)
	return &publicFile{bytes.NewReader(data), publicInfo{st, int64(len(data))}}, nil
}

func (p public) Stat(name string) (fs.FileInfo, error) {
	if path.Base(name) == tree.Sidecar {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return fs.Stat(p.tree, name)
}

func (p public) ReadFile(name string) ([]byte, error) {
	f, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readFile(f, name, st)
}

func readFile(f fs.File, name string, st fs.FileInfo) ([]byte, error) {
	switch {
	case st.IsDir():
		return nil, problem{http.StatusNotFound, name + ": a folder"}
	case st.Size() > maxFile:
		return nil, problem{http.StatusRequestEntityTooLarge,
			fmt.Sprintf("%s: %d bytes are too many to show (at most %d)", name, st.Size(), maxFile)}
	}
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// publicFolder leaves out the sidecar.
type publicFolder struct{ fs.ReadDirFile }

func (d publicFolder) InOrder() bool { return tree.InOrder(d.ReadDirFile) }

func (d publicFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	for {
		all, err := d.ReadDirFile.ReadDir(n)
		shown := all[:0:0]
		for _, e := range all {
			if e.Name() != tree.Sidecar {
				shown = append(shown, e)
			}
		}
		if len(shown) > 0 || len(all) == 0 || n <= 0 || err != nil {
			return shown, err
		}
	}
}

type publicFile struct {
	*bytes.Reader
	info publicInfo
}

func (f *publicFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *publicFile) Close() error               { return nil }

type publicInfo struct {
	fs.FileInfo
	size int64
}

func (i publicInfo) Size() int64 { return i.size }
