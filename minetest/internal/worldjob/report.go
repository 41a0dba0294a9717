package worldjob

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

// NoMap reports that there is no database of blocks. That is a warning for a world that nobody has entered yet. It is
// a loss if a server has left the files that it writes.
func NoMap(job *format.Job, dir string) {
	for _, name := range []string{"map_meta.txt", "env_meta.txt"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			job.Lose(dir, "there is no database of blocks")
			return
		}
	}
	job.Warn(dir, "there is no database of blocks")
}

// WarnUnread reports databases that the engine does not read.
func WarnUnread(job *format.Job, dir string, settings *world.Settings) {
	for _, text := range world.UnreadStores(dir, settings) {
		job.Warn(dir, "%s", text)
	}
}

// CheckMap calls [NoMap] if the blocks should be in the folder of the world and are not there. It also calls
// [WarnUnread].
func CheckMap(ctx context.Context, job *format.Job, dir string) error {
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		return err
	}
	WarnUnread(job, dir, settings)
	if b, ok := mapdb.BackendOf(world.FindBackends(dir, settings).Map); ok && len(b.Files) == 0 {
		return nil
	}
	db, err := worlddir.OpenMap(ctx, dir, settings, world.Options{})
	if err != nil {
		return nil // reported where the database is read
	}
	defer db.Close()
	if !worlddir.HasMap(db) {
		NoMap(job, dir)
	}
	return nil
}

// Unfinished returns the description of an interrupted copy, and whether dir contains one.
func Unfinished(dir string) (string, bool) {
	u, ok := world.UnfinishedIn(dir)
	return fmt.Sprintf("an unfinished copy of %s, with %s of it: the same command resumes it", u.Source,
		words.Count(int(u.Blocks), "block")), ok
}

// LoseUnfinished reports an interrupted copy as a loss.
func LoseUnfinished(job *format.Job, path, dir string) {
	if text, ok := Unfinished(dir); ok {
		job.Lose(path, "this is %s", text)
	}
}

// MissUnfinished reports an interrupted copy as missing data.
func MissUnfinished(job *format.Job, path, dir string) {
	if text, ok := Unfinished(dir); ok {
		job.Miss(path, "this is %s", text)
	}
}

// LoseRow reports a row of the database of a world that cannot be read. A salvaged block is still in the result.
func LoseRow(job *format.Job, src *format.Source, err *mapdb.RowError) {
	if err.Salvaged {
		job.Miss(src.Path, "%v", err)
	} else {
		job.Lose(src.Path, "%v", err)
	}
}

// Sink returns a sink that reports findings of some kinds, and data that exceeds a limit, as losses, and others as warnings.
func Sink(job *format.Job, losses ...[]*check.Kind) check.Sink {
	lost := append(slices.Concat(losses...), check.Limit)
	return func(f check.Finding) {
		if slices.ContainsFunc(lost, func(k *check.Kind) bool { return k.ID == f.ID }) {
			job.Miss(f.Path, "%s [%s]", f.Message, f.ID)
		} else {
			job.Warn(f.Path, "%s [%s]", f.Message, f.ID)
		}
	}
}

// OpenMap opens the blocks of a world.
func OpenMap(ctx context.Context, job *format.Job, dir string) (mapdb.DB, error) {
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		return nil, err
	}
	return worlddir.OpenMap(ctx, dir, settings, world.Options{Remote: OptionRemote.On(job)})
}

// InRest reports whether a job includes everything except the blocks.
func InRest(job *format.Job) bool {
	return job.Shard == "" || job.Shard == format.Shard(mapdb.SlabRest)
}

// Resumable adds to the error of a cancelled copy that it can be resumed.
func Resumable(ctx context.Context, err error) error {
	if errors.Is(err, ctx.Err()) {
		return fmt.Errorf("%w: the same command resumes it", err)
	}
	return err
}

// Shards yields the shards of a world.
func Shards(slabs []mapdb.Slab, yield func(format.Shard) error) error {
	for _, s := range slabs {
		if err := yield(format.Shard(s)); err != nil {
			return err
		}
	}
	return nil
}
