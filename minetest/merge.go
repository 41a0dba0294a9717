package minetest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldmerge"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

var worldMerging = &format.Merging{Merge: mergeWorlds, Options: worldjob.CopyOptions}

// mergeWorlds writes a copy of ours with the changes of theirs.
func mergeWorlds(ctx context.Context, job *format.Job, base, ours, theirs *format.Source, out format.Output, told format.MergeReport) (err error) {
	o, err := worldjob.Copying(job)
	if err != nil {
		return err
	}
	var failed error
	keep := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	for _, src := range []*format.Source{base, ours, theirs} {
		worldjob.LoseUnfinished(job, src.Path, src.Dir)
	}
	dst, scratch := "", ""
	if out != nil {
		if dst, err = out.Dir(); err != nil {
			return err
		}
		scratch = filepath.Dir(dst)
	}
	w, err := worldedit.Open(ctx, ours.Dir, worldedit.Options{Scratch: scratch, Remote: worldjob.OptionRemote.On(job), OnProgress: job.Report, Sink: worldjob.Sink(job, worldedit.Catalog.Kinds())})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	err = w.Do(ctx, worldmerge.Merge(base.Dir, theirs.Dir, worldmerge.Options{
		Theirs:     job.Prefer == "theirs",
		OnConflict: func(c check.Conflict) { keep(told.Conflict(c)) },
		OnTook:     func(c check.Change) { keep(told.Took(c)) },
	}))
	if err == nil {
		err = failed
	}
	if err != nil || out == nil {
		return err
	}
	o.Sink, o.Whole = worldjob.Sink(job, worldcopy.Losses()), !job.KeepGoing
	if _, err := w.Copy(ctx, dst, fmt.Sprintf("merge of %s and %s, which were %s", ours.Path, theirs.Path, base.Path), o); err != nil {
		return err
	}
	return nil
}
