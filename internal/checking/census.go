package checking

import (
	"context"
	"errors"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
)

// Table returns the table of the findings in a game's files.
func Table(name string) *format.TableOf[check.Finding] {
	return format.NewTable(name, "A finding of check.", func(r *format.Rows, f check.Finding) {
		r.Col("id", format.TextCell(f.ID), "The kind of finding, such as tw-map-no-game-layer.")
		r.Col("severity", format.TextCell(f.Severity.String()), "error, warning or info.")
		r.Col("path", format.TextCell(f.Path), "The path inside the file; empty for the whole file.")
		r.Col("byte_offset", format.IntCell(f.Offset).If(f.Offset >= 0), "The offset in the file in bytes; null if unknown.")
		r.Col("message", format.TextCell(f.Message), "The message, in English.")
		r.Col("places", format.IntCell(len(f.At)), "The number of places of the finding in `check --json`.")
	})
}

// Rows returns a [format.Census.Rows] function for files that open opens: it returns the rows of an open file, and
// then the findings of [Run] as rows of a table made by [Table]. For a file that is too damaged to be opened it
// returns findings only.
func Rows(
	open func(context.Context, *format.Job, *format.Source) (format.File, error),
	rows func(ctx context.Context, job *format.Job, src *format.Source, file format.File, row format.RowFunc) error,
	findings *format.TableOf[check.Finding],
) func(context.Context, *format.Job, *format.Source, format.RowFunc) error {
	return func(ctx context.Context, job *format.Job, src *format.Source, row format.RowFunc) error {
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
