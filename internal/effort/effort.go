// Package effort counts what costs most, so that tests can say how often it is done
// for a task: unlike time, a count is the same on every machine and under every load.
package effort

import "sync/atomic"

// What was done since the program began.
var (
	Inflated   atomic.Int64 // zlib streams that were inflated
	Decompiled atomic.Int64 // data files, layouts and grids of Torchlight that were decoded
	Placed     atomic.Int64 // walks over all items of a map, to make integers of them
	Decoded    atomic.Int64 // datafiles of which a map was made
)

// Of returns by how much a counter grows while do runs. Tests that use it cannot run
// beside others of their package.
func Of(counter *atomic.Int64, do func()) int64 {
	before := counter.Load()
	do()
	return counter.Load() - before
}
