package census

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

// engines are the query engines by the values of --engine.
var engines = map[string]Engine{"duckdb": DuckDB, "spark": Spark}

// views are the options of census --views.
type views struct {
	On       bool   `option:"views" help:"print statements that create views of the tables in DIR"`
	Moment   string `option:"run" help:"the {moment} of a run, or the beginning of it, for --views (default: the newest run)"`
	Engine   string `option:"engine" default:"duckdb" choices:"duckdb|spark" help:"the query {engine} for --views: duckdb or spark"`
	Relative bool   `option:"relative" help:"--views names files as DIR is given, not by absolute paths"`
}

// fit returns an error if the options that were given do not fit together.
func (v *views) fit(flags *pflag.FlagSet) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		switch own := slices.Contains([]string{"run", "engine", "relative"}, f.Name); {
		case !f.Changed || f.Name == "views":
		case own && !v.On:
			err = fmt.Errorf("--%s is for --views", f.Name)
		case v.On && !own:
			err = fmt.Errorf("--views cannot be combined with --%s", f.Name)
		}
	})
	return err
}

// print prints the statements that create views of a dataset.
func (v *views) print(ctx context.Context, a *verbs.Tool, dir string, at At) error {
	e, ok := engines[v.Engine]
	if !ok {
		return fmt.Errorf("--engine: expected duckdb or spark, not %.50q", v.Engine)
	}
	c := &censusRun{Tool: a, dir: dir, at: at}
	c.data = Dataset{Temp: &c.temp, Tables: tablesOf(a), With: func(string) bool { return true }}
	defer c.close()
	run, err := c.readRun(ctx, v.Moment)
	if err == nil && !v.Relative && !a.IsElsewhere(dir) {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return wording.Named(err, c.dir)
	}
	return run.SQL(a.Out(), e, filepath.ToSlash(dir), viewsOf(a))
}

// viewsOf returns the views of all formats without duplicates.
func viewsOf(a *verbs.Tool) []format.TableView {
	var all []format.TableView
	for _, f := range a.Formats {
		if f.Census == nil {
			continue
		}
		for _, v := range f.Census.Views {
			if !slices.ContainsFunc(all, func(other format.TableView) bool { return other.Name == v.Name }) {
				all = append(all, v)
			}
		}
	}
	return all
}

// readRun reads the newest run of a moment, or the current files of a dataset without runs.
func (c *censusRun) readRun(ctx context.Context, moment string) (*Run, error) {
	store, err := c.lookAt(ctx, c.dir)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	names, err := Runs(ctx, store)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 && moment == "" {
		if err := c.data.Load(ctx, store); err != nil {
			return nil, err
		}
		if !c.data.Exists() {
			return nil, errors.New("not the folder of a census")
		}
		return c.data.Now()
	}
	name, err := findRun(names, moment)
	if err != nil {
		return nil, err
	}
	run, err := ReadRun(ctx, store, name)
	if err == nil {
		err = run.Locate(ctx, store)
	}
	return run, err
}

// keepRuns is the value of --keep: a number of runs, or a time.
type keepRuns struct {
	text   string
	newest int
	within verbs.Period
}

func (k *keepRuns) String() string { return k.text }
func (k *keepRuns) Type() string   { return "runs" }

// Set parses a number of runs, such as 30, or a time, such as 30d.
func (k *keepRuns) Set(text string) error {
	*k = keepRuns{text: text}
	if n, err := strconv.Atoi(text); err == nil {
		if k.newest = n; n < 1 {
			return fmt.Errorf("expected at least 1 run, not %q", text)
		}
		return nil
	}
	if err := k.within.Set(text); err != nil {
		return fmt.Errorf("expected a number of runs, or a time such as 30d, not %q", text)
	}
	return nil
}

// expire removes the runs that --keep does not keep.
func (k *keepRuns) expire(ctx context.Context, d *Dataset) (int, error) {
	if k.text == "" {
		return 0, nil
	}
	return d.Expire(ctx, k.newest, k.within.Before(time.Now().UTC()))
}
