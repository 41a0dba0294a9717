package minetest

import (
	"context"
	"io"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/minetestmapper"
	"trowel.example/minetest/internal/worldfile"
)

// mapper replaces minetestmapper, the program that draws worlds for their operators.
var mapper = &format.Program{
	Name:  "minetestmapper",
	Short: "Draw a world from above, with the command line of minetestmapper",
	Long: `Minetestmapper does what the program of that name does, with the same options, to the
same pixels: a line of a crontab needs no more than the name changed. It does so, too,
where Trowel is called by that name.

It draws worlds of all backends and block versions. A block that cannot be read is a hole
in the picture and a line on standard error, and the exit code is 1. The picture appears,
or takes the place of the old one, when it is whole; there is no progress bar. "trowel
render" draws more than that: caves, sides, heights, light, tiles.

` + minetestmapper.Usage,
	Run: func(ctx context.Context, c *format.Call) int {
		return minetestmapper.Run(ctx, c.Args, minetestmapper.IO{Out: c.Out, Talk: c.Talk, Write: func(path, world string, write func(io.Writer) error) error {
			return c.Write(path, worldfile.Shown(&format.Source{Dir: world}), write)
		}})
	},
}
