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
	step int
	*fault.NameError
}

// nowhere collects the names that none of several files contains.
type nowhere struct {
	files int
	names []lack // in the order of the steps
}

// add adds the names that the next file does not contain. Suggestions for a name come from all files.
func (n *nowhere) add(lacks []lack) {
	if n.files++; n.files == 1 {
		n.names = lacks
		return
	}
	n.names = slices.DeleteFunc(n.names, func(l lack) bool {
		i := slices.IndexFunc(lacks, func(other lack) bool {
			return l.step == other.step && l.Kind == other.Kind && l.Name == other.Name
		})
		if i >= 0 {
			l.Names = append(slices.Clip(l.Names), lacks[i].Names...)
			l.Where = "in any of the files"
		}
		return i < 0
	})
}

// whenLacking makes the steps call do for each name that the file does not contain.
func whenLacking(steps []format.Step, do func(lack) error) {
	for i, s := range steps {
		s.Job.OnLack = func(e *fault.NameError) error { return do(lack{i, e}) }
	}
}

// decideLacks makes steps fail if the file does not contain a name in them. If another file contains it, or the
// user allows it, the steps only warn.
func (e *editing) decideLacks(steps []format.Step, name string, job *format.Job) {
	whenLacking(steps, func(l lack) error {
		if !e.elsewhere && !e.batch.AllowNothing {
			return l.NameError
		}
		job.Warn(name, "%s: %v: nothing to change", steps[l.step].Name, l.NameError)
		return nil
	})
}

// lookForNames returns an error if a name in the steps is in none of the files. It writes nothing and reads
// files until each name was found.
func (e *editing) lookForNames(ctx context.Context, files []string) error {
	if len(files) < 2 || e.batch.AllowNothing || slices.Contains(files, "-") {
		return nil
	}
	var steps []format.Step
	var none nowhere
	for _, name := range files {
		var lacks []lack
		tried, err := e.try(ctx, name, func(l lack) error {
			lacks = append(lacks, l)
			return nil
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			// Files are independent: this one may contain the name, and the run reports why it cannot be edited.
			return nil
		}
		if steps == nil {
			steps = tried
		}
		if none.add(lacks); len(none.names) == 0 {
			e.elsewhere = true
			return nil
		}
	}
	var lacks format.Lacks
	for _, l := range none.names {
		_ = lacks.Add(steps[l.step], l.NameError)
	}
	return asLacking(lacks.Err)
}

// try applies the steps to the file without writing anything and calls do for each name that the file does not
// contain. It returns the steps.
func (e *editing) try(ctx context.Context, name string, do func(lack) error) ([]format.Step, error) {
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
