package worldfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// maxOlder is the size in bytes of the blocks of backups that are kept in memory.
const maxOlder = 256 << 20

// Before makes a world readable in the folder dir as it was before the changes in place that left some backups, the newest
// first. Other changes, such as those of a server, are not undone.
func Before(ctx context.Context, src *format.Source, backups []string, dir string) (end func() error, notes []string, err error) {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return nil, nil, err
	}
	older, err := olderBlocks(ctx, backups)
	if err != nil {
		return nil, nil, err
	}
	if _, err := worldcopy.Copy(ctx, src.Dir, dir, worldcopy.Options{Source: mapdb.NewMemory(), SourceName: "no blocks", Map: "sqlite-pos",
		Only: new(worldjob.Small).Of(src.Dir)}); err != nil {
		return nil, nil, err
	}
	for _, path := range backups {
		some, err := worldbackup.Files(ctx, path, dir, worldjob.MaxSmall)
		if err != nil {
			return nil, nil, err
		}
		if some {
			notes = append(notes, "players, accounts and mod storage on a server are shown as they are now")
		}
	}
	notes = append(notes, "only changes by edit, convert and repair are undone, not those of a server")
	db, _, err := world.OpenMap(ctx, src.Dir, settings, world.Options{})
	if err != nil {
		return nil, nil, err
	}
	restore, err := mapdb.Substitute(dir, &olderDB{DB: db, older: older})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return func() error {
		restore()
		return db.Close()
	}, slices.Compact(notes), nil
}

// olderBlocks reads the blocks of backups, the newest first. The data is nil if there was no block.
func olderBlocks(ctx context.Context, backups []string) (map[mapdb.Pos][]byte, error) {
	older, size := make(map[mapdb.Pos][]byte), 0
	for _, path := range backups {
		all, err := worldbackup.Archives(path)
		if err != nil {
			return nil, err
		}
		for _, archive := range all {
			for b, err := range worldbackup.Blocks(archive) {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					return nil, err
				}
				size += len(b.Data) - len(older[b.Pos])
				if older[b.Pos] = b.Data; size > maxOlder {
					return nil, fmt.Errorf("the backups up to then have more than %d MB of blocks: `trowel undo` restores them in a copy",
						maxOlder>>20)
				}
			}
		}
	}
	return older, nil
}

// olderDB is a store of blocks some of which are older.
type olderDB struct {
	mapdb.DB
	older map[mapdb.Pos][]byte
}

func (o *olderDB) Get(ctx context.Context, p mapdb.Pos) ([]byte, error) {
	data, ok := o.older[p]
	switch {
	case !ok:
		return o.DB.Get(ctx, p)
	case data == nil:
		return nil, fmt.Errorf("%v: %w", p, mapdb.ErrNotFound)
	}
	return data, nil
}

// missing returns the positions in an area of older blocks that the store does not have any more, in order.
func (o *olderDB) missing(a mapdb.Area, seen map[mapdb.Pos]bool) (list []mapdb.Pos) {
	for p, data := range o.older {
		if data != nil && !seen[p] && a.Contains(p) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b mapdb.Pos) int { return cmp.Compare(a.Key(), b.Key()) })
	return list
}

func (o *olderDB) Blocks(ctx context.Context, a mapdb.Area) iter.Seq2[mapdb.Block, error] {
	return func(yield func(mapdb.Block, error) bool) {
		seen := make(map[mapdb.Pos]bool)
		for b, err := range o.DB.Blocks(ctx, a) {
			if data, ok := o.older[b.Pos]; ok && err == nil {
				seen[b.Pos] = true
				if b.Data = data; data == nil {
					continue
				}
			}
			if !yield(b, err) {
				return
			}
		}
		for _, p := range o.missing(a, seen) {
			if !yield(mapdb.Block{Pos: p, Data: o.older[p]}, nil) {
				return
			}
		}
	}
}

func (o *olderDB) Positions(ctx context.Context, a mapdb.Area) iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		seen := make(map[mapdb.Pos]bool)
		for p, err := range o.DB.Positions(ctx, a) {
			if data, ok := o.older[p]; ok && err == nil {
				if seen[p] = true; data == nil {
					continue
				}
			}
			if !yield(p, err) {
				return
			}
		}
		for _, p := range o.missing(a, seen) {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func (o *olderDB) Count(ctx context.Context) (n int64, err error) {
	for _, err := range o.Positions(ctx, mapdb.All()) {
		if _, row := errors.AsType[*mapdb.RowError](err); err != nil && !row {
			return 0, err
		}
		n++
	}
	return n, nil
}
