package regular

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"unicode/utf8"

	"trowel.example/internal/files/tree"
)

// Reasons why an entry is skipped.
var (
	ErrName  = errors.New("left out: the name is not UTF-8")
	ErrOut   = errors.New("left out: a link to a place outside the folder")
	ErrDead  = errors.New("left out: a link to a missing file")
	errOdd   = errors.New("left out: a link to neither a file nor a folder")
	ErrTwice = errors.New("left out: a link to a folder that contains it, or inside a linked folder")
)

// Omitted is the error for a skipped link at the path of a file. It is fs.ErrNotExist, too.
type Omitted struct{ error }

func (o Omitted) Unwrap() []error { return []error{o.error, fs.ErrNotExist} }

// follow describes the target of the link at a path in root.
func follow(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Stat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrDead
	case err != nil:
		return nil, ErrOut // or a link to itself
	case info.Mode().IsRegular():
		return info, nil
	case !info.IsDir():
		return nil, errOdd
	}
	// Folders below a linked folder may contain links to folders above it. To prevent endless paths, at most one
	// folder of a path may be a link.
	top, err := filepath.EvalSymlinks(root.Name())
	if err != nil {
		return nil, ErrDead
	}
	dir := filepath.Join(top, filepath.FromSlash(path.Dir(name)))
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || real != dir {
		return nil, ErrTwice
	}
	real, err = filepath.EvalSymlinks(filepath.Join(dir, path.Base(name)))
	if err != nil {
		return nil, ErrDead
	}
	if rel, err := filepath.Rel(real, dir); err != nil || filepath.IsLocal(rel) {
		return nil, ErrTwice
	}
	return info, nil
}

// FS is the folder of a root in which links are followed by the rule above.
type FS struct {
	root   *os.Root
	report func(name string, err error)

	mu       sync.Mutex
	reported map[string]bool
}

// NewFS returns the FS of a folder. It calls report once for each skipped entry; report may be nil.
func NewFS(root *os.Root, report func(name string, err error)) *FS {
	return &FS{root: root, report: report, reported: make(map[string]bool)}
}

// Open opens a file or folder, as described by [fs.FS]. A link out of the folder is treated as missing.
func (f *FS) Open(name string) (fs.File, error) {
	file, info, err := OpenIn(f.root, name)
	if err != nil {
		return nil, f.missing("open", name, err)
	}
	if !info.IsDir() {
		return file, nil
	}
	return &folder{File: file, fsys: f, name: name}, nil
}

// Stat describes the file or folder at a path.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(f.root.FS(), name)
	if err != nil {
		return nil, f.missing("stat", name, err)
	}
	return info, nil
}

// missing converts an error that a link causes to fs.ErrNotExist.
func (f *FS) missing(op, name string, err error) error {
	link, e := f.root.Lstat(filepath.FromSlash(name))
	if e != nil || link.Mode()&fs.ModeSymlink == 0 || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := follow(f.root, name); err != nil {
		f.reportOnce(name, err)
		return &fs.PathError{Op: op, Path: name, Err: Omitted{err}}
	}
	return err
}

// reportOnce reports a skipped entry once.
func (f *FS) reportOnce(name string, err error) {
	f.mu.Lock()
	again := f.reported[name]
	f.reported[name] = true
	f.mu.Unlock()
	if !again && f.report != nil {
		f.report(name, err)
	}
}

// folder is an open folder in which links are replaced by their targets.
type folder struct {
	fs.File
	fsys *FS
	name string
}

func (d *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	dir, ok := d.File.(fs.ReadDirFile)
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: d.name, Err: errors.ErrUnsupported}
	}
	for {
		list, err := dir.ReadDir(n)
		shown := list[:0]
		for _, e := range list {
			if !utf8.ValidString(e.Name()) {
				d.fsys.reportOnce(path.Join(d.name, e.Name()), ErrName)
				continue
			}
			if e.Type()&fs.ModeSymlink == 0 {
				shown = append(shown, e)
				continue
			}
			at := path.Join(d.name, e.Name())
			info, err := follow(d.fsys.root, at)
			if err != nil {
				d.fsys.reportOnce(at, err)
				continue
			}
			shown = append(shown, fs.FileInfoToDirEntry(tree.Renamed(info, e.Name())))
		}
		if err != nil || n <= 0 || len(shown) > 0 {
			return shown, err
		}
	}
}
