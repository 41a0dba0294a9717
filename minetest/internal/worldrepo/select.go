package worldrepo

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

	"trowel.example/internal/files/tree"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/text/words"
)

// snapshotText is the extension of the file that describes a snapshot.
const snapshotText = ".txt"

// Tree returns a folder with a description of each snapshot. The contents of snapshots are private: they are only
// available by restoring.
func Tree(snapshots []*Snapshot) fs.FS {
	t := new(tree.FS)
	for _, s := range snapshots {
		var text strings.Builder
		fmt.Fprintf(&text, "world %s\ntime %s\nmap %s\nblocks %d\nlost %d\n", strconv.Quote(s.World),
			s.Time.Format(time.RFC3339Nano), s.Map, s.Blocks, s.Lost)
		for _, file := range s.Files {
			fmt.Fprintf(&text, "file %s %d\n", strconv.Quote(file.Path), file.Size)
		}
		t.Add(s.ID+snapshotText, tree.Meta{Stored: -1, Note: fmt.Sprintf("%s, %s", s.World, words.Count(s.Blocks, "block")), Time: s.Time},
			func() ([]byte, error) { return []byte(text.String()), nil })
	}
	return t
}

// MomentError is the error of [Repository.Select] for a text that selects no snapshot.
type MomentError struct {
	Moment    string
	Snapshots []string // the names of all snapshots
}

func (e *MomentError) Error() string {
	return fmt.Sprintf("--moment %q: expected a time or the name of a snapshot (`trowel ls` lists the snapshots)", e.Moment)
}

// Select returns the snapshot that moment selects: the name of a snapshot or its beginning, or a time, for the newest
// snapshot at or before it; "" is the newest. If that snapshot is or may be damaged, Select does not return an older one
// instead: the error names the snapshot to select. Warn is called with other snapshots that are damaged.
func (r *Repository) Select(ctx context.Context, moment string, warn func(id string, err error)) (*Snapshot, error) {
	bad := make(map[string]error)
	all, err := r.Snapshots(ctx, func(id string, err error) { bad[id] = err })
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && len(bad) == 0 {
		return nil, errors.New("the repository contains no snapshot")
	}
	// whole returns the newest of the first n snapshots whose list of blocks can be read.
	whole := func(n int) (*Snapshot, error) {
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
			return fmt.Errorf("the snapshot %s is damaged, and no older snapshot is intact: %w", id, cause)
		}
		return fmt.Errorf("the snapshot %s is damaged (the newest intact snapshot before it: --moment %s): %w", id, s.ID, cause)
	}
	// take returns snapshot i, unless there is a later damaged snapshot that is not after the limit.
	take := func(i int, limit time.Time) (*Snapshot, error) {
		for _, id := range slices.Backward(slices.Sorted(maps.Keys(bad))) {
			t, ok := Moment(id)
			if !ok || !t.After(limit) && (i < 0 || !t.Before(all[i].Time)) {
				return nil, refuse(id, bad[id], i+1)
			}
			warn(id, bad[id])
		}
		if i < 0 {
			return nil, errors.New("no snapshot is as old as that time")
		}
		if _, err := r.Blocks(all[i]); err != nil {
			if storage.IsUnavailable(err) {
				return nil, err
			}
			return nil, refuse(all[i].ID, err, i)
		}
		return all[i], nil
	}
	if moment == "" {
		return take(len(all)-1, time.Unix(1<<40, 0))
	}
	moment = strings.TrimSuffix(moment, snapshotText) // as printed by ls
	var found []int
	for i, s := range all {
		if s.ID == moment {
			found = []int{i}
			break
		}
		if strings.HasPrefix(s.ID, moment) {
			found = append(found, i)
		}
	}
	for id, err := range bad {
		if id == moment || len(found) == 0 && strings.HasPrefix(id, moment) {
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
		t, err := time.ParseInLocation(layout, moment, time.Local)
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
		return nil, fmt.Errorf("--moment %s: the oldest snapshot is of %s", moment, all[0].Time.Local().Format(time.DateTime))
	}
	if len(found) == 0 {
		unknown := &MomentError{Moment: moment}
		for _, s := range all {
			unknown.Snapshots = append(unknown.Snapshots, s.ID)
		}
		return nil, unknown
	}
	return nil, fmt.Errorf("--moment %q: the names of %d snapshots begin with it: give more characters", moment, len(found))
}
