//go:build !js

package minetest

import (
	"context"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

var worldCensus = &format.Census{Tables: worldquery.Tables(), Rows: rowsOfWorld, Digest: worldquery.Digest,
	Before: worldquery.DigestBefore, Small: worldquery.IsSmall, Positions: worldquery.CheckName, Views: worldquery.Views()}

func rowsOfWorld(ctx context.Context, job *format.Job, src *format.Source, row format.RowFunc) error {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return err
	}
	worldjob.WarnUnread(job, src.Path, settings)
	worldjob.MissUnfinished(job, src.Path, src.Dir)
	positions, err := worldquery.ParsePositions(format.OptionPositions.Values(job))
	if err != nil {
		return err
	}
	return worldquery.World(ctx, src.Dir, settings, worldquery.RowOptions{
		Positions: positions,
		Slab:      mapdb.Slab(job.Shard), Remote: worldjob.OptionRemote.On(job),
		OnMiss:     func(err error) { job.Miss(src.Path, "%v", err) },
		OnNone:     func() { worldjob.NoMap(job, src.Dir) },
		OnProgress: func(done, of int) { job.Report("rows of blocks", done, of) },
	}, row)
}
