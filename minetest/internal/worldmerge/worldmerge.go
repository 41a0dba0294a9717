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

	"trowel.example/check"
	"trowel.example/internal/values/merge3"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// Merge merges into ours the changes of theirs since base, and returns ours. The three worlds should be open with the
// same options, see [worldedit.World.OpenOther]; base and theirs need not stay open.
//
// Changes of only one side are byte-identical to that side. Light is not recomputed: blocks that contain nodes from
// both sides may need new light, see [worldedit.World.Touched].
func Merge(ctx context.Context, base, ours, theirs *worldedit.World, o merge3.Options) (*worldedit.World, []check.Conflict, error) {
	m := &merger{log: merge3.Log{Options: o}, base: base, w: ours, theirs: theirs}
	err := ours.Do(ctx, worldedit.Rewrite(m.positions(ctx), func(p mapdb.Pos, have []byte) ([]byte, error) { return m.block(ctx, p, have) }))
	if err == nil {
		err = m.rest(ctx)
	}
	conflicts, err := m.log.End(err)
	return ours, conflicts, err
}

// merger merges worlds; blocks are merged on all cores.
type merger struct {
	log             merge3.Log
	base, w, theirs *worldedit.World
}

func (m *merger) worlds() []*worldedit.World { return []*worldedit.World{m.base, m.w, m.theirs} }

// spot is a thing that is merged.
type spot struct {
	path string
	at   []check.Place
}

func (m *merger) took(s spot, what string, args ...any) { m.log.Took(s.path, s.at, what, args...) }

// conflict reports a conflict, and returns the side whose version is taken.
func (m *merger) conflict(s spot, what string) merge3.Side {
	return m.log.Conflict(check.Conflict{Path: s.path, At: s.at, What: what})
}

// conflictOf reports a conflict of values.
func (m *merger) conflictOf(s spot, what string, base, ours, theirs string) merge3.Side {
	return m.log.Conflict(check.Conflict{Path: s.path, At: s.at, What: what, Base: base, Ours: ours, Theirs: theirs})
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

func spotOf(p mapdb.Pos) spot {
	at := place.Block(p.X, p.Y, p.Z)
	return spot{at.String(), []check.Place{at}}
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
	here := spotOf(p)
	choose := func(what string, args ...any) []byte {
		return merge3.Of(m.conflict(here, fmt.Sprintf(what, args...)), ours, theirs)
	}
	side, both := merge3.Compare(base, ours, theirs, func(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) })
	switch {
	case !both && side == merge3.Ours:
		return ours, nil
	case !both:
		switch {
		case theirs == nil:
			m.took(here, "deleted")
		case ours == nil:
			m.took(here, "added")
		default:
			m.took(here, "changed")
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
		return choose("both changed it, and it cannot be read: %v", err), nil
	}
	if b == nil && !o.Equal(t) { // without base there is nothing to compare with
		return choose("both created it"), nil
	}
	merged, err := m.mergeBlock(p, b, o, t)
	if err != nil {
		return choose("both changed it, and the result cannot be written: %v", err), nil
	}
	return merged, nil
}
