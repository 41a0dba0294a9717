package checking

import (
	"context"
	"errors"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
)

// Table declares the table of the findings in a game's files.
func Table(name string) *format.Table {
	return &format.Table{Name: name, Title: "A finding of check.", Columns: []format.Column{
		{Name: "id", Type: format.ColumnText, Help: "The kind of finding, such as tw-map-no-game-layer."},
		{Name: "severity", Type: format.ColumnText, Help: "error, warning or info."},
		{Name: "path", Type: format.ColumnText, Help: "The path inside the file; empty for the whole file."},
		{Name: "byte_offset", Type: format.ColumnInt, Optional: true, Help: "The offset in the file in bytes; null if unknown."},
		{Name: "message", Type: format.ColumnText, Help: "The message, in English."},
		{Name: "places", Type: format.ColumnInt, Help: "The number of places of the finding in `check --json`."},
	}}
}

// Rows returns a [format.Census.Rows] function for files that open opens: it returns the rows of an open file, and
// then the findings of [Run] as rows of a table made by [Table]. For a file that is too damaged to be opened it
// returns findings only.
func Rows(
	open func(context.Context, *format.Job, *format.Source) (format.File, error),
	rows func(ctx context.Context, job *format.Job, src *format.Source, file format.File, row func(*format.Table, []format.Cell) error) error,
	findings *format.Table,
) func(context.Context, *format.Job, *format.Source, func(*format.Table, []format.Cell) error) error {
	return func(ctx context.Context, job *format.Job, src *format.Source, row func(*format.Table, []format.Cell) error) error {
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
			offset := format.Cell{}
			if f.Offset >= 0 {
				offset = format.IntCell(f.Offset)
			}
			if err := row(findings, []format.Cell{
				format.TextCell(f.ID), format.TextCell(f.Severity.String()), format.TextCell(f.Path), offset,
				format.TextCell(f.Message), format.IntCell(int64(len(f.At))),
			}); err != nil {
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
