package worldedit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"trowel.example/internal/regular"
	"trowel.example/internal/sqlitefile"
	"trowel.example/internal/wholefile"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// stores is what a world has besides blocks, as the steps left it. It becomes a [Part] as soon
// as a step asks for something of it.
type stores struct {
	w        *World
	settings *world.Settings
	backends world.Backends
	players  *world.Staged[*world.Player]
	auth     *world.Staged[*world.Account]
	storage  *world.Staged[*world.ModData]
	files    map[string][]byte // that were written; nil if one was removed
}

// things returns the stores of the world.
func (w *World) things() (*stores, error) {
	if w.stores != nil {
		return w.stores, nil
	}
	settings, err := world.ReadWorldMT(w.Dir)
	if err != nil {
		return nil, err
	}
	w.stores = &stores{w: w, settings: settings, backends: world.FindBackends(w.Dir, settings), files: make(map[string][]byte)}
	return w.stores, nil
}

// open opens a store for reading if it is not open, and returns what takes its changes.
func open[T any](ctx context.Context, w *World, staged func(*stores) **world.Staged[T], open func(context.Context, string, *world.Settings, world.Options) (world.Store[T], error)) (world.Store[T], error) {
	s, err := w.things()
	if err != nil {
		return nil, err
	}
	at := staged(s)
	if *at == nil {
		base, err := open(ctx, w.Dir, s.settings, world.Options{Remote: w.opts.Remote})
		if err != nil {
			return nil, err
		}
		*at = world.Stage(base)
	}
	return *at, nil
}

// Players returns the players of the world as the steps left them. A step changes them there;
// the world itself is changed with its blocks, in the end. It is closed with the world.
func (w *World) Players(ctx context.Context) (world.Players, error) {
	return open(ctx, w, func(s *stores) **world.Staged[*world.Player] { return &s.players }, world.OpenPlayers)
}

// Auth returns the accounts of the world, like [World.Players].
func (w *World) Auth(ctx context.Context) (world.Auth, error) {
	return open(ctx, w, func(s *stores) **world.Staged[*world.Account] { return &s.auth }, world.OpenAuth)
}

// Storage returns what mods keep in the world, like [World.Players].
func (w *World) Storage(ctx context.Context) (world.Storage, error) {
	return open(ctx, w, func(s *stores) **world.Staged[*world.ModData] { return &s.storage }, world.OpenStorage)
}

// ReadFile returns a file of the world as the steps left it, such as env_meta.txt. The error
// wraps [fs.ErrNotExist] if there is none.
func (w *World) ReadFile(name string) ([]byte, error) {
	if w.stores != nil {
		if data, ok := w.stores.files[name]; ok {
			if data == nil {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			return bytes.Clone(data), nil
		}
	}
	return regular.ReadFile(filepath.Join(w.Dir, name), world.MaxText)
}

// WriteFile makes a file of the world another one, or a new one: env_meta.txt, ipban.txt and
// what else [trowel.example/minetest/worldbackup.Restore] puts back.
func (w *World) WriteFile(name string, data []byte) error {
	s, err := w.things()
	if err == nil {
		s.files[name] = append([]byte{}, data...)
	}
	return err
}

func (s *stores) close() (err error) {
	if s == nil {
		return nil
	}
	if s.players != nil {
		err = errors.Join(err, s.players.Close())
	}
	if s.auth != nil {
		err = errors.Join(err, s.auth.Close())
	}
	if s.storage != nil {
		err = errors.Join(err, s.storage.Close())
	}
	return err
}

// changed reports whether steps have changed anything of this.
func (s *stores) changed() bool {
	return s != nil && (len(s.files) > 0 || changes(s.players) || changes(s.auth) || changes(s.storage))
}

func changes[T any](s *world.Staged[T]) bool { return s != nil && len(s.Changed()) > 0 }

// part makes a change of the world of this.
func (s *stores) part(ctx context.Context) Part {
	return Part{Keep: func(b Keeper) error { return s.keep(ctx, b) }, Apply: s.apply}
}

// keep hands to a backup what will change: files as they are, of servers each thing.
func (s *stores) keep(ctx context.Context, b Keeper) error {
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if err := b.Store([]string{name}); err != nil {
			return err
		}
	}
	return errors.Join(
		keepOf(ctx, s, b, world.PlayersPart, s.players, b.Player),
		keepOf(ctx, s, b, world.AuthPart, s.auth, b.Account),
		keepOf(ctx, s, b, world.StoragePart, s.storage, b.ModData),
	)
}

func keepOf[T any](ctx context.Context, s *stores, b Keeper, part world.Part, staged *world.Staged[T], keep func(string, T) error) error {
	if !changes(staged) {
		return nil
	}
	if backend := s.backends.Of(part); !part.Remote(backend) {
		return b.Store(part.Files(backend))
	}
	for _, name := range staged.Changed() {
		was, err := staged.Before(ctx, name)
		if err != nil && !errors.Is(err, world.ErrNotFound) {
			return err
		}
		if err := keep(name, was); err != nil {
			return err
		}
	}
	return nil
}

// shared returns an error if a copy would have its changes made on a server that it has in
// common with the world.
func (s *stores) shared(to worldcopy.Options) error {
	if s == nil {
		return nil
	}
	for _, of := range []struct {
		part    world.Part
		changed bool
		to      string
	}{
		{world.PlayersPart, changes(s.players), to.Players},
		{world.AuthPart, changes(s.auth), to.Auth},
		{world.StoragePart, changes(s.storage), to.Storage},
	} {
		if backend := s.backends.Of(of.part); of.changed && of.to == "" && of.part.Remote(backend) {
			return fmt.Errorf("world.mt: %s is %s, which the copy would share, and the world itself would change: the copy needs another backend for it", of.part.Setting(), backend)
		}
	}
	return nil
}

// apply makes the changes in the world in dir.
func (s *stores) apply(ctx context.Context, dir string, settings *world.Settings) error {
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if err := wholefile.Write(filepath.Join(dir, name), bytes.NewReader(s.files[name]), 0o644); err != nil {
			return err
		}
	}
	// Of a copy the user has named the servers.
	o := world.Options{Write: true, Remote: s.w.opts.Remote || dir != s.w.Dir}
	return errors.Join(
		applyOf(ctx, dir, settings, o, s.players, world.OpenPlayers),
		applyOf(ctx, dir, settings, o, s.auth, world.OpenAuth),
		applyOf(ctx, dir, settings, o, s.storage, world.OpenStorage),
	)
}

func applyOf[T any](ctx context.Context, dir string, settings *world.Settings, o world.Options, staged *world.Staged[T], open func(context.Context, string, *world.Settings, world.Options) (world.Store[T], error)) (err error) {
	if !changes(staged) {
		return nil
	}
	to, err := open(ctx, dir, settings, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	return staged.WriteTo(ctx, to)
}

// Database is a change of a database of the engine that is no store of the world, such as
// rollback.sqlite: change does it to the world in a folder.
func Database(name string, change func(ctx context.Context, dir string) error) Part {
	return Part{
		Keep:  func(b Keeper) error { return b.Store(sqlitefile.Files(name)) },
		Apply: func(ctx context.Context, dir string, _ *world.Settings) error { return change(ctx, dir) },
	}
}

// allParts returns what is to be done besides the blocks.
func (w *World) allParts(ctx context.Context) []Part {
	list := w.parts
	if w.stores.changed() {
		list = append(slices.Clip(list), w.stores.part(ctx))
	}
	return list
}
