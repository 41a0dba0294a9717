package mapdb

import (
	"context"
	"errors"
)

// maxOdd is the maximum number of rows without a valid block that [Planer] reports.
const maxOdd = 4096

// A Planer is a DB that can list its non-empty planes without reading each position. A plane is all blocks with the
// same z.
type Planer interface {
	DB

	// HasPlanes reports whether Planes works. This may change during reading: once a file turns out to be damaged, it
	// is read in another way.
	HasPlanes() bool

	// Planes returns the planes that contain blocks of an area, in order, and the errors of rows that Positions of
	// the single planes would miss; it may include some that Positions would report. ok is false if Planes cannot
	// list them, for instance because there are too many such rows; then only Positions of the whole area gives the
	// result.
	Planes(ctx context.Context, a Area) (planes []int16, odd []*RowError, ok bool, err error)
}

// HasPlanes reports whether the blocks of a plane are one range of the primary key.
func (db *sqliteDB) HasPlanes() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.planes && db.schema == SchemaPos && !db.file.Rescued()
}

// Planes looks up the first row, then the first row after each plane.
func (db *sqliteDB) Planes(ctx context.Context, a Area) (planes []int16, odd []*RowError, ok bool, err error) {
	a = a.within()
	at, more := db.start(a)
	// Rows without a valid position are mostly before or after all others. NULL keys come first, and must be read in
	// one page.
	rows := pagePositions
	for more && db.HasPlanes() {
		pg, err := db.page(ctx, a, at, rows, false)
		if err != nil {
			return nil, nil, false, err
		}
		at, more, rows = pg.next, !pg.done, pagePositions
		for i, b := range pg.blocks {
			if row, ok := errors.AsType[*RowError](pg.errs[i]); ok {
				odd = append(odd, row)
				continue
			}
			planes = append(planes, b.Pos.Z)
			last := Pos{a.Max.X, a.Max.Y, b.Pos.Z}
			at, more, rows = cursor{values: db.keyOf(last), after: true}, true, 1
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
