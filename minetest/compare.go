package minetest

import (
	"context"
	"errors"
	"strings"
	"time"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/internal/worlddiff"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddir"
)

// compareWorlds compares two worlds. It returns format.ErrByTrees if one side is an extracted folder.
func compareWorlds(ctx context.Context, job *format.Job, old, new format.Side, change func(any) error) (lines []string, err error) {
	if old.Source == nil || new.Source == nil {
		return nil, format.ErrByTrees
	}
	area, err := worldjob.Area(job)
	if err != nil {
		return nil, err
	}
	var worlds [2]*worlddir.World
	for i, side := range []format.Side{old, new} {
		worldjob.MissUnfinished(job, side.Path, side.Dir)
		w, err := worlddir.OpenWorld(ctx, side.Dir, worlddir.Opening{
			Remote: worldjob.OptionRemote.On(job),
			OnMiss: func(path string, err error) { job.Miss(side.Path, "%s: %v", path, err) },
		})
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, w.Close()) }()
		worldjob.WarnUnread(job, side.Path, w.Settings)
		if !worlddir.HasMap(w.Map) {
			worldjob.NoMap(job, side.Path)
		}
		worlds[i] = w
	}
	var all worlddiff.Summary
	err = worlddiff.Compare(ctx, worlds[0], worlds[1],
		worlddiff.Options{Area: area, OnMiss: func(dir string, err error) { job.Miss(dir, "%v", err) }}, func(c *worlddiff.Change) error {
			// An older state that is shown lacks the records: see worldjob.Small.
			if c.Part == worlddiff.File && strings.HasPrefix(c.Path, rollback.File) &&
				(mapdb.IsSubstituted(old.Dir) || mapdb.IsSubstituted(new.Dir)) {
				return nil
			}
			all.Add(c)
			return change(c)
		})
	return all.Lines(), err
}

// changesOf returns differences of worlds, and empty ones in place of others.
func changesOf(differences []any) []*worlddiff.Change {
	list := make([]*worlddiff.Change, len(differences))
	for i, d := range differences {
		list[i] = new(worlddiff.Change)
		if c, ok := d.(*worlddiff.Change); ok {
			list[i] = c
		}
	}
	return list
}

// gather gathers changed blocks into places, the largest first.
func gather(differences []any) (larger []any, of []int) {
	regions, in, _, _ := worlddiff.Regions(changesOf(differences))
	number := make(map[*worlddiff.Region]int)
	for i, r := range regions {
		number[r] = i
		larger = append(larger, r)
	}
	for _, r := range in {
		i, ok := number[r]
		if !ok {
			i = -1
		}
		of = append(of, i)
	}
	return larger, of
}

// actors reads who changed blocks, in the records of the rollback of a server.
func actors(ctx context.Context, _ *format.Job, src *format.Source, differences []any, since, until time.Time,
	did func(difference int, by string, likely bool)) error {
	return worlddiff.Actors(ctx, src.Dir, changesOf(differences), since, until, func(i int, d rollback.Deed) {
		if d.Actor != "" {
			did(i, strings.TrimPrefix(d.Actor, "player:"), d.Guessed)
		}
	})
}
