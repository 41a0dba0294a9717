package world

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"trowel.example/internal/values/deep"
)

// Staged is a store that keeps its changes in memory. The underlying store is only read, until [Staged.WriteTo] or
// Commit. [Stage] makes a store; the zero value is not usable.
type Staged[T any] struct {
	base    Store[T]
	changed map[string]*T // by name; nil for a deleted thing
}

// Stage returns a store that contains what base contains and keeps changes in memory.
func Stage[T any](base Store[T]) *Staged[T] {
	return &Staged[T]{base, make(map[string]*T)}
}

// nameOf returns the name of a player, an account or a mod's data.
func nameOf(thing any) string {
	switch t := thing.(type) {
	case *Player:
		return t.Name
	case *Account:
		return t.Name
	case *ModData:
		return t.Mod
	}
	return ""
}

// Names yields the names of all things. New things come last.
func (s *Staged[T]) Names(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		fresh := maps.Clone(s.changed)
		for name, err := range s.base.Names(ctx) {
			thing, changed := fresh[name]
			if err == nil && changed {
				delete(fresh, name)
				if thing == nil {
					continue
				}
			}
			if !yield(name, err) {
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(fresh)) {
			if fresh[name] != nil && !yield(name, ctx.Err()) {
				return
			}
		}
	}
}

// Get returns a copy of a thing.
func (s *Staged[T]) Get(ctx context.Context, name string) (thing T, err error) {
	switch t, ok := s.changed[name]; {
	case !ok:
		return s.base.Get(ctx, name)
	case t == nil:
		return thing, ErrNotFound
	default:
		return deep.Clone(*t), nil
	}
}

// Put adds a thing, or replaces the thing with the same name.
func (s *Staged[T]) Put(_ context.Context, thing T) error {
	copied := deep.Clone(thing)
	s.changed[nameOf(thing)] = &copied
	return nil
}

// Delete removes a thing. It returns [ErrNotFound] if there is none.
func (s *Staged[T]) Delete(ctx context.Context, name string) error {
	if _, err := s.Get(ctx, name); errors.Is(err, ErrNotFound) {
		return err
	}
	s.changed[name] = nil
	return nil
}

// Changed returns the sorted names of all things that were put or deleted.
func (s *Staged[T]) Changed() []string { return slices.Sorted(maps.Keys(s.changed)) }

// Before returns a thing as it was before all changes.
func (s *Staged[T]) Before(ctx context.Context, name string) (T, error) {
	return s.base.Get(ctx, name)
}

// WriteTo writes the changes to another store and commits them. Things to delete may be missing there.
func (s *Staged[T]) WriteTo(ctx context.Context, to Store[T]) error {
	for _, name := range s.Changed() {
		var err error
		if thing := s.changed[name]; thing != nil {
			err = to.Put(ctx, *thing)
		} else if err = to.Delete(ctx, name); errors.Is(err, ErrNotFound) {
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return to.Commit(ctx)
}

// Commit writes the changes to the underlying store.
func (s *Staged[T]) Commit(ctx context.Context) error {
	err := s.WriteTo(ctx, s.base)
	if err == nil {
		clear(s.changed)
	}
	return err
}

// Close closes the underlying store.
func (s *Staged[T]) Close() error { return s.base.Close() }
