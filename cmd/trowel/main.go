// Trowel opens data files of games as folders of ordinary files, and builds the files from these folders.
package main

import (
	"os"

	_ "trowel.example/all"
	"trowel.example/cmd/internal/cli"
	"trowel.example/internal/format"
)

func main() {
	cli.CollectLate()
	games := format.Registered()
	os.Exit(cli.Main(games, cli.Args(games, os.Args), os.Stdin, os.Stdout, os.Stderr))
}
