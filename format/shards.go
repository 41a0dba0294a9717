package format

import (
	"context"

	"trowel.example/check"
)

// Shard names a part of a file on which work can be done by itself, such as the blocks of a
// world in some of its planes; "" is the whole file. It has letters, digits and -_.,= in it, and
// means the same wherever the file is read, so that it can go to another machine.
type Shard string

// Sharding is how the work on a large file comes apart. What the runs for all shards tell, one
// after the other in the order of the shards, is what the run for the whole file tells.
//
// A shard is cut by what there is, and not by how many: nothing is read to find shards of equal
// size, and the same file comes apart in the same way everywhere.
type Sharding struct {
	// Split yields the shards of a file in their order. It reads no more than a listing does.
	Split func(ctx context.Context, job *Job, src *Source, yield func(Shard) error) error

	// Gather makes of the findings of shards those of the whole file: they are put into it in
	// order, and end tells what is told of all together. Nil: they are those of the file.
	Gather func(sink check.Sink) (put check.Sink, end func())
}

// Rewriting is a conversion of a large file in its own place, shard by shard. To do a shard again,
// or twice at the same time, gives the same.
type Rewriting struct {
	// Accept returns an error about options that no file can be converted with.
	Accept func(*Job) error

	// Split is that of [Sharding], for shards that several processes may change side by side; the
	// shard "" alone if one process at a time can.
	Split func(ctx context.Context, job *Job, src *Source, yield func(Shard) error) error

	// Rewrite converts the shard of the job. What will change is in the folder backups first,
	// which is made, or has what earlier runs have put there: [Repair.Restore] takes it. The
	// changes have counts, which are those of all runs for the shard and may be 0; they are the
	// same ones for all shards, in the same order.
	Rewrite func(ctx context.Context, job *Job, src *Source, backups string) ([]check.Change, error)

	// Finish is called when all shards are done, with the same folder.
	Finish func(backups string) error

	Options []Option
}
