package minetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/stores/storage"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/worldcopy"
)

const minetestBackupName = "minetest-backup"

var (
	optionVerify = format.Option{Name: "verify", Bool: true, Help: "read what the repository has of the world already, and store again what is damaged of it"}
	optionMoment = format.Option{Name: "moment", Names: "snapshot", Help: "the `snapshot`: its name, the beginning of that, or a time such as 2026-11-22T10:00 for the newest that is not younger (default: the newest)"}
	optionMap    = format.Option{Name: "map", Choices: worldcopy.Targets(), Help: "the `database` of the blocks: " + strings.Join(worldcopy.Targets(), ", ") + " (default: as it was)"}
)

// minetestBackup is a repository of backups of worlds.
var minetestBackup = &format.Format{
	Name:      minetestBackupName,
	Title:     "repository of backups of Minetest/Luanti worlds",
	Folder:    true,
	Stored:    true,
	Doc:       "docs/formats/minetest-backup.md",
	Recognize: func(src *format.Source) bool { return worldrepo.Recognize(context.Background(), src.Files()) },
	Open: func(ctx context.Context, _ *format.Job, src *format.Source) (format.File, error) {
		r, err := worldrepo.Open(ctx, src.Files())
		return &backupFile{r}, err
	},
	Replaces: func(context.Context, *format.Job, *format.Source, fs.FS) error {
		return errors.New("backups are not replaced")
	},
	Names: func(ctx context.Context, _ *format.Job, src *format.Source, _ string, add func(name string)) error {
		list, err := worldBackups.List(ctx, src)
		for _, s := range list {
			add(s.ID)
		}
		return err
	},
	Backups: worldBackups,
	Kinds:   worldrepo.Catalog.Kinds(),
	Conversions: []format.Conversion{{
		To: minetestWorldName, Title: "the world that it was at a moment", Verb: "restore", Did: "restored", Usual: true, Resumes: true,
		Long:    "The world is restored to a new folder, in the database in which it was, or with --map in\nanother one. What of it is damaged in the repository is told, and the rest is restored.\n`trowel ls REPO` lists the snapshots.",
		Example: "  trowel restore backups -o world\n  trowel restore backups --moment 2026-11-20 -o world-of-friday\n  trowel restore 's3://backups/world?region=eu-central-1' -o world",
		Options: append([]format.Option{optionMoment, optionMap}, worldjob.CopyOptions...),
		Convert: restoreWorld,
	}},
}

// worldBackups makes and restores backups of worlds.
var worldBackups = &format.Backups{
	Options: []format.Option{optionVerify},
	Add: func(ctx context.Context, job *format.Job, src, repo *format.Source) (format.Info, error) {
		if text, ok := worldjob.Unfinished(src.Dir); ok {
			return format.Info{}, fmt.Errorf("%s is %s", src.Path, text)
		}
		r, err := worldrepo.Backup(ctx, src.Dir, repo.Files(), worldrepo.Options{
			Remote: worldjob.OptionRemote.On(job), Verify: optionVerify.On(job), OnProgress: job.Report,
			Sink: worldjob.Sink(job, worldcopy.Losses(), worldrepo.Losses.Kinds()),
		})
		if err != nil {
			return format.Info{}, err
		}
		info := format.Info{Format: minetestBackupName}
		info.Add("snapshot", "snapshot", r.Snapshot.ID)
		info.Add("blocks", "blocks", r.Snapshot.Blocks)
		info.Add("changed", "blocks that changed since the snapshot before", r.Changed)
		info.Add("removed", "blocks that are gone since", r.Removed)
		info.Add("stored", "contents that are new", r.Stored)
		info.Add("bytes", "bytes that they take", r.Bytes)
		return info, nil
	},
	List: func(ctx context.Context, repo *format.Source) (list []format.Snapshot, err error) {
		r, err := worldrepo.Open(ctx, repo.Files())
		if err != nil {
			return nil, err
		}
		defer r.Close()
		all, err := r.Snapshots(ctx, func(id string, err error) { list = append(list, format.Snapshot{ID: id, Err: err}) })
		for _, s := range all {
			list = append(list, format.Snapshot{ID: s.ID, Time: s.Time, Of: s.World})
		}
		return list, err
	},
	Forget: func(ctx context.Context, repo *format.Source, ids []string) error {
		return worldrepo.Forget(ctx, repo.Files(), ids)
	},
	Prune: func(ctx context.Context, repo *format.Source, dry bool) (int, int64, error) {
		p, err := worldrepo.Prune(ctx, repo.Files(), dry)
		return p.Packs, p.Bytes, err
	},
}

// backupFile is an open repository.
type backupFile struct{ *worldrepo.Repository }

// snapshotText is the extension of the file that describes a snapshot.
const snapshotText = ".txt"

// Tree contains a description of each snapshot. The contents of snapshots are private: they are only available by
// restoring.
func (f *backupFile) Tree(ctx context.Context, job *format.Job) (fs.FS, error) {
	all, err := f.Snapshots(ctx, func(id string, err error) { job.Miss("snapshots/"+id, "%v", err) })
	if err != nil {
		return nil, err
	}
	t := new(tree.FS)
	for _, s := range all {
		var text strings.Builder
		fmt.Fprintf(&text, "world %s\ntime %s\nmap %s\nblocks %d\nlost %d\n", strconv.Quote(s.World), s.Time.Format(time.RFC3339Nano), s.Map, s.Blocks, s.Lost)
		for _, file := range s.Files {
			fmt.Fprintf(&text, "file %s %d\n", strconv.Quote(file.Path), file.Size)
		}
		t.Add(s.ID+snapshotText, tree.Meta{Stored: -1, Note: fmt.Sprintf("%s, %d blocks", s.World, s.Blocks), Time: s.Time}, func() ([]byte, error) { return []byte(text.String()), nil })
	}
	return t, nil
}

func (f *backupFile) Info(ctx context.Context, job *format.Job) (format.Info, error) {
	info := format.Info{Format: minetestBackupName}
	all, err := f.Snapshots(ctx, func(id string, err error) { job.Miss("snapshots/"+id, "%v", err) })
	if err != nil {
		return info, err
	}
	info.Add("snapshots", "", len(all))
	if n := len(all); n > 0 {
		info.Add("oldest", "", all[0].ID)
		info.Add("newest", "", all[n-1].ID)
	}
	return info, nil
}

func (f *backupFile) Check(ctx context.Context, _ *format.Job, sink check.Sink) error {
	return f.Repository.Check(ctx, sink)
}

func restoreWorld(ctx context.Context, job *format.Job, src *format.Source, out format.Output) (err error) {
	r, err := worldrepo.Open(ctx, src.Files())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	s, err := momentOf(ctx, job, r)
	if err != nil {
		return err
	}
	o, err := worldjob.Copying(job)
	if err != nil {
		return err
	}
	o.Map, o.Whole = optionMap.Value(job), !job.KeepGoing
	o.Sink = worldjob.Sink(job, worldcopy.Losses(), worldrepo.Losses.Kinds(), worldrepo.Catalog.Kinds())
	dir, err := out.KeptDir()
	if err != nil {
		return err
	}
	report, err := r.Restore(ctx, s, dir, o)
	if err == nil {
		job.Tell("%s as it was at %s: %d blocks", s.World, s.Time.Format(time.RFC3339), report.Blocks)
	}
	return worldjob.NameOptions(err)
}

// momentOf returns the snapshot that the user selected. If it is or may be damaged, momentOf does not return an older
// one instead: the error names the snapshot to select.
func momentOf(ctx context.Context, job *format.Job, r *worldrepo.Repository) (*worldrepo.Snapshot, error) {
	bad := make(map[string]error)
	all, err := r.Snapshots(ctx, func(id string, err error) { bad[id] = err })
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && len(bad) == 0 {
		return nil, errors.New("there is no snapshot in it")
	}
	// whole returns the newest of the first n snapshots whose list of blocks can be read.
	whole := func(n int) (*worldrepo.Snapshot, error) {
		for _, s := range slices.Backward(all[:n]) {
			if _, err := r.Blocks(s); err == nil || storage.IsUnavailable(err) {
				return s, err
			}
		}
		return nil, nil
	}
	refuse := func(id string, cause error, before int) error {
		s, err := whole(before)
		if err != nil {
			return err
		}
		if s == nil {
			return fmt.Errorf("the snapshot %s is damaged, and there is no older one: %w", id, cause)
		}
		return fmt.Errorf("the snapshot %s is damaged (the newest one before it that is not: --%s %s): %w", id, optionMoment.Name, s.ID, cause)
	}
	// take returns snapshot i, unless there is a later damaged snapshot that is not after the limit.
	take := func(i int, limit time.Time) (*worldrepo.Snapshot, error) {
		for _, id := range slices.Backward(slices.Sorted(maps.Keys(bad))) {
			t, ok := worldrepo.Moment(id)
			if !ok || !t.After(limit) && (i < 0 || !t.Before(all[i].Time)) {
				return nil, refuse(id, bad[id], i+1)
			}
			job.Warn("snapshots/"+id, "%v", bad[id])
		}
		if i < 0 {
			return nil, errors.New("there is no snapshot of that time")
		}
		if _, err := r.Blocks(all[i]); err != nil {
			if storage.IsUnavailable(err) {
				return nil, err
			}
			return nil, refuse(all[i].ID, err, i)
		}
		return all[i], nil
	}
	want := optionMoment.Value(job)
	if want == "" {
		return take(len(all)-1, time.Unix(1<<40, 0))
	}
	want = strings.TrimSuffix(want, snapshotText) // as printed by ls
	var found []int
	for i, s := range all {
		if s.ID == want {
			found = []int{i}
			break
		}
		if strings.HasPrefix(s.ID, want) {
			found = append(found, i)
		}
	}
	for id, err := range bad {
		if id == want || len(found) == 0 && strings.HasPrefix(id, want) {
			before := 0
			for before < len(all) && all[before].ID < id {
				before++
			}
			return nil, refuse(id, err, before)
		}
	}
	if len(found) == 1 {
		if _, err := r.Blocks(all[found[0]]); err != nil && !storage.IsUnavailable(err) {
			return nil, refuse(all[found[0]].ID, err, found[0])
		}
		return all[found[0]], nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		t, err := time.ParseInLocation(layout, want, time.Local)
		if err != nil {
			continue
		}
		if layout == time.DateOnly {
			t = t.AddDate(0, 0, 1).Add(-time.Millisecond) // the end of the day
		}
		for i, s := range slices.Backward(all) {
			if !s.Time.After(t) {
				return take(i, t)
			}
		}
		if len(all) == 0 {
			return take(-1, t)
		}
		return nil, fmt.Errorf("--%s %s: the oldest snapshot is of %s", optionMoment.Name, want, all[0].Time.Local().Format(time.DateTime))
	}
	if len(found) == 0 {
		missing := &format.WordError{Word: want, Text: fmt.Sprintf("--%s %q: expected a time or the name of a snapshot (`trowel ls` lists the snapshots)", optionMoment.Name, want)}
		for _, s := range all {
			missing.Names = append(missing.Names, s.ID)
		}
		return nil, missing
	}
	return nil, fmt.Errorf("--%s %q: the names of %d snapshots begin so", optionMoment.Name, want, len(found))
}
