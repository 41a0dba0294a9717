package torchlight

import (
	"context"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/torchlight/modedit"
)

// repairCommands are the parts of a repair, as edit operations.
var repairCommands = []*format.Command{
	operation(format.Command{Name: "repair-tags", Title: "Repair broken tags and unreadable sources", Heading: "Repair",
		Long: "Repairs tags of sources that are missing, open a node instead of closing it, or have no bracket or a " +
			"wrong name, and joins values over several lines. " +
			"Keys and nodes that GUTS wrote as a number, because it did not know the name of a hash, get the known name " +
			"of that hash. `trowel repair` does this, too.",
		Example: "repair-tags",
	}, func(e *modedit.Editor, job *format.Job, _ struct{}) error {
		lines := e.RepairTexts()
		n, err := e.RepairTags()
		return warnUnchanged(lines+n, err, job)
	}),
}

// The repairs of a mod or archive, and of a single data file.
var (
	modRepair    = repairBy(editArchive)
	singleRepair = repairBy(editSingle)
)

// repairBy returns a repair that runs an edit function without steps.
func repairBy(edit func(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step,
	out format.Output, report func(check.Change) error) error) *format.Repair {
	run := func(ctx context.Context, job *format.Job, src *format.Source, out format.Output, sink check.Sink) error {
		return edit(ctx, job, src, nil, out, func(c check.Change) error {
			sink.AddAt(modedit.RepairKind(c), c.At, c.Path, -1, "%s", c.What)
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
