package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// Call is a run of the tool that hands over the work of its verb instead of doing it.
type Call struct {
	Games          format.Games
	More           []Added  // verbs of the program, as for [Main]
	Args           []string // the verb and its arguments
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Handover       service.Handover
	Failed         func(error) // receives the error of a failed verb; may be nil
}

// Perform runs the tool up to the work of a verb and returns its exit code. It returns an error code for verbs
// whose work cannot be split and for command lines that do no work, such as a request for help.
func Perform(ctx context.Context, call Call) int {
	a := newTool(call.Games, call.Stdin, call.Stdout, call.Stderr)
	a.more, a.Handover, a.failed = call.More, &call.Handover, call.Failed
	return a.run(ctx, call.Args, call.Stderr)
}

// workNote is the annotation of verbs whose work can be split.
const workNote = "trowel_work"

// AsWork marks a verb whose work can be split.
func AsWork(cmd *cobra.Command) {
	annotate(cmd, workNote, "true")
}

// execute runs the verb that the arguments name.
func execute(a *Tool, ctx context.Context, root *cobra.Command) error {
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		a.bounds.apply()
		a.talk.Has = func(letter string) bool { return cmd.Flags().ShorthandLookup(letter) != nil }
		if needsSecond(a, cmd, args) {
			return startSecond(a, "object storage")
		}
		a.confine(cmd)
		if a.Handover != nil && a.Handover.Access != nil && a.Elsewhere != nil {
			for _, root := range a.Handover.Access.Roots {
				a.Elsewhere.Full(root) // its settings apply to names without settings
			}
		}
		if f := cmd.Flags().Lookup("resume"); f != nil && f.Changed && a.Resume == "" {
			return errors.New("--resume: expected a folder")
		}
		a.Options = optionsOf(cmd)
		given := func(name string) string {
			value, _ := a.Options.Value(name)
			return value
		}
		for _, f := range a.Formats {
			options := slices.Clip(f.Options)
			for _, c := range f.Conversions {
				options = append(options, c.Options...)
			}
			if err := a.MayUse(options, given); err != nil {
				return err
			}
		}
		if err := swapped(a, cmd, args); err != nil {
			return err
		}
		if err := readInputs(a, cmd.Context(), cmd.Flags()); err != nil {
			return err
		}
		a.Options = optionsOf(cmd) // with the files that hold the content of pipes
		return nil
	}
	if a.Handover == nil {
		return root.ExecuteContext(ctx)
	}
	cmd, _, err := root.Find(a.Args)
	if err != nil || cmd.Annotations[workNote] == "" {
		var verbs []string
		for _, c := range root.Commands() {
			if c.Annotations[workNote] != "" {
				verbs = append(verbs, c.Name())
			}
		}
		return wording.Hint(fmt.Errorf("%q cannot be divided into parts", strings.Join(a.Args[:min(1, len(a.Args))], "")),
			"expected one of %s", strings.Join(verbs, ", "))
	}
	if err := root.ExecuteContext(ctx); err != nil || a.Performed {
		return err
	}
	return fmt.Errorf("these arguments describe no job: %s", strings.Join(a.Args, " "))
}

// catchPanic runs the verb and converts a panic into an error.
func catchPanic(a *Tool, ctx context.Context, root *cobra.Command) (err error) {
	if p := parallel.Catch(func() { err = execute(a, ctx, root) }); p != nil {
		err = service.Defect(p)
	}
	return err
}

// resumeHelp explains --resume. Several verbs use it.
const resumeHelp = `With --resume FOLDER the results of parts are stored in that folder, which is created if it does not
exist. If the run is interrupted, the same command in the same folder does only the remaining parts.
The parts are fixed at the start: later files are ignored, files that have changed since are
processed again, and a world should not change until the end. The folder can be deleted at any
time, with its results.`

// resumeFlag marks a verb as one whose work can be split and adds the flag --resume.
func resumeFlag(a *Tool, cmd *cobra.Command) {
	AsWork(cmd)
	cmd.Flags().StringVar(&a.Resume, "resume", "", "store the results of parts in a `folder`, and resume an interrupted run")
	_ = cmd.MarkFlagDirname("resume")
}
