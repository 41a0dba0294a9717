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

	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// stores contains everything except the blocks of a world, after all completed steps. It becomes a [Part] when a step
// changes something in it.
type stores struct {
	w        *World
	settings *world.Settings
	backends world.Backends
	players  *world.Staged[*world.Player]
	auth     *world.Staged[*world.Account]
	storage  *world.Staged[*world.ModData]
	files    map[string][]byte // files that were written; nil for a removed file
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

// open opens a store for reading if it is not open, and returns the store that keeps its changes.
func open[T any](ctx context.Context, w *World, staged func(*stores) **world.Staged[T],
	open func(context.Context, string, *world.Settings, world.Options) (world.Store[T], error)) (world.Store[T], error) {
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

// Players returns the players of the world after all completed steps. A step changes them there. The world itself is
// changed at the end, together with its blocks. The store is closed with the world.
func (w *World) Players(ctx context.Context) (world.Players, error) {
	return open(ctx, w, func(s *stores) **world.Staged[*world.Player] { return &s.players }, world.OpenPlayers)
}

// Auth returns the accounts of the world, like [World.Players].
func (w *World) Auth(ctx context.Context) (world.Auth, error) {
	return open(ctx, w, func(s *stores) **world.Staged[*world.Account] { return &s.auth }, world.OpenAuth)
}

// Storage returns the mod storage of the world, like [World.Players].
func (w *World) Storage(ctx context.Context) (world.Storage, error) {
	return open(ctx, w, func(s *stores) **world.Staged[*world.ModData] { return &s.storage }, world.OpenStorage)
}

// ReadFile returns a file of the world after all completed steps, such as env_meta.txt. The error wraps
// [fs.ErrNotExist] if there is none.
func (w *World) ReadFile(name string) ([]byte, error) {
	if w.stores != nil {
		if data, ok := w.stores.files[name]; ok {
			if data == nil {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			return bytes.Clone(data), nil
		}
	}
	return regular.ReadFile(filepath.Join(w.Dir, name), effort.TextFile)
}

// WriteFile replaces or creates a file of the world: env_meta.txt, ipban.txt or another file that
// [trowel.example/minetest/internal/worldbackup.Restore] accepts.
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

// changed reports whether a step has changed anything in the stores.
func (s *stores) changed() bool {
	return s != nil && (len(s.files) > 0 || changes(s.players) || changes(s.auth) || changes(s.storage))
}

func changes[T any](s *world.Staged[T]) bool { return s != nil && len(s.Changed()) > 0 }

// part returns the changes of the stores as a Part.
func (s *stores) part() Part {
	return Part{Keep: s.keep, Apply: s.apply}
}

// keep stores in a backup everything that will change: files unchanged, or things one by one for stores on servers.
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

// shared returns an error if a copy would change a store on a server that the world itself uses.
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
			return fmt.Errorf("world.mt: %s is %s, which the copy would share with the world: choose another backend "+
				"for the copy", of.part.Setting(), backend)
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
	// The servers of a copy are chosen by the user.
	o := world.Options{Write: true, Remote: s.w.opts.Remote || dir != s.w.Dir}
	return errors.Join(
		applyOf(ctx, dir, settings, o, s.players, world.OpenPlayers),
		applyOf(ctx, dir, settings, o, s.auth, world.OpenAuth),
		applyOf(ctx, dir, settings, o, s.storage, world.OpenStorage),
	)
}

func applyOf[T any](ctx context.Context, dir string, settings *world.Settings, o world.Options, staged *world.Staged[T],
	open func(context.Context, string, *world.Settings, world.Options) (world.Store[T], error)) (err error) {
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

// Database is a change of a database of the engine that is not a store of the world, such as rollback.sqlite. The
// function change is called with the folder of a world.
func Database(name string, change func(ctx context.Context, dir string) error) Part {
	return Part{
		Keep:  func(_ context.Context, b Keeper) error { return b.Store(sqlitefile.Files(name)) },
		Apply: func(ctx context.Context, dir string, _ *world.Settings) error { return change(ctx, dir) },
	}
}

// allParts returns all changes other than blocks.
func (w *World) allParts() []Part {
	list := w.parts
	if w.stores.changed() {
		list = append(slices.Clip(list), w.stores.part())
	}
	late := func(p Part) bool { return p.Late }
	return append(slices.DeleteFunc(slices.Clone(list), late), slices.DeleteFunc(slices.Clone(list), func(p Part) bool { return !late(p) })...)
}
