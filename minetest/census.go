package minetest

import (
	"context"

	"trowel.example/format"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldrows"
)

var worldCensus = &format.Census{Tables: worldrows.Tables(), Rows: rowsOfWorld}

func rowsOfWorld(ctx context.Context, job *format.Job, src *format.Source, row func(*format.Table, []format.Cell) error) error {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return err
	}
	warnUnread(job, src.Path, settings)
	if text, ok := unfinished(src.Dir); ok {
		job.Miss(src.Path, "this is %s", text)
	}
	return worldrows.World(ctx, src.Dir, settings, worldrows.Options{
		Slab: mapdb.Slab(job.Shard), Remote: job.On(optionRemote.Name),
		OnMiss:     func(err error) { job.Miss(src.Path, "%v", err) },
		OnNone:     func() { noMap(job, src.Dir) },
		OnProgress: func(done, of int) { job.Report("rows of blocks", done, of) },
	}, row)
}
