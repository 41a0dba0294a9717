package lsp

import (
	"bytes"
	"io"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// document is a text that the editor has open.
type document struct {
	uri      string
	path     string // in the system
	version  int32
	text     *text
	encoding encoding // of the file on disk
	opened   time.Time
}

// documents are the open documents by their paths.
type documents struct {
	mu     sync.Mutex
	byPath map[string]*document // never changed: a change makes another document
}

func (d *documents) get(name string) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.byPath[name]
}

func (d *documents) put(name string, doc *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc == nil {
		delete(d.byPath, name)
	} else {
		d.byPath[name] = doc
	}
}

// overlay is a folder whose files have the texts that the editor has open.
type overlay struct {
	fs.FS
	docs *documents
	at   func(name string) string // the path in the system of a path in the folder
}

// open returns the open document for a path in the folder as a file, or nil.
func (o *overlay) open(name string) *openFile {
	doc := o.docs.get(o.at(name))
	if doc == nil {
		return nil
	}
	data := doc.encoding.encode(doc.text.string)
	return &openFile{Reader: bytes.NewReader(data), data: data, name: path.Base(name), time: doc.opened}
}

func (o *overlay) Open(name string) (fs.File, error) {
	if f := o.open(name); f != nil {
		return f, nil
	}
	return o.FS.Open(name)
}

func (o *overlay) ReadFile(name string) ([]byte, error) {
	if f := o.open(name); f != nil {
		return f.data, nil
	}
	return fs.ReadFile(o.FS, name)
}

func (o *overlay) Stat(name string) (fs.FileInfo, error) {
	if f := o.open(name); f != nil {
		return f, nil
	}
	return fs.Stat(o.FS, name)
}

func (o *overlay) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(o.FS, name) }

// openFile is an open document as a file. It describes itself.
type openFile struct {
	*bytes.Reader
	data []byte
	name string
	time time.Time
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *openFile) Close() error               { return nil }
func (f *openFile) Name() string               { return f.name }
func (f *openFile) Mode() fs.FileMode          { return 0o644 }
func (f *openFile) ModTime() time.Time         { return f.time }
func (f *openFile) IsDir() bool                { return false }
func (f *openFile) Sys() any                   { return nil }

// oneFile is a folder with a single file.
type oneFile struct {
	fs.FS
	name string
}

func (o oneFile) Open(name string) (fs.File, error) {
	switch name {
	case o.name:
		return o.FS.Open(name)
	case ".":
		return &oneDir{name: o.name, fsys: o.FS}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// oneDir is the open folder of a oneFile.
type oneDir struct {
	name string
	fsys fs.FS
	done bool
}

func (d *oneDir) Stat() (fs.FileInfo, error) { return fs.Stat(d.fsys, ".") }
func (d *oneDir) Read([]byte) (int, error)   { return 0, fs.ErrInvalid }
func (d *oneDir) Close() error               { return nil }

func (d *oneDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.done {
		if n > 0 {
			return nil, io.EOF
		}
		return nil, nil
	}
	d.done = true
	info, err := fs.Stat(d.fsys, d.name)
	if err != nil {
		return nil, nil // it is not saved yet
	}
	return []fs.DirEntry{fs.FileInfoToDirEntry(info)}, nil
}

// pathOf returns the path of a file by its URI, or "" if the URI names no file of this system.
func pathOf(uri string) string {
	windows := runtime.GOOS == "windows"
	if windows {
		uri = strings.ReplaceAll(uri, `\`, "/")
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" || strings.Contains(u.Path, "\x00") {
		return ""
	}
	name := u.Path
	if windows {
		name = windowsPath(u)
	}
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) {
		return ""
	}
	return filepath.Clean(name)
}

// windowsPath returns the path of a URI on Windows, with slashes. Editors write the drive letter in either case, after a
// slash or in the place of the host; a path has it in upper case, so that all its spellings name one document.
func windowsPath(u *url.URL) string {
	name := strings.ReplaceAll(u.Path, `\`, "/")
	switch {
	case len(u.Host) == 2 && u.Host[1] == ':':
		name = u.Host + name
	case u.Host != "" && u.Host != "localhost":
		return "//" + u.Host + name
	case strings.HasPrefix(name, "/") && len(name) > 2 && name[2] == ':':
		name = name[1:]
	}
	if len(name) > 1 && name[1] == ':' {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}

// uriOf returns the URI of a file.
func uriOf(name string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(name)}
	if host, ok := strings.CutPrefix(u.Path, "//"); ok { // a folder of another machine, on Windows
		u.Host, u.Path, _ = strings.Cut(host, "/")
	}
	if !strings.HasPrefix(u.Path, "/") {
		u.Path = "/" + u.Path
	}
	return u.String()
}
