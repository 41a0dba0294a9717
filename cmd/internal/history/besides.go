package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
)

// besides returns the backups next to a file that changes in place have left.
func besides(s *service.Service, name string) (list []State, err error) {
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
	if err != nil {
		return nil, nil
	}
	var newer []string // backups of a folder, the oldest first
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if info.IsDir() {
			rest, ok := strings.CutPrefix(e.Name(), base)
			when, timed := output.BackupTime(rest)
			if folder := e.IsDir(); folder && ok { // the dot in the time is no extension
				when, timed = output.BackupTime(rest + ".zip")
			} else if filepath.Ext(rest) != ".zip" || !e.Type().IsRegular() {
				continue
			}
			if !ok || !timed {
				continue
			}
			newer = append(newer, path)
			i := len(newer) - 1
			list = append(list, State{Kind: Backup, ID: e.Name(), Time: when, Title: "before a change in place",
				open: func(ctx context.Context) (*Opened, error) { return before(ctx, s, name, newer[i:]) }})
			continue
		}
		when, ok := output.BackupTime(e.Name())
		if !ok || output.BackupOf(e.Name()) != base || !e.Type().IsRegular() {
			continue
		}
		list = append(list, State{Kind: Backup, ID: e.Name(), Time: when, open: func(context.Context) (*Opened, error) {
			return &Opened{Path: path, Close: func() error { return nil }}, nil
		}})
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
