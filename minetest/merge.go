//go:build !js

package minetest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/values/merge3"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldmerge"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

var worldMerging = &format.Merging{Merge: mergeWorlds, Options: worldjob.CopyOptions}

// mergeWorlds writes a copy of ours with the changes of theirs.
func mergeWorlds(ctx context.Context, job *format.Job, base, ours, theirs *format.Source, out format.Output,
	mo merge3.Options) (_ []check.Conflict, err error) {
	o, err := worldjob.Copying(job)
	if err != nil {
		return nil, err
	}
	for _, src := range []*format.Source{base, ours, theirs} {
		worldjob.LoseUnfinished(job, src.Path, src.Dir)
	}
	dst, scratch := "", ""
	if out != nil {
		if dst, err = out.Dir(); err != nil {
			return nil, err
		}
		scratch = filepath.Dir(dst)
	}
	w, err := worldedit.Open(ctx, ours.Dir, worldedit.Options{Scratch: scratch, Remote: worldjob.OptionRemote.On(job),
		OnProgress: job.Report, Sink: worldjob.Sink(job, worldedit.Catalog.Kinds())})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var others [2]*worldedit.World
	for i, src := range []*format.Source{base, theirs} {
		other, openErr := w.OpenOther(ctx, src.Dir)
		if openErr != nil {
			return nil, fmt.Errorf("%s: %w", src.Dir, openErr)
		}
		defer func() { err = errors.Join(err, other.Close()) }()
		others[i] = other
	}
	_, conflicts, err := worldmerge.Merge(ctx, others[0], w, others[1], mo)
	if err != nil || out == nil {
		return conflicts, err
	}
	o.Sink, o.Whole = worldjob.Sink(job, worldcopy.Losses()), !job.KeepGoing
	_, err = w.Copy(ctx, dst, fmt.Sprintf("merge of %s and %s, which were %s", ours.Path, theirs.Path, base.Path), o)
	return conflicts, err
}
