package worldjob

import (
	"context"
	"errors"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldrepo"
)

// OpenSnapshot opens a repository of backups and selects a snapshot, see [worldrepo.Repository.Select]. The caller
// closes the repository.
func OpenSnapshot(ctx context.Context, job *format.Job, src *format.Source, moment string) (*worldrepo.Repository,
	*worldrepo.Snapshot, error) {
	r, err := worldrepo.Open(ctx, src.Files())
	if err != nil {
		return nil, nil, err
	}
	s, err := r.Select(ctx, moment, func(id string, err error) { job.Warn("snapshots/"+id, "%v", err) })
	if unknown, ok := errors.AsType[*worldrepo.MomentError](err); ok {
		err = &format.WordError{Word: unknown.Moment, Names: unknown.Snapshots, Text: unknown.Error()}
	}
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	return r, s, nil
}
