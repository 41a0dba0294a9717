package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"trowel.example/check"
	"trowel.example/cmd/internal/treediff"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

const (
	maxChanges  = 20_000  // changes kept for two files
	maxPlaces   = 100_000 // places kept for one change
	allPlaces   = 400_000 // places kept for all changes
	pageChanges = 500     // changes in an answer
	pageDiff    = 2 << 20 // size of a diff in bytes
	maxPairs    = 4       // comparisons kept
	abandoned   = time.Minute
)

// comparison is the comparison of two files. It runs once, in the background.
type comparison struct {
	key    string
	cancel context.CancelFunc
	last   time.Time // time of the last request
	ended  chan struct{}

	mu       sync.Mutex
	same     bool // the files are byte-identical
	byFile   bool // the trees are compared file by file
	err      error
	what     string // current step, whose progress is done and of
	done, of int
	count    int   // number of changes, including those not kept
	cells    int64 // number of places of all changes
	kept     int   // number of places kept
	changes  []difference
	raw      []any    // the changes, until all is known about them
	lines    []string // one line for each change, as diff prints it
	notes    []string
}

// difference is one difference of two files.
type difference struct {
	text     string
	data     json.RawMessage
	count    int // number of places
	old, new []check.Place
	who      []actor // who made it, the most active first
}

// places returns the number of places of a change, and the places that fit into the limits.
func (c *comparison) places(change any) (count int, old, new []check.Place) {
	p, ok := change.(format.Placer)
	if !ok {
		return 0, nil, nil
	}
	old, new = p.Places()
	count = max(len(old), len(new))
	most := max(0, min(maxPlaces, allPlaces-c.kept))
	old, new = old[:min(len(old), most)], new[:min(len(new), most)]
	c.kept += len(old) + len(new)
	return count, old, new
}

// add adds a change.
func (c *comparison) add(text string, change any) error {
	data, err := json.Marshal(change)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	count, old, new := c.places(change)
	c.count++
	c.cells += int64(count)
	if len(c.changes) < maxChanges {
		c.raw = append(c.raw, change)
		c.changes = append(c.changes, difference{text: text, data: data, count: count, old: old, new: new})
	}
	return nil
}

// pair is a pair of files, the older one first.
type pair struct {
	old, new *edition
	release  func()
}

func (s *Server) pairOf(r *http.Request) (p pair, err error) {
	old, release, err := s.editionOf(r)
	if err != nil {
		return p, err
	}
	f, err := s.fileOf(r.PathValue("other"))
	if err == nil {
		var releaseNew func()
		if p.new, releaseNew, err = f.edition(r.Context()); err == nil {
			p.old, p.release = old, func() { releaseNew(); release() }
			return p, nil
		}
	}
	release()
	return p, err
}

func (p pair) key() string {
	return fmt.Sprintf("%d.%d %d.%d", p.old.of.id, p.old.generation, p.new.of.id, p.new.generation)
}

// byParts reports whether the files have the same format and that format can compare them.
func (p pair) byParts() bool { return p.old.Format == p.new.Format && p.old.Format.Compare != nil }

// compare returns the differences of two files. Parameters: from is the number of changes to skip, and where
// and the parameters of a view request the places in that view. Folders are compared only with the parameter
// run.
func (s *Server) compare(r *http.Request) (any, error) {
	p, err := s.pairOf(r)
	if err != nil {
		return nil, err
	}
	defer p.release()
	q := r.URL.Query()
	from, err := wholeOr(q.Get("from"), 0, 0, maxChanges)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"old": nameOf(p.old), "new": nameOf(p.new), "state": "asks"}
	start := q.Has("run") || !p.old.Source.IsDir() && !p.new.Source.IsDir()
	c, err := s.comparison(p, start)
	if c == nil {
		return answer, err
	}
	select { // the comparison of small files ends in time for this answer
	case <-c.ended:
		answer["state"] = "done"
	case <-time.After(200 * time.Millisecond):
		answer["state"] = "running"
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	var places [2]func(check.Place) place
	for i, e := range []*edition{p.old, p.new} {
		view, release := e.viewOf(r.Context(), r)
		defer release()
		places[i] = func(at check.Place) place { return placeIn(r.Context(), view, at) }
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil && !errors.Is(c.err, context.Canceled) {
		return nil, c.err
	}
	type item struct {
		Text  string          `json:"text"`
		Data  json.RawMessage `json:"data"`
		Count int             `json:"count"`        // number of places
		Old   [][4]float64    `json:"old"`          // rectangles in the view of the old file
		New   [][4]float64    `json:"new"`          // rectangles in the view of the new file
		At    *place          `json:"at,omitempty"` // the first place, in the new file if it exists there
		Who   []actor         `json:"who,omitempty"`
	}
	list := []item{}
	for _, d := range c.changes[min(from, len(c.changes)):] {
		if len(list) == pageChanges {
			break
		}
		one := item{Text: d.text, Data: d.data, Count: d.count, Old: [][4]float64{}, New: [][4]float64{}, Who: d.who}
		for i, side := range []struct {
			at []check.Place
			to *[][4]float64
		}{{d.old, &one.Old}, {d.new, &one.New}} {
			for k, at := range side.at {
				found := places[i](at)
				if k == 0 {
					one.At = &found
				}
				if found.Where != nil {
					*side.to = append(*side.to, *found.Where)
				}
			}
			*side.to = format.JoinRects(*side.to)
		}
		list = append(list, one)
	}
	answer["same"], answer["byFile"], answer["what"], answer["done"], answer["of"] = c.same, c.byFile, c.what, c.done, c.of
	answer["count"], answer["cells"], answer["kept"], answer["changes"] = c.count, c.cells, len(c.changes), list
	answer["lines"], answer["notes"] = append([]string{}, c.lines...), append([]string{}, c.notes...)
	return answer, nil
}

func nameOf(e *edition) map[string]any {
	return map[string]any{"id": e.of.id, "name": e.of.Name, "generation": e.generation, "title": e.Format.Title}
}

// comparison returns the comparison of two files. If there is none, it starts the comparison if start is set,
// otherwise it returns nil.
func (s *Server) comparison(p pair, start bool) (*comparison, error) {
	key := p.key()
	s.compared.mu.Lock()
	defer s.compared.mu.Unlock()
	list := s.compared.list
	for i, c := range list {
		if c.key == key {
			c.last = time.Now()
			copy(list[i:], list[i+1:])
			list[len(list)-1] = c
			return c, nil
		}
	}
	if !start {
		return nil, nil
	}
	_, releaseOld, err := p.old.lease(s.life)
	if err != nil {
		return nil, err
	}
	_, releaseNew, err := p.new.lease(s.life)
	if err != nil {
		releaseOld()
		return nil, err
	}
	if len(list) == maxPairs {
		list[0].cancel()
		list = list[1:]
	}
	ctx, cancel := context.WithCancel(s.life)
	c := &comparison{key: key, cancel: cancel, last: time.Now(), ended: make(chan struct{})}
	s.compared.list = append(list, c)
	go func() {
		defer cancel()
		var err error
		if caught := parallel.Catch(func() { err = c.run(ctx, p) }); caught != nil {
			err = defect(caught)
		}
		c.mu.Lock()
		c.err = err
		c.mu.Unlock()
		close(c.ended)
		releaseOld()
		releaseNew()
		s.events.send(event{"compared", map[string]any{"old": p.old.of.id, "new": p.new.of.id}})
	}()
	go s.abandon(ctx, c)
	return c, nil
}

// abandon cancels a comparison that has not been requested for some time.
func (s *Server) abandon(ctx context.Context, c *comparison) {
	tick := time.NewTicker(abandoned / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.compared.mu.Lock()
		idle := time.Since(c.last) > abandoned
		s.compared.mu.Unlock()
		if idle {
			s.forget(c)
			c.cancel()
		}
	}
}

func (s *Server) forget(c *comparison) {
	s.compared.mu.Lock()
	defer s.compared.mu.Unlock()
	for i, known := range s.compared.list {
		if known == c {
			s.compared.list = append(s.compared.list[:i:i], s.compared.list[i+1:]...)
		}
	}
}

// run compares two files as the verb diff does.
func (c *comparison) run(ctx context.Context, p pair) error {
	same, err := treediff.SameBytes(p.old.Source, p.new.Source)
	if err != nil {
		return err
	}
	if same {
		c.mu.Lock()
		c.same = true
		c.mu.Unlock()
		return nil
	}
	job := c.job(p)
	if p.byParts() {
		lines, err := p.old.Format.Compare(ctx, job, format.Side{Source: p.old.Source}, format.Side{Source: p.new.Source},
			func(change any) error {
				text := ""
				if s, ok := change.(fmt.Stringer); ok {
					text = s.String()
				}
				return c.add(text, change)
			})
		c.mu.Lock()
		c.lines = lines
		c.mu.Unlock()
		if err == nil {
			if err = c.attribute(ctx, p); err == nil {
				c.gather(p)
			}
			c.mu.Lock()
			c.raw = nil
			c.mu.Unlock()
		}
		if !errors.Is(err, format.ErrByTrees) {
			return err
		}
	}
	c.mu.Lock()
	c.byFile = true
	c.mu.Unlock()
	trees, err := p.trees(ctx)
	if err != nil {
		return err
	}
	files := 0
	return trees.Compare(ctx, func(d treediff.Difference) error {
		files++
		job.Report("files", files, 0)
		switch {
		case d.Err != nil: // the other files are still compared
			job.Miss("", "%v", d.Err)
			return ctx.Err()
		case d.Same:
			return ctx.Err()
		}
		text, change := describeFile(d)
		return c.add(text, change)
	})
}

// fileChange is the change of a file in the trees.
type fileChange struct {
	Path   string          `json:"path"`
	Other  string          `json:"other,omitempty"` // the path in the new tree, if it differs
	Change treediff.Change `json:"change"`
	Old    int64           `json:"oldSize"`
	New    int64           `json:"newSize"`
	Plus   int             `json:"plus"`
	Minus  int             `json:"minus"`
	Text   bool            `json:"text"` // the file can be compared line by line
}

func describeFile(d treediff.Difference) (string, fileChange) {
	text := ""
	switch {
	case d.Change != treediff.Changed:
		text = string(d.Change)
	case d.Text == "":
		text = fmt.Sprintf("%d to %d bytes", d.OldSize, d.NewSize)
	default:
		text = fmt.Sprintf("+%d -%d lines", d.Plus, d.Minus)
	}
	return d.Path + ": " + text, fileChange{d.Path, d.Other, d.Change, d.OldSize, d.NewSize, d.Plus, d.Minus, d.Text != ""}
}

// job returns a job whose messages and progress go to the comparison.
func (c *comparison) job(p pair) *format.Job {
	job := p.new.job(nil)
	note := func(path, message string) {
		if path != "" {
			message = path + ": " + message
		}
		message = p.new.of.plain(p.old.of.plain(message))
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.notes) < maxNotes {
			c.notes = append(c.notes, message)
		}
	}
	job.OnWarn, job.OnMiss = note, note
	job.OnProgress = func(what string, done, of int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.what, c.done, c.of = what, done, of
	}
	return job
}

// trees returns the trees of two files.
func (p pair) trees(ctx context.Context) (*treediff.Trees, error) {
	old, err := p.old.files(ctx)
	if err != nil {
		return nil, err
	}
	new, err := p.new.files(ctx)
	return &treediff.Trees{Old: old, New: new}, err
}

// compareText returns the differences of a text file in the two trees as a unified diff. Parameters: path, and
// other if the path in the new tree differs.
func (s *Server) compareText(r *http.Request) (any, error) {
	p, err := s.pairOf(r)
	if err != nil {
		return nil, err
	}
	defer p.release()
	trees, err := p.trees(r.Context())
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	if !fs.ValidPath(q.Get("path")) {
		return nil, problem{http.StatusNotFound, "the file has no such entry"}
	}
	d := trees.File(treediff.Pair{Path: q.Get("path"), Other: q.Get("other"), Change: treediff.Changed})
	if d.Err != nil {
		return nil, d.Err
	}
	return map[string]any{"diff": d.Text[:min(len(d.Text), pageDiff)], "whole": len(d.Text) <= pageDiff}, nil
}
