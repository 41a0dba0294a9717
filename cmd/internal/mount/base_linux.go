//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package mount

import (
	"container/list"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/parallel"
)

// maxKept is the size of the decoded files that are kept, in bytes. The file that was decoded last is always kept.
const maxKept = 64 << 20

// A base is the tree of the game file as it was opened, with its files that were decoded last. Paths of the mount are
// those of the tree with safe names: the names of a tree may have bytes that no system allows in names.
type base struct {
	fs.FS
	closer io.Closer

	mu      sync.Mutex
	kept    map[string]*list.Element // of *decoded, by true path
	order   list.List                // the one used last is first
	bytes   int
	flights map[string]*flight // by true path
}

// decoded is the content of a file.
type decoded struct {
	truth string
	data  []byte
	sum   uint64
}

var seed = maphash.MakeSeed()

func newBase(fsys fs.FS, closer io.Closer) *base {
	return &base{FS: fsys, closer: closer, kept: make(map[string]*list.Element), flights: make(map[string]*flight)}
}

// find returns the true path of a path of the mount, and describes the file or folder there; nil if the tree has none.
// The true name of a new file is its name in the mount.
func (b *base) find(at string) (truth string, info fs.FileInfo) {
	truth = "."
	known := true
	for elem := range strings.SplitSeq(at, "/") {
		name := elem
		if known {
			name, known = b.findIn(truth, elem)
		}
		truth = path.Join(truth, name)
	}
	if !known {
		return truth, nil
	}
	info, err := fs.Stat(b.FS, truth)
	if err != nil {
		return truth, nil
	}
	return truth, info
}

// findIn returns the true name that a folder of the tree has for a name of the mount, and reports whether it may have one.
func (b *base) findIn(dir, name string) (truth string, ok bool) {
	if len(name) < shortened {
		for _, full := range []string{name, safename.Unescape(name)} {
			if fs.ValidPath(full) && !strings.Contains(full, "/") && (safename.Escape(full) == name || full == ".") {
				return full, true
			}
		}
		return name, false
	}
	truth = name
	err := b.each(dir, func(e fs.DirEntry) error {
		if safename.Escape(e.Name()) != name {
			return nil
		}
		truth = e.Name()
		return fs.SkipAll
	})
	return truth, err == fs.SkipAll
}

// shortened is a size in bytes that all safe names of names that are too long exceed. They end with a hash.
const shortened = 150

// pageSize is the number of entries of a folder that are read at a time.
const pageSize = 1000

// list opens a folder of the tree.
func (b *base) list(truth string) (fs.ReadDirFile, error) {
	f, err := b.Open(truth)
	if err != nil {
		return nil, err
	}
	folder, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, errors.Join(fs.ErrInvalid, f.Close())
	}
	return folder, nil
}

// each calls do for the entries of a folder of the tree, until it returns an error.
func (b *base) each(truth string, do func(fs.DirEntry) error) error {
	folder, err := b.list(truth)
	if err != nil {
		return err
	}
	defer folder.Close()
	for {
		entries, err := folder.ReadDir(pageSize)
		for _, e := range entries {
			if err := do(e); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// content returns the content of a file, which the caller must not change. With again, a file that takes little time is
// decoded in any case. If ctx ends long before the file is decoded, the caller gets an error, and the content is kept when
// it is there.
func (b *base) content(ctx context.Context, truth string, again bool) (*decoded, error) {
	b.mu.Lock()
	if e := b.kept[truth]; e != nil && !again {
		defer b.mu.Unlock()
		b.order.MoveToFront(e)
		return e.Value.(*decoded), nil
	}
	f := b.flights[truth]
	if f == nil {
		f = &flight{done: make(chan struct{})}
		b.flights[truth] = f
		go func() {
			f.panicked = parallel.Catch(func() { f.c, f.err = b.decode(truth) })
			b.land(truth, f)
		}()
	}
	b.mu.Unlock()
	select {
	case <-f.done:
	case <-ctx.Done(): // by any signal, such as that of a window that changes its size
		select {
		case <-f.done:
		case <-time.After(patience):
			return nil, syscall.EINTR
		}
	}
	f.panicked.Throw()
	return f.c, f.err
}

// patience is how long a program that got a signal waits for a file.
const patience = 3 * time.Second

// flight is a file that is being decoded.
type flight struct {
	done     chan struct{}
	c        *decoded
	err      error
	panicked *parallel.Panic
}

// land ends a flight.
func (b *base) land(truth string, f *flight) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.c != nil {
		b.keep(f.c)
	}
	delete(b.flights, truth)
	close(f.done)
}

// decode decodes a file.
func (b *base) decode(truth string) (*decoded, error) {
	info, err := fs.Stat(b.FS, truth)
	if err != nil {
		return nil, err
	}
	meta, _ := info.Sys().(tree.Meta)
	done := tree.Room(meta)
	data, err := fs.ReadFile(b.FS, truth)
	done()
	if err == nil && truth == tree.Sidecar {
		data, err = b.named(data)
	}
	if err != nil {
		return nil, err
	}
	return &decoded{truth, data, maphash.Bytes(seed, data)}, nil
}

// keep keeps a file. The caller holds mu.
func (b *base) keep(c *decoded) {
	if old := b.kept[c.truth]; old != nil {
		b.drop(old)
	}
	b.kept[c.truth] = b.order.PushFront(c)
	b.bytes += len(c.data)
	for b.bytes > maxKept && b.order.Len() > 1 {
		b.drop(b.order.Back())
	}
}

func (b *base) drop(e *list.Element) {
	c := b.order.Remove(e).(*decoded)
	delete(b.kept, c.truth)
	b.bytes -= len(c.data)
}

// named adds the safe names of the tree to its sidecar, so that a copy of the mounted folder is complete.
func (b *base) named(sidecar []byte) ([]byte, error) {
	names := make(map[string]string)
	if err := b.safeNames(".", ".", names); err != nil || len(names) == 0 {
		return sidecar, err
	}
	return safename.AddNames(sidecar, names)
}

// safeNames adds the true paths below a folder whose safe path differs.
func (b *base) safeNames(at, truth string, names map[string]string) error {
	return b.each(truth, func(e fs.DirEntry) error {
		safe, full := path.Join(at, safename.Escape(e.Name())), path.Join(truth, e.Name())
		if path.Base(safe) != e.Name() {
			names[safe] = full
		}
		if e.IsDir() {
			return b.safeNames(safe, full, names)
		}
		return nil
	})
}
