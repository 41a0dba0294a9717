//go:build !js

package minetest

import (
	"context"
	"errors"
	"fmt"

	"trowel.example/internal/format"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/worldfile"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldscene"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

func init() {
	worldBackups.Add, worldBackups.Rekey, worldBackups.Stats = addBackup, rekeyBackups, backupStats
	worldBackups.Forget, worldBackups.Prune = forgetBackups, pruneBackups
	worldBackups.Running = running
	worldBackups.Near = func(ctx context.Context, src *format.Source) string { return worldrepo.Near(ctx, src.Dir) }
	game.Around = func(path string) []string { return append(worldscene.Around(path), worldrepo.Around(path)...) }
}

// running returns an error unless a world can be read while its server runs.
func running(src *format.Source) error {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return err
	}
	for _, key := range []string{"backend", "player_backend", "auth_backend", "mod_storage_backend"} {
		switch backend, _ := settings.Get(key); backend {
		case "leveldb":
			return fmt.Errorf("%s = leveldb: only one program at a time can read a LevelDB, so there are no snapshots while its server runs: "+
				"`trowel convert %s -o NEW --map sqlite` makes a world that can be backed up then", key, words.Quoted(src.Path))
		case "redis":
			return fmt.Errorf("%s = redis: a Redis cannot be read as of one moment while its server runs: "+
				"`trowel convert %s -o NEW --map sqlite` makes a world that can be backed up then", key, words.Quoted(src.Path))
		}
	}
	return nil
}

func addBackup(ctx context.Context, job *format.Job, src, repo *format.Source) (format.Info, error) {
	if text, ok := worldjob.Unfinished(src.Dir); ok {
		return format.Info{}, fmt.Errorf("%s is %s", src.Path, text)
	}
	key, err := signingKey(optionSign.Value(job))
	if err != nil {
		return format.Info{}, err
	}
	r, err := worldrepo.Backup(ctx, src.Dir, repo.Files(), worldrepo.Options{
		Remote: worldjob.OptionRemote.On(job), Verify: optionVerify.On(job), OnProgress: job.Report, Readers: readers(job),
		Sign: key,
		Sink: worldjob.Sink(job, worldcopy.Losses(), worldrepo.Losses.Kinds()),
	})
	if err != nil {
		return format.Info{}, err
	}
	info := format.Info{Format: worldfile.RepositoryName}
	info.Add("snapshot", "snapshot", r.Snapshot.ID)
	info.Add("blocks", "blocks", r.Snapshot.Blocks)
	info.Add("changed", "blocks changed since the previous snapshot", r.Changed)
	info.Add("removed", "blocks removed since then", r.Removed)
	info.Add("stored", "new contents", r.Stored)
	info.Add("bytes", "bytes of new contents", r.Bytes)
	info.Add("root", "root", string(r.Snapshot.Root))
	return info, nil
}

func rekeyBackups(ctx context.Context, job *format.Job, repo *format.Source) error {
	return worldrepo.Rekey(ctx, repo.Files(), readers(job))
}

func forgetBackups(ctx context.Context, repo *format.Source, ids []string, sign string) error {
	key, err := signingKey(sign)
	if err != nil {
		return err
	}
	return worldrepo.Forget(ctx, repo.Files(), ids, key)
}

func pruneBackups(ctx context.Context, job *format.Job, repo *format.Source, o format.Prune) (format.Pruned, error) {
	p, err := worldrepo.Prune(ctx, repo.Files(), worldrepo.PruneOptions{Dry: o.Dry, Repack: o.Repack, OnProgress: job.Report})
	return format.Pruned{Files: p.Packs, Bytes: p.Bytes, Copied: p.Copied}, err
}

// backupStats measures how a repository has grown.
func backupStats(ctx context.Context, job *format.Job, repo *format.Source) (stats format.BackupStats, err error) {
	r, err := worldrepo.Open(ctx, repo.Files())
	if err != nil {
		return stats, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	all, err := r.Stats(ctx, job.Report, func(id string, err error) { job.Miss("snapshots/"+id, "%v", err) })
	if err != nil {
		return stats, err
	}
	stats.Files = all.Packs
	for _, s := range all.Snapshots {
		stats.Snapshots = append(stats.Snapshots, format.BackupSize{Name: s.Snapshot.ID, Of: s.Snapshot.World, Time: s.Snapshot.Time,
			Contents: s.Contents, Bytes: s.Bytes, Stored: s.Stored})
	}
	for _, one := range all.Regions {
		const side = 16 // nodes
		stats.Parts = append(stats.Parts, format.BackupSize{Contents: one.Contents, Bytes: one.Bytes, Stored: one.Stored,
			Name: fmt.Sprintf("%d,%d,%d:%d,%d,%d", int(one.Low.X)*side, int(one.Low.Y)*side, int(one.Low.Z)*side,
				int(one.High.X)*side+side-1, int(one.High.Y)*side+side-1, int(one.High.Z)*side+side-1)})
	}
	return stats, nil
}

// signingKey reads the key in a file, or returns nil if there is none.
func signingKey(name string) (*sealed.SigningKey, error) {
	if name == "" {
		return nil, nil
	}
	return sealed.ReadSigningKey(name)
}

// readers returns those who can read a new or rekeyed repository.
func readers(job *format.Job) sealed.Readers {
	return sealed.Readers{Recipients: optionRecipient.Values(job), Passphrase: optionPassphrase.On(job)}
}
