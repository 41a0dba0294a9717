// Trowel opens data files of games as folders of ordinary files, and builds the files from these folders.
package main

import (
	"os"

	_ "trowel.example/all"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/internal/format"
)

func main() {
	verbs.Confine()
	verbs.CollectLate()
	games := format.Registered()
	os.Exit(verbs.Main(games, verbs.Args(games, os.Args), os.Stdin, os.Stdout, os.Stderr))
}
