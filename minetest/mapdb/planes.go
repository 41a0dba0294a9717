package mapdb

import (
	"context"
	"errors"
)

// maxOdd is how many rows that are no blocks [Planer] tells of.
const maxOdd = 4096

// A Planer is a DB that can tell in which planes, which are the blocks with the same z,
// there are any, without reading the position of each.
type Planer interface {
	DB

	// HasPlanes reports whether Planes can be asked. That may end while a store is read:
	// a file that turns out to be damaged is read in another way from then on.
	HasPlanes() bool

	// Planes returns the planes in which there are blocks of an area, in order, and what is
	// wrong with rows that Positions of each of them would not meet; some of these it would.
	// It reports whether it could: if not, as when there are too many such rows, nothing
	// but Positions of all of the area tells.
	Planes(ctx context.Context, a Area) (planes []int16, odd []*RowError, ok bool, err error)
}

// HasPlanes reports whether the blocks of a plane are one range of the primary key.
func (db *sqliteDB) HasPlanes() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.planes && db.schema == SchemaPos && !db.file.Rescued()
}

// Planes looks up the first row, and after each plane the next one.
func (db *sqliteDB) Planes(ctx context.Context, a Area) (planes []int16, odd []*RowError, ok bool, err error) {
	a = a.within()
	at, more := db.start(a)
	// What is no position stands mostly before all others or after them, and NULL, which
	// can be read in one page only, comes first.
	rows := pagePositions
	for more && db.HasPlanes() {
		pg, err := db.page(ctx, a, at, rows, false)
		if err != nil {
			return nil, nil, false, err
		}
		at, more, rows = pg.next, !pg.done, pagePositions
		for i, b := range pg.blocks {
			var row *RowError
			if errors.As(pg.errs[i], &row) {
				odd = append(odd, row)
				continue
			}
			planes = append(planes, b.Pos.Z)
			last := Pos{a.Max.X, a.Max.Y, b.Pos.Z}
			at, more, rows = cursor{values: db.keyOf(last), behind: true}, true, 1
			break
		}
		if len(odd) > maxOdd {
			return nil, nil, false, nil
		}
	}
	if !db.HasPlanes() {
		return nil, nil, false, nil
	}
	return planes, odd, true, nil
}
