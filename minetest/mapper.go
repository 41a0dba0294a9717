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
	Short: "Draw a world with minetestmapper's options",
	Long: `Accepts the options of the program minetestmapper, and draws the same pixels: in a crontab,
only the name changes. A Trowel that is called minetestmapper does the same.

It draws worlds of all backends and block versions. An unreadable block is a hole in the
picture and a line on standard error, and the exit code is 1. The picture replaces an old
one only when it is complete; there is no progress bar. "trowel render" draws more: caves,
sides, heights, light, tiles.

` + minetestmapper.Usage,
	Run: func(ctx context.Context, c *format.Call) int {
		return minetestmapper.Run(ctx, c.Args, minetestmapper.IO{Out: c.Out, Talk: c.Talk,
			Write: func(path, world string, write func(io.Writer) error) error {
				return c.Write(path, worldfile.Shown(&format.Source{Dir: world}), write)
			}})
	},
}
