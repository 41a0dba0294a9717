// Package worldsteps makes the steps of edit commands for worlds from the options of the commands, and performs them.
// It does the same for schematics, and writes plans ([PlanWriter]): files from which the mod contrib/minetest/trowel_rewind puts
// nodes back into the world of a running server (docs/formats/minetest-restore-plan.md).
package worldsteps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/host"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// makeStep is [format.Command.Do] of a command: it makes a step that counts its changes in counts.
type makeStep func(job *format.Job, counts *worldedit.Counts) (worldedit.Step, error)

// Bind returns a command whose step is made from its options, which are the fields of T.
func Bind[T any](c format.Command, step func(options T, counts *worldedit.Counts) (worldedit.Step, error)) *format.Command {
	return format.Declare[T](c, makeStep(func(job *format.Job, counts *worldedit.Counts) (worldedit.Step, error) {
		return step(format.Values[T](job), counts)
	}))
}

// Editing returns the implementation of edit with some commands. ghost opens the picture of a schematic that is placed.
func Editing(commands []*format.Command,
	ghost func(ctx context.Context, job *format.Job, src *format.Source, file string, how schematic.Placing) (*format.Scene, error),
) *format.Editing {
	return &format.Editing{
		Resumes:  true,
		Options:  append([]format.Option{worldjob.OfCommand(worldjob.OptionNodes)}, worldjob.CopyOptions...),
		Commands: commands,
		Edit: func(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, out format.Output,
			report func(check.Change) error) error {
			if out == nil {
				e, err := Perform(ctx, job, src, steps, "")
				if err != nil {
					return err
				}
				return errors.Join(e.report(report), e.Close())
			}
			o, err := worldjob.Copying(job)
			if err != nil {
				return err
			}
			dst, err := out.KeptDir()
			if err != nil {
				return err
			}
			e, err := Perform(ctx, job, src, steps, filepath.Dir(dst))
			if err != nil {
				return err
			}
			defer e.Close()
			o.Sink, o.Whole = worldjob.Sink(job, worldcopy.Losses()), !job.KeepGoing
			if _, err := e.Copy(ctx, dst, nameOfSteps(steps), o); err != nil {
				return worldjob.Resumable(ctx, err)
			}
			return e.report(report)
		},
		Preview: preview,
		Ghost: func(ctx context.Context, job *format.Job, src *format.Source, step format.Step) (*format.Scene, error) {
			if step.Fields != reflect.TypeFor[PlaceOptions]() {
				return nil, nil
			}
			o := format.Values[PlaceOptions](step.Job)
			return ghost(ctx, job, src, o.File, o.placing())
		},
		InPlace: func(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, backup string,
			report func(check.Change) error) (string, error) {
			if err := worldjob.InPlace(job); err != nil {
				return "", err
			}
			if used := filelock.CheckUnused(src.Dir); used != nil { // check before the work begins
				return "", used
			}
			e, err := Perform(ctx, job, src, steps, filepath.Dir(filepath.Clean(src.Dir)))
			if err != nil {
				return "", err
			}
			defer e.Close()
			kept, err := e.InPlace(ctx, backup)
			if err != nil {
				return kept, err
			}
			return kept, e.report(report)
		},
	}
}

// preview makes the result of steps readable in the folder dir. Its blocks are those of the world with the changed ones, which
// are in a temporary file; the other files are copies, without very large ones.
func preview(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, dir string,
	report func(int, check.Change) error) (end func() error, err error) {
	e, err := Perform(ctx, job, src, steps, "")
	if err != nil {
		return nil, err
	}
	if err = e.each(report); err == nil {
		err = e.CopyRest(ctx, dir, worldcopy.Options{Sink: worldjob.Sink(job, worldcopy.Losses()), Only: new(worldjob.Small).Of(src.Dir)})
	}
	var restore func()
	if err == nil {
		restore, err = mapdb.Substitute(dir, e.World)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return func() error {
		restore()
		return e.Close()
	}, nil
}

// Edited is an edited world with the results of the steps.
type Edited struct {
	*worldedit.World
	steps   []format.Step
	tallies []*worldedit.Counts
	light   worldedit.Counts // of the light computed after the steps
	lacks   format.Lacks
}

// Perform performs the steps. Scratch is the folder of temporary files.
func Perform(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, scratch string) (_ *Edited, err error) {
	o := worldedit.Options{
		Scratch: scratch, Remote: worldjob.OptionRemote.On(job), OnProgress: job.Report, Sink: worldjob.Sink(job, worldedit.Catalog.Kinds()),
	}
	if name := worldjob.OptionNodes.Value(job); name != "" {
		file, err := nodedef.ReadFile(name)
		if err != nil {
			return nil, err
		}
		o.Nodes, o.Aliases = file.Nodes, file.Aliases
	}
	e := &Edited{steps: steps}
	var list []worldedit.Step
	for _, s := range steps {
		counts := new(worldedit.Counts)
		step, err := s.Do.(makeStep)(s.Job, counts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		list, e.tallies = append(list, e.namedStep(s, step)), append(e.tallies, counts)
	}
	if o.Nodes != nil {
		list = append(list, worldedit.Relight(&e.light))
	}
	worldjob.LoseUnfinished(job, src.Path, src.Dir)
	if err := worldjob.CheckMap(ctx, job, src.Dir); err != nil {
		return nil, err
	}
	if e.World, err = worldedit.Open(ctx, src.Dir, o); err != nil {
		return nil, err
	}
	if err := cmp.Or(e.Do(ctx, list...), e.checkNames(ctx, o.Nodes, world.Options{Remote: o.Remote})); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if o.Nodes == nil {
		dark, err := e.ListLight()
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		if dark > 0 {
			job.Warn(src.Path, "light may be wrong in %s and the neighbours. Recompute it with %s, or in the game "+
				"with the mod contrib/minetest/trowel_light (list: %s in the folder of the world)", words.Count(dark, "block"),
				host.Advice("--nodes FILE", nodedef.FileName+" in the folder of the world"), worldedit.LightList)
		}
	}
	for i, t := range e.tallies {
		for _, line := range t.Notes() {
			job.Warn(src.Path, "%s: %s", steps[i].Name, line)
		}
	}
	for _, line := range e.light.Notes() {
		job.Warn(src.Path, "light: %s", line)
	}
	if r := e.Report(); r.Converted > 0 {
		job.Warn(src.Path, "blocks converted to a later version, because their version cannot hold the change: %d", r.Converted)
	}
	return e, nil
}

// namedStep adds the name of the command to the errors of a step. Steps of type Each are not changed, because they
// share a pass with others: their errors are about a block, not a command.
func (e *Edited) namedStep(s format.Step, step worldedit.Step) worldedit.Step {
	if _, each := step.(worldedit.Each); each {
		return step
	}
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
		err := step.Do(ctx, w)
		if errors.Is(err, worldadmin.ErrAll) {
			err = fmt.Errorf("%w (allow it with --all)", err)
		}
		return e.lacks.Add(s, s.Job.Lack(err))
	})
}

// report reports the results of the steps.
func (e *Edited) report(report func(check.Change) error) error {
	return e.each(func(_ int, c check.Change) error { return report(c) })
}

// each reports the results of the steps with their numbers. Light that was computed for all steps counts for the last.
func (e *Edited) each(report func(step int, c check.Change) error) error {
	for i, s := range e.steps {
		t, first := e.tallies[i], true
		for _, c := range []check.Change{
			{Count: t.Nodes.Load(), Unit: "nodes"},
			{Count: t.Metadata.Load(), Unit: "metadata and timers"},
			{Count: t.Items.Load(), Unit: "stacks of items"},
			{Count: t.Objects.Load(), Unit: "objects"},
			{Count: t.Blocks.Load(), Unit: "blocks"},
		} {
			if c.Count == 0 {
				continue
			}
			if c.What = nameOfSteps([]format.Step{s}); !first {
				c.What += ": " + c.Unit
			}
			first = false
			if box, any := t.Box(); any {
				c.Within = []check.Place{place.At(box.Min), place.At(box.Max)}
			}
			if err := report(i, c); err != nil {
				return err
			}
		}
		for _, c := range t.Changes() {
			if err := report(i, c); err != nil {
				return err
			}
		}
	}
	if n := e.light.Blocks.Load(); n > 0 {
		return report(len(e.steps)-1, check.Change{What: "light", Count: n, Unit: "blocks"})
	}
	return nil
}

// nameOfSteps returns the steps as the user wrote them.
func nameOfSteps(steps []format.Step) string {
	var words []string
	for i, s := range steps {
		if i > 0 {
			words = append(words, "then")
		}
		words = append(words, s.Name)
		for _, o := range s.Args {
			words = append(words, o.Values(s.Job)...)
		}
		for _, o := range s.Options {
			switch {
			case o.Value(s.Job) == o.Default:
			case o.Type == format.Bool:
				words = append(words, "--"+o.Name)
			default:
				for _, v := range o.Values(s.Job) {
					words = append(words, "--"+o.Name, v)
				}
			}
		}
	}
	return strings.Join(words, " ")
}
