// Seed makes a world of many blocks for measurements, with chests, signs, players and all other contents that the
// tests know. See .ci/scale.
//
//	go run ./internal/testing/seedworld/seed -blocks 1000000 world
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"trowel.example/internal/testing/seedworld"
)

func main() {
	o := seedworld.Options{Versions: []int{29, 28}}
	flag.IntVar(&o.Blocks, "blocks", 1_000_000, "how many blocks it has")
	flag.Uint64Var(&o.Seed, "seed", 1, "another seed, other blocks")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "seed: expected the folder of the new world")
		os.Exit(2)
	}
	if _, err := seedworld.Make(context.Background(), flag.Arg(0), o); err != nil {
		fmt.Fprintln(os.Stderr, "seed:", err)
		os.Exit(2)
	}
}
