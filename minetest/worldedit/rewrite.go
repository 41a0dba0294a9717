package worldedit

import (
	"bytes"
	"context"
	"errors"
	"iter"

	"trowel.example/minetest/mapdb"
)

// Rewrite is a step that gives blocks other bytes. Rewrite is called, on all cores, with what
// the block at each position has, nil where there is none, and returns what it gets, nil if
// there is to be none. No position comes twice. An error that is a [mapdb.RowError] among the
// positions is left out; an error of rewrite ends the step.
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
		for o := range mapdb.Parallel(in, func(b mapdb.Block, err error) outcome {
			if err != nil {
				return outcome{err: err}
			}
			o := outcome{pos: b.Pos, old: b.Data, is: true, nodes: true}
			o.new, o.err = rewrite(b.Pos, b.Data)
			o.digest()
			return o
		}) {
			switch {
			case isEnd(o.err):
				return o.err
			case !o.is: // a damaged row, which stays
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
