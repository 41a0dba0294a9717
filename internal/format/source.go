package format

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/storage"
)

// Source is a file or folder that may be a game file.
type Source struct {
	Path string // path as the user gave it, for messages; "-" for standard input
	Name string // base name
	Dir  string // path of a folder in the file system; "" otherwise

	// Store is a folder outside the file system, such as one in object storage; nil otherwise. Only formats with
	// Format.Stored read it.
	Store storage.Store

	io.ReaderAt       // the contents of a file
	Size        int64 // size of the file in bytes

	// May returns an error if a neighbour of the source must not be opened. Nil: all neighbours may be opened.
	May func(path string) error

	file      *os.File
	neighbors *neighbors // opened neighbours
	near      Near       // nil: a file of the file system, or a source without neighbours
}

// Near gives access to the neighbours of a source that is not in the file system.
type Near interface {
	// Names returns the names of the files in the same folder, including the source.
	Names() ([]string, error)
	// Open opens the file with one of these names.
	Open(name string) (*Source, error)
}

// NewSourceNear is [NewSourceAt] for a file with neighbours.
func NewSourceNear(path string, r io.ReaderAt, size int64, near Near) *Source {
	src := NewSourceAt(path, r, size)
	src.near, src.neighbors = near, new(neighbors)
	return src
}

// neighbors collects the paths of opened files. It is safe for concurrent use.
type neighbors struct {
	mu    sync.Mutex
	paths []string
}

func (n *neighbors) add(path string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.paths, path) {
		n.paths = append(n.paths, path)
	}
}

// NewSource returns a source that reads bytes in memory.
func NewSource(path string, data []byte) *Source {
	return NewSourceAt(path, bytes.NewReader(data), int64(len(data)))
}

// NewSourceAt returns a source that reads the size bytes of r.
func NewSourceAt(path string, r io.ReaderAt, size int64) *Source {
	return &Source{Path: path, Name: filepath.Base(path), ReaderAt: r, Size: size}
}

// OpenSource opens a file or folder of the file system. The path "-" has no special meaning here.
func OpenSource(path string) (*Source, error) {
	f, st, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		f.Close()
	}
	src := &Source{Path: path, Name: filepath.Base(filepath.Clean(path))}
	if st.IsDir() {
		src.Dir = path
	} else {
		src.ReaderAt, src.Size, src.file, src.neighbors = f, st.Size(), f, new(neighbors)
	}
	return src, nil
}

// Neighbor opens the file in the folder of src whose name is that of src followed by suffix, such as ".MAN", in any
// case.
func (s *Source) Neighbor(suffix string) (*Source, error) { return s.Beside(s.Name + suffix) }

// Beside opens the file with the given name, in any case, in the folder of src.
func (s *Source) Beside(name string) (*Source, error) {
	name, err := s.find(name)
	switch {
	case err != nil:
		return nil, err
	case s.near != nil:
		other, err := s.near.Open(name)
		if err == nil {
			s.neighbors.add(other.Path)
		}
		return other, err
	}
	path := filepath.Join(filepath.Dir(s.file.Name()), name)
	s.neighbors.add(path)
	if s.May != nil {
		if err := s.May(path); err != nil {
			return nil, err
		}
	}
	other, err := OpenSource(path)
	if err == nil {
		other.May = s.May
	}
	return other, err
}

// HasBeside reports whether the folder of src contains a file with the given name, in any case. Links do not count.
func (s *Source) HasBeside(name string) bool {
	name, err := s.find(name)
	if err != nil || s.near != nil {
		return err == nil
	}
	info, err := os.Lstat(filepath.Join(filepath.Dir(s.file.Name()), name))
	return err == nil && info.Mode().IsRegular()
}

// find returns the actual name of the entry in the folder of src that matches name in any case.
func (s *Source) find(name string) (string, error) {
	if s.file != nil && filepath.IsLocal(name) && filepath.Base(name) == name { // avoids listing a large folder
		if _, err := os.Lstat(filepath.Join(filepath.Dir(s.file.Name()), name)); err == nil {
			return name, nil
		}
	}
	names, err := s.siblings()
	if err != nil {
		return "", err
	}
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) }); i >= 0 {
		return names[i], nil
	}
	return "", fmt.Errorf("%s: %w", strings.TrimSuffix(s.Path, s.Name)+name, os.ErrNotExist)
}

// Siblings returns the names of the files and folders in the folder of src, including src; none if src is not in a
// folder.
func (s *Source) Siblings() []string {
	names, _ := s.siblings() // an unreadable folder has no siblings
	return names
}

func (s *Source) siblings() ([]string, error) {
	switch {
	case s.near != nil:
		return s.near.Names()
	case s.file == nil:
		return nil, nil
	}
	list, err := os.ReadDir(filepath.Dir(s.file.Name()))
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
	}
	return names, err
}

// Reads returns the paths that are read: that of the source itself and those of the neighbours opened so far. If the
// source is not in the file system, these are paths of [Near].
func (s *Source) Reads() []string {
	switch {
	case s.Dir != "":
		return []string{s.Dir}
	case s.neighbors == nil:
		return nil
	}
	s.neighbors.mu.Lock()
	defer s.neighbors.mu.Unlock()
	path := s.Path
	if s.file != nil {
		path = s.file.Name()
	}
	return append([]string{path}, s.neighbors.paths...)
}

// IsDir reports whether the source is a folder, in the file system or elsewhere.
func (s *Source) IsDir() bool { return s.ReaderAt == nil }

// Files returns the files of a folder, in the file system or elsewhere.
func (s *Source) Files() storage.Store {
	if s.Store != nil {
		return s.Store
	}
	return storage.Folder(s.Dir)
}

// Head returns the first n bytes, or fewer if the file is shorter.
func (s *Source) Head(n int) []byte {
	if s.IsDir() {
		return nil
	}
	b := make([]byte, min(int64(n), s.Size))
	n, _ = s.ReadAt(b, 0)
	return b[:n]
}

// ReadAll reads a whole file. Files of formats that can be larger than [effort.WholeFile] are read in parts.
func (s *Source) ReadAll() ([]byte, error) { return s.ReadUpTo(effort.WholeFile) }

// ReadUpTo reads a whole file of a format that allows no more bytes than limit.
func (s *Source) ReadUpTo(limit *effort.Kind) ([]byte, error) {
	if s.Size > limit.Limit(0) {
		return nil, regular.TooLarge(s.Path, s.Size, limit)
	}
	data := make([]byte, s.Size)
	n, err := s.ReadAt(data, 0)
	if err == io.EOF && n == len(data) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	return data, nil
}

// Close closes a source that was opened by OpenSource.
func (s *Source) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// HasExtension reports whether the name ends with one of the extensions, in any case.
func (s *Source) HasExtension(extensions ...string) bool {
	for _, ext := range extensions {
		if _, has := CutExtension(s.Name, ext); has {
			return true
		}
	}
	return false
}

// CutExtension removes an extension, in any case, from a name, and reports whether the name has the extension and
// more.
func CutExtension(name, ext string) (string, bool) {
	if n := len(name) - len(ext); n > 0 && strings.EqualFold(name[n:], ext) {
		return name[:n], true
	}
	return name, false
}
