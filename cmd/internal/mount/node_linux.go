//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package mount

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	fusefs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"trowel.example/internal/files/tree"
)

// These are the requests of the system.
var _ interface {
	fusefs.NodeLookuper
	fusefs.NodeGetattrer
	fusefs.NodeSetattrer
	fusefs.NodeOpener
	fusefs.NodeReaddirer
	fusefs.NodeCreater
	fusefs.NodeMkdirer
	fusefs.NodeUnlinker
	fusefs.NodeRmdirer
	fusefs.NodeRenamer
	fusefs.NodeSymlinker
	fusefs.NodeLinker
	fusefs.NodeStatfser
} = (*node)(nil)

// errno returns the number of an error of the folder of edits.
func errno(err error) syscall.Errno {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, fs.ErrNotExist):
		return syscall.ENOENT
	}
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number
	}
	return syscall.EIO
}

// reading is the begin of each request; the returned function is its end.
func (m *Mount) reading() (done func()) {
	m.state.RLock()
	return m.state.RUnlock
}

// changing is the begin of each request that changes names.
func (m *Mount) changing() (done func()) {
	m.state.RLock()
	m.Edits.names.Lock()
	return func() {
		m.Edits.names.Unlock()
		m.state.RUnlock()
	}
}

// Lookup finds an entry of a folder.
func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fusefs.Inode, syscall.Errno) {
	if n.IsRoot() && name == requestName && n.m.Edits != nil {
		return n.NewInode(ctx, &request{m: n.m}, fusefs.StableAttr{Mode: syscall.S_IFREG}), 0
	}
	defer n.m.reading()()
	at := path.Join(n.at(), name)
	p := n.m.look(at)
	if !p.exists() {
		return nil, syscall.ENOENT
	}
	return n.child(ctx, name, at, p, n.m.id(at), out), 0
}

// child returns the node of an entry, and describes it.
func (n *node) child(ctx context.Context, name, at string, p place, id fusefs.StableAttr, out *fuse.EntryOut) *fusefs.Inode {
	id.Mode = syscall.S_IFREG
	if p.isDir() {
		id.Mode = syscall.S_IFDIR
	}
	child := n.GetChild(name) // it may have the size
	if child == nil || child.StableAttr() != id {
		child = n.NewInode(ctx, &node{m: n.m}, id)
	}
	if of, ok := child.Operations().(*node); ok {
		of.fill(ctx, at, p, &out.Attr)
	}
	return child
}

// Getattr describes the file or folder.
func (n *node) Getattr(ctx context.Context, f fusefs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	defer n.m.reading()()
	at := n.at()
	p := n.m.look(at)
	switch f := f.(type) {
	case *editFile:
		info, err := f.file.Stat()
		if err == nil {
			fillEdit(info, &out.Attr)
		}
		return errno(err)
	case *baseFile:
		if !p.exists() { // removed, but open
			p.truth, p.base = f.truth, f.info
		}
	}
	if !p.exists() {
		return syscall.ENOENT
	}
	n.fill(ctx, at, p, &out.Attr)
	return 0
}

// Setattr changes the size, the permissions and the times of a file. Those of folders are fixed.
func (n *node) Setattr(ctx context.Context, f fusefs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if n.m.Edits == nil {
		return syscall.EROFS
	}
	if number := n.setattr(ctx, f, in); number != 0 {
		return number
	}
	return n.Getattr(ctx, f, out)
}

func (n *node) setattr(ctx context.Context, f fusefs.FileHandle, in *fuse.SetAttrIn) syscall.Errno {
	defer n.m.changing()()
	uid, hasUID := in.GetUID()
	gid, hasGID := in.GetGID()
	if hasUID && int(uid) != os.Geteuid() || hasGID && int(gid) != os.Getegid() {
		return syscall.EPERM
	}
	at := n.at()
	if n.IsDir() {
		return 0
	}
	if size, ok := in.GetSize(); ok {
		if f, ok := f.(*editFile); ok {
			return errno(f.file.Truncate(int64(size)))
		}
	}
	root, number := n.edit(ctx, at)
	if number != 0 {
		return number
	}
	if size, ok := in.GetSize(); ok {
		f, err := root.OpenFile(at, os.O_WRONLY, 0)
		if err == nil {
			err = errors.Join(f.Truncate(int64(size)), f.Close())
		}
		if err != nil {
			return errno(err)
		}
	}
	if mode, ok := in.GetMode(); ok {
		if err := root.Chmod(at, fs.FileMode(mode&0o777)|0o600); err != nil {
			return errno(err)
		}
	}
	modified, hasModified := in.GetMTime()
	accessed, hasAccessed := in.GetATime()
	if hasModified || hasAccessed {
		return errno(root.Chtimes(at, accessed, modified)) // a zero time changes nothing
	}
	return 0
}

// edit makes an edit of the file at a path, unless it is one already, and returns the folder of edits.
func (n *node) edit(ctx context.Context, at string) (*os.Root, syscall.Errno) {
	p := n.m.look(at)
	switch {
	case at == tree.Sidecar:
		return nil, syscall.EACCES
	case p.edit != nil:
		return n.m.Edits.existing(), 0
	case p.base == nil:
		return nil, syscall.ENOENT
	}
	c, err := n.m.base.content(ctx, p.truth, false)
	if err != nil {
		return nil, n.m.report(at, err)
	}
	if err := n.m.Edits.copyUp(at, p.truth, c.data, p.base.Mode().Perm()&0o077 == 0); err != nil {
		return nil, n.m.report(at, err)
	}
	n.edited.Store(true)
	return n.m.Edits.existing(), 0
}

// Open opens a file.
func (n *node) Open(ctx context.Context, flags uint32) (fusefs.FileHandle, uint32, syscall.Errno) {
	write := flags&syscall.O_ACCMODE != syscall.O_RDONLY || flags&syscall.O_TRUNC != 0
	if write && n.m.Edits == nil {
		return nil, 0, syscall.EROFS
	}
	if !write {
		defer n.m.reading()()
	} else {
		defer n.m.changing()()
	}
	at := n.at()
	p := n.m.look(at)
	if !p.exists() {
		return nil, 0, syscall.ENOENT
	}
	if p.edit == nil && !write {
		c, err := n.m.base.content(ctx, p.truth, n.m.Live && !n.m.late(p.base))
		if err != nil {
			return nil, 0, n.m.report(at, err)
		}
		if kept := n.size.Load(); kept != nil && kept.size != int64(len(c.data)) {
			_ = n.NotifyContent(-1, 0) // the system forgets the size
		}
		n.keepSize(c)
		how := uint32(0)
		if n.m.late(p.base) {
			how = fuse.FOPEN_DIRECT_IO // the system may have the size 0
		}
		return &baseFile{n: n, truth: p.truth, info: p.base, sum: c.sum}, how, 0
	}
	root := n.m.Edits.existing()
	if write {
		var number syscall.Errno
		if root, number = n.edit(ctx, at); number != 0 {
			return nil, 0, number
		}
	}
	f, err := root.OpenFile(at, int(flags)&(syscall.O_ACCMODE|syscall.O_TRUNC), 0)
	if err != nil {
		return nil, 0, errno(err)
	}
	return n.m.opened(f, at, write), 0, 0
}

// mayCreate returns the number of an error if nothing may be created at a path.
func (n *node) mayCreate(at string) syscall.Errno {
	switch {
	case n.m.Edits == nil:
		return syscall.EROFS
	case at == tree.Sidecar, ours(at), at == requestName:
		return syscall.EACCES
	}
	return 0
}

// Create makes a file and opens it.
func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fusefs.Inode, fusefs.FileHandle,
	uint32, syscall.Errno) {
	at := path.Join(n.at(), name)
	if number := n.mayCreate(at); number != 0 {
		return nil, nil, 0, number
	}
	defer n.m.changing()()
	p := n.m.look(at)
	if p.exists() {
		return nil, nil, 0, syscall.EEXIST
	}
	root, err := n.m.Edits.prepare(at, p.truth)
	if err != nil {
		return nil, nil, 0, errno(err)
	}
	f, err := root.OpenFile(at, int(flags)&syscall.O_ACCMODE|os.O_CREATE|os.O_EXCL, fs.FileMode(mode&0o777)&n.m.Edits.mode()|0o600)
	if err != nil {
		return nil, nil, 0, errno(err)
	}
	p = n.m.look(at)
	return n.child(ctx, name, at, p, n.m.newID(at), out), n.m.opened(f, at, true), 0, 0
}

// Mkdir makes a folder.
func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fusefs.Inode, syscall.Errno) {
	at := path.Join(n.at(), name)
	if number := n.mayCreate(at); number != 0 {
		return nil, number
	}
	defer n.m.changing()()
	p := n.m.look(at)
	if p.exists() {
		return nil, syscall.EEXIST
	}
	root, err := n.m.Edits.prepare(at, p.truth)
	if err == nil {
		err = root.Mkdir(at, fs.FileMode(mode&0o777)|0o700)
	}
	if err != nil {
		return nil, errno(err)
	}
	p = n.m.look(at)
	return n.child(ctx, name, at, p, n.m.newID(at), out), 0
}

// Unlink removes a file.
func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	at := path.Join(n.at(), name)
	if number := n.mayCreate(at); number != 0 {
		return number
	}
	defer n.m.changing()()
	p := n.m.look(at)
	switch {
	case !p.exists():
		return syscall.ENOENT
	case p.isDir():
		return syscall.EISDIR
	}
	if number := n.takeOut(ctx, at, p); number != 0 {
		return number
	}
	if p.edit != nil {
		if err := n.m.Edits.existing().Remove(at); err != nil {
			return errno(err)
		}
	}
	n.m.forgetID(at)
	return 0
}

// takeOut records that the file of the game file at a place is replaced or removed.
func (n *node) takeOut(ctx context.Context, at string, p place) syscall.Errno {
	if p.base == nil {
		return 0
	}
	c, err := n.m.base.content(ctx, p.truth, false)
	if err == nil && at != p.truth {
		if _, err = n.m.Edits.open(); err == nil {
			err = n.m.Edits.rename(at, p.truth)
		}
	}
	if err == nil {
		err = n.m.Edits.record(p.truth, c.data)
	}
	if err != nil {
		return n.m.report(at, err)
	}
	return 0
}

// Rmdir removes an empty folder.
func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	at := path.Join(n.at(), name)
	if number := n.mayCreate(at); number != 0 {
		return number
	}
	defer n.m.changing()()
	p := n.m.look(at)
	switch {
	case !p.exists():
		return syscall.ENOENT
	case !p.isDir():
		return syscall.ENOTDIR
	}
	d := newLister(n.m, at, p)
	defer d.Close()
	if d.HasNext() {
		return syscall.ENOTEMPTY
	}
	if p.edit != nil {
		if err := n.m.Edits.existing().Remove(at); err != nil {
			return errno(err)
		}
	}
	if p.base != nil {
		n.m.mu.Lock()
		n.m.gone[at] = true
		n.m.mu.Unlock()
	}
	n.m.forgetID(at)
	return 0
}

// Rename renames a file, or a folder that the game file does not have. Programs copy other folders.
func (n *node) Rename(ctx context.Context, name string, to fusefs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	target, ok := to.(*node)
	if !ok || flags&^unix.RENAME_NOREPLACE != 0 {
		return syscall.EINVAL
	}
	from, at := path.Join(n.at(), name), path.Join(target.at(), newName)
	for _, at := range []string{from, at} {
		if number := n.mayCreate(at); number != 0 {
			return number
		}
	}
	defer n.m.changing()()
	p, q := n.m.look(from), n.m.look(at)
	switch {
	case !p.exists():
		return syscall.ENOENT
	case q.exists() && flags&unix.RENAME_NOREPLACE != 0:
		return syscall.EEXIST
	case p.isDir() && (p.known || q.known):
		return syscall.EXDEV
	case q.exists() && p.isDir() != q.isDir():
		if p.isDir() {
			return syscall.ENOTDIR
		}
		return syscall.EISDIR
	}
	if !p.isDir() {
		of := n
		if child := n.GetChild(name); child != nil {
			of = child.Operations().(*node)
		}
		if _, number := of.edit(ctx, from); number != 0 {
			return number
		}
	}
	if !q.isDir() && q.base != nil {
		if _, err := n.m.base.content(ctx, q.truth, false); err != nil { // takeOut needs it
			return n.m.report(at, err)
		}
	}
	root, err := n.m.Edits.prepare(at, q.truth)
	if err == nil {
		err = root.Rename(from, at)
	}
	if err != nil {
		return errno(err)
	}
	n.m.moveID(from, at)
	if q.isDir() {
		return 0
	}
	return n.takeOut(ctx, at, q)
}

// Symlink refuses links: a game file has none. Programs that use them for locks make files instead.
func (n *node) Symlink(context.Context, string, string, *fuse.EntryOut) (*fusefs.Inode, syscall.Errno) {
	return nil, syscall.EPERM
}

// Link refuses links.
func (n *node) Link(context.Context, fusefs.InodeEmbedder, string, *fuse.EntryOut) (*fusefs.Inode, syscall.Errno) {
	return nil, syscall.EPERM
}

// Statfs describes the space for edits.
func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	if n.m.Edits == nil {
		return 0
	}
	var s syscall.Statfs_t
	if err := syscall.Statfs(path.Dir(n.m.Edits.Dir), &s); err != nil {
		return errno(err)
	}
	out.FromStatfsT(&s)
	return 0
}

// Readdir lists a folder.
func (n *node) Readdir(context.Context) (fusefs.DirStream, syscall.Errno) {
	defer n.m.reading()()
	at := n.at()
	p := n.m.look(at)
	if at != "." && !p.exists() {
		return nil, syscall.ENOENT
	}
	return newLister(n.m, at, p), 0
}
