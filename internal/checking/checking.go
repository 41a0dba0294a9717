// Package checking checks a file as a whole: what its format finds, what of it could not be
// read, and that it cannot be opened at all, are findings alike.
package checking

import (
	"context"
	"errors"
	"sync"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/format"
	"trowel.example/internal/server"
)

// Kinds that the tool itself can find, whatever the format.
var (
	catalog     check.Catalog
	Unreadable  = catalog.Add("unreadable", check.Error, "The file cannot be opened: it breaks where the finding says, -v tells the offset.", "Get another copy of the file; `trowel dump` shows what is before that place.")
	Missing     = catalog.Add("missing", check.Error, "Data that should be in the file is not there or cannot be read.", "Get another copy of the file; `trowel extract -k` saves what is left.")
	Unbuildable = catalog.Add("unbuildable", check.Error, "The folder cannot be made a game file.", "Correct the file that the finding names.")
	Defect      = catalog.Add("defect", check.Error, "Trowel itself failed on this file: what is wrong is in the tool, whatever else is wrong with the file.", "Please report it, with the message and, if you can, the file.")
	Build       = catalog.Add("build-warning", check.Warning, "The folder can be made a game file, but not just as it is.", "See whether what the finding says is what you want.")
)

// Kinds returns the kinds of findings that no format has.
func Kinds() []*check.Kind { return catalog.Kinds() }

// Run reports all that is wrong with a file. It returns why it could not, or not to the end,
// where nothing is known of the file: a server failed, or the context ended.
func Run(ctx context.Context, f *format.Format, job *format.Job, src *format.Source, sink check.Sink) error {
	var missed losses
	job = missed.of(job, nil)
	file, err := f.Open(ctx, job, src)
	if err == nil {
		defer file.Close()
	}
	return run(ctx, file, err, &missed, job, sink)
}

// losses are what was told of as missing.
type losses struct {
	mu    sync.Mutex
	found []check.Finding
}

// of returns a job that notes what is missing, and tells it too if tell is not nil.
func (l *losses) of(job *format.Job, tell func(path, message string)) *format.Job {
	its := *job
	its.OnMiss = func(path, message string) {
		l.mu.Lock()
		l.found = append(l.found, check.Finding{ID: Missing.ID, Severity: Missing.Severity, Offset: -1, Message: message})
		l.mu.Unlock()
		if tell != nil {
			tell(path, message)
		}
	}
	return &its
}

// run is Run of a file that was opened, or could not be because of err.
func run(ctx context.Context, file format.File, err error, missed *losses, job *format.Job, sink check.Sink) error {
	failed := false
	if err == nil {
		err = file.Check(ctx, job, func(f check.Finding) {
			failed = failed || f.Severity == check.Error
			sink(f)
		})
	}
	if !failed { // otherwise the check reports it in more detail
		for _, f := range missed.found {
			sink(f)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case server.Failed(err):
		return err
	case err != nil:
		sink(Broken(Unreadable, err))
	}
	return nil
}

// Broken makes a finding of an error.
func Broken(kind *check.Kind, err error) check.Finding {
	f := check.Finding{ID: kind.ID, Severity: kind.Severity, Offset: -1, Message: err.Error()}
	var e *fault.Error
	if errors.As(err, &e) {
		inside := *e
		f.Path, f.Offset = inside.Path, inside.Offset
		inside.File, inside.Path, inside.Offset = "", "", -1
		f.Message = inside.Error()
	}
	return f
}
