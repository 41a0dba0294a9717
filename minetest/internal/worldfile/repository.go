package worldfile

import (
	"context"
	"io/fs"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepo"
)

// OpenRepository opens a repository of backups.
func OpenRepository(ctx context.Context, _ *format.Job, src *format.Source) (format.File, error) {
	r, err := worldrepo.Open(ctx, src.Files())
	return &repositoryFile{r}, err
}

// repositoryFile is an open repository.
type repositoryFile struct{ *worldrepo.Repository }

// Tree contains a description of each snapshot. The contents of snapshots are private: they are only available by
// restoring.
func (f *repositoryFile) Tree(ctx context.Context, job *format.Job) (fs.FS, error) {
	all, err := f.Snapshots(ctx, func(id string, err error) { job.Miss("snapshots/"+id, "%v", err) })
	if err != nil {
		return nil, err
	}
	return worldrepo.Tree(all), nil
}

func (f *repositoryFile) Info(ctx context.Context, job *format.Job) (format.Info, error) {
	info := format.Info{Format: RepositoryName}
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

// OptionPart selects the packs that check reads.
var OptionPart = format.Option{Name: "part", For: format.ForCheck, Parse: func(value string) error {
	_, err := parsePart(value)
	return err
}, Help: "of a repository of backups: read only part `N/M` of the contents, such as 3/20: M runs with all parts read everything"}

func parsePart(value string) (p worldrepo.Part, err error) {
	p.N, p.Of, err = words.Share(value, 1)
	return p, err
}

func (f *repositoryFile) Check(ctx context.Context, job *format.Job, sink check.Sink) (err error) {
	var o worldrepo.CheckOptions
	if value := OptionPart.Value(job); value != "" {
		o.Part, _ = parsePart(value) // was parsed before
	}
	if o.Trust, o.Since, err = worldjob.Trust(job, &o.OnHeads); err != nil {
		return err
	}
	return f.Repository.Check(ctx, o, sink)
}

// Snapshots lists the snapshots of a repository. Those that the options of the job do not accept have an error.
func Snapshots(ctx context.Context, job *format.Job, repo *format.Source) (list []format.Snapshot, err error) {
	key, since, err := worldjob.Trust(job, nil)
	if err != nil {
		return nil, err
	}
	r, err := worldrepo.Open(ctx, repo.Files())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.Has(ctx, key, since); err != nil {
		return nil, err
	}
	all, err := r.Snapshots(ctx, func(id string, err error) { list = append(list, format.Snapshot{ID: id, Err: err}) })
	for _, s := range all {
		list = append(list, format.Snapshot{ID: s.ID, Time: s.Time, Of: s.World, Err: r.Verify(s, key)})
	}
	return list, err
}
