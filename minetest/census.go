package minetest

import (
	"context"

	"trowel.example/format"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
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
	o := worldrows.Options{OnMiss: func(err error) { job.Miss(src.Path, "%v", err) }, Remote: job.On(optionRemote.Name)}
	if inRest(job) {
		if err := worldrows.Rest(ctx, src.Dir, settings, o, row); err != nil {
			return err
		}
	}
	db, err := worlddir.OpenMap(ctx, src.Dir, settings, o.Remote)
	if err != nil {
		return err
	}
	defer db.Close()
	if !worlddir.HasMap(db) {
		noMap(job, src.Dir)
	}
	total := 0
	if job.OnProgress != nil && job.Shard == "" {
		if n, err := db.Count(ctx); err == nil {
			total = int(n)
		}
	}
	o.OnProgress = func(done int) { job.Report("rows of blocks", done, total) }
	return worldrows.Blocks(ctx, mapdb.In(ctx, db, mapdb.Slab(job.Shard), mapdb.All()), o, row)
}
