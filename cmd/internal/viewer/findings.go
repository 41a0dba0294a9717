package viewer

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

const (
	maxFindings      = 10_000          // findings kept for a file
	maxFew           = 100             // findings of a kind that are always kept for a file
	maxFindingPlaces = 2_000           // places of a finding
	maxAnswerPlaces  = 20_000          // places of all findings in an answer; further findings have one place each
	promptCheck      = 2 * time.Second // a check that ends in this time is complete in the first answer
)

// checkRun is the check of an edition.
type checkRun struct {
	cancel context.CancelFunc
	ended  chan struct{}

	mu       sync.Mutex
	what     string // current step
	done, of int
	findings []check.Finding
	places   []int          // number of places of each finding
	lines    [][]check.Line // lines of the tree for the places kept; set at the end of the check
	counts   [check.Error + 1]int
	byKind   map[string]int // number of findings of each kind
	err      error          // why the check failed or ended early
}

// checkPrefix is the prefix of options of checks among the parameters of a request.
const checkPrefix = "check."

// checkChoices returns the options of checks that the page may set: those of which it can list the values.
func checkChoices(f *format.Format) []format.Option {
	return slices.DeleteFunc(f.OptionsFor(format.ForCheck), func(o format.Option) bool { return o.Choices == nil })
}

// checkValues returns the values of options of a check in a request, and the key of this check of the edition.
func (e *edition) checkValues(q url.Values) (values map[string]string, key string, err error) {
	key = e.key()
	for _, o := range checkChoices(e.Format) {
		value := q.Get(checkPrefix + o.Name)
		if value == "" {
			continue
		}
		if err := o.Check(value); err != nil {
			return nil, "", problem{http.StatusBadRequest, fmt.Sprintf("%s: %v", o.Name, err)}
		}
		if values == nil {
			values = make(map[string]string)
		}
		values[o.Name] = value
		key += "\n" + o.Name + "=" + value
	}
	return values, key, nil
}

// check returns the check of an edition with values of options. If there is none, it starts the check.
func (e *edition) check(values map[string]string, key string) *checkRun {
	s := e.of.server
	s.panels.mu.Lock()
	defer s.panels.mu.Unlock()
	c := s.panels.checks[key]
	if c != nil {
		return c
	}
	ctx, cancel := context.WithCancel(s.life)
	c = &checkRun{cancel: cancel, ended: make(chan struct{}), byKind: make(map[string]int)}
	s.panels.checks[key] = c
	go func() {
		defer cancel()
		if p := parallel.Catch(func() { c.err = e.runCheck(ctx, values, c.sink(e), c.progress); c.locate(ctx, e) }); p != nil {
			c.sink(e)(check.Finding{ID: format.Defect.ID, Severity: format.Defect.Severity, Offset: -1, Message: defect(p).Error()})
		}
		close(c.ended)
		s.events.send(event{"findings", map[string]any{"file": e.of.id, "generation": e.generation}})
	}()
	return c
}

// runCheck checks a file. It pauses while pictures are drawn.
func (e *edition) runCheck(ctx context.Context, values map[string]string, sink check.Sink, progress func(what string, done, of int)) error {
	own, release, err := e.lease(ctx)
	if err != nil {
		return err
	}
	defer release()
	if own.Check != nil {
		return own.Check(ctx, sink)
	}
	job := own.job(values)
	job.OnProgress = func(what string, done, of int) {
		progress(what, done, of)
		own.of.server.giveWay(ctx)
	}
	return format.Check(ctx, own.Format, job, own.Source, sink)
}

func (c *checkRun) progress(what string, done, of int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.what, c.done, c.of = what, done, of
}

// locate sets the lines of the tree that the findings are about. Without a tree, no lines are set.
func (c *checkRun) locate(ctx context.Context, e *edition) {
	own, release, err := e.lease(ctx)
	if err != nil {
		return
	}
	defer release()
	c.mu.Lock()
	findings := c.findings
	c.mu.Unlock()
	var places []check.Place
	for _, f := range findings {
		places = append(places, f.At...)
	}
	lines, err := own.locate(ctx, places, func(string) bool { return true })
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range findings {
		c.lines = append(c.lines, lines[:len(f.At)])
		lines = lines[len(f.At):]
	}
}

// giveWay waits while pictures are drawn on all cores.
func (s *Server) giveWay(ctx context.Context) {
	select {
	case s.slots <- struct{}{}:
		<-s.slots
	case <-ctx.Done():
	}
}

func (c *checkRun) sink(e *edition) check.Sink {
	return func(f check.Finding) {
		f.Path, f.Message = e.of.plain(f.Path), e.of.plain(f.Message)
		n := len(f.At)
		f.At = f.At[:min(n, maxFindingPlaces):min(n, maxFindingPlaces)]
		c.mu.Lock()
		defer c.mu.Unlock()
		c.counts[f.Severity]++
		if c.byKind[f.ID]++; len(c.findings) < maxFindings || c.byKind[f.ID] <= maxFew {
			c.findings, c.places = append(c.findings, f), append(c.places, n)
		}
	}
}

// findingRow is a finding for the page.
type findingRow struct {
	ID       string         `json:"id"`
	Severity check.Severity `json:"severity"`
	Path     string         `json:"path"`
	Offset   int64          `json:"offset"` // -1: none
	Message  string         `json:"message"`
	Rule     *check.Rule    `json:"rule,omitempty"`
	Count    int            `json:"count"`  // number of places
	Places   []place        `json:"places"` // some of the places
}

// listFindings returns the findings of the file, with places in the requested view. If the check takes longer
// than promptCheck, the answer has the findings so far and the check continues. A world, which may be large, is
// checked only with the parameter run. stop ends the check. The parameter finding, a number, requests one
// finding with more places.
func listFindings(ctx context.Context, e *edition, r *http.Request) (any, error) {
	q := r.URL.Query()
	s := e.of.server
	values, key, err := e.checkValues(q)
	if err != nil {
		return nil, err
	}
	s.panels.mu.Lock()
	c := s.panels.checks[key]
	s.panels.mu.Unlock()
	if q.Has("stop") {
		if c != nil {
			s.panels.forget(key, c)
		}
		return map[string]any{"state": "none"}, nil
	}
	if c == nil {
		if e.Source.IsDir() && !q.Has("run") {
			return map[string]any{"state": "none"}, nil
		}
		c = e.check(values, key)
	}
	select {
	case <-c.ended:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(promptCheck):
	}
	answer := map[string]any{"state": "running"}
	c.mu.Lock()
	findings, places, lines, counts, byKind := c.findings, c.places, c.lines, c.counts, maps.Clone(c.byKind)
	progress := map[string]any{"what": c.what, "done": c.done, "of": c.of}
	c.mu.Unlock()
	select {
	case <-c.ended:
		if answer["state"] = "done"; c.err != nil {
			s.panels.forget(key, c) // a later check may succeed
			return nil, c.err
		}
	default:
		answer["progress"] = progress
	}
	view, release := e.viewOf(ctx, r)
	defer release()
	row := func(i, most int) findingRow {
		f := findings[i]
		one := findingRow{ID: f.ID, Severity: f.Severity, Path: f.Path, Offset: f.Offset, Message: f.Message, Rule: f.Rule,
			Count: places[i], Places: []place{}}
		for k, at := range f.At[:min(most, len(f.At))] {
			p := placeIn(ctx, view, at)
			if i < len(lines) {
				p.setLine(lines[i][k])
			}
			one.Places = append(one.Places, p)
		}
		return one
	}
	if q.Has("finding") {
		i, err := whole(q.Get("finding"), 0, len(findings)-1)
		if err != nil {
			return nil, err
		}
		return row(i, maxFindingPlaces), nil
	}
	list, left := []findingRow{}, maxAnswerPlaces
	kinds := make(map[string]*check.Kind)
	for i, f := range findings {
		one := row(i, max(1, left))
		left -= len(one.Places)
		list = append(list, one)
		kinds[f.ID] = nil
	}
	for _, k := range append(format.CheckKinds(), e.Format.Kinds...) {
		if _, used := kinds[k.ID]; used {
			shown := *k
			shown.Remedy = e.of.server.worded(k.Remedy)
			kinds[k.ID] = &shown
		}
	}
	answer["findings"], answer["kinds"], answer["byKind"] = list, kinds, byKind
	answer["counts"] = map[string]int{"error": counts[check.Error], "warning": counts[check.Warning], "info": counts[check.Info]}
	return answer, nil
}

// forget cancels a check and removes it, so that it can be started again.
func (p *panels) forget(key string, c *checkRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.cancel()
	if p.checks[key] == c {
		delete(p.checks, key)
	}
}
