// Trowel opens data files of games as folders of ordinary files, and builds
// them back.
package main

import (
	"os"

	"trowel/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
