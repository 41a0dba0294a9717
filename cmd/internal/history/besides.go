package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
)

// A BackupFile is a backup next to a file, which a change in place has left.
type BackupFile struct {
	Path string
	Time time.Time
}

// Backups returns the backups next to a file, the oldest first.
func Backups(name string) (list []BackupFile, err error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(full)
	info, err := os.Stat(full)
	if err != nil {
		return nil, nil // it may be in another kind of storage, or the error is reported when it is opened
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		stem, ext, when, ok := output.SplitBackup(e.Name())
		if info.IsDir() {
			ok = ok && stem == base && (ext == ".zip" && e.Type().IsRegular() || ext == "" && e.IsDir())
		} else {
			ok = ok && stem+ext == base && e.Type().IsRegular()
		}
		if ok {
			list = append(list, BackupFile{filepath.Join(dir, e.Name()), when})
		}
	}
	slices.SortStableFunc(list, func(a, b BackupFile) int { return a.Time.Compare(b.Time) })
	return list, err
}

// besides returns the states that the backups next to a file contain.
func besides(s *service.Service, name string) (list []State, err error) {
	all, _ := Backups(name) // the states of other sources do not depend on the folder
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil // opening the file reports it
	}
	var paths []string
	for _, b := range all {
		paths = append(paths, b.Path)
	}
	for i, b := range all {
		one := State{Kind: Backup, ID: filepath.Base(b.Path), Time: b.Time, open: func(context.Context) (*Opened, error) {
			return &Opened{Path: b.Path, Close: func() error { return nil }}, nil
		}}
		if info.IsDir() {
			one.Title = "before a change in place"
			one.open = func(ctx context.Context) (*Opened, error) { return before(ctx, s, name, paths[i:]) }
		}
		list = append(list, one)
	}
	return newest(list), nil
}

// before opens a folder as it was before the changes of some backups, the oldest first.
func before(ctx context.Context, s *service.Service, name string, backups []string) (_ *Opened, err error) {
	g, err := s.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	if g.Repair == nil || g.Repair.Before == nil || g.Built != nil {
		return nil, fmt.Errorf("%s: a state before changes of a %s cannot be shown", g.Called, g.Title)
	}
	dir, remove, err := scratchFor(name)
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	var newest []string
	for i := range backups {
		newest = append(newest, backups[len(backups)-1-i])
	}
	end, notes, err := g.Repair.Before(ctx, g.Source, newest, dir)
	if err != nil {
		remove()
		return nil, wording.Named(err, name)
	}
	return &Opened{Path: dir, Notes: notes, Close: func() error {
		defer remove()
		return end()
	}}, nil
}
