package minetest

import (
	"errors"

	"trowel.example/internal/format"
	"trowel.example/minetest/worldedit"
)

var lightCommands = []worldCommand{{
	Command: format.Command{
		Name: "light", Title: "Compute the light anew, as the game's fix_light does", Heading: "Nodes",
		Long: "In all blocks that --box or --area touches, in those beside them as far as their light reaches, and below " +
			"as far as sunlight or shadow goes. It needs --nodes. With --nodes all other commands make the light right " +
			"of what they change, too.",
		Options: []format.Option{stepBox, stepArea},
		Example: "light --box -100,-20,-100:100,60,100",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		r, _, err := regionOf(job)
		if err != nil {
			return nil, err
		}
		if r.Box.Empty() {
			return nil, errors.New("the region is empty")
		}
		return worldedit.FixLight(r.Area(), tally), nil
	},
}}
