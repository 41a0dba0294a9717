package worldsteps

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// PutBackOptions are the options of [PutBack].
type PutBackOptions struct {
	Repository string `arg:"repository,input" help:"the repository of backups"`
	Moment     string `option:"moment"`
	Missing    bool   `option:"missing" help:"only blocks that the world lacks or has not generated"`
	worldjob.TrustArguments
	worldjob.Places
}

// Describe describes the options. The names of the command are those of the world, not of the repository.
func (PutBackOptions) Describe(o *format.Option) {
	o.Explain(worldjob.OptionMoment.Name, worldjob.OptionMoment.Help)
}

// PutBack is a command that puts a region of a snapshot of a repository back into a world.
func PutBack(c format.Command) *format.Command {
	return format.Declare[PutBackOptions](c, makeStep(func(job *format.Job, counts *worldedit.Counts) (worldedit.Step, error) {
		o := format.Values[PutBackOptions](job)
		r, _, err := o.Select()
		if err != nil {
			return nil, err
		}
		return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error { return o.putBack(ctx, w, r, job, counts) }), nil
	}))
}

func (o *PutBackOptions) putBack(ctx context.Context, w *worldedit.World, r worldedit.Region, job *format.Job,
	counts *worldedit.Counts) (err error) {
	src, err := job.Open(ctx, o.Repository)
	if err != nil {
		return err
	}
	defer src.Close()
	return o.fromSnapshot(ctx, job, src, w.Dir, counts, func(s *worldrepo.Snapshot, blocks mapdb.DB, b worldedit.PutBackOptions) error {
		if err := w.Do(ctx, worldedit.PutBack(blocks, r, b)); err != nil {
			return err
		}
		job.Done("from the snapshot of %s", s.Time.Format(time.RFC3339))
		return nil
	})
}

// fromSnapshot calls use with a snapshot of the repository src for the world in dir, and with its blocks.
func (o *PutBackOptions) fromSnapshot(ctx context.Context, job *format.Job, src *format.Source, dir string, counts *worldedit.Counts,
	use func(s *worldrepo.Snapshot, blocks mapdb.DB, b worldedit.PutBackOptions) error) (err error) {
	repo, s, err := worldjob.OpenSnapshot(ctx, job, src, o.Moment)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	if name := filepath.Base(dir); name != s.World {
		job.Warn(src.Path, "the snapshot %s is of the world %q, not of %q", s.ID, s.World, name)
	}
	blocks, err := repo.Blocks(s)
	if err != nil {
		return err
	}
	var lost atomic.Int64
	err = use(s, blocks, worldedit.PutBackOptions{Counts: counts, Missing: o.Missing, Lost: func(err error) {
		lost.Add(1)
		path := src.Path
		if row, ok := errors.AsType[*mapdb.RowError](err); ok && row.Pos != nil {
			path = place.Block(row.Pos.X, row.Pos.Y, row.Pos.Z).String()
		}
		job.Lose(path, "%v", err)
	}})
	if err != nil {
		return err
	}
	if n := lost.Load(); n > 0 && !job.KeepGoing {
		return fmt.Errorf("%s of the snapshot cannot be read (-k puts the others back)", words.Count(n, "part"))
	}
	return nil
}

// Plan writes the plan from which the mod trowel_rewind puts a region of a snapshot back into the world existing while a
// server runs it. The job has the options of [PutBack].
func Plan(ctx context.Context, job *format.Job, src, existing *format.Source, out format.Output) error {
	o := format.Values[PutBackOptions](job)
	r, _, err := o.Select()
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(existing.Dir)
	if err != nil {
		return err
	}
	part, err := out.Create("")
	if err != nil {
		return err
	}
	counts := new(worldedit.Counts)
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		return err
	}
	if load, _ := settings.Get("load_mod_" + restoreMod); load == "" || load == "false" {
		if _, err := os.Stat(filepath.Join(dir, "worldmods", restoreMod)); err != nil {
			job.Warn(existing.Path, "the world lacks the mod %s: copy it into worldmods, and start the server again", restoreMod)
		}
	}
	into, _, err := world.OpenMap(ctx, dir, settings, world.Options{})
	switch {
	case err != nil && errors.Is(err, fs.ErrNotExist): // all blocks are missing
	case err != nil && o.Missing:
		return err
	case err != nil:
		job.Warn(existing.Path, "blocks that the snapshot lacks are not counted: %v", err)
	default:
		defer into.Close()
	}
	return o.fromSnapshot(ctx, job, src, dir, counts, func(s *worldrepo.Snapshot, blocks mapdb.DB, b worldedit.PutBackOptions) error {
		buffer := bufio.NewWriter(part)
		n, err := writePlan(ctx, buffer, s, blocks, into, r, b)
		if err != nil {
			return err
		}
		if n == 0 {
			if o.Missing {
				return errors.New("the world lacks no block of the snapshot in this region")
			}
			return fmt.Errorf("the snapshot %s has no nodes in this region", s.ID)
		}
		for _, line := range counts.Notes() {
			job.Warn(existing.Path, "%s", line)
		}
		job.Done("from the snapshot of %s: %s with %s; `/rewind start` in the chat of the server puts them back",
			s.Time.Format(time.RFC3339), words.Count(n, "block"), words.Count(counts.Nodes.Load(), "node"))
		return buffer.Flush()
	})
}

// restoreMod is the name of the mod that applies plans.
const restoreMod = "trowel_rewind"

// writePlan writes a plan, and returns the number of its blocks.
func writePlan(ctx context.Context, out io.Writer, s *worldrepo.Snapshot, from, into mapdb.DB, r worldedit.Region,
	b worldedit.PutBackOptions) (int, error) {
	corner := func(v worldedit.Vec) string { return fmt.Sprintf("%d,%d,%d", v[0], v[1], v[2]) }
	plan, err := NewPlanWriter(out, fmt.Sprintf("%s:%s of %s at %s", corner(r.Box.Min), corner(r.Box.Max), s.World,
		s.Time.UTC().Format(time.RFC3339)))
	if err != nil {
		return 0, err
	}
	for block, err := range worldedit.Older(ctx, from, into, r, b, EncodePlan) {
		if err == nil {
			err = plan.Add(block)
		}
		if err != nil {
			return 0, err
		}
		b.Counts.Nodes.Add(block.Nodes)
		for _, err := range block.Lost {
			b.Lost(err)
		}
	}
	return plan.Blocks(), plan.End()
}
