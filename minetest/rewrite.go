//go:build !js

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
		return worldjob.Shards(list, yield)
	},
	Rewrite: func(ctx context.Context, job *format.Job, src *format.Source, backups string) ([]check.Change, error) {
		o, err := rewriteOptions(job, backups)
		if err != nil {
			return nil, err
		}
		if text, ok := worldjob.Unfinished(src.Dir); ok {
			return nil, fmt.Errorf("%s is %s", src.Path, text)
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
			{What: "removed because unreadable", Count: r.Dropped, Unit: "blocks"},
			{What: "kept unchanged", Count: r.Kept, Unit: "blocks"},
			{What: "kept rows that are not blocks, or are duplicates", Count: r.Rows, Unit: "rows"},
			{What: "kept damaged parts of the database", Count: r.Damaged, Unit: "parts"},
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
		err = fmt.Errorf("--%s is required: a conversion in place only changes the version of blocks", optionBlocks.Name)
	}
	return o, err
}
