package viewer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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
		job.Miss("", "the actors of the changes cannot be read: %v", err)
		err = nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, by := range found {
		for _, a := range by {
			c.changes[i].who = append(c.changes[i].who, *a)
		}
		sortActors(c.changes[i].who)
	}
	return err
}

func sortActors(list []actor) {
	slices.SortFunc(list, func(a, b actor) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.By, b.By)) })
}

// gather gathers the changes between two states of a file into larger ones, if the format can.
func (c *comparison) gather(p pair) {
	if p.new.Format.Gather == nil || p.old.of.State == nil && p.new.of.State == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	larger, of := p.new.Format.Gather(c.raw)
	list := make([]difference, len(larger))
	for i, one := range larger {
		data, err := json.Marshal(one)
		if err != nil {
			return // it stays as it is
		}
		list[i] = difference{text: fmt.Sprint(one), data: data}
	}
	var rest []difference
	for i, d := range c.changes {
		if of[i] < 0 {
			rest = append(rest, d)
			continue
		}
		g := &list[of[i]]
		g.count, g.old, g.new = g.count+d.count, append(g.old, d.old...), append(g.new, d.new...)
		for _, a := range d.who {
			k := slices.IndexFunc(g.who, func(b actor) bool { return b.By == a.By })
			if k < 0 {
				g.who = append(g.who, a)
				continue
			}
			g.who[k].Count += a.Count
			g.who[k].Likely = g.who[k].Likely && a.Likely
		}
	}
	for i := range list {
		sortActors(list[i].who)
	}
	c.count += len(list) + len(rest) - len(c.changes)
	c.changes = append(list, rest...)
}
