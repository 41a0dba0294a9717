package format

import (
	"context"
	"time"
)

// Backups is how a format keeps what a file was at many moments, in a folder or store, the repository,
// that has each content once. The format of the files declares it, and that of the repositories.
type Backups struct {
	Options []Option // of Add, besides those of the format
	// Add adds a snapshot: what a source is now. What repo names becomes a repository if it is not
	// there or empty. It returns what there is to tell of it.
	Add func(ctx context.Context, job *Job, src, repo *Source) (Info, error)
	// List returns the snapshots of a repository, the oldest first.
	List func(ctx context.Context, repo *Source) ([]Snapshot, error)
	// Forget removes snapshots by their IDs. What only they need stays until Prune.
	Forget func(ctx context.Context, repo *Source, ids []string) error
	// Prune removes what no snapshot needs, and returns how many files and bytes that is.
	// With dry it only tells.
	Prune func(ctx context.Context, repo *Source, dry bool) (files int, bytes int64, err error)
}

// Snapshot is what a file was at a moment, in a repository.
type Snapshot struct {
	ID   string // stable, to name it by
	Time time.Time
	Of   string // the name of the file
	Err  error  // why it cannot be read, if so
}
