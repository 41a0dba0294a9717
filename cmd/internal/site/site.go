// Package site makes folders for web servers: the page that shows files without a program, and files next to the page, which it
// opens.
package site

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/text/strictjson"
)

// The files of the page that this package knows.
const (
	Shell   = "index.html"
	Program = "trowel.wasm.gz"
	List    = "files.json" // lists the files next to the page
	Files   = "files"      // the folder that contains them
)

// ErrNoPage means that something is not the page of a release.
var ErrNoPage = errors.New("is not the page of a release")

// maxPage is the maximum size in bytes of all files of a page.
const maxPage = 64 << 20

// Page is a page: the contents of its files, by their paths, without the files next to it.
type Page map[string][]byte

// OpenPage reads the page in a folder, or in the archive of a release.
func OpenPage(name string) (Page, error) {
	f, info, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := make(Page)
	if info.IsDir() {
		err = p.addFolder(name)
	} else {
		err = p.addArchive(f)
	}
	if err == nil && (p[Shell] == nil || p[Program] == nil || p[List] == nil) {
		err = ErrNoPage
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p[List] = nil
	return p, nil
}

func (p Page) addFolder(name string) error {
	root, err := os.OpenRoot(name)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case at == Files:
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		f, _, err := regular.OpenIn(root, at)
		if err != nil {
			return err
		}
		defer f.Close()
		return p.add(at, f)
	})
}

// addArchive adds the files of an archive that contains one folder.
func (p Page) addArchive(r io.Reader) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return ErrNoPage
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", ErrNoPage, err)
		case h.Typeflag != tar.TypeReg:
			continue
		}
		_, at, ok := strings.Cut(h.Name, "/")
		if !ok || !fs.ValidPath(at) || !filepath.IsLocal(filepath.FromSlash(at)) {
			return ErrNoPage
		}
		if err := p.add(at, t); err != nil {
			return err
		}
	}
}

func (p Page) add(at string, r io.Reader) error {
	left := int64(maxPage)
	for _, data := range p {
		left -= int64(len(data))
	}
	data, err := io.ReadAll(io.LimitReader(r, left+1))
	if err == nil && int64(len(data)) > left {
		err = ErrNoPage
	}
	p[at] = data
	return err
}

// Owns returns an error unless a folder contains a page and the files next to it, and nothing else.
func (p Page) Owns(dir string) error {
	if _, err := OpenPage(dir); err != nil {
		return err
	}
	own := []string{Files}
	for at := range p {
		top, _, _ := strings.Cut(at, "/")
		own = append(own, top)
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !slices.Contains(own, e.Name()) {
			return fmt.Errorf("the folder contains %s, which is not a part of a page", e.Name())
		}
	}
	return err
}

// Write writes the page to a folder, with the list of the files next to it. Names are the paths of those that the page opens: a file or
// a folder for each thing, below the folder [Files].
func (p Page) Write(dir string, names []string) error {
	list, err := listFiles(filepath.Join(dir, Files), names)
	if err != nil {
		return err
	}
	for at, data := range p {
		if at == List {
			data = list
		}
		name := filepath.Join(dir, filepath.FromSlash(at))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// listFiles returns the list of all files below a folder.
func listFiles(dir string, names []string) ([]byte, error) {
	type entry struct {
		Path string `json:"path"`
		Size int64  `json:"size"`
		Time int64  `json:"time"` // milliseconds since 1970
	}
	list := struct {
		Files []entry  `json:"files"`
		Names []string `json:"names"`
	}{[]entry{}, slices.Concat([]string{}, names)}
	err := fs.WalkDir(os.DirFS(dir), ".", func(at string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				list.Files = append(list.Files, entry{path.Clean(at), info.Size(), info.ModTime().UnixMilli()})
			}
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) && len(names) == 0 {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return strictjson.Marshal(list, "")
}
