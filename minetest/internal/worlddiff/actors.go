package worlddiff

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/mapdb"
)

// Actors reads, in the world in dir, who changed what from the moment since on and before the moment until. It calls did for
// each recorded change of a node that one of the changes of blocks contains, with the number of that change. If the server has
// recorded nothing, it does nothing.
func Actors(ctx context.Context, dir string, changes []*Change, since, until time.Time, did func(change int, d rollback.Deed)) (err error) {
	at := make(map[mapdb.Pos]int)
	for i, c := range changes {
		if c.Block != nil {
			at[mapdb.Pos{X: int16(c.Block[0]), Y: int16(c.Block[1]), Z: int16(c.Block[2])}] = i
		}
	}
	if len(at) == 0 {
		return nil
	}
	db, err := rollback.Open(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for d, err := range db.Deeds(ctx, since, until) {
		if err != nil {
			return err
		}
		low, ok := [3]int16{}, true
		for i, v := range d.Pos {
			ok = ok && v>>4 >= mapdb.MinCoord && v>>4 <= mapdb.MaxCoord
			low[i] = int16(v >> 4)
		}
		if i, known := at[mapdb.Pos{X: low[0], Y: low[1], Z: low[2]}]; ok && known && changes[i].has(d.Pos) {
			did(i, d)
		}
	}
	return nil
}

// has reports whether the change of a block contains a node. If the nodes are unknown, it contains all.
func (c *Change) has(node [3]int) bool {
	if c.Change != Changed || c.Unread != "" {
		return true
	}
	if i := indexOf(node); c.set != nil && c.set.bits[i/64]>>(i%64)&1 != 0 {
		return true
	}
	return c.inBoxes(node) || slices.Contains(c.Metadata, node) || slices.Contains(c.Timers, node)
}
