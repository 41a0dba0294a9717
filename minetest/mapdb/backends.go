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

// backends is the list of all backends. To add one, add a file with a Backend and a line here.
var backends = []Backend{
	sqliteBackend,
	levelBackend,
	postgresBackend,
	redisBackend,
	sectorsBackend,
	dummyBackend,
}

// A Backend is a way to store the blocks of a world.
type Backend struct {
	Name     string   // the name in world.mt
	Files    []string // the files and folders in the world's folder, the store itself first; empty if it is elsewhere
	Settings []string // the settings of world.mt that locate the server; empty without a server
	Targets  []Target // the kinds of store that can be created by name; empty if the backend is read-only or stores nothing

	// Alone is set if no other program may write while a program has the store open, not even with force: an open
	// store does not see the changes of other programs.
	Alone bool
	// CountsAll is set if [DB.Count] reads all blocks.
	CountsAll bool

	open   func(ctx context.Context, dir string, c Config) (DB, error)
	create func(ctx context.Context, dir string, c Config) (Writer, error) // nil: the backend is read-only
	edit   func(ctx context.Context, dir string, c Config, force bool) (Writer, error)

	// For servers only: complete returns an error unless the settings are sufficient; get reads the settings; set
	// returns their values in the order of Settings.
	complete func(c Config) error
	get      func(c *Config, get func(setting string) string) error
	set      func(c Config) []string
}

// Remote reports whether the store is on a server, possibly on another machine.
func (b Backend) Remote() bool { return len(b.Settings) > 0 }

// ReadOnly reports whether stores of this backend can be neither created nor changed.
func (b Backend) ReadOnly() bool { return b.create == nil }

// A Target is a kind of store that can be created.
type Target struct {
	Name   string // the name used on the command line
	Title  string // a short description
	Schema Schema // for [Create]
}

// Backends returns all backends. The lists in them are shared and must not be changed.
func Backends() []Backend { return slices.Clone(backends) }

// BackendOf returns the backend with the given name, and whether it exists. The name "" means sqlite3, as in worlds
// from before 0.4.8.
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
		return b, &fault.Error{Path: "backend", Offset: -1, Want: strings.Join(names, ", "),
			Got: fmt.Sprintf("%q", abridge(b.Name)), Err: fault.ErrVersion}
	}
	return b, nil
}

// Configure returns the configuration of a world's store from its backend and the settings of its world.mt. The
// function get returns a setting, or "" if it is missing. A setting with an
// invalid value is an error; [Open] checks whether the backend exists and whether the settings locate its server.
func Configure(backend string, get func(setting string) string) (Config, error) {
	c := Config{Backend: backend}
	b, _ := BackendOf(backend)
	if !b.Remote() {
		return c, nil
	}
	return c, b.get(&c, get)
}

// ErrNoServer is wrapped by the errors of [Config.Complete] about settings that are missing.
var ErrNoServer = fmt.Errorf("%w: the settings contain no server", fault.ErrFormat)

// Complete returns an error if the settings do not suffice to find the server of the store.
func (c Config) Complete() error {
	b, err := c.backend()
	if err != nil || !b.Remote() {
		return err
	}
	return b.complete(c)
}

// Settings yields the settings of world.mt that locate the blocks. It omits optional settings with an empty value.
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

// FindTarget returns the configuration of a new store of the target with this name, without settings for a server,
// and whether the target exists.
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

// Targets returns all kinds of stores that can be created.
func Targets() (all []Target) {
	for _, b := range backends {
		all = append(all, b.Targets...)
	}
	return all
}

// Target returns the name of the store's target, or "" if there is none.
func (c Config) Target() string {
	b, _ := BackendOf(c.Backend)
	for _, t := range b.Targets {
		if t.Schema == c.Schema {
			return t.Name
		}
	}
	return ""
}

// Open opens the store of the world in a folder for reading. It changes nothing, in the folder or elsewhere. If the
// store does not exist, the error wraps [io/fs.ErrNotExist]. A store that [Substitute] put there has precedence.
func Open(ctx context.Context, dir string, c Config) (DB, error) {
	if db, ok := substituteOf(dir); ok {
		return db, nil
	}
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

// Create creates an empty store for the world in a folder, which must exist. It does not create a store for
// [Config.Under]. If the store exists already, the error wraps [io/fs.ErrExist].
func Create(ctx context.Context, dir string, c Config) (Writer, error) {
	b, err := c.writable()
	if err != nil {
		return nil, err
	}
	return b.create(ctx, dir, c)
}

// OpenForWriting opens a store to change it in place, or to continue an interrupted creation. If another program has
// the store open, as far as this is detectable, the error wraps [ErrInUse], unless [Config.Force] is set.
// For folders of files the error wraps [ErrReadOnly]. If a store with [Config.Under] does
// not exist, it is created, as the engine does.
func OpenForWriting(ctx context.Context, dir string, c Config) (Writer, error) {
	b, err := c.writable()
	if err != nil {
		return nil, err
	}
	if c.Under == nil {
		return b.edit(ctx, dir, c, c.Force)
	}
	lower, err := openLower(ctx, dir, c)
	if err != nil {
		return nil, err
	}
	w, err := b.edit(ctx, dir, c, c.Force)
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
