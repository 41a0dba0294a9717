package worldedit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"trowel.example/internal/files/host"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
)

// FixLight is a step that recomputes the light of the blocks of an area, and of the blocks around them that it
// reaches, as the engine's fix_light does. It needs node definitions: see [Options].
func FixLight(area mapdb.Area, t *Counts) Step {
	return StepFunc(func(ctx context.Context, w *World) error {
		var list []mapdb.Pos
		for p, err := range w.Positions(ctx, area) {
			if isEnd(err) {
				return err
			}
			if err == nil {
				list = append(list, p)
			}
		}
		return w.fixLight(ctx, list, t)
	})
}

// Relight is FixLight for the blocks in which earlier steps changed nodes.
func Relight(t *Counts) Step {
	return StepFunc(func(ctx context.Context, w *World) error {
		var list []mapdb.Pos
		for p, err := range w.Touched() {
			if err != nil {
				return err
			}
			list = append(list, p)
		}
		return w.fixLight(ctx, list, t)
	})
}

// Light is computed for parts of some adjacent blocks, from top to bottom, because sunlight comes from above. Light
// next to a part that is still wrong belongs to another part or is next to one, and is corrected with it.
const (
	lightColumns = 8    // blocks along x and z
	lightBlocks  = 1024 // in all
)

func (w *World) fixLight(ctx context.Context, list []mapdb.Pos, t *Counts) error {
	if w.opts.Nodes == nil {
		return fmt.Errorf("light requires the definitions of nodes (%s, which the mod contrib/minetest/trowel_nodes writes)",
			host.Advice("set them with --nodes FILE", "put "+nodedef.FileName+" into the folder of the world"))
	}
	tile := func(p mapdb.Pos) [2]int {
		return [2]int{int(p.X+1<<12) / lightColumns, int(p.Z+1<<12) / lightColumns}
	}
	slices.SortFunc(list, func(p, q mapdb.Pos) int {
		a, b := tile(p), tile(q)
		return cmp.Or(slices.Compare(a[:], b[:]), cmp.Compare(q.Y, p.Y), cmp.Compare(p.Z, q.Z), cmp.Compare(p.X, q.X))
	})
	unknown := make(map[string]bool)
	for done := 0; done < len(list); {
		n := 1
		for done+n < len(list) && n < lightBlocks && tile(list[done]) == tile(list[done+n]) {
			n++
		}
		if err := w.fixLightOf(ctx, list[done:done+n], unknown, t); err != nil {
			return err
		}
		done += n
		if w.opts.OnProgress != nil {
			w.opts.OnProgress("light", done, len(list))
		}
	}
	if len(unknown) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(unknown)))
		t.Note(fmt.Sprintf("names of nodes without a definition, such as %.40q, treated as opaque", first), int64(len(unknown)))
	}
	return nil
}

// fixLightOf recomputes the light of some blocks.
func (w *World) fixLightOf(ctx context.Context, list []mapdb.Pos, unknown map[string]bool, t *Counts) error {
	fixed, err := SpreadLight(func(p mapdb.Pos) (*mapblock.Block, error) {
		data, err := w.Get(ctx, p)
		if errors.Is(err, mapdb.ErrNotFound) || err != nil && !isEnd(err) {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		b, err := read(p, data)
		if err != nil {
			return nil, nil // the block is not changed
		}
		for _, e := range b.Names {
			if w.opts.Nodes[e.Name] == nil && e.Name != mapblock.Ignore {
				unknown[e.Name] = true
			}
		}
		return b.Block, nil
	}, w.opts.Nodes, list)
	if err != nil {
		return err
	}
	where := make([]mapdb.Pos, 0, len(fixed))
	for p := range fixed {
		where = append(where, p)
	}
	slices.SortFunc(where, func(p, q mapdb.Pos) int { return cmp.Compare(p.Key(), q.Key()) })
	return w.run(ctx, func(yield func(mapdb.Block, error) bool) {
		for _, p := range where {
			data, err := w.Get(ctx, p)
			if !yield(mapdb.Block{Pos: p, Data: data}, err) {
				return
			}
		}
	}, func(block mapdb.Block) (*Block, error) {
		b, err := read(block.Pos, block.Data)
		if err != nil {
			return nil, err
		}
		l := fixed[block.Pos]
		if b.Param1 != l.Param1 {
			b.Mark()
			if t != nil {
				t.Blocks.Add(1)
			}
		}
		switch {
		case b.version < 27 && b.Flags&mapblock.LightingExpired != 0:
			b.Flags &^= mapblock.LightingExpired
			b.Mark()
		case b.version >= 27 && b.LightingComplete != l.Complete:
			b.LightingComplete = l.Complete
			b.Mark()
		}
		b.Param1 = l.Param1
		return b, nil
	})
}
