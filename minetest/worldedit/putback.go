package worldedit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"trowel.example/internal/values/deep"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// PutBackOptions are the options of [PutBack].
type PutBackOptions struct {
	// Lost receives an error about each block of the older state that cannot be read, and is not put back. It may be
	// called by several goroutines at the same time; nil discards the errors.
	Lost   func(error)
	Counts *Counts // may be nil
}

// PutBack is a step that puts the nodes of a region back as they are in an older state of the world, such as a snapshot
// of a backup, with their light, metadata and timers. Objects stay, and so do blocks that the older state lacks or
// has not generated. A block that the world lacks or has not generated is put back as a whole, with its objects.
func PutBack(from mapdb.DB, r Region, o PutBackOptions) Step {
	if o.Lost == nil {
		o.Lost = func(error) {}
	}
	selected := r.Selector()
	return StepFunc(func(ctx context.Context, w *World) error {
		if err := mapdb.Verify(ctx, w.base); err != nil {
			return err
		}
		var have []int64 // keys of the blocks of the older state
		err := w.run(ctx, func(yield func(mapdb.Block, error) bool) {
			for p, err := range from.Positions(ctx, r.Area()) {
				if isEnd(err) {
					yield(mapdb.Block{}, err)
					return
				}
				if err != nil {
					o.Lost(err)
					continue
				}
				have = append(have, p.Key())
				data, err := w.Get(ctx, p)
				if errors.Is(err, mapdb.ErrNotFound) {
					data, err = nil, nil
				} else if data == nil {
					data = []byte{} // an existing row without data
				}
				if !yield(mapdb.Block{Pos: p, Data: data}, err) || isEnd(err) {
					return
				}
			}
		}, func(block mapdb.Block) (*Block, error) {
			old, err := olderBlock(ctx, from, block.Pos)
			if isEnd(err) {
				return nil, stop{err}
			}
			if err != nil {
				o.Lost(err)
				return nil, nil
			}
			if !old.IsGenerated() {
				o.Counts.Note(notInOlder, 1)
				return nil, nil
			}
			return o.putBack(block, old, selected)
		})
		if err != nil {
			return err
		}
		slices.Sort(have)
		lacking := int64(0)
		for p, err := range w.Positions(ctx, r.Area()) {
			if isEnd(err) {
				return err
			}
			if _, ok := slices.BinarySearch(have, p.Key()); err == nil && !ok {
				lacking++
			}
		}
		o.Counts.Note(notInOlder, lacking)
		return nil
	})
}

// notInOlder is the note about blocks that are not put back.
const notInOlder = "blocks that the older state lacks or has not generated, unchanged"

// olderBlock reads a block of an older state. An error about the block only is a [mapdb.RowError].
func olderBlock(ctx context.Context, from mapdb.DB, p mapdb.Pos) (*Block, error) {
	data, err := from.Get(ctx, p)
	if err != nil {
		return nil, err
	}
	b, err := read(p, data)
	if err == nil {
		table := b.Table()
		if slices.ContainsFunc(b.Param0[:], func(id uint16) bool { return int(id) >= len(table) || table[id] == "" }) {
			err = errors.New("a node has an id without a name")
		}
	}
	if err != nil {
		return nil, &mapdb.RowError{Key: p.String(), Pos: &p, Err: err}
	}
	return b, nil
}

// putBack returns a block of the world with the selected nodes of an older block at the same position.
func (o *PutBackOptions) putBack(block mapdb.Block, old *Block, selected func(*Block) (Mask, bool)) (*Block, error) {
	m, any := selected(old)
	old.keep(&m, old.Select(func(name string) bool { return name != mapblock.Ignore })) // ignore: the node is unknown
	if !any || m == (Mask{}) {
		return nil, nil
	}
	b := (*Block)(nil)
	if block.Data != nil {
		var err error
		if b, err = read(block.Pos, block.Data); err != nil {
			return nil, err
		}
	}
	if b == nil || !b.IsGenerated() {
		old.Created = b == nil
		old.MarkNodes()
		if o.Counts != nil {
			o.Counts.Blocks.Add(1)
		}
		return old, nil
	}
	table, nodes := old.Table(), int64(0)
	for i := range m.All {
		param2 := b.Param2[i]
		renamed, err := b.SetNode(i, table[old.Param0[i]], old.Param2[i])
		if err != nil {
			return nil, fmt.Errorf("it cannot hold the older nodes: %w", err)
		}
		if b.Param1[i] != old.Param1[i] {
			b.Param1[i] = old.Param1[i]
			b.MarkNodes()
		}
		if renamed || b.Param2[i] != param2 {
			nodes++
		}
	}
	meta := replaceIn(&b.Metadata.List, old.Metadata.List, func(e *mapblock.NodeMeta) bool { return m.holds(e.Pos) })
	timers := replaceIn(&b.Timers.List, old.Timers.List, func(e *mapblock.Timer) bool { return m.holds(e.Pos) })
	if meta+timers > 0 {
		b.Mark()
	}
	if o.Counts != nil {
		o.Counts.Nodes.Add(nodes)
		o.Counts.Metadata.Add(int64(meta + timers))
	}
	return b, nil
}

// holds reports whether the node of metadata or of a timer is in the set.
func (m *Mask) holds(index uint16) bool { return index < mapblock.NodeCount && m.Has(int(index)) }

// replaceIn replaces the entries of a list for which in reports true by those of another list. It returns the number of
// entries that were removed and added, or 0 if they are equal.
func replaceIn[T any](list *[]T, by []T, in func(*T) bool) int {
	var kept, gone, come []T
	for i := range *list {
		if e := &(*list)[i]; in(e) {
			gone = append(gone, *e)
		} else {
			kept = append(kept, *e)
		}
	}
	for i := range by {
		if in(&by[i]) {
			come = append(come, by[i])
		}
	}
	if len(gone)+len(come) == 0 || deep.Equal(gone, come) {
		return 0
	}
	*list = append(kept, come...)
	return len(gone) + len(come)
}
