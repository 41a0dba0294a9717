package minetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldconvert"
	"trowel.example/minetest/internal/worldfile"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepair"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

var (
	optionDrop   = format.Option{Name: "drop", Type: format.Bool, Help: "leave out data that the target cannot hold, instead of failing"}
	optionBlocks = format.Option{Name: "blocks", Help: "the `version` of all blocks, 17 or 20 to 29 (default: unchanged)"}

	optionUpdate = format.Option{Name: "update", Type: format.Bool,
		Help: "copy to the world NEW, which an earlier run made, what has changed since the last pass"}
	optionFollow = format.Option{Name: "follow", Type: format.Bool,
		Help: "repeat --update until nothing has changed for a minute, or the server has stopped"}

	optionForceUse = format.Option{Name: "in-use", Type: format.Bool, Help: "repair in place even while a program has the " +
		"world open, except for replacing databases"}
	optionDropUnknown = format.Option{Name: "drop-unknown", Type: format.Bool,
		Help: "delete blocks whose version is newer than this program supports"}
)

// worldConversions contains a conversion for each kind of database, and the usual one, which keeps those of the world.
var worldConversions = func() []format.Conversion {
	options := append([]format.Option{optionBlocks, optionDrop, optionUpdate, optionFollow}, worldjob.CopyOptions...)
	list := []format.Conversion{{
		To: worldfile.WorldName, Title: "a world with the same databases, except those that options name", Usual: true, Resumes: true,
		Options: append([]format.Option{optionMap}, options...),
		Convert: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
			return convertWorld(ctx, job, src, out, optionMap.Value(job))
		},
	}}
	for _, t := range mapdb.Targets() {
		list = append(list, format.Conversion{
			To: t.Name, Title: "a world in " + t.Title, Resumes: true,
			Options: options,
			Convert: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
				return convertWorld(ctx, job, src, out, t.Name)
			},
		})
	}
	return list
}()

// versionOf returns the version of blocks that the user selected; 0 if none.
func versionOf(job *format.Job) (int, error) {
	v := optionBlocks.Value(job)
	if v == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || !mapblock.Writable(n) {
		return 0, fmt.Errorf("--%s %q: expected 17, or 20 to 29", optionBlocks.Name, v)
	}
	return n, nil
}

func convertWorld(ctx context.Context, job *format.Job, src *format.Source, out format.Output, to string) error {
	o, err := worldjob.Copying(job)
	if err != nil {
		return err
	}
	o.Map, o.Drop = to, optionDrop.On(job)
	if o.Blocks, err = versionOf(job); err != nil {
		return err
	}
	o.Sink, o.Whole = worldjob.Sink(job, worldcopy.Losses()), !job.KeepGoing
	c, _ := mapdb.FindTarget(o.Map)
	if job.Temporary && (world.MapPart.Remote(c.Backend) || world.PlayersPart.Remote(o.Players) ||
		world.AuthPart.Remote(o.Auth) || world.StoragePart.Remote(o.Storage)) {
		return errors.New("a dry run cannot convert to a database server: it would write to the server")
	}
	o.Log, o.Update = !job.Temporary, optionUpdate.On(job)
	worldjob.LoseUnfinished(job, src.Path, src.Dir)
	if err := worldjob.CheckMap(ctx, job, src.Dir); err != nil {
		return err
	}
	dst, err := out.KeptDir()
	if err != nil {
		return err
	}
	var server string
	for quiet := time.Now(); ; o.Update = true {
		began := time.Now()
		r, err := worldcopy.Copy(ctx, src.Dir, dst, o)
		if err != nil {
			return worldjob.NameOptions(worldjob.Resumable(ctx, err), "")
		}
		for _, line := range r.Lines() {
			job.Done("%s", line)
		}
		took := time.Since(began).Round(time.Millisecond)
		if o.Update && r.Server == "" {
			job.Done("the pass took %v; no program had the world open", took)
		} else if o.Update {
			job.Done("the pass took %v", took)
		}
		if r.Changed > 0 || !o.Update {
			quiet = time.Now()
		}
		if stopped := server != "" && r.Server == ""; !optionFollow.On(job) || stopped || time.Since(quiet) >= followQuiet {
			if r.Server != "" {
				job.Warn(src.Path, "%s had the world open: this was not the last pass. Stop it, then run `trowel convert %s -o %s --update`",
					r.Server, words.Quoted(src.Path), words.Quoted(dst))
			}
			return nil
		}
		server = r.Server
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followPause):
		}
	}
}

// Times of --follow: between two passes, and without changes until it ends. A test makes them shorter.
var (
	followPause = 5 * time.Second
	followQuiet = time.Minute
)

var (
	worldRepairKinds = slices.Concat(worldrepair.Catalog.Kinds(), worldcopy.Catalog.Kinds(), worldconvert.Catalog.Kinds(),
		worldedit.Catalog.Kinds())

	worldRepair = &format.Repair{
		Before:  worldfile.Before,
		Options: append([]format.Option{optionForceUse, optionDropUnknown}, worldjob.CopyOptions...),
		Plan: func(ctx context.Context, job *format.Job, src *format.Source, sink check.Sink) error {
			o, err := repairOptions(job, sink)
			if err != nil {
				return err
			}
			r, err := worldrepair.Plan(ctx, src.Dir, o)
			return reportRemains(ctx, job, src, r, err, "a copy leaves them out")
		},
		Copy: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output, sink check.Sink) error {
			o, err := repairOptions(job, sink)
			if err != nil {
				return err
			}
			dir, err := out.Dir()
			if err == nil {
				err = os.Remove(dir) // Repair creates the folder when the copy is complete
			}
			if err != nil {
				return err
			}
			r, err := worldrepair.Repair(ctx, src.Dir, dir, o)
			return reportRemains(ctx, job, src, r, err, "the copy leaves them out")
		},
		InPlace: func(ctx context.Context, job *format.Job, src *format.Source, backup string, sink check.Sink) (string, error) {
			o, err := repairOptions(job, sink)
			if err != nil {
				return "", err
			}
			r, err := worldrepair.InPlace(ctx, src.Dir, backup, o)
			if err := reportRemains(ctx, job, src, r, err, "a copy leaves them out (-o instead of --in-place)"); err != nil {
				return "", err
			}
			return r.Backup, nil
		},
		Restore: func(ctx context.Context, job *format.Job, src *format.Source, backup string) error {
			o := worldbackup.Options{Force: optionForceUse.On(job), Remote: worldjob.OptionRemote.On(job)}
			if st, err := os.Stat(backup); err == nil && st.IsDir() {
				return worldbackup.RestoreAll(ctx, src.Dir, backup, o)
			}
			later, err := worldbackup.Later(src.Dir, backup)
			if err != nil {
				return err
			}
			for _, path := range later {
				job.Warn(src.Path, "%s was made after this backup: restore it first", path)
			}
			return worldbackup.Restore(ctx, src.Dir, backup, o)
		},
	}
)

// blockRepair repairs a separate block as the repair of a world does.
var blockRepair = &format.Repair{
	Plan: func(_ context.Context, _ *format.Job, src *format.Source, sink check.Sink) error {
		_, err := mendBlock(src, sink)
		return err
	},
	Copy: func(_ context.Context, _ *format.Job, src *format.Source, out format.Output, sink check.Sink) error {
		data, err := mendBlock(src, sink)
		if err != nil {
			return err
		}
		return format.Write(out, data)
	},
}

func mendBlock(src *format.Source, sink check.Sink) ([]byte, error) {
	data, err := src.ReadUpTo(effort.BlockData)
	if err != nil {
		return nil, err
	}
	data, err = worldrepair.MendBlock(data, sink)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.Path, err)
	}
	return data, nil
}

// reportRemains reports the damage that was not repaired, and the losses.
func reportRemains(ctx context.Context, job *format.Job, src *format.Source, r *worldrepair.Report, err error, rows string) error {
	if err != nil {
		return err
	}
	if err := worldjob.CheckMap(ctx, job, src.Dir); err != nil {
		return err
	}
	for _, line := range r.Remains(rows) {
		job.Miss(src.Path, "%s", line)
	}
	return nil
}

func repairOptions(job *format.Job, sink check.Sink) (worldrepair.Options, error) {
	o := worldrepair.Options{
		DropUnknown: optionDropUnknown.On(job), Force: optionForceUse.On(job), Remote: worldjob.OptionRemote.On(job),
		Sink: sink, OnProgress: job.Report,
	}
	var err error
	o.Copy, err = worldjob.Copying(job)
	return o, err
}
