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

	"trowel.example/internal/regular"
	"trowel.example/storage"
)

// Source is a file or a folder that may be a game file.
type Source struct {
	Path string // as the user named it, for messages; "-" for standard input
	Name string // base name
	Dir  string // real path of a folder; "" for all else

	// Store is a folder of files that is none of the system, such as one of object storage. Only
	// formats that say so look into it. Nil for all else.
	Store storage.Store

	io.ReaderAt       // of a file
	Size        int64 // of a file, in bytes

	// May returns an error if a path may not be opened: it is asked for what stands beside the
	// source. Nil: all may.
	May func(path string) error

	file   *os.File
	beside *neighbors // that were opened
	near   Near       // nil: a file of the system, or nothing is beside it
}

// Near is what is beside a source that is no file of the system.
type Near interface {
	// Names returns the names of the files that stand where it does, with its own.
	Names() ([]string, error)
	// Open opens one of them.
	Open(name string) (*Source, error)
}

// NewSourceNear is [NewSourceAt] for a file that has others beside it.
func NewSourceNear(path string, r io.ReaderAt, size int64, near Near) *Source {
	src := NewSourceAt(path, r, size)
	src.near, src.beside = near, new(neighbors)
	return src
}

// neighbors are the paths of files. They may be opened from many goroutines at a time.
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

// NewSource returns a source of bytes in memory.
func NewSource(path string, data []byte) *Source {
	return NewSourceAt(path, bytes.NewReader(data), int64(len(data)))
}

// NewSourceAt returns a source of the size bytes of r.
func NewSourceAt(path string, r io.ReaderAt, size int64) *Source {
	return &Source{Path: path, Name: filepath.Base(path), ReaderAt: r, Size: size}
}

// OpenSource opens a file or folder of the system. "-" is not special here.
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
		src.ReaderAt, src.Size, src.file, src.beside = f, st.Size(), f, new(neighbors)
	}
	return src, nil
}

// Neighbor opens the file that stands beside src and has its name with suffix
// behind it, such as ".MAN", in any case.
func (s *Source) Neighbor(suffix string) (*Source, error) { return s.Beside(s.Name + suffix) }

// Beside opens the file of a name, in any case, that stands beside src.
func (s *Source) Beside(name string) (*Source, error) {
	name, err := s.find(name)
	switch {
	case err != nil:
		return nil, err
	case s.near != nil:
		other, err := s.near.Open(name)
		if err == nil {
			s.beside.add(other.Path)
		}
		return other, err
	}
	path := filepath.Join(filepath.Dir(s.file.Name()), name)
	s.beside.add(path)
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

// HasBeside reports whether a file of a name, in any case, stands beside src. A link is none.
func (s *Source) HasBeside(name string) bool {
	name, err := s.find(name)
	if err != nil || s.near != nil {
		return err == nil
	}
	info, err := os.Lstat(filepath.Join(filepath.Dir(s.file.Name()), name))
	return err == nil && info.Mode().IsRegular()
}

// find returns the name of what stands beside src and has a name in any case.
func (s *Source) find(name string) (string, error) {
	if s.file != nil && filepath.IsLocal(name) && filepath.Base(name) == name { // which spares reading a large folder
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

// Siblings returns the names of the files and folders that stand where src does, with its own;
// none for what has no place.
func (s *Source) Siblings() []string {
	names, _ := s.siblings() // what cannot be read has none
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

// Reads returns the paths of what is read: of the source itself, and of the neighbours
// that were opened so far. Of what is no file of the system they are those of [Near].
func (s *Source) Reads() []string {
	switch {
	case s.Dir != "":
		return []string{s.Dir}
	case s.beside == nil:
		return nil
	}
	s.beside.mu.Lock()
	defer s.beside.mu.Unlock()
	path := s.Path
	if s.file != nil {
		path = s.file.Name()
	}
	return append([]string{path}, s.beside.paths...)
}

// IsDir reports whether the source is a folder, be it one of the system or not.
func (s *Source) IsDir() bool { return s.ReaderAt == nil }

// Files returns the files of a folder of either kind.
func (s *Source) Files() storage.Store {
	if s.Store != nil {
		return s.Store
	}
	return storage.Folder(s.Dir)
}

// Head returns the first n bytes, or fewer if there are no more.
func (s *Source) Head(n int) []byte {
	if s.IsDir() {
		return nil
	}
	b := make([]byte, min(int64(n), s.Size))
	n, _ = s.ReadAt(b, 0)
	return b[:n]
}

// MaxWhole is the size of the largest file that is read as a whole, in bytes. What can
// be larger is read in parts.
const MaxWhole = 1 << 30

// ReadAll reads a whole file.
func (s *Source) ReadAll() ([]byte, error) { return s.ReadUpTo(MaxWhole) }

// ReadUpTo reads a whole file of a format that allows no more than limit bytes.
func (s *Source) ReadUpTo(limit int64) ([]byte, error) {
	if s.Size > limit {
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

// Close closes a source that OpenSource opened.
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

// CutExtension takes an extension, in any case, off a name that has more than it.
func CutExtension(name, ext string) (string, bool) {
	if n := len(name) - len(ext); n > 0 && strings.EqualFold(name[n:], ext) {
		return name[:n], true
	}
	return name, false
}
