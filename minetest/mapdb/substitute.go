package mapdb

import (
	"context"
	"iter"
	"path/filepath"
	"sync"
)

// substitutes are the stores of folders that [Substitute] was called for.
var substitutes struct {
	sync.Mutex
	of map[string]DB
}

// Substitute makes db the store of the world in a folder: in this process, [Open] returns it for this folder, whatever
// its configuration is, until the returned function is called. So the state of a world in a backup can be read like a
// world, without a database. The caller closes db afterwards; Close of what Open returns does nothing.
func Substitute(dir string, db DB) (end func(), err error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	substitutes.Lock()
	defer substitutes.Unlock()
	if substitutes.of == nil {
		substitutes.of = make(map[string]DB)
	}
	substitutes.of[full] = db
	return func() {
		substitutes.Lock()
		defer substitutes.Unlock()
		delete(substitutes.of, full)
	}, nil
}

// IsSubstituted reports whether a folder has the store of a call of [Substitute].
func IsSubstituted(dir string) bool {
	_, is := substituteOf(dir)
	return is
}

// substituteOf returns the store that replaces that of a folder.
func substituteOf(dir string) (DB, bool) {
	substitutes.Lock()
	defer substitutes.Unlock()
	if len(substitutes.of) == 0 {
		return nil, false
	}
	full, err := filepath.Abs(dir)
	db := substitutes.of[full]
	return substitute{db}, err == nil && db != nil
}

// original returns the store in a substitute, and any other store unchanged.
func original(db DB) DB {
	if s, ok := db.(substitute); ok {
		return s.db
	}
	return db
}

// substitute is a store that replaces another, without the methods that its own kind may have in addition.
type substitute struct{ db DB }

func (s substitute) Get(ctx context.Context, p Pos) ([]byte, error) { return s.db.Get(ctx, p) }
func (s substitute) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return s.db.Blocks(ctx, a)
}
func (s substitute) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return s.db.Positions(ctx, a)
}
func (s substitute) Count(ctx context.Context) (int64, error) { return s.db.Count(ctx) }
func (s substitute) String() string                           { return s.db.String() }
func (s substitute) Close() error                             { return nil }
