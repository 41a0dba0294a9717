package worldedit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"trowel.example/internal/values/deep"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// PutBackOptions are the options of [PutBack].
type PutBackOptions struct {
	// Lost receives an error about each block of the older state that cannot be read, and is not put back. It may be
	// called by several goroutines at the same time; nil discards the errors.
	Lost    func(error)
	Counts  *Counts // may be nil
	Missing bool    // put back only blocks that the world lacks or has not generated
}

// PutBack is a step that puts the nodes of a region back as they are in an older state of the world, such as a snapshot
// of a backup, with their light, metadata and timers. Objects stay, and so do blocks that the older state lacks or
// has not generated. A block that the world lacks or has not generated is put back as a whole, with its objects.
func PutBack(from mapdb.DB, r Region, o PutBackOptions) Step {
	older := olderState{from, r.Selector(), o}
	return StepFunc(func(ctx context.Context, w *World) error {
		if err := mapdb.Verify(ctx, w.base); err != nil {
			return err
		}
		have, err := older.positions(ctx, r.Area())
		if err != nil {
			return err
		}
		err = w.run(ctx, func(yield func(mapdb.Block, error) bool) {
			for _, p := range have {
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
			if o.Missing {
				if there, err := isGenerated(block); err != nil || there {
					return nil, err
				}
			}
			old, nodes, err := older.read(ctx, block.Pos)
			if err != nil {
				return nil, stop{err}
			}
			if old == nil {
				return nil, nil
			}
			return o.putBack(block, old, nodes)
		})
		if err != nil {
			return err
		}
		return older.countLacking(ctx, w, r.Area(), have)
	})
}

// Older calls work, on all cores, with the blocks of an older state from which [PutBack] would put nodes back, and with
// these nodes, and yields the results. The blocks of a column of 16 x 16 blocks follow each other from top to bottom, as
// sunlight falls. Blocks of into in the region that the older state lacks are counted; into may be nil.
func Older[R any](ctx context.Context, from, into mapdb.DB, r Region, o PutBackOptions,
	work func(b *Block, nodes *Mask) R) iter.Seq2[R, error] {
	type result struct {
		made R
		none bool
		err  error
	}
	older := olderState{from, r.Selector(), o}
	return func(yield func(R, error) bool) {
		have, err := older.positions(ctx, r.Area())
		if err == nil && into != nil {
			err = older.countLacking(ctx, into, r.Area(), have)
		}
		if err != nil {
			yield(*new(R), err)
			return
		}
		column := func(p mapdb.Pos) [2]int { return [2]int{int(p.Z) >> 4, int(p.X) >> 4} }
		slices.SortFunc(have, func(p, q mapdb.Pos) int {
			a, b := column(p), column(q)
			return cmp.Or(slices.Compare(a[:], b[:]), cmp.Compare(q.Y, p.Y), cmp.Compare(p.Z, q.Z), cmp.Compare(p.X, q.X))
		})
		for out := range mapdb.Parallel(func(yield func(mapdb.Block, error) bool) {
			for _, p := range have {
				if err := ctx.Err(); !yield(mapdb.Block{Pos: p}, err) || err != nil {
					return
				}
			}
		}, func(block mapdb.Block, err error) result {
			var b *Block
			var nodes *Mask
			there := false
			if err == nil && o.Missing && into != nil {
				there, err = hasGenerated(ctx, into, block.Pos)
			}
			if err == nil && !there {
				b, nodes, err = older.read(ctx, block.Pos)
			}
			if err != nil || b == nil {
				return result{none: err == nil, err: err}
			}
			return result{made: work(b, nodes)}
		}) {
			if !out.none && (!yield(out.made, out.err) || out.err != nil) {
				return
			}
		}
	}
}

// isGenerated reports whether a block exists and is generated.
func isGenerated(block mapdb.Block) (bool, error) {
	if block.Data == nil {
		return false, nil
	}
	b, err := read(block.Pos, block.Data)
	return err == nil && b.IsGenerated(), err
}

// hasGenerated reports whether a database has a block, and it is generated. A block that cannot be read is not replaced, and
// counts as generated.
func hasGenerated(ctx context.Context, db mapdb.DB, p mapdb.Pos) (bool, error) {
	data, err := db.Get(ctx, p)
	if errors.Is(err, mapdb.ErrNotFound) {
		return false, nil
	}
	if isEnd(err) {
		return false, err
	}
	generated, failed := isGenerated(mapdb.Block{Pos: p, Data: data})
	return generated || err != nil || failed != nil, nil
}

// notInOlder is the note about blocks that are not put back.
const notInOlder = "blocks that the older state lacks or has not generated, unchanged"

// olderState reads the nodes that are put back.
type olderState struct {
	from     mapdb.DB
	selected func(*Block) (Mask, bool)
	PutBackOptions
}

func (o *olderState) lose(err error) {
	if o.Lost != nil {
		o.Lost(err)
	}
}

// positions returns the positions of the blocks of an area. Errors about rows are reported.
func (o *olderState) positions(ctx context.Context, area mapdb.Area) (have []mapdb.Pos, err error) {
	for p, err := range o.from.Positions(ctx, area) {
		switch {
		case isEnd(err):
			return nil, err
		case err != nil:
			o.lose(err)
		default:
			have = append(have, p)
		}
	}
	return have, nil
}

// read returns a block and its nodes that are put back. It returns nil if there are none, or if the block cannot be read,
// which is reported. It may be called by several goroutines at the same time.
func (o *olderState) read(ctx context.Context, p mapdb.Pos) (*Block, *Mask, error) {
	b, err := olderBlock(ctx, o.from, p)
	if isEnd(err) {
		return nil, nil, err
	}
	if err != nil {
		o.lose(err)
		return nil, nil, nil
	}
	if !b.IsGenerated() {
		o.Counts.Note(notInOlder, 1)
		return nil, nil, nil
	}
	m, _ := o.selected(b)
	b.keep(&m, b.Select(func(name string) bool { return name != mapblock.Ignore })) // ignore: the node is unknown
	if m == (Mask{}) {
		return nil, nil, nil
	}
	return b, &m, nil
}

// countLacking counts the blocks of a database in an area that the older state lacks.
func (o *olderState) countLacking(ctx context.Context, db mapdb.DB, area mapdb.Area, have []mapdb.Pos) error {
	keys := make([]int64, len(have))
	for i, p := range have {
		keys[i] = p.Key()
	}
	slices.Sort(keys)
	lacking := int64(0)
	for p, err := range db.Positions(ctx, area) {
		if isEnd(err) {
			return err
		}
		if _, ok := slices.BinarySearch(keys, p.Key()); err == nil && !ok {
			lacking++
		}
	}
	o.Counts.Note(notInOlder, lacking)
	return nil
}

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
func (o *PutBackOptions) putBack(block mapdb.Block, old *Block, m *Mask) (*Block, error) {
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
	var touched Mask
	for i := range m.All {
		param2 := b.Param2[i]
		renamed, err := b.SetNode(i, table[old.Param0[i]], old.Param2[i])
		if err != nil {
			return nil, fmt.Errorf("the block cannot hold the older nodes: %w", err)
		}
		if b.Param1[i] != old.Param1[i] {
			b.Param1[i] = old.Param1[i]
			b.MarkNodes()
		}
		if renamed || b.Param2[i] != param2 {
			touched.Set(i)
			nodes++
		}
	}
	meta := replaceIn(&b.Metadata.List, old.Metadata.List, func(e *mapblock.NodeMeta) bool { return m.holds(e.Pos) })
	timers := replaceIn(&b.Timers.List, old.Timers.List, func(e *mapblock.Timer) bool { return m.holds(e.Pos) })
	if meta+timers > 0 {
		b.Mark()
	}
	if o.Counts != nil {
		o.Counts.addNodes(b, &touched, nodes)
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
