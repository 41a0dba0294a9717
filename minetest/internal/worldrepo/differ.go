package worldrepo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
)

// Differing yields the positions in an area at which a snapshot and another store may differ: see [mapdb.Comparer]. Blocks are
// compared by their hashes, and no block of a snapshot is read. Regions that two snapshots share are not read either.
func (b *Blocks) Differing(ctx context.Context, other mapdb.DB, a mapdb.Area) iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		if o, ok := other.(*Blocks); ok {
			b.differingRegions(ctx, o, a, yield)
			return
		}
		b.differingBlocks(ctx, other, a, yield)
	}
}

// near reports whether a region may have blocks in an area.
func (r regionRef) near(a mapdb.Area) bool {
	low := position(r.number << 12)
	return low.X <= a.Max.X && low.Y <= a.Max.Y && low.Z <= a.Max.Z && low.X+15 >= a.Min.X && low.Y+15 >= a.Min.Y && low.Z+15 >= a.Min.Z
}

// differingRegions compares two snapshots.
func (b *Blocks) differingRegions(ctx context.Context, o *Blocks, a mapdb.Area, yield func(mapdb.Pos, error) bool) {
	blocksOf := func(s *Blocks, i int, new bool) ([]block, error) {
		list, err := s.region(i)
		if err != nil {
			low := position(s.regions[i].number << 12)
			err = s.rowError(ctx, fmt.Sprintf("the region at block %v", low), nil, err)
			return nil, &mapdb.SideError{New: new, Err: err}
		}
		return list, nil
	}
	for i, j := 0, 0; i < len(b.regions) || j < len(o.regions); {
		if ctx.Err() != nil {
			yield(mapdb.Pos{}, ctx.Err())
			return
		}
		mine := j == len(o.regions) || i < len(b.regions) && b.regions[i].number <= o.regions[j].number
		its := i == len(b.regions) || j < len(o.regions) && o.regions[j].number <= b.regions[i].number
		var old, new []block
		var err error
		var r regionRef
		if r = (regionRef{}); mine {
			r = b.regions[i]
		} else {
			r = o.regions[j]
		}
		same := mine && its && r.hash != 0 && r.hash == o.regions[j].hash
		if mine && !same && r.near(a) {
			old, err = blocksOf(b, i, false)
		}
		if its && !same && r.near(a) && err == nil {
			new, err = blocksOf(o, j, true)
		}
		if mine {
			i++
		}
		if its {
			j++
		}
		if err != nil {
			if _, row := errors.AsType[*mapdb.RowError](err); !yield(mapdb.Pos{}, err) || !row {
				return
			}
			continue
		}
		if !differing(r.number, old, new, a, yield) {
			return
		}
	}
}

// differing yields the positions at which two lists of the blocks of a region differ. It reports whether the caller wants more.
func differing(number int64, old, new []block, a mapdb.Area, yield func(mapdb.Pos, error) bool) bool {
	for i, j := 0, 0; i < len(old) || j < len(new); {
		var local int
		same := false
		switch {
		case j == len(new) || i < len(old) && old[i].local < new[j].local:
			local = old[i].local
			i++
		case i == len(old) || new[j].local < old[i].local:
			local = new[j].local
			j++
		default:
			local, same = old[i].local, old[i].hash != 0 && old[i].hash == new[j].hash
			i, j = i+1, j+1
		}
		if p := position(number<<12 | int64(local)); !same && a.Contains(p) && !yield(p, nil) {
			return false
		}
	}
	return true
}

// differingBlocks compares a snapshot with another store, of which it reads all blocks.
func (b *Blocks) differingBlocks(ctx context.Context, other mapdb.DB, a mapdb.Area, yield func(mapdb.Pos, error) bool) {
	var seen []int64 // the order of the other store's blocks
	for found, err := range other.Blocks(ctx, a) {
		if err != nil {
			row, ok := errors.AsType[*mapdb.RowError](err)
			if ok && row.Pos != nil {
				seen = append(seen, order(*row.Pos))
			}
			if !yield(found.Pos, &mapdb.SideError{New: true, Err: err}) || !ok {
				return
			}
			continue
		}
		seen = append(seen, order(found.Pos))
		own, exists, err := b.find(found.Pos)
		if err != nil {
			err = &mapdb.SideError{Err: b.rowError(ctx, found.Pos.String(), &found.Pos, err)}
			if _, row := errors.AsType[*mapdb.RowError](err); !yield(found.Pos, err) || !row {
				return
			}
			continue
		}
		if exists && own.hash != 0 && own.hash == manifest.HashOf(found.Data) {
			continue
		}
		if !yield(found.Pos, nil) {
			return
		}
	}
	slices.Sort(seen)
	err := b.each(ctx, a, func(p mapdb.Pos, _ block, err error) bool {
		if err != nil {
			return true // reported, if the other store has a block there
		}
		if _, has := slices.BinarySearch(seen, order(p)); has {
			return true
		}
		return yield(p, nil)
	})
	if err != nil {
		yield(mapdb.Pos{}, &mapdb.SideError{Err: err})
	}
}
