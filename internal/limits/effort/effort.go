// Package effort counts expensive operations, so that tests can limit them: unlike times, counts do not depend on the
// machine and its load.
package effort

import "sync/atomic"

// Counts since the start of the program.
var (
	Inflated   atomic.Int64 // zlib streams that were inflated
	Decompiled atomic.Int64 // data files, layouts and grids of Torchlight that were decoded
	Placed     atomic.Int64 // walks over all items of a map to make integers from them
	Decoded    atomic.Int64 // datafiles decoded to maps
)

// Of returns the increase of a counter while do runs. Tests that use it must not run in parallel with others of their
// package.
func Of(counter *atomic.Int64, do func()) int64 {
	before := counter.Load()
	do()
	return counter.Load() - before
}
