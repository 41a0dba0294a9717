package fleet

import (
	"context"
	"fmt"
	"time"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/internal/text/words"
)

// The states of works.
const (
	stateWaiting   = "waiting" // waiting to be split
	stateRunning   = "running"
	stateFailed    = "failed" // only parts that have failed too often are left
	stateCancelled = "cancelled"
	stateDone      = "done"
)

// status is the progress of a work.
type status struct {
	*states
	state    string
	failures []failure
	active   []active
}

// first returns the first error.
func (s *status) first() string {
	if len(s.failures) == 0 {
		return "for an unknown reason"
	}
	return s.failures[0].Error
}

// hint returns the hint of the first error, followed by a semicolon.
func (s *status) hint() string {
	if len(s.failures) == 0 || s.failures[0].Hint == "" {
		return ""
	}
	return s.failures[0].Hint + "; "
}

// look returns a work and its status.
func (q *queue) look(ctx context.Context, id string) (*row, *status, error) {
	r, err := q.work(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	s, err := q.stateOf(ctx, r, 1000)
	return r, s, err
}

// stateOf returns the status of a work, with at most the given number of failures.
func (q *queue) stateOf(ctx context.Context, r *row, failures int) (*status, error) {
	s := &status{state: stateRunning}
	var err error
	if s.states, err = q.states(ctx, r); err != nil {
		return nil, err
	}
	broken, err := q.broken(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Ended != nil:
		s.state = stateDone
	case r.Cancelled != nil:
		s.state = stateCancelled
	case broken || s.open() == 0 && s.lost() > 0:
		s.state = stateFailed
	case r.Parts == nil:
		s.state = stateWaiting
	}
	if failures > 0 && r.Ended == nil {
		if s.failures, err = q.failures(ctx, r.ID, failures); err == nil {
			s.active, err = q.active(ctx, r.ID, failures)
		}
	}
	return s, err
}

// left returns the estimated remaining time at the current rate; 0 if unknown.
func (s *status) left() time.Duration {
	if s.rate == 0 {
		return 0
	}
	return time.Duration(float64(s.open()) / s.rate * float64(time.Second)).Round(time.Second)
}

func (s *status) parts(r *row) string {
	if r.Parts == nil {
		return "-"
	}
	return fmt.Sprintf("%d/%d", s.Done, *r.Parts)
}

// object returns a work as JSON.
func (s *status) object(r *row) any {
	return struct {
		ID        string     `json:"id"`
		Verb      []string   `json:"verb"`
		Folder    string     `json:"folder"`
		Version   string     `json:"version"`
		Results   string     `json:"results"`
		Submitted time.Time  `json:"submitted"`
		Ended     *time.Time `json:"ended,omitempty"`
		Code      *int       `json:"code,omitempty"`
		State     string     `json:"state"`
		Parts     *int64     `json:"parts,omitempty"`
		States    *states    `json:"states"`
		Rate      float64    `json:"rate"`
		Left      float64    `json:"left,omitempty"`
		Running   []active   `json:"running,omitempty"`
		Failures  []failure  `json:"failures,omitempty"`
	}{r.ID, r.Args, r.Dir, r.Version, r.Results, r.Submitted, r.Ended, r.Code, s.state, r.Parts, s.states, s.rate,
		s.left().Seconds(), s.active, s.failures}
}

// printDetails prints all details of a work.
func (q *queue) printDetails(ctx context.Context, t *verbs.Tool, r *row, s *status) error {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(t.Out(), "%-10s %s\n", name+":", printable(fmt.Sprintf(format, args...)))
	}
	line("id", "%s", r.ID)
	line("verb", "%s", r.title())
	line("folder", "%s", r.Dir)
	line("results", "%s", r.Results)
	line("submitted", "%s", r.Submitted.Local().Format(time.DateTime))
	if r.Ended != nil {
		line("ended", "%s, exit code %d", r.Ended.Local().Format(time.DateTime), *r.Code)
	}
	line("state", "%s", s.state)
	if r.Parts != nil {
		line("parts", "%d: %d done, %d running, %d waiting, %d to be retried, %d failed, %d cancelled", *r.Parts, s.Done,
			s.Running, s.Waiting, s.Retrying, s.Failed, s.Cancelled)
	}
	if left := s.left(); s.state == stateRunning && s.rate > 0 {
		line("rate", "%.1f parts a second, %v left", s.rate, left)
	}
	const shown = 20
	for _, a := range s.active[:min(shown, len(s.active))] {
		line("running", "%s by %s since %s (%v)", a.describe(), shownWorker(a.Worker), a.Since.Local().Format(time.TimeOnly),
			time.Since(a.Since).Round(time.Second))
	}
	if n := len(s.active) - shown; n > 0 {
		t.Say("%d more are running: --json lists them", n)
	}
	for _, f := range s.failures[:min(shown, len(s.failures))] {
		what := f.Part
		switch {
		case what == "":
			what = "the work"
		case f.File != "":
			what += " (" + f.File + ")"
		}
		how := "is retried"
		switch f.State {
		case "discarded":
			how = "failed"
		case "cancelled":
			how = "refused"
		}
		line("failure", "%s, attempt %d, %s: %s", what, f.Attempts, how, f.Error)
		if f.Hint != "" {
			line("hint", "%s", f.Hint)
		}
	}
	if n := len(s.failures) - shown; n > 0 {
		t.Say("%d more are in --json", n)
	}
	if s.state == stateWaiting || s.state == stateRunning && s.Done+s.Running == 0 {
		var ok bool
		err := q.pool.QueryRow(ctx, q.sql(`SELECT EXISTS (SELECT FROM $$.river_queue WHERE name = $1 AND updated_at > `+
			`now() - interval '1 hour')`), queueName(r.Version)).Scan(&ok)
		if err != nil {
			return q.wrap(err)
		}
		if !ok {
			t.Say("no worker of version %s was active in the last hour: `trowel worker --queue ...` starts one", r.Version)
		}
	}
	return nil
}

func printable(s string) string { return words.Printable(s) }
