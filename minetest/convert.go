package minetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldconvert"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepair"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

var (
	optionDrop   = format.Option{Name: "drop", Bool: true, Help: "leave out what the target cannot hold, instead of refusing"}
	optionBlocks = format.Option{Name: "blocks", Help: "the `version` of all blocks, 17 or 20 to 29 (default: as they are)"}

	optionForceUse    = format.Option{Name: "in-use", Bool: true, Help: "repair in place even while a program has the world open, as far as no database is replaced"}
	optionDropUnknown = format.Option{Name: "drop-unknown", Bool: true, Help: "delete blocks of versions that do not exist yet"}
)

// worldConversions contains a conversion for each kind of database.
var worldConversions = func() []format.Conversion {
	var list []format.Conversion
	for _, t := range mapdb.Targets() {
		list = append(list, format.Conversion{
			To: t.Name, Title: "a world in " + t.Title, Resumes: true,
			Options: append([]format.Option{optionBlocks, optionDrop}, worldjob.CopyOptions...),
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
	if job.Temporary && (world.MapPart.Remote(c.Backend) || world.PlayersPart.Remote(o.Players) || world.AuthPart.Remote(o.Auth) || world.StoragePart.Remote(o.Storage)) {
		return errors.New("a dry run writes to no server, and this conversion is to one")
	}
	worldjob.LoseUnfinished(job, src.Path, src.Dir)
	if err := worldjob.CheckMap(ctx, job, src.Dir); err != nil {
		return err
	}
	dst, err := out.KeptDir()
	if err != nil {
		return err
	}
	r, err := worldcopy.Copy(ctx, src.Dir, dst, o)
	if err != nil {
		if errors.Is(err, ctx.Err()) {
			err = fmt.Errorf("%w: the same command continues where this one stopped", err)
		}
		return worldjob.NameOptions(err)
	}
	text := fmt.Sprintf("%d blocks from %s to %s", r.Blocks, r.From, r.To)
	if o.Blocks != 0 {
		text += fmt.Sprintf(", %d of them converted", r.Converted)
	}
	for _, part := range []struct {
		n    int64
		what string
	}{
		{r.Kept, "kept their version"}, {r.Dropped, "could not be read and are left out"},
		{r.Salvaged, "salvaged from damaged parts of the database"},
		{r.Rows, "rows are no valid blocks, or have the position of another one, and are left out"},
		{r.Damaged, "damaged parts of the database, whose unreadable blocks are left out"}, {int64(r.Lost), "players, accounts or mods could not be taken over"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	job.Tell("%s; compared with what was written: the same", text)
	if r.Resumed > 0 {
		job.Tell("%d blocks were there already", r.Resumed)
	}
	return nil
}

var (
	worldRepairKinds = slices.Concat(worldrepair.Catalog.Kinds(), worldcopy.Catalog.Kinds(), worldconvert.Catalog.Kinds(), worldedit.Catalog.Kinds())

	worldRepair = &format.Repair{
		Options: append([]format.Option{optionForceUse, optionDropUnknown}, worldjob.CopyOptions...),
		Plan: func(ctx context.Context, job *format.Job, src *format.Source, sink check.Sink) error {
			o, err := repairOptions(job, sink)
			if err != nil {
				return err
			}
			r, err := worldrepair.Plan(ctx, src.Dir, o)
			return tellRemains(ctx, job, src, r, err, "a copy leaves them out")
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
			return tellRemains(ctx, job, src, r, err, "they are not in the copy")
		},
		InPlace: func(ctx context.Context, job *format.Job, src *format.Source, backup string, sink check.Sink) (string, error) {
			o, err := repairOptions(job, sink)
			if err != nil {
				return "", err
			}
			r, err := worldrepair.InPlace(ctx, src.Dir, backup, o)
			if err := tellRemains(ctx, job, src, r, err, "a copy leaves them out: -o in place of --in-place"); err != nil {
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
				job.Warn(src.Path, "%s was made after this backup: what it undoes is to be undone first", path)
			}
			return worldbackup.Restore(ctx, src.Dir, backup, o)
		},
	}
)

// tellRemains reports the damage that was not repaired, and the losses.
func tellRemains(ctx context.Context, job *format.Job, src *format.Source, r *worldrepair.Report, err error, rows string) error {
	if err != nil {
		return err
	}
	if err := worldjob.CheckMap(ctx, job, src.Dir); err != nil {
		return err
	}
	for _, part := range []struct {
		n    int64
		text string
	}{
		{int64(r.Lost), "damaged parts of databases whose content is lost: %d"},
		{r.Dropped, "blocks of which nothing can be read: %d; the game makes them again"},
		{r.Rows, "rows of the map that are no blocks, or of one that there is already: %d; " + rows},
		{r.Left, "blocks that stay although their version does not exist yet: %d; --" + optionDropUnknown.Name + " deletes them"},
		{int64(r.Hopeless), "damaged things that stay as they are: %d; restore them from a backup"},
		{int64(r.Missed), "things that are not in the copy, or not as in the world: %d"},
	} {
		if part.n > 0 {
			job.Miss(src.Path, part.text, part.n)
		}
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
