package format

import (
	"context"

	"trowel.example/check"
)

// Shard names a part of a file that can be processed separately, such as the blocks of a world in some of its planes;
// "" is the whole file. It consists of letters, digits and the characters -_.,= and has the same meaning on every
// machine that reads the file.
type Shard string

// Sharding describes how the work on a large file is split. The reports of the runs for all shards, one after the
// other in the order of the shards, equal those of a run for the whole file.
//
// Shards are cut by the coordinates or names in a file and not by amounts: nothing is read to find shards of equal
// size, and the same file is split in the same way everywhere.
type Sharding struct {
	// Split yields the shards of a file in order. It reads no more than a listing does.
	Split func(ctx context.Context, job *Job, src *Source, yield func(Shard) error) error

	// Gather combines the findings of shards into those of the whole file: the caller passes them to put in order, and
	// end reports the findings about several shards. Nil: the findings of the shards are those of the file.
	Gather func(sink check.Sink) (put check.Sink, end func())
}

// Rewriting is a conversion of a large file in place, shard by shard. Repeating a shard, or processing it twice at the
// same time, gives the same result.
type Rewriting struct {
	// Accept returns an error if the options do not permit a conversion of any file.
	Accept func(*Job) error

	// Split is Split of [Sharding] for shards that several processes may change at the same time. It yields only the
	// shard "" if just one process at a time can work.
	Split func(ctx context.Context, job *Job, src *Source, yield func(Shard) error) error

	// Rewrite converts the shard of the job. It first saves the data that it will change to the folder backups, which
	// it creates or which earlier runs have filled: [Repair.Restore] accepts this folder. The counts of the returned
	// changes cover all runs for the shard and may be 0. The list has the same changes in the same order for all
	// shards.
	Rewrite func(ctx context.Context, job *Job, src *Source, backups string) ([]check.Change, error)

	// Finish is called when all shards are done, with the same folder.
	Finish func(backups string) error

	Options []Option
}
