package worldsteps

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"time"

	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldselect"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// PutBackOptions are the options of [PutBack].
type PutBackOptions struct {
	Repository string `option:"repository"`
	Moment     string `option:"moment"`
	worldselect.Places
}

// PutBack is a command that puts a region of a snapshot of a repository back into a world.
func PutBack(c format.Command) Command {
	c.Fields = reflect.TypeFor[PutBackOptions]()
	return Command{c, func(job *format.Job, counts *worldedit.Counts) (worldedit.Step, error) {
		o := format.Values[PutBackOptions](job)
		r, err := worldselect.Shapes{Places: o.Places}.SelectPiece()
		if err != nil {
			return nil, err
		}
		return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error { return o.putBack(ctx, w, r, job, counts) }), nil
	}}
}

func (o *PutBackOptions) putBack(ctx context.Context, w *worldedit.World, r worldedit.Region, job *format.Job,
	counts *worldedit.Counts) (err error) {
	src, err := job.Open(ctx, o.Repository)
	if err != nil {
		return err
	}
	defer src.Close()
	repo, s, err := worldjob.OpenSnapshot(ctx, job, src, o.Moment)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	if name := filepath.Base(w.Dir); name != s.World {
		job.Warn(o.Repository, "the snapshot %s is of the world %q, not of %q", s.ID, s.World, name)
	}
	blocks, err := repo.Blocks(s)
	if err != nil {
		return err
	}
	var lost atomic.Int64
	err = w.Do(ctx, worldedit.PutBack(blocks, r, worldedit.PutBackOptions{Counts: counts, Lost: func(err error) {
		lost.Add(1)
		path := o.Repository
		if row, ok := errors.AsType[*mapdb.RowError](err); ok && row.Pos != nil {
			path = place.Block(row.Pos.X, row.Pos.Y, row.Pos.Z).String()
		}
		job.Lose(path, "%v", err)
	}}))
	if err != nil {
		return err
	}
	if n := lost.Load(); n > 0 && !job.KeepGoing {
		return fmt.Errorf("%s of the snapshot cannot be read (-k puts the others back)", words.Count(n, "part"))
	}
	job.Done("from the snapshot of %s", s.Time.Format(time.RFC3339))
	return nil
}
