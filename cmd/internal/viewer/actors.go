package viewer

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// actor is who made a part of a change between two states.
type actor struct {
	By     string `json:"by"`
	Count  int    `json:"count"`  // of actions
	Likely bool   `json:"likely"` // it is not certain
}

// maxActors is the number of actors that are kept of a change.
const maxActors = 20

// attribute finds out who made the changes between two states of a file, if the file records that.
func (c *comparison) attribute(ctx context.Context, p pair) error {
	c.mu.Lock()
	raw := c.raw
	c.raw = nil
	c.mu.Unlock()
	from, to := p.old.of.State, p.new.of.State
	if from == nil || p.new.Format.Actors == nil {
		return nil
	}
	until := time.Now()
	if to != nil {
		until = to.Time
	}
	now, release, err := p.old.of.server.allFiles()[0].edition(ctx)
	if err != nil {
		return err
	}
	defer release()
	job := c.job(p)
	job.Report("who made the changes", 0, 0)
	found := make(map[int]map[string]*actor)
	err = p.new.Format.Actors(ctx, job, now.Source, raw, from.Time, until, func(i int, by string, likely bool) {
		if found[i] == nil {
			found[i] = make(map[string]*actor)
		}
		a := found[i][by]
		if a == nil {
			if len(found[i]) == maxActors {
				return
			}
			a = &actor{By: by, Likely: true}
			found[i][by] = a
		}
		a.Count++
		a.Likely = a.Likely && likely
	})
	if err != nil && ctx.Err() == nil { // the changes are known nevertheless
		job.Miss("", "who made the changes is not known: %v", err)
		err = nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, by := range found {
		for _, a := range by {
			c.changes[i].who = append(c.changes[i].who, *a)
		}
		slices.SortFunc(c.changes[i].who, func(a, b actor) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.By, b.By)) })
	}
	return err
}
