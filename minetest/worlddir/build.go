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
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// BuildOptions control how a world is built from a folder.
type BuildOptions struct {
	// Schema is the schema of the table of blocks in SQLite. If it is nil, the schema is that of the extracted world,
	// or else the one that every engine reads.
	Schema *mapdb.Schema
	// Remote allows writing to databases on other machines that world.mt names.
	Remote bool
	// Local uses SQLite for the parts that world.mt has on servers, also in the world.mt of the new world. It is
	// meant for temporary worlds. A page in a browser cannot write SQLite: there it uses LevelDB and files for all parts.
	Local bool
	// Lost receives values that a database cannot hold; may be nil.
	Lost func(err error)
	// OnProgress is called with the number of finished blocks; may be nil.
	OnProgress func(blocks int)
}

// Report contains the counts of Build.
type Report struct {
	Files    int   // files that were copied unchanged
	Blocks   int64 // number of blocks
	Raw      int64 // of these, blocks given as bytes instead of text
	Players  int
	Accounts int
	Mods     int
}

// Build builds a world in the folder dst, which must be empty or not exist. The databases are those that world.mt in
// fsys names; blocks go to SQLite if it names none, and to one database if it names a second one
// ([world.SettingReadonly]). A database on a server must be empty.
//
// An error about a file is, or wraps, a *[fault.TextError]. After an error, dst is incomplete and should be removed.
func Build(ctx context.Context, dst string, fsys fs.FS, o BuildOptions) (*Report, error) {
	b := &builder{ctx: ctx, dst: dst, fsys: fsys, o: o, report: new(Report)}
	if err := b.build(); err != nil {
		return nil, err
	}
	return b.report, nil
}

// builder is a world that is being built.
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
	b.settings.Remove(world.SettingReadonly) // the tree contains the blocks of both databases
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

// text reads a file of a limited size.
func (b *builder) text(name string) ([]byte, error) {
	return fs.ReadFile(regular.Limit(b.fsys, effort.TextFile), name)
}

// stayHere sets the backends to those of a temporary world.
func (b *builder) stayHere() error {
	for _, part := range world.Parts() {
		v, _ := b.settings.Get(part.Setting())
		if to := temporary(part, v); to != v {
			if err := b.settings.Set(part.Setting(), to); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachEntry calls do for each entry of a folder of the tree, page by page.
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

// folder copies the unchanged files below a folder of the tree.
func (b *builder) folder(at, target string) error {
	return b.eachEntry(at, func(e fs.DirEntry) error {
		if at == "." && ours(e.Name()) || !e.IsDir() && !e.Type().IsRegular() {
			return nil
		}
		name := path.Join(at, e.Name())
		elem, ok := trueElem(e.Name(), at == ".")
		if !ok {
			return &fault.TextError{File: name, Msg: "the name is invalid for a file of a world"}
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

// backends returns the backends of the new world: those of world.mt or, without it, those of the extracted world.
func (b *builder) backends() world.Backends {
	if b.side.Backends != nil && len(b.settings.Append(nil)) == 0 {
		return *b.side.Backends
	}
	return world.FindBackends(b.dst, b.settings)
}

// buildThings builds the players, the accounts and the mod storage.
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
		// Lines that do not change are preserved.
		if err := b.root.WriteFile("auth.txt", *v, 0o600); err != nil {
			return err
		}
		same = (*world.Account).Equal
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

// fill makes the contents of a store equal to the files of a folder of the tree. If there are no files, the store is
// not opened. The store must be empty, unless same is set: it reports whether an existing thing can be kept.
func fill[T any](b *builder, dir string, count *int, open func() (world.Store[T], error),
	read func(at, name string) (T, error), same func(was, now T) bool) error {
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

// protect makes a store readable for its owner only, if one of the files of a folder, or the sidecar with the
// verifiers, is readable for its owner only.
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

// ownerOnly reports whether only the owner may read a file.
func ownerOnly(st fs.FileInfo) bool { return st.Mode().IsRegular() && st.Mode().Perm()&0o077 == 0 }

// things returns the paths of the files of a folder, by the names of the things in them.
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
			return &fault.TextError{File: at, Msg: fmt.Sprintf("%q is already in %s", name, other)}
		}
		names[name] = at
		return nil
	})
	return names, err
}
