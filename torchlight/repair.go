package torchlight

import (
	"context"

	"trowel.example/check"
	"trowel.example/format"
	"trowel.example/torchlight/modedit"
)

// repairCommands are what repair does, for edit.
var repairCommands = []modCommand{{
	single: true,
	Command: format.Command{Name: "repair-tags", Title: "Give broken tags their names back", Heading: "Repair",
		Long:    "Keys and nodes that GUTS wrote as a number, because it did not know the name of a hash, get the known name of that hash. `trowel repair` does it, too.",
		Example: "repair-tags"},
	do: func(e *modedit.Editor, job *format.Job) error {
		n, err := e.RepairTags()
		return found(n, err, job)
	},
}}

// The repair of a mod or archive, and of a single data file.
var (
	modRepair    = repairBy(editArchive)
	singleRepair = repairBy(editSingle)
)

// repairBy makes a repair of a function that edits.
func repairBy(edit func(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, out format.Output, report func(check.Change) error) error) *format.Repair {
	run := func(ctx context.Context, job *format.Job, src *format.Source, out format.Output, sink check.Sink) error {
		return edit(ctx, job, src, nil, out, func(c check.Change) error {
			kind := modedit.RepairedTag
			if c.Path == "" {
				kind = modedit.RepairedSeal
			}
			sink.AddAt(kind, c.At, c.Path, -1, "%s", c.What)
			return nil
		})
	}
	return &format.Repair{
		Plan: func(ctx context.Context, job *format.Job, src *format.Source, sink check.Sink) error {
			return run(ctx, job, src, nil, sink)
		},
		Copy: run,
	}
}
