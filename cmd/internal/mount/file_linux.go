//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package mount

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	fusefs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/values/piece"
)

// baseFile is an open file of the game file.
type baseFile struct {
	n     *node
	truth string
	info  fs.FileInfo
	sum   uint64 // hash of its content
}

// Read reads at an offset. If an edit has replaced the file meanwhile, the content is that of the edit, as for any file.
func (f *baseFile) Read(ctx context.Context, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	m := f.n.m
	defer m.reading()()
	if f.n.edited.Load() {
		if edit, err := m.Edits.existingFile(f.n.at()); err == nil {
			defer edit.Close()
			n, err := edit.ReadAt(dest, off)
			if err != nil && n == 0 && off < 0 {
				return nil, errno(err)
			}
			return fuse.ReadResultData(dest[:n]), 0
		}
	}
	c, err := m.base.content(ctx, f.truth, false)
	if err != nil {
		return nil, m.report(f.n.at(), err)
	}
	if c.sum != f.sum {
		return nil, syscall.ESTALE // the game file has changed, and the content was not kept
	}
	if off >= int64(len(c.data)) {
		return fuse.ReadResultData(nil), 0
	}
	return fuse.ReadResultData(c.data[off:min(off+int64(len(dest)), int64(len(c.data)))]), 0
}

// editFile is an open file of the edits.
type editFile struct {
	m    *Mount
	file *os.File
	at   string // path when it was opened
}

// opened returns an open file of the edits. Files that are written are counted: they may be incomplete.
func (m *Mount) opened(file *os.File, at string, write bool) *editFile {
	f := &editFile{m, file, at}
	if write {
		m.mu.Lock()
		m.writers[f] = at
		m.mu.Unlock()
	}
	return f
}

func (f *editFile) litter() bool { return piece.IsLitter(f.at) }

// Read reads at an offset.
func (f *editFile) Read(_ context.Context, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	n, err := f.file.ReadAt(dest, off)
	if n == 0 && err != nil {
		if number := errno(err); number != syscall.EIO {
			return nil, number
		}
	}
	return fuse.ReadResultData(dest[:n]), 0
}

// Write writes at an offset.
func (f *editFile) Write(_ context.Context, data []byte, off int64) (uint32, syscall.Errno) {
	defer f.m.reading()()
	n, err := f.file.WriteAt(data, off)
	return uint32(n), errno(err)
}

// Flush is called for each close. What was written is in the folder of edits already.
func (f *editFile) Flush(context.Context) syscall.Errno {
	fd, err := syscall.Dup(int(f.file.Fd()))
	if err != nil {
		return errno(err)
	}
	return errno(syscall.Close(fd)) // some file systems report errors only now
}

// Fsync flushes the file to disk.
func (f *editFile) Fsync(context.Context, uint32) syscall.Errno {
	if err := wholefile.Flush(f.file); err != nil {
		return errno(err)
	}
	return errno(f.m.Edits.sync())
}

// Allocate reserves space.
func (f *editFile) Allocate(_ context.Context, off, size uint64, mode uint32) syscall.Errno {
	return errno(unix.Fallocate(int(f.file.Fd()), mode, int64(off), int64(size)))
}

// Release closes the file.
func (f *editFile) Release(context.Context) syscall.Errno {
	f.m.mu.Lock()
	delete(f.m.writers, f)
	f.m.mu.Unlock()
	return errno(f.file.Close())
}

// lister lists a folder: the entries of the game file page by page, then the new ones.
type lister struct {
	m     *Mount
	at    string
	p     place
	round int            // of the mount
	base  fs.ReadDirFile // nil: all of its entries were listed, or it has none
	page  []fs.DirEntry
	edits map[string]fs.DirEntry // not listed yet
	more  []string               // the names of edits in order, after the game file
	next  *fuse.DirEntry
	n     uint64 // number of listed entries
	err   error
}

func newLister(m *Mount, at string, p place) *lister {
	l := &lister{m: m, at: at, p: p, round: m.round}
	l.start()
	return l
}

func (l *lister) start() {
	l.edits = make(map[string]fs.DirEntry)
	if l.m.Edits != nil {
		l.edits = l.m.Edits.list(l.at)
	}
	if l.p.base != nil && l.round == l.m.round {
		l.base, l.err = l.m.base.list(l.p.truth)
	}
	l.advance()
}

// HasNext reports whether there is another entry.
func (l *lister) HasNext() bool { return l.next != nil || l.err != nil }

// Next returns the next entry.
func (l *lister) Next() (fuse.DirEntry, syscall.Errno) {
	if l.err != nil {
		err := l.err
		l.err = nil
		return fuse.DirEntry{}, l.m.report(l.at, err)
	}
	defer l.m.reading()()
	e := *l.next
	l.n++
	e.Off = l.n
	l.advance()
	return e, 0
}

// Seekdir continues after a number of entries.
func (l *lister) Seekdir(_ context.Context, off uint64) syscall.Errno {
	if off < l.n {
		done := l.m.reading()
		l.Close()
		*l = lister{m: l.m, at: l.at, p: l.p, round: l.round}
		l.start()
		done()
	}
	for l.n < off && l.next != nil {
		if _, number := l.Next(); number != 0 {
			return number
		}
	}
	return 0
}

// Close closes the folder.
func (l *lister) Close() {
	if l.base != nil {
		_ = l.base.Close() // it was only read
		l.base = nil
	}
}

// advance finds the next entry.
func (l *lister) advance() {
	l.next = nil
	if l.round != l.m.round {
		l.err = syscall.ESTALE // the edits were packed, so the game file has changed
	}
	for l.base != nil && l.next == nil && l.err == nil {
		if len(l.page) == 0 {
			l.page, l.err = l.base.ReadDir(pageSize)
			if len(l.page) == 0 {
				if l.Close(); l.err == io.EOF {
					l.err = nil
				}
				break
			}
			l.err = nil // the next page has it again
		}
		e := l.page[0]
		l.page = l.page[1:]
		name := safename.Escape(e.Name())
		if edit, ok := l.edits[name]; ok {
			delete(l.edits, name)
			l.found(name, edit.IsDir())
		} else if !l.m.removed(path.Join(l.at, name), path.Join(l.p.truth, e.Name()), e.IsDir()) {
			l.found(name, e.IsDir())
		}
	}
	if l.next != nil || l.err != nil {
		return
	}
	if l.more == nil {
		l.more = slices.SortedFunc(maps.Keys(l.edits), strings.Compare)
	}
	if len(l.more) > 0 {
		l.found(l.more[0], l.edits[l.more[0]].IsDir())
		l.more = l.more[1:]
	}
}

func (l *lister) found(name string, folder bool) {
	l.next = &fuse.DirEntry{Name: name, Mode: syscall.S_IFREG, Ino: l.m.id(path.Join(l.at, name)).Ino}
	if folder {
		l.next.Mode = syscall.S_IFDIR
	}
}

// request is the file of requests.
type request struct {
	fusefs.Inode
	m *Mount
}

// report is an open file of requests.
type report []byte

// Getattr describes the file.
func (r *request) Getattr(_ context.Context, _ fusefs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode = 0o400
	return 0
}

// Open packs the edits.
func (r *request) Open(ctx context.Context, flags uint32) (fusefs.FileHandle, uint32, syscall.Errno) {
	if flags&syscall.O_ACCMODE != syscall.O_RDONLY {
		return nil, 0, syscall.EACCES
	}
	return report(r.m.pack(ctx)), fuse.FOPEN_DIRECT_IO, 0
}

// Read reads the report.
func (r report) Read(_ context.Context, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	off = min(off, int64(len(r)))
	return fuse.ReadResultData(r[off:min(off+int64(len(dest)), int64(len(r)))]), 0
}
