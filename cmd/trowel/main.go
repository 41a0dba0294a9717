// Trowel opens data files of games as folders of ordinary files, and builds the files from these folders.
package main

import (
	"os"

	"trowel.example/cmd/internal/cli"
	"trowel.example/format"
	"trowel.example/minetest"
	"trowel.example/teeworlds"
	"trowel.example/torchlight"
)

// games are the games whose files the tool opens.
var games = format.Games{teeworlds.Game, torchlight.Game, minetest.Game}

func main() {
	cli.CollectLate()
	os.Exit(cli.Main(games, cli.Args(games, os.Args), os.Stdin, os.Stdout, os.Stderr))
}
