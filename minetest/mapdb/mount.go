package mapdb

import (
	"context"
	"iter"
	"path/filepath"
	"sync"
)

// mounts are the stores of folders that [Mount] was called for.
var mounts struct {
	sync.Mutex
	of map[string]DB
}

// Mount makes db the store of the world in a folder: in this process, [Open] returns it for this folder, whatever its
// configuration is, until the returned function is called. So the state of a world in a backup can be read like a
// world, without a database. The caller closes db afterwards; Close of what Open returns does nothing.
func Mount(dir string, db DB) (unmount func(), err error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	mounts.Lock()
	defer mounts.Unlock()
	if mounts.of == nil {
		mounts.of = make(map[string]DB)
	}
	mounts.of[full] = db
	return func() {
		mounts.Lock()
		defer mounts.Unlock()
		delete(mounts.of, full)
	}, nil
}

// IsMounted reports whether a store was mounted in a folder.
func IsMounted(dir string) bool {
	_, is := mountedIn(dir)
	return is
}

// mountedIn returns the store that was mounted in a folder.
func mountedIn(dir string) (DB, bool) {
	mounts.Lock()
	defer mounts.Unlock()
	if len(mounts.of) == 0 {
		return nil, false
	}
	full, err := filepath.Abs(dir)
	db := mounts.of[full]
	return mounted{db}, err == nil && db != nil
}

// unmounted returns a mounted store itself, and any other store unchanged.
func unmounted(db DB) DB {
	if m, ok := db.(mounted); ok {
		return m.db
	}
	return db
}

// mounted is a mounted store, without the methods that its own kind may have in addition.
type mounted struct{ db DB }

func (m mounted) Get(ctx context.Context, p Pos) ([]byte, error) { return m.db.Get(ctx, p) }
func (m mounted) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return m.db.Blocks(ctx, a)
}
func (m mounted) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return m.db.Positions(ctx, a)
}
func (m mounted) Count(ctx context.Context) (int64, error) { return m.db.Count(ctx) }
func (m mounted) String() string                           { return m.db.String() }
func (m mounted) Close() error                             { return nil }
