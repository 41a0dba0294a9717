package minetest

import (
	"context"
	"errors"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worlddiff"
	"trowel.example/minetest/internal/worldjob"
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
			all.Add(c)
			return change(c)
		})
	return all.Lines(), err
}
