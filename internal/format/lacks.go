package format

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trowel.example/fault"
)

// Lacks collects errors of steps about names that a file does not have, so that one run reports all of them.
type Lacks struct {
	Err  error
	jobs []*Job // of the failed steps
}

// Add records the error of a step and returns nil if the error is about missing names: the next step can be tried. It
// returns any other error, or Err if that is set, since the step may have failed because of an earlier one. It ignores
// a name that was given to an earlier failed step, which could have created it.
func (l *Lacks) Add(s Step, err error) error {
	names := fault.NameErrors(err)
	switch {
	case err == nil:
		return nil
	case len(names) == 0 && l.Err != nil:
		return l.Err
	case len(names) == 0:
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	given := func(name string) bool {
		return slices.ContainsFunc(l.jobs, func(j *Job) bool {
			return j != s.Job && slices.ContainsFunc(slices.Collect(maps.Values(j.Values)), func(value string) bool {
				return slices.Contains(strings.Split(value, "\n"), name)
			})
		})
	}
	if slices.ContainsFunc(names, func(e *fault.NameError) bool { return !given(e.Name) }) {
		l.Err = errors.Join(l.Err, fmt.Errorf("%s: %w", s.Name, err))
	}
	l.jobs = append(l.jobs, s.Job)
	return nil
}
