package format

import (
	"context"
	"errors"

	"trowel.example/check"
	"trowel.example/fault"
)

// FindingTable returns the table of the findings in a game's files.
func FindingTable(name string) *TableOf[check.Finding] {
	return NewTable(name, "A finding of check.", func(r *Rows, f check.Finding) {
		r.Col("id", TextCell(f.ID), "The kind of finding, such as tw-map-no-game-layer.")
		r.Col("severity", TextCell(f.Severity.String()), "error, warning or info.")
		r.Col("path", TextCell(f.Path), "The path inside the file; empty for the whole file.")
		r.Col("byte_offset", IntCell(f.Offset).If(f.Offset >= 0), "The offset in the file in bytes; null if unknown.")
		r.Col("message", TextCell(f.Message), "The message, in English.")
		r.Col("places", IntCell(len(f.At)), "The number of places of the finding in `check --json`.")
	})
}

// FindingRows returns a Census.Rows function for files that open opens: it returns the rows of an open file, and
// then the findings of [Check] as rows of a table made by [FindingTable]. For a file that is too damaged to be opened it
// returns findings only.
func FindingRows(
	open func(context.Context, *Job, *Source) (File, error),
	rows func(ctx context.Context, job *Job, src *Source, file File, row RowFunc) error,
	findings *TableOf[check.Finding],
) func(context.Context, *Job, *Source, RowFunc) error {
	return func(ctx context.Context, job *Job, src *Source, row RowFunc) error {
		var missed losses
		own := missed.of(job, job.OnMiss)
		file, err := open(ctx, own, src)
		var broken *fault.Error
		switch {
		case errors.As(err, &broken):
			inside := *broken
			inside.File = ""
			job.Miss(src.Path, "cannot be opened: %v", &inside)
		case err != nil:
			return err
		default:
			defer file.Close()
			if err := rows(ctx, job, src, file, row); err != nil {
				return err
			}
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		sink := func(f check.Finding) {
			if ctx.Err() != nil {
				return
			}
			if err := findings.Put(row, f); err != nil {
				cancel(err)
			}
		}
		g := Gathering{sink: sink, put: sink}
		err = missed.check(ctx, missed.of(job, nil), file, err, g.Put, g.Miss)
		g.End()
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
}
