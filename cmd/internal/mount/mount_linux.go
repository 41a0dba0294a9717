//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package mount

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	fusefs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/parallel"
)

// Options describe a mount.
type Options struct {
	File  string      // path of the game file, which the system shows as the source of the mount
	Dir   string      // the mount point, an empty folder
	Time  time.Time   // of files and folders without a time
	Perm  fs.FileMode // the permissions that files have at most
	Live  bool        // the game file may change while it is mounted
	Edits *Edits      // nil: read-only

	// Open opens the tree of the game file: at the start, and again after Pack.
	Open func() (fs.FS, io.Closer, error)
	// Pack packs the edits into the game file, which is closed, and returns a report. Programs that use the mount wait
	// meanwhile.
	Pack func(context.Context) []byte
	// Refuse returns the report for a file that a program is writing, so that nothing is packed.
	Refuse func(at string) []byte
	// Report is called with each file that cannot be read. Programs that use the mount only learn that it is so.
	Report func(at string, err error)
}

// A Mount is a mounted game file.
type Mount struct {
	Options
	server *fuse.Server

	state sync.RWMutex // read by all requests; written by pack
	base  *base
	round int // number of packs

	mu      sync.Mutex // protects the fields below
	ids     map[string]fusefs.StableAttr
	lastID  uint64
	gone    map[string]bool // removed folders that the game file has
	writers map[*editFile]string
}

// Start mounts a game file. The error is that of Open, or wraps [ErrMount].
func Start(o Options) (*Mount, error) {
	m := &Mount{Options: o, ids: make(map[string]fusefs.StableAttr), gone: make(map[string]bool), writers: make(map[*editFile]string)}
	fsys, closer, err := o.Open()
	if err != nil {
		return nil, err
	}
	m.base = newBase(fsys, closer)
	entries, attributes := time.Hour, time.Hour
	if o.Live || o.Edits != nil {
		entries, attributes = time.Second, 0
	}
	options := &fusefs.Options{EntryTimeout: &entries, AttrTimeout: &attributes, UID: uint32(os.Geteuid()), GID: uint32(os.Getegid()),
		RootStableAttr: &fusefs.StableAttr{Ino: 1}}
	options.MountOptions = fuse.MountOptions{FsName: o.File, Name: typeName, DirectMount: true, DisableXAttrs: true, DisableReadDirPlus: true,
		PanicHandler: m.panicked}
	if o.Edits == nil {
		options.Options = []string{"ro"}
	}
	if m.server, err = fusefs.Mount(o.Dir, &node{m: m}, options); err != nil {
		_ = closer.Close() // it was only read
		return nil, fmt.Errorf("%s: %w: %s", o.Dir, ErrMount, strings.TrimRight(err.Error(), "; \n"))
	}
	return m, nil
}

// ErrMount means that the system refuses to mount.
var ErrMount = errors.New("cannot be mounted")

// typeName is the name of the type of file system, after "fuse.".
const typeName = "trowel"

// Unmount unmounts the game file. It returns an error if a program uses the mount.
func (m *Mount) Unmount() error { return m.server.Unmount() }

// Wait waits until the game file is unmounted, by whomever, and closes it.
func (m *Mount) Wait() error {
	m.server.Wait()
	m.state.Lock()
	defer m.state.Unlock()
	return m.base.closer.Close()
}

func (m *Mount) panicked(v any) fuse.Status {
	p, ok := v.(*parallel.Panic)
	if !ok {
		p = parallel.Catch(func() { panic(v) })
	}
	m.Report("", p)
	return fuse.EIO
}

// report reports an error of a file and returns the number that programs get.
func (m *Mount) report(at string, err error) syscall.Errno {
	if number, ok := errors.AsType[syscall.Errno](err); ok { // of the folder of edits, or of an interrupted program
		return number
	}
	m.Report(at, err)
	return syscall.EIO
}

// pack packs the edits, and opens the game file again. Nothing is packed while a program writes a file: it may be
// incomplete.
func (m *Mount) pack(ctx context.Context) []byte {
	m.state.Lock()
	defer m.state.Unlock()
	if at := m.writing(); at != "" {
		return m.Refuse(at)
	}
	_ = m.base.closer.Close() // it was only read
	report := m.Pack(ctx)
	fsys, closer, err := m.Open()
	if err != nil {
		m.Report("", err)
		fsys, closer = new(tree.FS), io.NopCloser(nil)
	}
	m.base = newBase(fsys, closer)
	m.round++
	if !m.Edits.Exist() {
		m.mu.Lock()
		clear(m.gone)
		m.mu.Unlock()
	}
	return report
}

// id returns the numbers of the file at a path, which stay the same while the file is mounted.
func (m *Mount) id(at string) fusefs.StableAttr {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id, ok := m.ids[at]; ok {
		return id
	}
	h := sha256.Sum256([]byte(at))
	return fusefs.StableAttr{Ino: binary.LittleEndian.Uint64(h[:])>>2 | 1<<62, Gen: binary.LittleEndian.Uint64(h[8:])}
}

// newID gives new numbers to a path, at which another file was before.
func (m *Mount) newID(at string) fusefs.StableAttr {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastID++
	m.ids[at] = fusefs.StableAttr{Ino: m.lastID + 1}
	return m.ids[at]
}

// moveID gives the numbers of one path to another, and those of all paths below it.
func (m *Mount) moveID(from, to string) {
	id := m.id(from)
	m.mu.Lock()
	defer m.mu.Unlock()
	for at, id := range m.ids {
		if rest, ok := strings.CutPrefix(at, from+"/"); ok {
			delete(m.ids, at)
			m.ids[to+"/"+rest] = id
		}
	}
	delete(m.ids, from)
	m.ids[to] = id
}

// forgetID removes the numbers that were given to a path.
func (m *Mount) forgetID(at string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.ids, at)
}

// A place is what is at a path of the mount: an edit or a part of the game file.
type place struct {
	edit  fs.FileInfo // nil: none
	base  fs.FileInfo // nil: none, or it was removed
	truth string      // true path in the game file, or for a new file there
	known bool        // the game file has it, even if it was removed
}

func (p place) exists() bool { return p.edit != nil || p.base != nil }

func (p place) isDir() bool {
	if p.edit != nil {
		return p.edit.IsDir()
	}
	return p.base != nil && p.base.IsDir()
}

// look returns what is at a path.
func (m *Mount) look(at string) place {
	var p place
	if m.Edits != nil && at != tree.Sidecar {
		if ours(at) {
			return p
		}
		p.edit = m.Edits.stat(at)
	}
	p.truth, p.base = m.base.find(at)
	p.known = p.base != nil
	if m.removed(at, p.truth, p.base != nil && p.base.IsDir()) {
		p.base = nil
	}
	return p
}

// removed reports whether a file or folder of the game file was removed or replaced.
func (m *Mount) removed(at, truth string, folder bool) bool {
	if m.Edits == nil {
		return false
	}
	if !folder {
		return m.Edits.has(truth)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.gone[at]
}

// writing returns the path of a file that a program has open for writing, or "". Litter does not count.
func (m *Mount) writing() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for f, at := range m.writers {
		if !f.litter() {
			return at
		}
	}
	return ""
}

// sizeOf returns the size of a file of the game file, which is decoded if its size is unknown. The sidecar of a file that
// may change, a world, is made of all its blocks: listing the folder must not read them.
func (n *node) sizeOf(ctx context.Context, at string, p place) int64 {
	if kept := n.size.Load(); kept != nil && kept.round == n.m.round && kept.truth == p.truth {
		return kept.size
	}
	if n.m.late(p.base) {
		return 0
	}
	c, err := n.m.base.content(ctx, p.truth, false)
	if err != nil {
		n.m.report(at, err)
		return 0 // opening it returns the error
	}
	return n.keepSize(c)
}

// late reports whether a file is made of all others, which are many.
func (m *Mount) late(info fs.FileInfo) bool {
	meta, _ := info.Sys().(tree.Meta)
	return meta.Last && m.Live
}

func (n *node) keepSize(c *decoded) int64 {
	n.size.Store(&size{n.m.round, c.truth, int64(len(c.data))})
	return int64(len(c.data))
}

// size is the size of the content of a file of the game file.
type size struct {
	round int
	truth string
	size  int64
}

// node is a file or folder of a mount.
type node struct {
	fusefs.Inode
	m      *Mount
	size   atomic.Pointer[size] // nil: unknown
	edited atomic.Bool          // an edit replaced the content that programs may have open
}

// at returns the path of a node.
func (n *node) at() string {
	if n.IsRoot() {
		return "."
	}
	return n.Path(n.Root())
}

// fill describes what is at a place. The node is that of the place.
func (n *node) fill(ctx context.Context, at string, p place, out *fuse.Attr) {
	if p.edit != nil {
		fillEdit(p.edit, out)
		return
	}
	when := p.base.ModTime()
	if when.IsZero() {
		when = n.m.Time
	}
	out.SetTimes(&when, &when, &when)
	perm := p.base.Mode().Perm() | 0o200 // a copy can be changed
	out.Mode = uint32(perm & n.m.Perm)
	out.Nlink = 1
	if p.base.IsDir() {
		out.Mode = uint32(perm & (n.m.Perm | 0o100 | n.m.Perm>>2&0o11))
		return
	}
	out.Size = uint64(n.sizeOf(ctx, at, p))
	out.Blocks = (out.Size + 511) / 512
}

// fillEdit describes an edit.
func fillEdit(info fs.FileInfo, out *fuse.Attr) {
	st := info.Sys().(*syscall.Stat_t)
	when := info.ModTime()
	accessed, changed := time.Unix(st.Atim.Unix()), time.Unix(st.Ctim.Unix())
	out.SetTimes(&accessed, &when, &changed)
	out.Mode = uint32(info.Mode().Perm())
	out.Size, out.Blocks, out.Nlink = uint64(st.Size), uint64(st.Blocks), 1
}
