package minetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/files/inuse"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// worldCommand is a command of edit, with the function that returns its step. The step counts its changes in the
// tally, which is reported at the end. Other messages of the step are reported to job.
type worldCommand struct {
	format.Command
	step func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error)
}

// worldCommands are all commands that change worlds.
var worldCommands = slices.Concat(nodeCommands, metaCommands, schematicCommands, lightCommands, pieceCommands, operatorCommands)

var worldEditing = &format.Editing{
	Resumes:  true,
	Options:  append([]format.Option{editNodes}, copyOptions...),
	Commands: format.Declared(worldCommands, func(c *worldCommand) *format.Command { return &c.Command }),
	Edit: func(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, out format.Output, report func(check.Change) error) error {
		if out == nil {
			e, err := editWorld(ctx, job, src, steps, "")
			if err != nil {
				return err
			}
			return errors.Join(e.tell(report), e.Close())
		}
		o, err := copyOptionsOf(job)
		if err != nil {
			return err
		}
		dst, err := out.KeptDir()
		if err != nil {
			return err
		}
		e, err := editWorld(ctx, job, src, steps, filepath.Dir(dst))
		if err != nil {
			return err
		}
		defer e.Close()
		o.Sink, o.Whole = sinkOf(job, worldcopy.Losses()), !job.KeepGoing
		if _, err := e.Copy(ctx, dst, nameOfSteps(steps), o); err != nil {
			if errors.Is(err, ctx.Err()) {
				err = fmt.Errorf("%w: the same command continues where this one stopped", err)
			}
			return err
		}
		return e.tell(report)
	},
	InPlace: func(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, backup string, report func(check.Change) error) (string, error) {
		if used := inuse.Check(src.Dir); used != nil { // check before the work begins
			return "", used
		}
		e, err := editWorld(ctx, job, src, steps, filepath.Dir(filepath.Clean(src.Dir)))
		if err != nil {
			return "", err
		}
		defer e.Close()
		kept, err := e.InPlace(ctx, backup)
		if err != nil {
			return kept, err
		}
		return kept, e.tell(report)
	},
}

// edited is an edited world with the results of the steps.
type edited struct {
	*worldedit.World
	steps   []format.Step
	tallies []*worldedit.Tally
	light   worldedit.Tally // of the light computed after the steps
	lacks   format.Lacks
}

// editWorld performs the steps.
func editWorld(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, scratch string) (_ *edited, err error) {
	o := worldedit.Options{Scratch: scratch, Remote: job.On(optionRemote.Name), OnProgress: job.Report, Sink: sinkOf(job, worldedit.Catalog.Kinds())}
	if name := job.Value(optionNodes.Name); name != "" {
		if o.Nodes, err = nodedef.ReadFile(name); err != nil {
			return nil, err
		}
	}
	e := &edited{steps: steps}
	var list []worldedit.Step
	for _, s := range steps {
		i := slices.IndexFunc(worldCommands, func(c worldCommand) bool { return c.Name == s.Name })
		tally := new(worldedit.Tally)
		step, err := worldCommands[i].step(s.Job, tally)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		list, e.tallies = append(list, e.namedStep(s, step)), append(e.tallies, tally)
	}
	if o.Nodes != nil {
		list = append(list, worldedit.Relight(&e.light))
	}
	if text, ok := unfinished(src.Dir); ok {
		job.Lose(src.Path, "this is %s", text)
	}
	if err := lookForMap(ctx, job, src.Dir); err != nil {
		return nil, err
	}
	if e.World, err = worldedit.Open(ctx, src.Dir, o); err != nil {
		return nil, err
	}
	if err := cmp.Or(e.Do(ctx, list...), e.checkNames(ctx, o.Nodes)); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if o.Nodes == nil {
		dark, err := e.ListLight()
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		if dark > 0 {
			job.Warn(src.Path, "the light of %d blocks may be wrong, and of those beside them: %s in the folder of the world lists them for the mod contrib/minetest/trowel_light; with --nodes it is made right at once", dark, worldedit.LightList)
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
		job.Warn(src.Path, "blocks that are of a later version now, because theirs cannot hold what is new: %d", r.Converted)
	}
	return e, nil
}

// namedStep adds the name of the command to the errors of a step. Steps of type Each are not changed, because they
// share a pass with others: their errors are about a block, not a command.
func (e *edited) namedStep(s format.Step, step worldedit.Step) worldedit.Step {
	if _, each := step.(worldedit.Each); each {
		return step
	}
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
		err := step.Do(ctx, w)
		if errors.Is(err, worldadmin.ErrAll) {
			err = fmt.Errorf("%w, which takes --all", err)
		}
		return e.lacks.Add(s, s.Job.Lack(err))
	})
}

// tell reports the results of the steps.
func (e *edited) tell(report func(check.Change) error) error {
	for i, s := range e.steps {
		t, told := e.tallies[i], false
		for _, c := range []check.Change{
			{Count: t.Nodes.Load(), Unit: "nodes"},
			{Count: t.Metadata.Load(), Unit: "metadata and timers"},
			{Count: t.Items.Load(), Unit: "stacks of items"},
			{Count: t.Objects.Load(), Unit: "objects"},
			{Count: t.Blocks.Load(), Unit: "blocks"},
		} {
			if c.What = nameOfSteps([]format.Step{s}); c.Count > 0 {
				if told {
					c.What += ": " + c.Unit
				}
				told = true
				if err := report(c); err != nil {
					return err
				}
			}
		}
		for _, c := range t.Changes() {
			if err := report(c); err != nil {
				return err
			}
		}
	}
	if n := e.light.Blocks.Load(); n > 0 {
		return report(check.Change{What: "light", Count: n, Unit: "blocks"})
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
			words = append(words, s.Job.List(o.Name)...)
		}
		for _, o := range s.Options {
			switch list := s.Job.List(o.Name); {
			case s.Job.Value(o.Name) == o.Default:
			case o.Bool:
				words = append(words, "--"+o.Name)
			default:
				for _, v := range list {
					words = append(words, "--"+o.Name, v)
				}
			}
		}
	}
	return strings.Join(words, " ")
}

// sinkOf returns a sink that reports findings of some kinds as losses and others as warnings.
func sinkOf(job *format.Job, losses []*check.Kind) check.Sink {
	return func(f check.Finding) {
		if slices.ContainsFunc(losses, func(k *check.Kind) bool { return k.ID == f.ID }) {
			job.Miss(f.Path, "%s [%s]", f.Message, f.ID)
		} else {
			job.Warn(f.Path, "%s [%s]", f.Message, f.ID)
		}
	}
}

var editNodes = func() format.Option {
	o := optionNodes
	o.For = 0
	return o
}()
