// Trowel-fleet is trowel with the verbs that need much code of others: work spread over many
// machines. Trowel starts it for them.
package main

import (
	"os"
	"runtime"

	"trowel.example/cmd/internal/cli"
	"trowel.example/cmd/internal/fleet"
	"trowel.example/format"
	"trowel.example/minetest"
	"trowel.example/teeworlds"
	"trowel.example/torchlight"
)

// ballast is memory that is never touched, as in trowel.
var ballast = make([]byte, 64<<20)

// games are the games whose files the tool opens.
var games = format.Games{teeworlds.Game, torchlight.Game, minetest.Game}

func main() {
	code := cli.Main(games, cli.Args(games, os.Args), os.Stdin, os.Stdout, os.Stderr, fleet.Verbs)
	runtime.KeepAlive(ballast)
	os.Exit(code)
}
