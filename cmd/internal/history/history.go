// Package history finds the earlier states of a file: snapshots in a repository of backups, commits of git, and backups
// next to the file. A state becomes a file of the disk when it is opened.
package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
)

// The kinds of states.
const (
	Snapshot = "snapshot"
	Commit   = "commit"
	Backup   = "backup"
)

// State is a file as it was at an earlier time.
type State struct {
	Kind  string
	ID    string // stable, unique among the states of the kind: it identifies the state in links and for commands
	Time  time.Time
	Title string // such as the subject of a commit; "" if there is none
	By    string // who made the change; "" if unknown
	Err   error  // why the state cannot be opened

	// PutBack returns the operation of edit, with its arguments, that puts a part of the state back into the file, a box of
	// nodes or cells. Nil: there is none.
	PutBack func(box string) []string

	open func(ctx context.Context) (*Opened, error)
}

// Opened is a state that is a file or folder of the disk until Close is called.
type Opened struct {
	Path  string   // its last element is the name of the file
	Notes []string // what it lacks
	Close func() error
}

// Open opens the state. The context must last until it is closed.
func (s *State) Open(ctx context.Context) (*Opened, error) {
	if s.Err != nil {
		return nil, s.Err
	}
	return s.open(ctx)
}

// Sources are the sources of states that the user named.
type Sources struct {
	Repository string          `option:"backups" help:"show the states of FILE in a {repository} of backups, too"`
	Trust      []service.Given // which snapshots are accepted, see [format.Backups]
	Git        bool            `option:"git" help:"show the states of FILE in the commits of its git repository, too"`
}

// Any reports whether the user named a source.
func (s Sources) Any() bool { return s.Repository != "" || s.Git }

// job returns a job for the repository.
func (s Sources) job(svc *service.Service, repo *format.Format) *format.Job {
	job := svc.Job(repo)
	for _, given := range s.Trust {
		job.Values[given.Name] = given.Value
	}
	return job
}

// maxStates is the number of states of each kind that are listed: the newest.
const maxStates = 1000

// List returns the states of the file called name, the oldest first: those of the sources, and the backups next to it.
// It returns an error if a source cannot be read, or has no state of the file.
func List(ctx context.Context, s *service.Service, name string, from Sources) ([]State, error) {
	list, err := besides(s, name)
	if err == nil && from.Repository != "" {
		var more []State
		more, err = snapshots(ctx, s, name, from)
		list = append(list, more...)
	}
	if err == nil && from.Git {
		var more []State
		more, err = commits(ctx, name)
		list = append(list, more...)
	}
	slices.SortStableFunc(list, func(a, b State) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Kind, b.Kind)) })
	return list, err
}

// newest returns the newest states of a list, whose last state is the newest.
func newest(list []State) []State { return list[max(0, len(list)-maxStates):] }

// snapshots returns the snapshots of a file in a repository.
func snapshots(ctx context.Context, s *service.Service, name string, from Sources) ([]State, error) {
	repository := from.Repository
	repo, err := s.Find(ctx, repository)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	if !repo.IsRepository() || repo.Backups.Show == nil || !repo.Source.IsDir() {
		return nil, fmt.Errorf("%s: expected a repository of backups, found a %s", repo.Called, repo.Title)
	}
	all, err := repo.Backups.List(ctx, from.job(s, repo.Format), repo.Source)
	if err != nil {
		return nil, wording.Named(err, repo.Called)
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	of := filepath.Base(full)
	named := slices.DeleteFunc(slices.Clone(all), func(one format.Snapshot) bool { return one.Of != "" && one.Of != of })
	if len(named) == 0 && len(all) > 0 {
		return nil, wording.Hint(fmt.Errorf("%s: no snapshot of %s: the newest is of %s", repo.Called, of, all[len(all)-1].Of),
			"snapshots are found by the name of the folder: rename it, or name another repository")
	}
	if len(named) == 0 {
		return nil, fmt.Errorf("%s: no snapshot yet", repo.Called)
	}
	var putBack string // the name of the operation
	for _, c := range repo.Conversions {
		if c.Into != "" {
			putBack = c.Into
		}
	}
	var list []State
	for _, one := range named {
		list = append(list, State{Kind: Snapshot, ID: one.ID, Time: one.Time, Err: one.Err,
			open: func(ctx context.Context) (*Opened, error) {
				return showSnapshot(ctx, s, repo.Format, from, one.ID, name)
			}})
		if putBack != "" && one.Err == nil && !s.IsElsewhere(repository) {
			list[len(list)-1].PutBack = func(box string) []string {
				words := []string{putBack, "--box=" + box, "--moment=" + one.ID}
				for _, given := range from.Trust {
					for value := range strings.SplitSeq(given.Value, "\n") {
						words = append(words, "--"+given.Name+"="+value)
					}
				}
				return append(words, "--", repository)
			}
		}
	}
	return newest(list), nil
}

// showSnapshot opens a snapshot of the file called name.
func showSnapshot(ctx context.Context, s *service.Service, f *format.Format, from Sources, id, name string) (_ *Opened, err error) {
	repo, err := s.Source(ctx, from.Repository)
	if err != nil {
		return nil, err
	}
	now, err := s.Source(ctx, name)
	if err != nil {
		return nil, errors.Join(err, repo.Close())
	}
	defer now.Close()
	dir, remove, err := scratchFor(name)
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, repo.Close())
	}
	end, notes, err := f.Backups.Show(ctx, from.job(s, f), repo, id, dir, now)
	if err != nil {
		remove()
		return nil, errors.Join(wording.Named(err, from.Repository), repo.Close())
	}
	return &Opened{Path: dir, Notes: notes, Close: func() error {
		err := errors.Join(end(), repo.Close())
		remove()
		return err
	}}, nil
}

// scratchFor returns a path in a new temporary folder at which a state of the file called name can be written. The path
// has the name of the file. The function removes the folder.
func scratchFor(name string) (path string, remove func(), err error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return "", nil, err
	}
	dir, remove, err := output.Scratch()
	return filepath.Join(dir, filepath.Base(full)), remove, err
}
