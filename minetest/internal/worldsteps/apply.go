package worldsteps

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"trowel.example/internal/format"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
	"trowel.example/minetest/worldedit"
)

// Apply is the command that puts the files of an extracted piece into a world.
var Apply = func() *format.Command {
	c := format.ApplyCommand(makeStep(func(job *format.Job, counts *worldedit.Counts) (worldedit.Step, error) {
		return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error { return applyToWorld(ctx, w, job, counts) }), nil
	}))
	c.Long += " Only blocks, players and mod storage can be put back into a world."
	c.Example = "apply castle"
	return c
}()

var errNotPut = errors.New("only blocks, players and mod storage can be put back into a world")

// applyToWorld puts the files of an extracted piece into a world.
func applyToWorld(ctx context.Context, w *worldedit.World, job *format.Job, counts *worldedit.Counts) error {
	players, err := w.Players(ctx)
	if err != nil {
		return err
	}
	storage, err := w.Storage(ctx)
	if err != nil {
		return err
	}
	blocks := make(map[mapdb.Pos]*mapblock.Block) // nil: the block is deleted
	changes, err := format.Apply(job, func(path string, _ func(string) string) ([]byte, error) {
		switch thing, ok := worlddir.ThingAt(path); {
		case !ok:
			return nil, errNotPut
		case thing.Block != nil:
			return blockText(ctx, w, *thing.Block)
		case thing.Player != "":
			return textOf(ctx, players, thing.Player, worlddir.PlayerText)
		default:
			return textOf(ctx, storage, thing.Mod, worlddir.ModText)
		}
	}, func(f format.AppliedFile) error {
		switch thing, ok := worlddir.ThingAt(f.Path); {
		case !ok:
			return errNotPut
		case thing.Block != nil && f.Removed:
			blocks[*thing.Block] = nil
			return nil
		case thing.Block != nil:
			b, err := worlddir.ParseBlock(f.Content)
			blocks[*thing.Block] = b
			return err
		case thing.Player != "":
			return putThing(ctx, players, thing.Player, f, worlddir.ParsePlayer)
		default:
			return putThing(ctx, storage, thing.Mod, f, worlddir.ParseMod)
		}
	})
	if err != nil {
		return err
	}
	for _, c := range changes {
		counts.Add(c)
	}
	return putBlocks(ctx, w, blocks)
}

func blockText(ctx context.Context, w *worldedit.World, p mapdb.Pos) ([]byte, error) {
	data, err := w.Get(ctx, p)
	if errors.Is(err, mapdb.ErrNotFound) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	b, err := mapblock.Decode(data)
	if err != nil {
		return nil, err
	}
	return worlddir.BlockText(b, p), nil
}

func textOf[T any](ctx context.Context, s world.Store[T], name string, text func(T) ([]byte, error)) ([]byte, error) {
	thing, err := s.Get(ctx, name)
	if err != nil {
		return nil, err // wraps fs.ErrNotExist if there is none
	}
	return text(thing)
}

func putThing[T any](ctx context.Context, s world.Store[T], name string, f format.AppliedFile,
	parse func(name string, text []byte) (T, error)) error {
	if f.Removed {
		return s.Delete(ctx, name)
	}
	thing, err := parse(name, f.Content)
	if err != nil {
		return err
	}
	return s.Put(ctx, thing)
}

// putBlocks replaces blocks with those of the piece.
func putBlocks(ctx context.Context, w *worldedit.World, blocks map[mapdb.Pos]*mapblock.Block) error {
	if len(blocks) == 0 {
		return nil
	}
	area := mapdb.Area{Min: mapdb.Pos{X: 1}} // empty
	for p := range blocks {
		area = area.With(mapdb.Area{Min: p, Max: p})
	}
	create := []mapdb.Pos{} // which may be far apart
	for p, b := range blocks {
		if _, err := w.Get(ctx, p); b != nil && errors.Is(err, mapdb.ErrNotFound) {
			create = append(create, p)
		}
	}
	slices.SortFunc(create, func(a, b mapdb.Pos) int { return cmp.Compare(a.Key(), b.Key()) })
	return w.Do(ctx, worldedit.Delete(area, func(b mapdb.Block) bool {
		put, ok := blocks[b.Pos]
		return ok && put == nil
	}), worldedit.Each{
		Area: area, Create: len(create) > 0, At: create,
		May: func(p mapdb.Pos, _ []byte) bool { return blocks[p] != nil },
		Edit: func(b *worldedit.Block) error {
			put := blocks[b.Pos]
			if put == nil {
				return nil
			}
			b.Replace(put)
			return nil
		},
	})
}
