package worlddir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/regular"
	"trowel.example/internal/tree"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// BuildOptions are how a world is made from a folder.
type BuildOptions struct {
	// Schema is the shape of the table of blocks in SQLite; nil: that of the
	// world that was shown, else the one that every engine reads.
	Schema *mapdb.Schema
	// Remote allows to fill databases on other machines, if world.mt names them.
	Remote bool
	// Local puts into SQLite what world.mt has on servers, and says so in the
	// world.mt of the new world: for a world that nobody keeps.
	Local bool
	// Lost is told what a database has no room for; may be nil.
	Lost func(err error)
	// OnProgress is told how many blocks are done; may be nil.
	OnProgress func(blocks int)
}

// Report is what Build did.
type Report struct {
	Files    int   // files that were taken as they are
	Blocks   int64 // blocks in all
	Raw      int64 // of these, those that were bytes and not text
	Players  int
	Accounts int
	Mods     int
}

// Build makes a world in the folder dst, which it makes if need be, and which
// must have nothing in it. The databases are what world.mt in fsys says; blocks
// are in SQLite if it says nothing, and in one database if it names a second one
// ([world.SettingReadonly]). A database on a server must be empty.
//
// An error about a file is, or wraps, a *[fault.TextError]. Then dst is incomplete and should be removed.
func Build(ctx context.Context, dst string, fsys fs.FS, o BuildOptions) (*Report, error) {
	b := &builder{ctx: ctx, dst: dst, fsys: fsys, o: o, report: new(Report)}
	if err := b.build(); err != nil {
		return nil, err
	}
	return b.report, nil
}

// builder is a world that is being made.
type builder struct {
	ctx      context.Context
	dst      string
	root     *os.Root
	fsys     fs.FS
	o        BuildOptions
	side     *sidecar
	settings *world.Settings
	report   *Report
}

func (b *builder) build() (err error) {
	if b.side, err = readSidecar(b.fsys); err != nil {
		return err
	}
	text, err := b.text(worldMT)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	b.settings = world.ParseSettings(text, "")
	b.settings.Remove(world.SettingReadonly) // the blocks of both databases are in the tree
	if b.o.Local {
		if err := b.stayHere(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(b.dst, 0o777); err != nil {
		return err
	}
	if list, err := os.ReadDir(b.dst); err != nil {
		return err
	} else if len(list) > 0 {
		return &fs.PathError{Op: "build", Path: b.dst, Err: fs.ErrExist}
	}
	if b.root, err = os.OpenRoot(b.dst); err != nil {
		return err
	}
	defer b.root.Close()
	if err := b.folder(".", "."); err != nil {
		return err
	}
	if now := b.settings.Append(nil); !bytes.Equal(now, text) {
		if err := b.root.WriteFile(worldMT, now, 0o600); err != nil {
			return err
		}
	}
	if err := b.buildMap(); err != nil {
		return err
	}
	return b.buildThings()
}

// text reads a file that is no larger than those of a world are.
func (b *builder) text(name string) ([]byte, error) {
	return fs.ReadFile(regular.Limit(b.fsys, world.MaxText), name)
}

// stayHere makes SQLite the backend of what is on servers.
func (b *builder) stayHere() error {
	for _, part := range world.Parts() {
		if v, _ := b.settings.Get(part.Setting()); part.Remote(v) {
			if err := b.settings.Set(part.Setting(), mapdb.SQLite); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachEntry goes through a folder of the tree, page by page.
func (b *builder) eachEntry(dir string, do func(e fs.DirEntry) error) error {
	f, err := b.fsys.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	pages, ok := f.(fs.ReadDirFile)
	if !ok {
		return &fault.TextError{File: dir, Msg: "expected a folder"}
	}
	for {
		page, err := pages.ReadDir(1024)
		for _, e := range page {
			if err := b.ctx.Err(); err != nil {
				return err
			}
			if err := do(e); err != nil {
				return err
			}
		}
		if err == io.EOF || err == nil && len(page) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// folder copies the files below a folder of the tree that stand there as they are.
func (b *builder) folder(at, target string) error {
	return b.eachEntry(at, func(e fs.DirEntry) error {
		if at == "." && ours(e.Name()) || !e.IsDir() && !e.Type().IsRegular() {
			return nil
		}
		name := path.Join(at, e.Name())
		elem, ok := trueElem(e.Name(), at == ".")
		if !ok {
			return &fault.TextError{File: name, Msg: "the name cannot be that of a file of a world"}
		}
		to := path.Join(target, elem)
		if !e.IsDir() {
			b.report.Files++
			return b.copyFile(name, to)
		}
		if err := b.root.Mkdir(to, 0o777); err != nil {
			return err
		}
		return b.folder(name, to)
	})
}

func (b *builder) copyFile(name, to string) error {
	r, err := b.fsys.Open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	st, err := r.Stat()
	if err == nil {
		err = world.CheckText(to, st)
	}
	if err != nil {
		return inFile(err, name)
	}
	mode := fs.FileMode(0o666)
	if ownerOnly(st) {
		mode = 0o600
	}
	w, err := b.root.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	return errors.Join(regular.Copy(b.ctx, w, r), w.Close())
}

// backends returns where the parts of the new world are kept: as world.mt says, and
// without one as in the world that was shown.
func (b *builder) backends() world.Backends {
	if b.side.Backends != nil && len(b.settings.Append(nil)) == 0 {
		return *b.side.Backends
	}
	return world.FindBackends(b.dst, b.settings)
}

// buildThings makes the players, the accounts and what mods keep.
func (b *builder) buildThings() error {
	have := b.backends()
	o := world.Options{Write: true, Remote: b.o.Remote, Lost: func(err error, _ []check.Place) {
		if b.o.Lost != nil {
			b.o.Lost(err)
		}
	}}
	err := fill(b, playersDir, &b.report.Players, func() (world.Players, error) {
		o.Backend = have.Players
		return world.OpenPlayers(b.ctx, b.dst, b.settings, o)
	}, b.player, nil)
	if err != nil {
		return err
	}
	var same func(was, now *world.Account) bool
	if v := b.side.AuthFile; v != nil && have.Auth == world.Files {
		// What is not to be changed in it stays as it is.
		if err := b.root.WriteFile("auth.txt", *v, 0o600); err != nil {
			return err
		}
		same = sameAccount
	}
	err = fill(b, authDir, &b.report.Accounts, func() (world.Auth, error) {
		o.Backend = have.Auth
		return world.OpenAuth(b.ctx, b.dst, b.settings, o)
	}, b.account, same)
	if err != nil {
		return err
	}
	return fill(b, storageDir, &b.report.Mods, func() (world.Storage, error) {
		o.Backend = have.ModStorage
		return world.OpenStorage(b.ctx, b.dst, b.settings, o)
	}, b.mod, nil)
}

// fill makes a store have what the files of a folder of the tree say. Without
// anything to put there it is not even opened. It must have nothing yet, unless
// same tells which of its things can stay.
func fill[T any](b *builder, dir string, count *int, open func() (world.Store[T], error), read func(at, name string) (T, error), same func(was, now T) bool) error {
	names, err := b.things(dir)
	if err != nil || len(names) == 0 && same == nil {
		return err
	}
	store, err := open()
	if err != nil {
		return err
	}
	*count = len(names)
	return errors.Join(merge(b, dir, store, names, read, same), store.Close(), b.protect(dir, names))
}

// protect lets nobody but its owner read the store of what the files of a folder stand for,
// if one of them, or the sidecar with what they do not say, is for its owner alone.
func (b *builder) protect(dir string, names map[string]string) error {
	part := map[string]world.Part{playersDir: world.PlayersPart, authDir: world.AuthPart, storageDir: world.StoragePart}[dir]
	list := append(slices.Collect(maps.Values(names)), tree.Sidecar)
	if !slices.ContainsFunc(list, func(at string) bool {
		st, err := fs.Stat(b.fsys, at)
		return err == nil && ownerOnly(st) && (at != tree.Sidecar || dir == authDir)
	}) {
		return nil
	}
	return world.Protect(b.dst, part.Files(b.backends().Of(part))...)
}

// ownerOnly reports whether nobody but its owner may read a file.
func ownerOnly(st fs.FileInfo) bool { return st.Mode().IsRegular() && st.Mode().Perm()&0o077 == 0 }

// things returns the names of what the files of a folder stand for, with the
// paths of the files.
func (b *builder) things(dir string) (map[string]string, error) {
	names := make(map[string]string)
	err := b.eachEntry(dir, func(e fs.DirEntry) error {
		at := dir + "/" + e.Name()
		if e.IsDir() || !strings.HasSuffix(e.Name(), thingEnding) {
			return &fault.TextError{File: at, Msg: "expected a file whose name ends in " + thingEnding}
		}
		name := nameOf(e.Name())
		if v, ok := b.side.TrueNames[at]; ok {
			name = string(v)
		}
		if other, ok := names[name]; ok {
			return &fault.TextError{File: at, Msg: fmt.Sprintf("%q is in %s already", name, other)}
		}
		names[name] = at
		return nil
	})
	return names, err
}
