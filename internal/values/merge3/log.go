package merge3

import (
	"cmp"
	"fmt"
	"sync"

	"trowel.example/check"
)

// Options of a merge.
type Options struct {
	Prefer Side                     // the side whose version is taken if both sides changed something in different ways
	OnTook func(check.Change) error // receives changes that are taken from theirs; may be nil
}

// Log collects the reports of a merge. Several goroutines may use it at the same time.
type Log struct {
	Options

	mu        sync.Mutex
	conflicts []check.Conflict
	err       error // the first error of OnTook
}

// Took reports a change that is taken from theirs.
func (l *Log) Took(path string, at []check.Place, what string, args ...any) {
	l.Change(check.Change{Path: path, What: fmt.Sprintf(what, args...), Count: 1, At: at})
}

// Change reports a change that is taken from theirs.
func (l *Log) Change(c check.Change) {
	if l.OnTook == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = l.OnTook(c)
	}
}

// Conflict reports a conflict that is resolved with the preferred side, and returns that side.
func (l *Log) Conflict(c check.Conflict) Side {
	c.Took = l.Prefer.String()
	l.Report(c)
	return l.Prefer
}

// Report reports conflicts that are resolved in another way, unchanged.
func (l *Log) Report(conflicts ...check.Conflict) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conflicts = append(l.conflicts, conflicts...)
}

// End returns the conflicts, and the error of the merge or of OnTook.
func (l *Log) End(err error) ([]check.Conflict, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conflicts, cmp.Or(err, l.err)
}
