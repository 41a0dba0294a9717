// Package worldmerge merges the changes of two people to one world: block by block, and node by node in blocks that
// both changed, with metadata, inventories, timers and objects; players, accounts, mod storage and settings are
// merged by name.
package worldmerge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"trowel.example/check"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// Options control a merge and receive its reports.
type Options struct {
	// Theirs resolves conflicts with the version of theirs; the default is ours.
	Theirs bool

	OnConflict func(check.Conflict) // may be nil
	OnTook     func(check.Change)   // receives changes that are taken from theirs; may be nil
}

// Merge is a step that merges into a world, ours, the changes of theirs since base. The folders base and theirs are
// opened with the same options as the world itself.
//
// Changes of only one side are byte-identical to that side. Light is not recomputed: blocks that contain nodes from
// both sides may need new light, see [worldedit.World.Touched].
func Merge(base, theirs string, o Options) worldedit.Step {
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) (err error) {
		m := &merger{Options: o, w: w}
		if m.base, err = w.OpenOther(ctx, base); err != nil {
			return fmt.Errorf("%s: %w", base, err)
		}
		defer func() { err = errors.Join(err, m.base.Close()) }()
		if m.theirs, err = w.OpenOther(ctx, theirs); err != nil {
			return fmt.Errorf("%s: %w", theirs, err)
		}
		defer func() { err = errors.Join(err, m.theirs.Close()) }()
		if err := w.Do(ctx, worldedit.Rewrite(m.positions(ctx), func(p mapdb.Pos, have []byte) ([]byte, error) { return m.block(ctx, p, have) })); err != nil {
			return err
		}
		return m.rest(ctx)
	})
}

// merger merges worlds.
type merger struct {
	Options
	w, base, theirs *worldedit.World

	mu sync.Mutex // protects reports, because blocks are merged on all cores
}

func (m *merger) took(path string, at []check.Place, what string, args ...any) {
	if m.OnTook != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.OnTook(check.Change{Path: path, What: fmt.Sprintf(what, args...), Count: 1, At: at})
	}
}

// conflict reports a conflict, and reports whether the version of theirs is taken.
func (m *merger) conflict(path string, at []check.Place, what string, b, o, t any) bool {
	if m.OnConflict != nil {
		side := "ours"
		if m.Theirs {
			side = "theirs"
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.OnConflict(check.Conflict{Path: path, At: at, What: what, Base: b, Ours: o, Theirs: t, Took: side})
	}
	return m.Theirs
}

// positions yields the blocks that theirs changed, in the order of its database, then those that theirs deleted, in
// the order of the database of base.
func (m *merger) positions(ctx context.Context) iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		for b, err := range m.theirs.Blocks(ctx, mapdb.All()) {
			if err == nil {
				old, getErr := m.base.Get(ctx, b.Pos)
				if getErr == nil && bytes.Equal(old, b.Data) {
					continue
				}
			}
			if !yield(b.Pos, err) {
				return
			}
		}
		for p, err := range m.base.Positions(ctx, mapdb.All()) {
			if err == nil {
				if _, err = m.theirs.Get(ctx, p); !errors.Is(err, mapdb.ErrNotFound) {
					continue // the first loop yields it
				}
				err = nil
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// get returns the bytes of a block, or nil if there is none.
func get(ctx context.Context, db mapdb.DB, p mapdb.Pos) ([]byte, error) {
	data, err := db.Get(ctx, p)
	if errors.Is(err, mapdb.ErrNotFound) {
		return nil, nil
	}
	return data, err
}

// block merges a block. ours is the block of the world, or nil if there is none.
func (m *merger) block(ctx context.Context, p mapdb.Pos, ours []byte) ([]byte, error) {
	base, err := get(ctx, m.base, p)
	if err != nil {
		return nil, err
	}
	theirs, err := get(ctx, m.theirs, p)
	if err != nil {
		return nil, err
	}
	path, at := place.Block(p.X, p.Y, p.Z).String(), []check.Place{place.Block(p.X, p.Y, p.Z)}
	choose := func(what string) []byte {
		if m.conflict(path, at, what, nil, nil, nil) {
			return theirs
		}
		return ours
	}
	switch {
	case bytes.Equal(base, theirs) && (base == nil) == (theirs == nil), bytes.Equal(ours, theirs) && (ours == nil) == (theirs == nil):
		return ours, nil
	case bytes.Equal(base, ours) && (base == nil) == (ours == nil):
		switch {
		case theirs == nil:
			m.took(path, at, "deleted")
		case ours == nil:
			m.took(path, at, "added")
		default:
			m.took(path, at, "changed")
		}
		return theirs, nil
	case theirs == nil:
		return choose("ours changed it, and theirs deleted it"), nil
	case ours == nil:
		return choose("ours deleted it, and theirs changed it"), nil
	}
	o, err1 := mapblock.Decode(ours)
	t, err2 := mapblock.Decode(theirs)
	var b *mapblock.Block
	var err3 error
	if base != nil {
		b, err3 = mapblock.Decode(base)
	}
	if err := errors.Join(err1, err2, err3); err != nil {
		return choose(fmt.Sprintf("both changed it, and it cannot be read: %v", err)), nil
	}
	if b == nil && !o.Equal(t) { // without base there is nothing to compare with
		return choose("both made it"), nil
	}
	merged, err := m.mergeBlock(p, b, o, t)
	if err != nil {
		return choose(fmt.Sprintf("both changed it, and the result cannot be written: %v", err)), nil
	}
	return merged, nil
}
