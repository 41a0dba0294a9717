// Package worldmerge brings together what two people did to one world: block by block, and in a
// block that both changed node by node, with the metadata, inventories, timers and objects of
// each; players, accounts, mod storage and settings by what they are called.
package worldmerge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"trowel.example/check"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/place"
	"trowel.example/minetest/worldedit"
)

// Options say how to merge, and who hears of it.
type Options struct {
	// Theirs takes what theirs has where both sides changed one thing in different ways; else
	// it is what ours has.
	Theirs bool

	OnConflict func(check.Conflict) // nil: nobody
	OnTook     func(check.Change)   // hears of what comes from theirs; nil: nobody
}

// Merge is a step that brings into a world, ours, what theirs did since both were base. The
// folders of base and theirs are opened as the world itself was.
//
// What only one side changed is as that side has it, byte for byte. Light is not computed: a
// block that nodes came into from both sides may have to be lit again, see
// [worldedit.World.Touched].
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

	mu sync.Mutex // of reports: blocks are merged on all cores
}

func (m *merger) took(path string, at []check.Place, what string, args ...any) {
	if m.OnTook != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.OnTook(check.Change{Path: path, What: fmt.Sprintf(what, args...), Count: 1, At: at})
	}
}

// conflict tells of what both sides changed in different ways, and reports whether what theirs
// has counts.
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

// positions goes through the blocks that theirs changed, in the order of the store of theirs,
// then those that it deleted in that of base.
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
					continue // the first loop met it, whatever it is
				}
				err = nil
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// get returns the bytes of a block, nil if there is none.
func get(ctx context.Context, db mapdb.DB, p mapdb.Pos) ([]byte, error) {
	data, err := db.Get(ctx, p)
	if errors.Is(err, mapdb.ErrNotFound) {
		return nil, nil
	}
	return data, err
}

// block merges a block; ours is what the world has, nil if there is none.
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
	if b == nil && !o.Equal(t) { // there is nothing to compare with
		return choose("both made it"), nil
	}
	merged, err := m.mergeBlock(p, b, o, t)
	if err != nil {
		return choose(fmt.Sprintf("both changed it, and the result cannot be written: %v", err)), nil
	}
	return merged, nil
}
