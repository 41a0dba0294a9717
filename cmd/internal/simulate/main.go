// Simulate estimates how long a work takes on many workers of which some are slow and some die. The projections
// in docs/scale.md are made with it.
//
//	go run ./cmd/internal/simulate -workers 100 -shards 4096 -work 12 -slow 0.05 -factor 4 -mtbf 3600
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	if err := simulate(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(2)
	}
}

// simulate runs the simulation for the arguments of a command line.
func simulate(args []string, out io.Writer) error {
	f := Fleet{}
	flags := flag.NewFlagSet("simulate", flag.ExitOnError)
	flags.IntVar(&f.Workers, "workers", 100, "number of workers")
	flags.IntVar(&f.Shards, "shards", 256, "number of shards")
	flags.Float64Var(&f.Work, "work", 10, "seconds for a shard of median size")
	flags.Float64Var(&f.Spread, "spread", 0.5, "deviation of the logarithm of the sizes of shards")
	flags.Float64Var(&f.Slow, "slow", 0, "fraction of workers that are stragglers, 0 to 1")
	flags.Float64Var(&f.Factor, "factor", 4, "how many times slower a straggler is")
	flags.Float64Var(&f.Source, "source", 0, "number of workers that the source can feed; 0: all")
	flags.Float64Var(&f.Fetch, "fetch", 0.1, "seconds between two parts of a worker")
	flags.Float64Var(&f.MTBF, "mtbf", 0, "mean seconds until a working worker dies; 0: never")
	flags.Float64Var(&f.Back, "back", 60, "seconds until it is back")
	flags.Float64Var(&f.Limit, "limit", 600, "seconds that a part may take")
	flags.Float64Var(&f.Rescue, "rescue", 8, "seconds until the part of a dead worker is given to another worker")
	flags.IntVar(&f.Tries, "tries", 5, "number of attempts for a part")
	flags.Float64Var(&f.Merge, "merge", 0.01, "seconds of the merge for each shard")
	runs := flags.Int("runs", 101, "number of simulated runs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := f.Runs(max(1, *runs))
	if err != nil {
		return err
	}
	seconds := func(s float64) time.Duration {
		return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond)
	}
	for _, at := range []struct {
		name string
		of   int
	}{{"median", 50}, {"1 in 20", 95}} {
		o := all[(len(all)-1)*at.of/100]
		fmt.Fprintf(out, "%-8s %10v  ideal %10v  efficiency %3.0f %%  tail %8v  deaths %d  overtime %d  lost %v  given up %d\n",
			at.name, seconds(o.Total), seconds(o.Ideal), 100*o.Ideal/o.Total, seconds(o.Last), o.Deaths, o.Overtime, seconds(o.Lost), o.GivenUp)
	}
	return nil
}
