// Trowel opens data files of games as folders of ordinary files, and builds
// them back.
package main

import (
	"os"
	"runtime"

	"trowel.example/cmd/internal/cli"
	"trowel.example/format"
	"trowel.example/minetest"
	"trowel.example/teeworlds"
	"trowel.example/torchlight"
)

// ballast is memory that is never touched and so costs none. It makes the garbage
// collector wait until twice as much is in use: most runs are over before that.
var ballast = make([]byte, 64<<20)

// games are the games whose files the tool opens.
var games = format.Games{teeworlds.Game, torchlight.Game, minetest.Game}

func main() {
	code := cli.Main(games, cli.Args(games, os.Args), os.Stdin, os.Stdout, os.Stderr)
	runtime.KeepAlive(ballast)
	os.Exit(code)
}
