package minetest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldfind"
	"trowel.example/minetest/turn"
	"trowel.example/minetest/worldedit"
)

// Options of how nodes are changed.
var (
	stepParam2   = format.Option{Name: "param2", Type: format.Integer, Help: "the param2 of the new nodes, 0 to 255"}
	stepKeep2    = format.Option{Name: "keep-param2", Bool: true, Help: "leave the param2 of each node"}
	stepKeepMeta = format.Option{Name: "keep-metadata", Bool: true, Help: "keep metadata and timers where the name of a node changes"}
	stepCreate   = format.Option{Name: "create", Bool: true, Help: "make blocks of air where there are none, and change those that the map generator has not finished: it does not come there any more"}
	stepOrient   = format.Option{Name: "orient", Bool: true, Help: "turn what faces somewhere, too, such as chests and stairs; --nodes says what does, without it what is known of minetest_game"}

	argNode = format.Option{Name: "node", Names: namesNewNode, Help: "the name of the new nodes"}
	argWay  = format.Option{Name: "way", Help: "how far along x, y and z"}
	argAxis = format.Option{Name: "axis", Choices: []string{"x", "y", "z"}, Help: "x to the east, y up or z to the north"}
)

// settingOf returns the settings of how nodes are changed.
func settingOf(job *format.Job, tally *worldedit.Tally) (worldedit.Setting, error) {
	s := worldedit.Setting{KeepParam2: job.On(stepKeep2.Name), KeepMetadata: job.On(stepKeepMeta.Name), Create: job.On(stepCreate.Name), Tally: tally}
	n := job.Integer(stepParam2.Name)
	if n < 0 || n > 255 {
		return s, fmt.Errorf("--%s %d: expected 0 to 255", stepParam2.Name, n)
	}
	if s.KeepParam2 && job.Value(stepParam2.Name) != "" {
		return s, fmt.Errorf("one of --%s and --%s", stepParam2.Name, stepKeep2.Name)
	}
	s.Param2 = uint8(n)
	return s, nil
}

// nodeStep is a step that changes nodes of a region. A step that changes all nodes needs a bounded region or --where,
// so that a whole world is not changed by mistake.
func nodeStep(all bool, make func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error)) func(*format.Job, *worldedit.Tally) (worldedit.Step, error) {
	return func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		r, bounded, err := regionOf(job)
		if err != nil {
			return nil, err
		}
		if all && !bounded && r.Where.Names == nil && r.Where.Meta == nil {
			return nil, fmt.Errorf("expected where, such as --%s x1,y1,z1:x2,y2,z2 or --%s node=NAME", stepBox.Name, stepWhere.Name)
		}
		s, err := settingOf(job, tally)
		if err != nil {
			return nil, err
		}
		return make(job, r, s)
	}
}

// boxStep is a step for a bounded piece of the world.
func boxStep(make func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error)) func(*format.Job, *worldedit.Tally) (worldedit.Step, error) {
	return nodeStep(true, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
		if r.Box == worldedit.Everywhere {
			return nil, fmt.Errorf("expected which piece of the world, such as --%s x1,y1,z1:x2,y2,z2", stepBox.Name)
		}
		return make(job, r, s)
	})
}

// checkName returns an error if a text is not a valid name of a node.
func checkName(name string) error {
	if name == "" || strings.ContainsAny(name, "*? \t\n") {
		return fmt.Errorf("%q is no name of a node", name)
	}
	return nil
}

var nodeCommands = []worldCommand{
	{
		Command: format.Command{
			Name: "set", Title: "Make all nodes of a region those of one name", Heading: "Nodes",
			Long:    "Param2 is 0 unless another is given. With shapes it builds them: set default:glass --sphere 0,20,0:8 --hollow.",
			Args:    []format.Option{argNode},
			Options: append([]format.Option{stepNewName, stepParam2, stepKeep2, stepKeepMeta, stepCreate}, regionOptions...),
			Example: "set default:stonebrick --box 0,0,0:20,5,20 --hollow",
		},
		step: nodeStep(true, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
			return worldedit.Set(r, job.Value("node"), s), checkName(job.Value("node"))
		}),
	},
	{
		Command: format.Command{
			Name: "replace", Title: "Make nodes of one name others; they keep their param2", Heading: "Nodes",
			Long: "FROM may have * and ? in it, and be a name that no game knows any more.",
			Args: []format.Option{
				{Name: "from", Names: string(worldfind.KindNode), Help: "the name of the nodes that there are"},
				{Name: "to", Names: namesNewNode, Help: "the name that they get"},
			},
			Options: append([]format.Option{stepNewName, stepParam2, stepKeepMeta}, regionOptions...),
			Example: "replace default:cobble default:mossycobble --box -100,-20,-100:100,0,100",
		},
		step: nodeStep(false, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
			s.KeepParam2 = job.Value(stepParam2.Name) == ""
			return worldedit.Replace(r, worldedit.Names{job.Value("from")}, job.Value("to"), s), checkName(job.Value("to"))
		}),
	},
	{
		Command: format.Command{
			Name: "replace-inverse", Title: "Make all nodes but air and those of one name others", Heading: "Nodes",
			Args: []format.Option{
				{Name: "keep", Names: namesRule, Help: "the name of the nodes that stay; it may have * and ? in it"},
				{Name: "to", Names: namesNewNode, Help: "the name that all others get"},
			},
			Options: append([]format.Option{stepNewName, stepParam2, stepKeep2, stepKeepMeta}, regionOptions...),
			Example: "replace-inverse default:glass default:stone --box 0,0,0:20,5,20",
		},
		step: nodeStep(true, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
			return worldedit.ReplaceOthers(r, worldedit.Names{job.Value("keep")}, job.Value("to"), s), checkName(job.Value("to"))
		}),
	},
	{
		Command: format.Command{
			Name: "mix", Title: "Set the nodes of a region to several names by chance", Heading: "Nodes",
			Args: []format.Option{{Name: "node", List: true, Some: true, Names: namesNewNode, Help: "a name, or name=weight, which is 1 else"}},
			Options: append([]format.Option{
				{Name: "seed", Type: format.Integer, Default: "0", Help: "another `number`, other nodes"},
				stepNewName, stepParam2, stepKeep2, stepKeepMeta, stepCreate,
			}, regionOptions...),
			Example: "mix default:stone=6 default:cobble=3 default:mossycobble --box 0,0,0:20,5,20",
		},
		step: nodeStep(true, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
			var names []worldedit.Weighted
			for _, word := range job.List("node") {
				name, weight, ok := strings.Cut(word, "=")
				n := 1
				if ok {
					var err error
					if n, err = strconv.Atoi(weight); err != nil {
						return nil, fmt.Errorf("%q: expected a name and a weight such as default:stone=3", word)
					}
				}
				if err := checkName(name); err != nil {
					return nil, err
				}
				names = append(names, worldedit.Weighted{Name: name, Weight: n})
			}
			return worldedit.Mix(r, names, uint64(job.Integer("seed")), s)
		}),
	},
	{
		Command: format.Command{
			Name: "drain", Title: "Make air of liquids", Heading: "Nodes",
			Long:    "What is a liquid --nodes says; without it what is known of minetest_game, and names such as mod:water_source.",
			Options: append([]format.Option{stepKeepMeta}, regionOptions...),
			Example: "drain --box 0,-10,0:50,0,50",
		},
		step: nodeStep(true, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
			return worldedit.Drain(r, s), nil
		}),
	},
	{
		Command: format.Command{
			Name: "set-param2", Title: "Give nodes another param2", Heading: "Nodes",
			Args:    []format.Option{{Name: "value", Type: format.Integer, Help: "0 to 255"}},
			Options: regionOptions,
			Example: "set-param2 3 --where node=default:chest --box 0,0,0:20,5,20",
		},
		step: nodeStep(true, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
			n := job.Integer("value")
			if n < 0 || n > 255 {
				return nil, fmt.Errorf("expected 0 to 255, not %d", n)
			}
			return worldedit.SetParam2(r, uint8(n), s), nil
		}),
	},
	{
		Command: format.Command{
			Name: "copy", Title: "Copy a piece of the world to somewhere else", Heading: "Pieces",
			Long:    "Nodes come with their light, metadata and timers; objects stay behind. The copy covers what is there, air with it.",
			Args:    []format.Option{argWay},
			Options: append([]format.Option{stepCreate}, boxOptions...),
			Example: "copy 100,0,0 --box 0,0,0:20,10,20",
		},
		step: wayStep(func(r worldedit.Region, by worldedit.Vec, s worldedit.Setting) worldedit.Step {
			return worldedit.Copy(r, by, s)
		}),
	},
	{
		Command: format.Command{
			Name: "move", Title: "Move a piece of the world, and leave air", Heading: "Pieces",
			Long:    "A node stays where it is if there is no block where it would go.",
			Args:    []format.Option{argWay},
			Options: append([]format.Option{stepCreate}, boxOptions...),
			Example: "move 0,5,0 --box 0,0,0:20,10,20",
		},
		step: wayStep(func(r worldedit.Region, by worldedit.Vec, s worldedit.Setting) worldedit.Step {
			return worldedit.Move(r, by, s)
		}),
	},
	{
		Command: format.Command{
			Name: "stack", Title: "Copy a piece of the world several times, each a way farther", Heading: "Pieces",
			Args:    []format.Option{argWay, {Name: "count", Type: format.Integer, Help: "how many copies"}},
			Options: append([]format.Option{stepCreate}, boxOptions...),
			Example: "stack 0,4,0 10 --box 0,0,0:20,3,20",
		},
		step: boxStep(func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
			by, err := wayOf(job.Value("way"))
			n := job.Integer("count")
			if err == nil && (n < 1 || n > 10000) {
				err = fmt.Errorf("expected 1 to 10000 copies, not %d", n)
			}
			return worldedit.Stack(r, by, n, s), err
		}),
	},
	{
		Command: format.Command{
			Name: "flip", Title: "Mirror a piece of the world along an axis", Heading: "Pieces",
			Args:    []format.Option{argAxis},
			Options: append([]format.Option{stepOrient, stepCreate}, boxOptions...),
			Example: "flip x --orient --box 0,0,0:20,10,20",
		},
		step: turnStep(func(job *format.Job) (turn.Motion, error) {
			a, err := turn.ParseAxis(job.Value("axis"))
			return turn.Mirror(a), err
		}),
	},
	{
		Command: format.Command{
			Name: "transpose", Title: "Exchange two axes of a piece of the world", Heading: "Pieces",
			Long: "The corner with the least coordinates stays.",
			Args: []format.Option{
				{Name: "axis1", Choices: []string{"x", "y", "z"}, Help: "one axis"},
				{Name: "axis2", Choices: []string{"x", "y", "z"}, Help: "the other one"},
			},
			Options: append([]format.Option{stepOrient, stepCreate}, boxOptions...),
			Example: "transpose x z --box 0,0,0:20,10,40",
		},
		step: turnStep(func(job *format.Job) (turn.Motion, error) {
			a, err := turn.ParseAxis(job.Value("axis1"))
			b, err2 := turn.ParseAxis(job.Value("axis2"))
			if err = errors.Join(err, err2); err == nil && a == b {
				err = errors.New("expected two axes")
			}
			return turn.Transpose(a, b), err
		}),
	},
	{
		Command: format.Command{
			Name: "rotate", Title: "Rotate a piece of the world about an axis", Heading: "Pieces",
			Long:    "About y, 90 takes the north side to the east. The corner with the least coordinates stays. Nodes face to where they did, unless --orient is given.",
			Args:    []format.Option{argAxis, argAngle},
			Options: append([]format.Option{stepOrient, stepCreate}, boxOptions...),
			Example: "rotate y 90 --orient --box 0,0,0:20,10,40",
		},
		step: turnStep(rotation),
	},
	{
		Command: format.Command{
			Name: "orient", Title: "Turn nodes where they are, such as chests and stairs", Heading: "Nodes",
			Long:    "What faces somewhere --nodes says; without it what is known of minetest_game.",
			Args:    []format.Option{argAxis, argAngle},
			Options: regionOptions,
			Example: "orient y 180 --box 0,0,0:20,10,40",
		},
		step: nodeStep(true, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
			m, err := rotation(job)
			return worldedit.Orient(r, m, s), err
		}),
	},
}

var argAngle = format.Option{Name: "angle", Choices: []string{"90", "180", "270", "-90"}, Help: "in degrees"}

func rotation(job *format.Job) (turn.Motion, error) {
	a, err := turn.ParseAxis(job.Value("axis"))
	return turn.Turn(a, job.Integer("angle")/90), err
}

func wayStep(make func(r worldedit.Region, by worldedit.Vec, s worldedit.Setting) worldedit.Step) func(*format.Job, *worldedit.Tally) (worldedit.Step, error) {
	return boxStep(func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
		by, err := wayOf(job.Value("way"))
		return make(r, by, s), err
	})
}

func turnStep(motion func(job *format.Job) (turn.Motion, error)) func(*format.Job, *worldedit.Tally) (worldedit.Step, error) {
	return boxStep(func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
		m, err := motion(job)
		if err != nil {
			return nil, err
		}
		return worldedit.Turn(r, m, job.On(stepOrient.Name), s)
	})
}
