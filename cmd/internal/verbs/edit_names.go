package verbs

import (
	"context"
	"slices"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
)

// lackingError is the error of an operation on a name that is in none of the files. The exit code is 1.
type lackingError struct{ error }

func (e lackingError) Unwrap() error { return e.error }

// asLacking marks an error as a lackingError if it is about names.
func asLacking(err error) error {
	if len(fault.NameErrors(err)) == 0 {
		return err
	}
	return lackingError{err}
}

// lack is a name in a step that the file does not contain.
type lack struct {
	step       int
	kind, name string
}

// whenLacking makes the steps call do for each name that the file does not contain.
func whenLacking(steps []format.Step, do func(lack, *fault.NameError) error) {
	for i, s := range steps {
		s.Job.OnLack = func(e *fault.NameError) error { return do(lack{i, e.Kind, e.Name}, e) }
	}
}

// decideLacks makes steps fail if the file does not contain a name in them. If another file contains it, or the
// user allows it, the steps only warn.
func (e *editing) decideLacks(steps []format.Step, name string, job *format.Job) {
	whenLacking(steps, func(l lack, err *fault.NameError) error {
		if !e.elsewhere && !e.allowNothing {
			return err
		}
		job.Warn(name, "%s: %v: nothing to change", steps[l.step].Name, err)
		return nil
	})
}

// lookForNames returns an error if a name in the steps is in none of the files. It writes nothing and reads
// files until each name was found.
func (e *editing) lookForNames(ctx context.Context, files []string) error {
	if len(files) < 2 || e.allowNothing || slices.Contains(files, "-") {
		return nil
	}
	var steps []format.Step
	var nowhere []lack // in the order of the steps
	found := make(map[lack]*fault.NameError)
	for i, name := range files {
		var lacks []lack
		tried, err := e.try(ctx, name, func(l lack, err *fault.NameError) error {
			if lacks = append(lacks, l); found[l] == nil {
				found[l] = err
			} else {
				found[l].Names = append(found[l].Names, err.Names...)
			}
			return nil
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			// Files are independent: this one may contain the name, and the run reports why it cannot be edited.
			return nil
		case i == 0:
			nowhere, steps = lacks, tried
		default:
			nowhere = slices.DeleteFunc(nowhere, func(l lack) bool { return !slices.Contains(lacks, l) })
		}
		if len(nowhere) == 0 {
			e.elsewhere = true
			return nil
		}
	}
	var lacks format.Lacks
	for _, l := range nowhere {
		err := found[l]
		err.Where = "in any of the files"
		_ = lacks.Add(steps[l.step], err)
	}
	return asLacking(lacks.Err)
}

// try applies the steps to the file without writing anything and calls do for each name that the file does not
// contain. It returns the steps.
func (e *editing) try(ctx context.Context, name string, do func(lack, *fault.NameError) error) ([]format.Step, error) {
	g, err := e.FindTarget(ctx, e.asTarget(name))
	if err != nil {
		return nil, err
	}
	defer g.Close()
	if g.Editing == nil {
		return nil, nil
	}
	job := e.Job(g.Format, g.Editing.Options...)
	job.OnWarn, job.OnMiss, job.OnLose, job.OnDone = nil, nil, nil, nil
	steps, err := e.steps(ctx, job, g.Format)
	if err != nil {
		return nil, err
	}
	whenLacking(steps, do)
	return steps, editFile(ctx, g, job, steps, nil, func(check.Change) error { return nil })
}
