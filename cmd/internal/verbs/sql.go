package verbs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/census"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

// sqlCommand makes the verb sql. The function at opens datasets on [Elsewhere].
func sqlCommand(a *Tool, at census.At) *cobra.Command {
	var moment, engine string
	engines := map[string]census.Engine{"duckdb": census.DuckDB, "spark": census.Spark}
	cmd := &cobra.Command{
		Use:   "sql DIR",
		Short: "Print the views of a census for DuckDB or Spark",
		Long: `Sql prints statements that create a view for each table of a census, with the meaning of each
column, and views that join tables, such as minetest_items: who has which items in which inventory
of which world. docs/census.md lists them.

The views read the files of one run, which later runs do not change: of the newest run, or with --run
of the newest one whose moment begins with a text, in UTC: 2026-11-27, or 2026-11-27T18:30. The view
census_run has its moment. A census of an earlier version of this program has no runs; the views read
its current files.

DIR may be in a bucket, s3://BUCKET/FOLDER?region=...; the query engine has its own settings for it.`,
		Example: `  trowel sql world.census > views.sql && duckdb -init views.sql
  trowel sql world.census --run 2026-11-27 > friday.sql
  trowel sql 's3://tables/maps?region=eu-west-1' --engine spark > views.sql`,
		Args: args(1, 1),
	}
	cmd.Flags().StringVar(&moment, "run", "", "the `moment` of a run, or its begin (default: the newest run)")
	cmd.Flags().StringVar(&engine, "engine", "duckdb", "the query `engine`: duckdb or spark")
	a.completes(cmd, "engine", cobra.FixedCompletions([]string{"duckdb", "spark"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		e, ok := engines[engine]
		if !ok {
			return fmt.Errorf("--engine: expected duckdb or spark, not %.50q", engine)
		}
		c := &censusRun{Tool: a, dir: names[0], at: at}
		c.data = census.Dataset{Temp: &c.temp, Tables: tablesOf(a), With: func(string) bool { return true }}
		defer c.close()
		run, err := c.readRun(cmd.Context(), moment)
		if err != nil {
			return wording.Named(err, names[0])
		}
		return run.SQL(a.out, e, filepath.ToSlash(names[0]), viewsOf(a))
	}
	return cmd
}

// viewsOf returns the views of all formats without duplicates.
func viewsOf(a *Tool) []format.TableView {
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
func (c *censusRun) readRun(ctx context.Context, moment string) (*census.Run, error) {
	store, err := c.lookAt(ctx, c.dir)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	names, err := census.Runs(ctx, store)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 && moment == "" {
		if err := c.data.Load(ctx, store); err != nil {
			return nil, err
		}
		if !c.data.Exists() {
			return nil, errors.New("it is not the folder of a census")
		}
		return c.data.Now()
	}
	name, err := census.FindRun(names, moment)
	if err != nil {
		return nil, err
	}
	run, err := census.ReadRun(ctx, store, name)
	if err == nil {
		err = run.Locate(ctx, store)
	}
	return run, err
}

// keepRuns is the value of --keep: a number of runs, or a time.
type keepRuns struct {
	text   string
	newest int
	within period
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
func (k *keepRuns) expire(ctx context.Context, d *census.Dataset) (int, error) {
	if k.text == "" {
		return 0, nil
	}
	return d.Expire(ctx, k.newest, k.within.before(time.Now().UTC()))
}
