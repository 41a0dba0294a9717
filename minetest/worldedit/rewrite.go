package worldedit

import (
	"bytes"
	"context"
	"errors"
	"iter"

	"trowel.example/minetest/mapdb"
)

// Rewrite is a step that replaces the bytes of blocks. It calls rewrite on all cores with the bytes of the block at
// each position, or nil if there is none. The function returns the new bytes, or nil to delete the block. Each
// position must occur only once. Errors among the positions that are [mapdb.RowError] are ignored; an error of
// rewrite ends the step.
func Rewrite(positions iter.Seq2[mapdb.Pos, error], rewrite func(p mapdb.Pos, have []byte) ([]byte, error)) Step {
	return StepFunc(func(ctx context.Context, w *World) error {
		in := func(yield func(mapdb.Block, error) bool) {
			for p, err := range positions {
				var have []byte
				if err == nil {
					if have, err = w.Get(ctx, p); errors.Is(err, mapdb.ErrNotFound) {
						err = nil
					}
				}
				if !yield(mapdb.Block{Pos: p, Data: have}, err) || isEnd(err) {
					return
				}
			}
		}
		for o := range mapdb.Parallel(mapdb.Bounded(in), func(b mapdb.Block, err error) outcome {
			if err != nil {
				return outcome{err: err}
			}
			o := outcome{pos: b.Pos, old: b.Data, exists: true, nodes: true}
			o.new, o.err = rewrite(b.Pos, b.Data)
			o.digest()
			return o
		}) {
			switch {
			case isEnd(o.err):
				return o.err
			case !o.exists: // a damaged row is not changed
				w.report.Damaged++
				continue
			case o.err != nil:
				return o.err
			case bytes.Equal(o.old, o.new):
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := w.put(&o); err != nil {
				return err
			}
		}
		return w.scratch.commit()
	})
}
