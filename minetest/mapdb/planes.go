package mapdb

import (
	"context"
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
