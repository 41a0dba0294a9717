package minetest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/format"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// worldCommand is a command of edit with what does it. The step counts in the tally, whose
// counts are told in the end; what it tells besides it appends to job.
type worldCommand struct {
	format.Command
	step func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error)
}

// worldCommands are all commands that change worlds.
var worldCommands = slices.Concat(regionCommands)

var worldEditing = &format.Editing{
	Options: append([]format.Option{editNodes}, copyOptions...),
	Commands: func() (list []*format.Command) {
		for i := range worldCommands {
			list = append(list, &worldCommands[i].Command)
		}
		return list
	}(),
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
		o.Sink = sinkOf(job, worldcopy.Losses())
		if _, err := e.Copy(ctx, dst, nameOfSteps(steps), o); err != nil {
			if errors.Is(err, ctx.Err()) {
				err = fmt.Errorf("%w: the same command continues where this one stopped", err)
			}
			return err
		}
		return e.tell(report)
	},
	InPlace: func(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, backup string, report func(check.Change) error) (string, error) {
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

// edited is a world that was edited, and what the steps did.
type edited struct {
	*worldedit.World
	steps   []format.Step
	tallies []*worldedit.Tally
}

// editWorld does the steps.
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
		list, e.tallies = append(list, step), append(e.tallies, tally)
	}
	if text, ok := unfinished(src.Dir); ok {
		job.Miss(src.Path, "this is %s", text)
	}
	if err := lookForMap(ctx, job, src.Dir); err != nil {
		return nil, err
	}
	if e.World, err = worldedit.Open(ctx, src.Dir, o); err != nil {
		return nil, err
	}
	if err := e.Do(ctx, list...); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if r := e.Report(); r.Converted > 0 {
		job.Warn(src.Path, "blocks that are of a later version now, because theirs cannot hold what is new: %d", r.Converted)
	}
	return e, nil
}

// tell tells what the steps did.
func (e *edited) tell(report func(check.Change) error) error {
	for i, s := range e.steps {
		t := e.tallies[i]
		for _, c := range []check.Change{
			{Count: t.Nodes.Load(), Unit: "nodes"},
			{Count: t.Metadata.Load(), Unit: "metadata and timers"},
			{Count: t.Objects.Load(), Unit: "objects"},
		} {
			if c.What = nameOfSteps([]format.Step{s}); c.Count > 0 {
				if err := report(c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// nameOfSteps says what the steps are, as a person would call them.
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
			if v := s.Job.Value(o.Name); v != o.Default {
				words = append(words, "--"+o.Name+"="+v)
			}
		}
	}
	return strings.Join(words, " ")
}

// sinkOf is a sink for findings, some of which are losses.
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

// What commands are about.
var (
	stepBox    = format.Option{Name: "box", Help: "only the nodes in `x1,y1,z1:x2,y2,z2`, two opposite corners in any order"}
	stepArea   = format.Option{Name: "area", Help: "only the blocks in `x1,y1,z1:x2,y2,z2`, two opposite corners in any order, counted in blocks of 16 nodes"}
	stepInvert = format.Option{Name: "invert", Bool: true, Help: "only what is outside of that"}
	stepWhere  = format.Option{Name: "where", List: true, Help: "only nodes for which a `condition` holds: node=NAME, owner=NAME, or meta:KEY=VALUE; * and ? stand for letters"}

	regionOptions = []format.Option{stepBox, stepArea, stepInvert, stepWhere}

	stepParam2   = format.Option{Name: "param2", Type: format.Integer, Help: "the param2 of the new nodes, 0 to 255"}
	stepKeepMeta = format.Option{Name: "keep-metadata", Bool: true, Help: "keep metadata and timers where the name of a node changes"}
)

// regionOf reads the region that the user gave; it is everything if there is none.
func regionOf(job *format.Job) (r worldedit.Region, err error) {
	r.Box, r.Invert = worldedit.Everywhere, job.On(stepInvert.Name)
	bounded := false
	for _, o := range []struct {
		option   format.Option
		unit     string
		min, max int
		box      func(a, b worldedit.Vec) worldedit.Box
	}{
		{stepBox, "nodes", worldedit.MinNode, worldedit.MaxNode, worldedit.BoxOf},
		{stepArea, "blocks", mapdb.MinCoord, mapdb.MaxCoord, func(a, b worldedit.Vec) worldedit.Box {
			x := worldedit.BoxOf(a, b)
			return worldedit.BoxOfBlocks(mapdb.Area{Min: posOf(x.Min), Max: posOf(x.Max)})
		}},
	} {
		text := job.Value(o.option.Name)
		if text == "" {
			continue
		}
		from, to, ok := strings.Cut(text, ":")
		a, okA := parseVec(from, o.min, o.max)
		b, okB := parseVec(to, o.min, o.max)
		if !ok || !okA || !okB {
			return r, fmt.Errorf("--%s %q: expected two positions of %s such as -20,0,-20:20,10,20, from %d to %d", o.option.Name, text, o.unit, o.min, o.max)
		}
		r.Box, bounded = r.Box.Intersect(o.box(a, b)), true
	}
	if r.Invert && !bounded {
		return r, fmt.Errorf("--%s needs something to be outside of, such as --%s", stepInvert.Name, stepBox.Name)
	}
	for _, text := range job.List(stepWhere.Name) {
		key, value, ok := strings.Cut(text, "=")
		meta, isMeta := strings.CutPrefix(key, "meta:")
		switch {
		case ok && key == "node":
			r.Where.Names = append(r.Where.Names, value)
			continue
		case ok && key == "owner":
			meta = "owner"
		case !ok || !isMeta || meta == "":
			return r, fmt.Errorf("--%s %q: expected node=NAME, owner=NAME or meta:KEY=VALUE", stepWhere.Name, text)
		}
		if r.Where.Meta == nil {
			r.Where.Meta = make(map[string]string)
		}
		if old, is := r.Where.Meta[meta]; is && old != value {
			return r, fmt.Errorf("--%s %q: %s cannot be %q as well", stepWhere.Name, text, meta, old)
		}
		r.Where.Meta[meta] = value
	}
	return r, nil
}

func posOf(v worldedit.Vec) mapdb.Pos {
	return mapdb.Pos{X: int16(v[0]), Y: int16(v[1]), Z: int16(v[2])}
}

// parseVec reads x,y,z, each from min to max.
func parseVec(text string, min, max int) (v worldedit.Vec, ok bool) {
	parts := strings.Split(strings.Trim(text, "() "), ",")
	if len(parts) != len(v) {
		return v, false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < min || n > max {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

// settingOf reads how nodes become others.
func settingOf(job *format.Job, tally *worldedit.Tally) (worldedit.Setting, error) {
	s := worldedit.Setting{KeepMetadata: job.On(stepKeepMeta.Name), Tally: tally}
	if job.Value(stepParam2.Name) == "" {
		return s, nil
	}
	n := job.Integer(stepParam2.Name)
	if n < 0 || n > 255 {
		return s, fmt.Errorf("--%s %d: expected 0 to 255", stepParam2.Name, n)
	}
	s.Param2 = uint8(n)
	return s, nil
}

var regionCommands = []worldCommand{{
	Command: format.Command{
		Name: "replace", Title: "make nodes of one name others, and keep their param2", Heading: "Nodes",
		Long: "FROM may have * and ? in it, and be a name that no game knows any more.",
		Args: []format.Option{
			{Name: "from", Help: "the name of the nodes that there are"},
			{Name: "to", Help: "the name that they get"},
		},
		Options: append([]format.Option{stepParam2, stepKeepMeta}, regionOptions...),
		Example: "replace default:cobble default:mossycobble --box -100,-20,-100:100,0,100",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		r, err := regionOf(job)
		if err != nil {
			return nil, err
		}
		s, err := settingOf(job, tally)
		s.KeepParam2 = job.Value(stepParam2.Name) == ""
		return worldedit.Replace(r, worldedit.Names{job.Value("from")}, job.Value("to"), s), err
	},
}}
