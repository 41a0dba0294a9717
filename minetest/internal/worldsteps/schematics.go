package worldsteps

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/glob"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/item"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/schematic"
)

// doFunc is [format.Command.Do] of a command. It returns the number of changed things, and their unit.
type doFunc func(job *format.Job, s *schematic.Schematic, names *definitions) (n int, unit string, err error)

// definitions are the nodes and aliases of the run.
type definitions struct {
	nodes   nodedef.List
	aliases map[string]string
}

// bind returns a command that changes things of a unit.
func bind[T any](c format.Command, unit string, do func(o T, s *schematic.Schematic, names *definitions) (int, error)) *format.Command {
	return format.Declare[T](c, doFunc(func(job *format.Job, s *schematic.Schematic, names *definitions) (int, string, error) {
		n, err := do(format.Values[T](job), s, names)
		return n, unit, err
	}))
}

// SchematicEditing returns the implementation of edit with some commands.
func SchematicEditing(commands []*format.Command) *format.Editing {
	return &format.Editing{
		Options:  []format.Option{worldjob.OfCommand(worldjob.OptionNodes)},
		Commands: commands,
		Edit: func(_ context.Context, job *format.Job, src *format.Source, steps []format.Step, out format.Output,
			report func(check.Change) error) error {
			data, err := src.ReadUpTo(effort.SchematicFile)
			if err != nil {
				return err
			}
			data, err = edited(job, src, data, steps, report)
			if err != nil || out == nil {
				return fault.InFile(err, src.Path)
			}
			return format.Write(out, data)
		},
	}
}

// edited returns the file after the steps. If they change nothing, it is data itself.
func edited(job *format.Job, src *format.Source, data []byte, steps []format.Step, report func(check.Change) error) ([]byte, error) {
	s, err := schematic.Decode(data)
	if err != nil {
		return nil, err
	}
	names := &definitions{nodedef.MinetestGame(), nodedef.MinetestGameAliases()}
	if name := worldjob.OptionNodes.Value(job); name != "" {
		file, err := nodedef.ReadFile(name)
		if err != nil {
			return nil, err
		}
		names = &definitions{file.Nodes, file.Aliases}
	}
	changed := false
	var lacks format.Lacks
	for _, step := range steps {
		n, unit, err := step.Do.(doFunc)(step.Job, s, names)
		if err := lacks.Add(step, step.Job.Lack(err)); err != nil {
			return nil, err
		}
		if n == 0 {
			continue
		}
		changed = true
		what := strings.Join(append([]string{step.Name}, arguments(&step)...), " ")
		if err := report(check.Change{What: what, Count: int64(n), Unit: unit}); err != nil {
			return nil, err
		}
	}
	if lacks.Err != nil || !changed {
		return data, lacks.Err
	}
	if newest := s.Form.Newest(); s.Version != newest {
		job.Warn(src.Path, "version %d becomes version %d", s.Version, newest)
		s.Version = newest
	}
	return s.Encode()
}

// arguments returns the arguments of a step as the user wrote them.
func arguments(step *format.Step) (words []string) {
	for _, a := range step.Args {
		words = append(words, a.Values(step.Job)...)
	}
	return words
}

// SchematicNames calls add with the names of the nodes of a schematic.
func SchematicNames(_ context.Context, _ *format.Job, src *format.Source, kind string, add func(name string)) error {
	data, err := src.ReadUpTo(effort.SchematicFile)
	if err != nil {
		return err
	}
	s, err := schematic.Decode(data)
	if err != nil {
		return err
	}
	for _, name := range s.Names {
		add(name)
	}
	return nil
}

// places are the options that select nodes of a schematic.
type places struct {
	Node string `arg:"node" names:"node" help:"the name of the nodes, with wildcards * and ?"`
	Box  string `option:"box"`
}

// Describe describes the options.
func (places) Describe(o *format.Option) {
	o.Explain("box", "only the nodes in `x1,y1,z1:x2,y2,z2`, counted from the corner with the lowest coordinates, 0,0,0")
}

// indexes returns the indexes of the selected nodes. It is a [fault.NameError] if the schematic has no node of the name.
func (p places) indexes(s *schematic.Schematic) (list []int, err error) {
	match := glob.Text(p.Node)
	var ids []bool
	for _, name := range s.Names {
		ids = append(ids, match(name))
	}
	if !slices.Contains(ids, true) {
		return nil, &fault.NameError{Kind: "node", Name: p.Node, Where: "in the schematic", Names: s.Names}
	}
	inside := func(int) bool { return true }
	if p.Box != "" {
		box, err := worldjob.ParseBox("box", p.Box)
		if err != nil {
			return nil, err
		}
		inside = func(i int) bool {
			x, y, z := s.Coordinates(i)
			return box.Contains([3]int{x, y, z})
		}
	}
	for i, id := range s.Name {
		if ids[id] && inside(i) {
			list = append(list, i)
		}
	}
	return list, nil
}

// parseProbability parses a probability in 127ths or in percent. The engine places a node if its probability is greater than a random
// number from 1 to 127, so that only 2 and more can happen; [schematic.Always] always does.
func parseProbability(text string) (uint8, error) {
	if number, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := strconv.ParseFloat(number, 64)
		switch {
		case err != nil || !(percent >= 0 && percent <= 100):
			return 0, fmt.Errorf("%q: expected 0%% to 100%%", text)
		case percent == 0:
			return schematic.Never, nil
		case percent == 100:
			return schematic.Always, nil
		}
		return uint8(min(max(math.Round(percent/100*schematic.Always)+1, 2), schematic.Always-1)), nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < schematic.Never || n > schematic.Always {
		return 0, fmt.Errorf("%q: expected a probability from 0 (never) to 127 (always), or from 0%% to 100%%", text)
	}
	return uint8(n), nil
}

// probability is the argument for a probability.
type probability struct {
	Probability string `arg:"probability" help:"0 (never) to 127 (always), or 0% to 100%"`
}

type probabilityOptions struct {
	places
	probability
}

func setProbability(o probabilityOptions, s *schematic.Schematic, _ *definitions) (n int, err error) {
	p, err := parseProbability(o.Probability)
	if err != nil {
		return 0, err
	}
	list, err := o.indexes(s)
	for _, i := range list {
		if s.Prob[i] != p {
			s.Prob[i] = p
			n++
		}
	}
	return n, err
}

type sliceOptions struct {
	Slices string `arg:"slices" help:"the height of a slice, counted from 0, or of the first and the last such as 1:3"`
	probability
}

func setSlices(o sliceOptions, s *schematic.Schematic, _ *definitions) (n int, err error) {
	p, err := parseProbability(o.Probability)
	if err != nil {
		return 0, err
	}
	from, to, ranged := strings.Cut(o.Slices, ":")
	first, err := strconv.Atoi(from)
	last, err2 := first, error(nil)
	if ranged {
		last, err2 = strconv.Atoi(to)
	}
	if errors.Join(err, err2) != nil || first < 0 || last < first || last >= s.Size[1] {
		return 0, fmt.Errorf("%q: expected the height of a slice, or of the first and the last such as 1:3, from 0 to %d", o.Slices, s.Size[1]-1)
	}
	if s.Slices == nil {
		s.Slices = slices.Repeat([]uint8{schematic.Always}, s.Size[1])
	}
	for y := first; y <= last; y++ {
		if s.Slices[y] != p {
			s.Slices[y] = p
			n++
		}
	}
	return n, nil
}

type forceOptions struct {
	places
	Off bool `option:"off" help:"make them replace only air again"`
}

func setForce(o forceOptions, s *schematic.Schematic, _ *definitions) (n int, err error) {
	list, err := o.indexes(s)
	for _, i := range list {
		if (s.Force != nil && s.Force[i]) == o.Off {
			s.SetForce(i, !o.Off)
			n++
		}
	}
	return n, err
}

func resolveAliases(_ struct{}, s *schematic.Schematic, names *definitions) (n int, err error) {
	renamed := make([]bool, len(s.Names))
	for i, name := range s.Names {
		if to, ok := names.resolve(name); ok && names.nodes.Defines(to) {
			s.Names[i], renamed[i] = to, true
		}
	}
	for _, id := range s.Name {
		if renamed[id] {
			n++
		}
	}
	for _, m := range s.Meta {
		for _, l := range m.Lists {
			for i, text := range l.Items {
				stack, err := item.ParseStack(text)
				if err != nil {
					continue // as the engine will
				}
				if to, ok := names.resolve(stack.Name); ok {
					stack.Name = to
					l.Items[i] = stack.String()
					n++
				}
			}
		}
	}
	s.Tidy()
	return n, nil
}

// resolve returns the name that an alias means, and whether the name is an alias.
func (d *definitions) resolve(name string) (string, bool) {
	to, ok := d.aliases[name]
	return to, ok && !d.nodes.Defines(name)
}
