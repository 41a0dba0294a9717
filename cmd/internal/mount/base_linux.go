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

	mu    sync.Mutex
	kept  map[string]*list.Element // of *decoded, by true path
	order list.List                // the one used last is first
	bytes int

	alone [64]sync.Mutex // held while a file is decoded, by the hash of its path
}

// decoded is the content of a file.
type decoded struct {
	truth string
	data  []byte
	sum   uint64
}

var seed = maphash.MakeSeed()

func newBase(fsys fs.FS, closer io.Closer) *base {
	return &base{FS: fsys, closer: closer, kept: make(map[string]*list.Element)}
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
// decoded in any case. If ctx ends, the caller gets its error, and the content is kept when it is there.
func (b *base) content(ctx context.Context, truth string, again bool) (*decoded, error) {
	if c := b.get(truth); c != nil && !again {
		return c, nil
	}
	var c *decoded
	var err error
	var panicked *parallel.Panic
	done := make(chan struct{})
	go func() {
		defer close(done)
		panicked = parallel.Catch(func() { c, err = b.decode(truth, again) })
	}()
	select {
	case <-done:
		panicked.Throw()
		return c, err
	case <-ctx.Done():
		return nil, syscall.EINTR
	}
}

// decode decodes a file, or waits until another caller has decoded it.
func (b *base) decode(truth string, again bool) (*decoded, error) {
	alone := &b.alone[maphash.String(seed, truth)%uint64(len(b.alone))]
	alone.Lock()
	defer alone.Unlock()
	info, err := fs.Stat(b.FS, truth)
	if err != nil {
		return nil, err
	}
	meta, _ := info.Sys().(tree.Meta)
	if c := b.get(truth); c != nil && (!again || meta.Last) {
		return c, nil
	}
	done := tree.Room(meta)
	data, err := fs.ReadFile(b.FS, truth)
	done()
	if err == nil && truth == tree.Sidecar {
		data, err = b.named(data)
	}
	if err != nil {
		return nil, err
	}
	c := &decoded{truth, data, maphash.Bytes(seed, data)}
	b.keep(c)
	return c, nil
}

func (b *base) get(truth string) *decoded {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.kept[truth]
	if e == nil {
		return nil
	}
	b.order.MoveToFront(e)
	return e.Value.(*decoded)
}

func (b *base) keep(c *decoded) {
	b.mu.Lock()
	defer b.mu.Unlock()
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
