package worlddir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/minetest/world"
)

// others are the files of the world that the tree presents unchanged.
type others struct {
	dir    string
	hidden map[string]bool              // paths in the world's own folder that are not visible
	first  []tree.Node                  // entries of the tree that are generated from the world
	left   func(path string, err error) // receives links that are left out; may be nil
	opened func(root io.Closer)         // receives the folder, to close it

	once sync.Once
	fsys *regular.FS
	err  error
}

// ours reports whether a name is reserved for an entry of the tree that is not a file of the world.
func ours(name string) bool {
	return isOneOf(name, blocksDir+" "+playersDir+" "+authDir+" "+storageDir+" "+tree.Sidecar)
}

// elemOf returns the name of an entry of a folder in the tree.
func elemOf(name string, top bool) string {
	if top && ours(name) {
		return fmt.Sprintf("%%%02X%s", name[0], name[1:])
	}
	return safename.TreePath(name)
}

// trueElem is the inverse of elemOf. It returns false for names that elemOf never returns.
func trueElem(elem string, top bool) (string, bool) {
	name := safename.FromTreePath(elem)
	return name, elemOf(name, top) == elem && name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}

// transient reports whether a file is only useful to the program that has the adjacent database open.
func transient(dir, name string) bool {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return name == "LOCK" && strings.HasSuffix(dir, ".db")
}

// folder returns the folder of the world. Links are handled as in package regular.
func (o *others) folder() (*regular.FS, error) {
	o.once.Do(func() {
		root, err := os.OpenRoot(o.dir)
		if err != nil {
			o.err = err
			return
		}
		o.opened(root)
		o.fsys = regular.NewFS(root, func(path string, err error) {
			if o.left != nil && !o.hidden[path] {
				o.left(path, err)
			}
		})
	})
	return o.fsys, o.err
}

// open opens a file or folder by its path in the tree. Links are handled as in package regular.
func (o *others) open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	real, top := ".", true
	if name != "." {
		for elem := range strings.SplitSeq(name, "/") {
			part, ok := trueElem(elem, top)
			if !ok || o.hidden[path.Join(real, part)] || transient(path.Base(real), part) {
				return fail(fs.ErrNotExist)
			}
			real, top = path.Join(real, part), false
		}
	}
	root, err := o.folder()
	if err != nil {
		return fail(cause(err))
	}
	// Opening a pipe would block.
	if st, err := root.Stat(real); err != nil {
		return fail(cause(err))
	} else if !st.IsDir() && !st.Mode().IsRegular() {
		return fail(fs.ErrNotExist)
	} else if err := world.CheckText(real, st); err != nil {
		return fail(err)
	}
	f, err := root.Open(real)
	if err != nil {
		return fail(cause(err))
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return fail(cause(err))
	}
	file := &otherFile{File: f, info: tree.Renamed(st, path.Base(name)), path: name}
	if name == "." {
		file.first = o.first
	}
	file.shown = func(e fs.DirEntry) (string, bool) {
		if o.hidden[path.Join(real, e.Name())] || transient(path.Base(real), e.Name()) {
			return "", false
		}
		if name == "." && o.unreadable(e) {
			return "", false
		}
		if !e.IsDir() && !e.Type().IsRegular() {
			if o.left != nil && e.Type()&fs.ModeSymlink == 0 { // links are already reported
				o.left(path.Join(real, e.Name()), errOdd)
			}
			return "", false
		}
		elem := elemOf(e.Name(), name == ".")
		back, ok := trueElem(elem, name == ".")
		return elem, ok && back == e.Name()
	}
	return file, nil
}

// unreadable reports whether an entry of the world's own folder is left out because it cannot be read as the file
// that its name means. It reports the error to o.left.
func (o *others) unreadable(e fs.DirEntry) bool {
	info, err := e.Info()
	if err == nil {
		err = world.CheckText(e.Name(), info)
	}
	if err != nil && o.left != nil {
		o.left(e.Name(), err)
	}
	return err != nil
}

// errOdd is reported for a pipe or another special file in the folder of the world.
var errOdd = errors.New("neither a file nor a folder: left out")

// cause returns err without its path, which the caller adds.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
