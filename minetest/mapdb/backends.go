package mapdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"trowel.example/fault"
)

// backends are all that there are. A new one is a file with a Backend, and a line here.
var backends = []Backend{
	sqliteBackend,
	levelBackend,
	postgresBackend,
	redisBackend,
	sectorsBackend,
	dummyBackend,
}

// A Backend is a way to keep the blocks of a world.
type Backend struct {
	Name     string   // as world.mt has it
	Files    []string // its files and folders in that of the world, the store itself first; none if it is elsewhere
	Settings []string // of world.mt, which say on what server the store is; none if it is on none
	Targets  []Target // what can be made from it by name; none if it can be read only, or keeps nothing

	// Alone says that nobody may write while a program has the store open, not even by force:
	// it knows nothing of what others write.
	Alone bool
	// CountsAll says that [DB.Count] reads all blocks.
	CountsAll bool

	open   func(ctx context.Context, dir string, c Config) (DB, error)
	create func(ctx context.Context, dir string, c Config) (Writer, error) // nil: it can be read only
	edit   func(ctx context.Context, dir string, c Config, force bool) (Writer, error)

	// What follows is for servers: whether enough is told to find it; the settings are taken
	// over, and given back in their order.
	complete func(c Config) error
	get      func(c *Config, get func(setting string) string) error
	set      func(c Config) []string
}

// Remote reports whether the store is on a server, which may be on another machine.
func (b Backend) Remote() bool { return len(b.Settings) > 0 }

// ReadOnly reports whether stores can neither be made nor changed.
func (b Backend) ReadOnly() bool { return b.create == nil }

// A Target is a kind of store that can be made.
type Target struct {
	Name   string // a word that people type
	Title  string // in a few words
	Schema Schema // for [Create]
}

// Backends returns all backends. Their lists are shared, and not to be changed.
func Backends() []Backend { return slices.Clone(backends) }

// BackendOf returns the backend of a name, and whether there is one. The name "" is that of
// worlds from before 0.4.8: sqlite3.
func BackendOf(name string) (Backend, bool) {
	if name == "" {
		name = SQLite
	}
	i := slices.IndexFunc(backends, func(b Backend) bool { return b.Name == name })
	if i < 0 {
		return Backend{Name: name}, false
	}
	return backends[i], true
}

// backend returns the backend of a store, or an error that wraps [fault.ErrVersion].
func (c Config) backend() (Backend, error) {
	b, ok := BackendOf(c.Backend)
	if !ok {
		var names []string
		for _, b := range backends {
			names = append(names, b.Name)
		}
		return b, &fault.Error{Path: "backend", Offset: -1, Want: strings.Join(names, ", "), Got: fmt.Sprintf("%q", abridge(b.Name)), Err: fault.ErrVersion}
	}
	return b, nil
}

// Configure returns where the blocks of a world are that has them in a backend, and whose
// world.mt has the settings that get returns, "" for one that it lacks. With remote they may
// be on another machine. A setting with a value that it cannot have is an error; whether
// there is such a backend, and enough is told of its server, is found out by [Open].
func Configure(backend string, get func(setting string) string, remote bool) (Config, error) {
	c := Config{Backend: backend}
	b, _ := BackendOf(backend)
	if !b.Remote() {
		return c, nil
	}
	c.Remote = remote
	return c, b.get(&c, get)
}

// Complete returns an error if too little is told of the server that the store is on.
func (c Config) Complete() error {
	b, err := c.backend()
	if err != nil || !b.Remote() {
		return err
	}
	return b.complete(c)
}

// Settings yields the settings of world.mt that say where the blocks are, except for those
// that can be missing and would be empty.
func (c Config) Settings() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		b, _ := BackendOf(c.Backend)
		if !yield("backend", b.Name) || !b.Remote() {
			return
		}
		for i, value := range b.set(c) {
			if value != "" && !yield(b.Settings[i], value) {
				return
			}
		}
	}
}

// FindTarget returns how a store is made that is of the kind of a target. The server that it
// may be on is not told by that.
func FindTarget(name string) (Config, bool) {
	for _, b := range backends {
		for _, t := range b.Targets {
			if t.Name == name {
				return Config{Backend: b.Name, Schema: t.Schema}, true
			}
		}
	}
	return Config{}, false
}

// Targets returns all that can be made.
func Targets() (all []Target) {
	for _, b := range backends {
		all = append(all, b.Targets...)
	}
	return all
}

// Target returns the name of the target that a store is of, "" if there is none.
func (c Config) Target() string {
	b, _ := BackendOf(c.Backend)
	for _, t := range b.Targets {
		if t.Schema == c.Schema {
			return t.Name
		}
	}
	return ""
}

// Open opens the blocks of the world in a folder for reading. It changes
// nothing, in the folder or elsewhere. If there is no store, the error wraps
// [io/fs.ErrNotExist].
func Open(ctx context.Context, dir string, c Config) (DB, error) {
	b, err := c.backend()
	if err != nil {
		return nil, err
	}
	db, err := b.open(ctx, dir, c)
	if c.Under == nil {
		return db, err
	}
	return openLayered(ctx, dir, c, db, err)
}

// Create makes an empty store for the world in a folder, which must exist, and none below it. It fails with an error
// that wraps [io/fs.ErrExist] if there is one already.
func Create(ctx context.Context, dir string, c Config) (Writer, error) {
	b, err := c.writable()
	if err != nil {
		return nil, err
	}
	return b.create(ctx, dir, c)
}

// OpenForWriting opens a store to change it in place, or to continue with making it. It fails
// with an error that wraps [ErrInUse] if a program has it open, as far as that can be seen,
// unless force is set, which does not count for LevelDB: see [Backend.Alone]. With folders of
// files the error wraps [ErrReadOnly]. A store that does not exist is created if another one is
// [Config.Under] it, as the engine does.
func OpenForWriting(ctx context.Context, dir string, c Config, force bool) (Writer, error) {
	b, err := c.writable()
	if err != nil {
		return nil, err
	}
	if c.Under == nil {
		return b.edit(ctx, dir, c, force)
	}
	lower, err := openLower(ctx, dir, c)
	if err != nil {
		return nil, err
	}
	w, err := b.edit(ctx, dir, c, force)
	if errors.Is(err, fs.ErrNotExist) {
		w, err = b.create(ctx, dir, c)
	}
	if err != nil {
		return nil, errors.Join(err, lower.Close())
	}
	return &layeredWriter{layered{w, lower}, w}, nil
}

func (c Config) writable() (Backend, error) {
	b, err := c.backend()
	if err == nil && b.ReadOnly() {
		err = fmt.Errorf("%s: %w", b.Name, ErrReadOnly)
	}
	return b, err
}
