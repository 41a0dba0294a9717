package minetest

import (
	"context"
	"errors"
	"fmt"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldconvert"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// worldRewriting converts the blocks of a world to another version, in place.
var worldRewriting = &format.Rewriting{
	Options: []format.Option{optionBlocks, optionDrop},
	Accept: func(job *format.Job) error {
		_, err := rewriteOptions(job, "")
		return err
	},
	Split: func(ctx context.Context, job *format.Job, src *format.Source, yield func(format.Shard) error) error {
		list, err := worldconvert.Parts(ctx, src.Dir, worldjob.OptionRemote.On(job))
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return yield("")
		}
		for _, s := range list {
			if err := yield(format.Shard(s)); err != nil {
				return err
			}
		}
		return nil
	},
	Rewrite: func(ctx context.Context, job *format.Job, src *format.Source, backups string) ([]check.Change, error) {
		o, err := rewriteOptions(job, backups)
		if err != nil {
			return nil, err
		}
		if text, ok := worldjob.Unfinished(src.Dir); ok {
			return nil, fmt.Errorf("this is %s", text)
		}
		w, err := worldconvert.Open(ctx, src.Dir, o)
		if err != nil {
			return nil, err
		}
		var r worldconvert.Report
		if job.Shard == "" {
			r, err = w.All(ctx)
		} else {
			r, err = w.Convert(ctx, mapdb.Slab(job.Shard))
		}
		if err = errors.Join(err, w.Close()); err != nil {
			return nil, err
		}
		return []check.Change{
			{What: fmt.Sprintf("converted to version %d", o.Blocks), Count: r.Converted, Unit: "blocks"},
			{What: "removed, because they cannot be read", Count: r.Dropped, Unit: "blocks"},
			{What: "kept as they are", Count: r.Kept, Unit: "blocks"},
			{What: "rows that are no blocks, or of one that there is already, kept", Count: r.Rows, Unit: "rows"},
			{What: "damaged parts of the database, kept", Count: r.Damaged, Unit: "parts"},
		}, nil
	},
	Finish: worldconvert.Tidy,
}

func rewriteOptions(job *format.Job, backups string) (worldconvert.Options, error) {
	o := worldconvert.Options{Drop: optionDrop.On(job), Remote: worldjob.OptionRemote.On(job), Backups: backups}
	o.Sink = worldjob.Sink(job, worldcopy.Losses(), worldconvert.Catalog.Kinds())
	o.OnProgress = func(done, of int) { job.Report("parts:", done, of) }
	var err error
	if o.Blocks, err = versionOf(job); err == nil && o.Blocks == 0 {
		err = fmt.Errorf("--%s is missing: in place the blocks become ones of another version, and nothing else", optionBlocks.Name)
	}
	return o, err
}
