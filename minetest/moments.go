package minetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/internal/worlddiff"
	"trowel.example/minetest/internal/worldfile"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/worlddir"
)

// Options of a comparison with a snapshot.
var (
	optionTo = format.Option{Name: "to", Names: "snapshot", For: format.ForCompare,
		Help: "compare the snapshot of --moment with this `snapshot`"}
	optionLeast = format.Option{Name: "min-nodes", Default: "1", For: format.ForCompare,
		Help:  "leave out places with fewer than `N` nodes, inventories and objects that differ",
		Parse: func(value string) error { _, err := strconv.ParseUint(value, 10, 31); return err }}
	optionBy = format.Option{Name: "by", For: format.ForCompare,
		Help: "only places where this `player` changed something, as rollback.sqlite of the world records it"}

	momentOptions = []format.Option{compared(worldjob.OptionMoment), optionTo, optionLeast, optionBy,
		compared(worldjob.OptionArea), compared(worldjob.OptionRemote)}
)

// compared returns an option of worlds as one of a comparison with a world.
func compared(o format.Option) format.Option {
	o.For = format.ForCompare
	return o
}

// compareMoments compares a snapshot of a repository with a world, or with another snapshot. The change of a place is a
// [worlddiff.Region], that of a player, an account or a file a [worlddiff.Change].
func compareMoments(ctx context.Context, job *format.Job, old, new format.Side, change func(any) error) (lines []string, err error) {
	isRepo := func(s format.Side) bool { return s.Source != nil && worldrepo.Recognize(ctx, s.Files()) }
	from, to := worldjob.OptionMoment.Value(job), optionTo.Value(job)
	both := isRepo(new)
	switch {
	case new.Source == nil:
		return nil, fmt.Errorf("%s: a repository of backups is compared with a world, not with an extracted folder", new.Folder)
	case !isRepo(old):
		return nil, errors.New("give the repository of backups first, then the world: trowel diff REPO WORLD")
	case to != "" && !both:
		return nil, errors.New("--to selects a second snapshot: give only the repository, without the world")
	case to == "" && both && from == "":
		return nil, errors.New("name the moments of two snapshots with --moment and --to (trowel ls lists them), or a world after the repository")
	}
	area, err := worldjob.Area(job)
	if err != nil {
		return nil, err
	}
	before, since, end, err := openMoment(ctx, job, old.Source, from, new.Source)
	if err != nil {
		return nil, err
	}
	defer func(end func() error) { err = errors.Join(err, end()) }(end)
	world := "WORLD"
	var now *worlddir.World
	if both {
		if now, _, end, err = openMoment(ctx, job, new.Source, to, nil); err != nil {
			return nil, err
		}
		defer func(end func() error) { err = errors.Join(err, end()) }(end)
	} else {
		world = new.Path
		now, err = worlddir.OpenWorld(ctx, new.Dir, worlddir.Opening{Remote: worldjob.OptionRemote.On(job),
			OnMiss: func(path string, err error) { job.Miss(new.Path, "%s: %v", path, err) }})
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, now.Close()) }()
	}

	var blocks, others []*worlddiff.Change
	job.Report("blocks that differ", 0, 0)
	err = worlddiff.Compare(ctx, before, now, worlddiff.Options{Area: area, OnMiss: func(dir string, err error) { job.Miss(dir, "%v", err) }},
		func(c *worlddiff.Change) error {
			switch c.Part {
			case worlddiff.Block:
				c.Compact()
				blocks = append(blocks, c)
			case worlddiff.Player, worlddiff.Account, worlddiff.Mod: // a snapshot that is shown lacks the files that are large
				others = append(others, c)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	regions, of, added, saved := worlddiff.Regions(blocks)
	if !both {
		err = worlddiff.Actors(ctx, new.Dir, blocks, since.Time, time.Now(), func(i int, d rollback.Deed) {
			if of[i] != nil {
				of[i].Did(d)
			}
		})
		if err != nil && ctx.Err() == nil {
			job.Miss(new.Path, "the actors of the changes cannot be read: %v", err)
		}
	}
	least, _ := strconv.Atoi(optionLeast.Value(job))
	by, left := optionBy.Value(job), 0
	for _, r := range regions {
		if r.Weight() < least || by != "" && !slices.ContainsFunc(r.By, func(a worlddiff.Actor) bool { return a.Name == by }) {
			left++
			continue
		}
		r.PutBack = fmt.Sprintf("trowel restore %s --into %s --box %s --moment %s", words.Quoted(old.Path), words.Quoted(world),
			r.Box.Corners(), since.ID)
		lines = append(lines, r.String(), "  "+r.PutBack)
		if err := change(r); err != nil {
			return nil, err
		}
	}
	var rest worlddiff.Summary
	for _, c := range others {
		rest.Add(c)
		if err := change(c); err != nil {
			return nil, err
		}
	}
	lines = append(lines, rest.Lines()...)
	for _, n := range []struct {
		count int
		what  string
	}{{left, "places that the options leave out"}, {added, "blocks that are new, as where a player went for the first time"},
		{saved, "blocks with other light, or only saved again"}} {
		if n.count > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", n.what, words.Thousands(int64(n.count))))
		}
	}
	return lines, ctx.Err()
}

// openMoment opens a snapshot as a world. The definitions of nodes come from the folder now, if it has them.
func openMoment(ctx context.Context, job *format.Job, repo *format.Source, moment string, now *format.Source) (w *worlddir.World,
	s *worldrepo.Snapshot, end func() error, err error) {
	r, s, err := worldjob.OpenSnapshot(ctx, job, repo, moment)
	if err == nil {
		err = r.Close()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	dir, remove, err := filelock.TempDir("trowel-moment-")
	if err != nil {
		return nil, nil, nil, err
	}
	hide, notes, err := worldfile.ShowSnapshot(ctx, job, repo, s.ID, dir, now)
	if err != nil {
		remove()
		return nil, nil, nil, err
	}
	for _, note := range notes {
		job.Warn(s.ID, "%s", note)
	}
	shown := func() error {
		defer remove()
		return hide()
	}
	w, err = worlddir.OpenWorld(ctx, dir, worlddir.Opening{OnMiss: func(path string, err error) { job.Miss(s.ID, "%s: %v", path, err) }})
	if err != nil {
		return nil, nil, nil, errors.Join(err, shown())
	}
	return w, s, func() error { return errors.Join(w.Close(), shown()) }, nil
}
