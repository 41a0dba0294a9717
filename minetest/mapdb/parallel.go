package mapdb

import (
	"context"
	"iter"

	"trowel.example/internal/limits/parallel"
)

// The approximate size of a portion of work for one core: large enough that the handover costs little compared with
// the work, small enough that a few portions per core fit in memory.
const (
	parallelRows  = 64
	parallelBytes = 1 << 20
)

// Parallel calls work on all cores for each block, or error, of the input, and yields the results in the order of the
// input. It holds a few hundred blocks per core in memory. The input is closed when Parallel returns.
//
// Parallel takes no context: that of the input ends the work, and work receives its error after the last block. A
// second context could end the results without an error.
func Parallel[R any](in iter.Seq2[Block, error], work func(Block, error) R) iter.Seq[R] {
	type batch struct {
		blocks []Block
		errs   []error
	}
	return func(yield func(R) bool) {
		// The input ends the work: it has a context, whose error it yields.
		_ = parallel.Ordered(context.Background(),
			func(send func(batch) error) error {
				var next batch
				size := 0
				for b, err := range in {
					next.blocks, next.errs = append(next.blocks, b), append(next.errs, err)
					if size += len(b.Data); len(next.blocks) < parallelRows && size < parallelBytes {
						continue
					}
					if err := send(next); err != nil {
						return err
					}
					next, size = batch{}, 0
				}
				if len(next.blocks) == 0 {
					return nil
				}
				return send(next)
			},
			func(b batch) []R {
				results := make([]R, len(b.blocks))
				for i := range b.blocks {
					results[i] = work(b.blocks[i], b.errs[i])
				}
				return results
			},
			func(results []R) error {
				for _, r := range results {
					if !yield(r) {
						return context.Canceled // the caller wants no more
					}
				}
				return nil
			})
	}
}
