package format

import (
	"context"
	"time"
)

// Backups describes how a format keeps the states of a file at many times, in a folder or store called the repository,
// which stores equal contents once. Both the format of the files and that of the repositories declare it.
type Backups struct {
	Options []Option // of Add, in addition to those of the format
	// Add adds a snapshot of the source to the repository repo. If repo is missing or empty, Add creates a repository
	// there. It returns a description of the snapshot.
	Add func(ctx context.Context, job *Job, src, repo *Source) (Info, error)
	// Running returns an error unless snapshots can be added while a program has the source open. Nil: no program does.
	Running func(src *Source) error
	// Rekey replaces those who can read an encrypted repository by those that the options name. Its data stays unchanged.
	Rekey func(ctx context.Context, job *Job, repo *Source) error
	// Trust are the options of List and Show that select the snapshots that are accepted. They are also options of the repository's
	// format.
	Trust []Option
	// List returns the snapshots of a repository, oldest first. Those that are not accepted have an error.
	List func(ctx context.Context, job *Job, repo *Source) ([]Snapshot, error)
	// Near returns the path of a repository next to the source that contains a snapshot of it, or "". It asks for no secret.
	Near func(ctx context.Context, src *Source) string
	// Forget removes snapshots by ID. Data that only they use stays until Prune. sign is the path of a key that signs what was
	// removed, or "".
	Forget func(ctx context.Context, repo *Source, ids []string, sign string) error
	// Prune removes data that no snapshot uses.
	Prune func(ctx context.Context, job *Job, repo *Source, o Prune) (Pruned, error)
	// Stats measures how a repository has grown.
	Stats func(ctx context.Context, job *Job, repo *Source) (BackupStats, error)
	// Show makes the snapshot with an ID readable as a file of the format in the folder dir, which exists and is
	// empty, until the returned function is called or ctx ends. It restores nothing: most contents are read from the
	// repository when they are needed. now is the file as it is, which provides what no snapshot contains. Show
	// returns messages about what the folder lacks. It returns an error if the snapshot is not accepted.
	Show func(ctx context.Context, job *Job, repo *Source, id, dir string, now *Source) (end func() error, notes []string, err error)
}

// Prune are the options of [Backups.Prune].
type Prune struct {
	Dry bool // nothing is removed or copied, only counted
	// Repack is the maximum number of bytes to copy from files of which half or more is unused; 0 means a default, a negative
	// number none.
	Repack int64
}

// Pruned are the results of [Backups.Prune].
type Pruned struct {
	Files  int   // number of removed files
	Bytes  int64 // their size
	Copied int64 // bytes that were copied from some of them to new files
}

// BackupStats are the results of [Backups.Stats].
type BackupStats struct {
	Snapshots []BackupSize // what each has added, oldest first
	Parts     []BackupSize // the parts of the files, the largest first
	Files     int64        // bytes of the files of the repository with contents, with those that no snapshot uses
}

// BackupSize is the size of different contents in a repository.
type BackupSize struct {
	Name     string // of the snapshot; or the place of the part
	Of       string // only of snapshots: name of the file
	Time     time.Time
	Contents int64
	Bytes    int64 // as the file has them
	Stored   int64 // as the repository has them
}

// Snapshot is the state of a file at one time, in a repository.
type Snapshot struct {
	ID   string // stable, identifies the snapshot
	Time time.Time
	Of   string // name of the file
	Err  error  // why the snapshot cannot be read or is not accepted, or nil
}
