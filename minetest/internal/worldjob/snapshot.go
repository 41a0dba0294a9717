package worldjob

import (
	"context"
	"errors"

	"trowel.example/internal/format"
	"trowel.example/internal/stores/signing"
	"trowel.example/minetest/internal/worldrepo"
)

// OptionTrust is the public key with which snapshots must be signed.
var OptionTrust = format.Option{Name: "trust", For: format.ForCheck, Help: "of a repository of backups, accept only snapshots that are " +
	"signed with this `key` of minisign (RW...), or with the key in a file",
	Parse: func(value string) error { _, err := signing.ParseTrust(value); return err }}

// Trust returns the key of OptionTrust, or nil.
func Trust(job *format.Job) (*signing.Trust, error) {
	if value := OptionTrust.Value(job); value != "" {
		return signing.ParseTrust(value)
	}
	return nil, nil
}

// OpenSnapshot opens a repository of backups and selects a snapshot, see [worldrepo.Repository.Select], whose signature it
// verifies if the job has a trusted key. The caller closes the repository.
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
	var trust *signing.Trust
	if err == nil {
		trust, err = Trust(job)
	}
	if err == nil && trust != nil {
		err = r.Verify(s, trust)
	}
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	return r, s, nil
}
