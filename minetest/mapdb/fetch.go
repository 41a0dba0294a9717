package mapdb

import (
	"context"
	"errors"
	"iter"
)

// fetcher is a store that reads many blocks with few queries.
type fetcher interface {
	fetch(ctx context.Context, all []Pos, yield func(Block, error) bool) (bool, error)
}

// Fetch yields the blocks that exist at the given positions, in any order, with a few MiB of them in memory. Errors
// are like those of [DB.Blocks].
func Fetch(ctx context.Context, db DB, all []Pos) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		if f, ok := db.(fetcher); ok {
			_, err := f.fetch(ctx, all, func(b Block, err error) bool {
				return errors.Is(err, ErrNotFound) || yield(b, err)
			})
			if err != nil {
				yield(Block{}, err)
			}
			return
		}
		for _, p := range all {
			data, err := db.Get(ctx, p)
			var row *RowError
			switch {
			case errors.Is(err, ErrNotFound):
			case err == nil:
				if !yield(Block{p, data}, nil) {
					return
				}
			case !yield(Block{}, err), !errors.As(err, &row):
				return
			}
			if err := ctx.Err(); err != nil {
				yield(Block{}, err)
				return
			}
		}
	}
}
