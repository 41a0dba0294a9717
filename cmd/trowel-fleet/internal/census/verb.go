package census

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

// Verbs returns the verb census, for programs that can write tables. The function at opens datasets on
// [Elsewhere].
func Verbs(create Create, at At) verbs.Added {
	return func(a *verbs.Tool) []*cobra.Command {
		return []*cobra.Command{censusCommand(a, create, at)}
	}
}

func censusCommand(a *verbs.Tool, create Create, at At) *cobra.Command {
	var o struct {
		views
		Output string   `option:"output,o" help:"the {folder} for the tables, also in a bucket"`
		CSV    string   `option:"csv" help:"print this {table} as comma-separated values"`
		JSON   bool     `option:"json" help:"print JSON"`
		Keep   keepRuns `option:"keep" help:"remove the runs that are not among the newest N, or older than a time: {30} or 30d"`
		Prune  bool     `option:"prune" help:"remove the rows of files that are no longer among the sources"`
	}
	cmd := &cobra.Command{
		Use:   "census FILE... (-o DIR | --csv TABLE) | census DIR --views",
		Short: "Write the contents of files as tables",
		Long: `Census writes the contents of worlds, maps and mods as tables in Apache Parquet, which DuckDB,
Spark, pandas and many others read. It searches folders for files that have tables;
docs/census.md describes the tables, with queries.

DIR gets a folder for each table: read it as DIR/TABLE/*.parquet. The column file of each table is
the name of the file on the command line, so run census in the same folder each time.

If DIR has a census already, only changed parts are rebuilt: a slab of 16 planes of blocks of a
world, or the maps and mods that share one of 256 parts, by the hash of their names. So there is no
--resume: run an interrupted census again. Files that are no longer among the sources are reported,
and their rows are kept unless --prune is given.

With --positions WHAT, which may be repeated, the tables minetest_positions and teeworlds_positions
have the positions of nodes and tiles: default:chest*, freeze, 9. Give it in each run: the tables
of a run without it have no positions.

With --since MANIFEST, for a world that DIR does not have yet, census skips slabs without new,
removed or changed blocks since "trowel manifest" wrote that file: the tables contain the changes.
A world that DIR has already is updated with or without it.

Each run records the files of all tables in DIR/runs/MOMENT.json, and the files of earlier runs stay,
so that --views --run MOMENT prints views of them. Unchanged files are stored once. --keep 30 keeps the
newest 30 runs, --keep 30d those of 30 days, and removes what only others need.

With --views, census prints SQL statements that create a view for each table in DIR, with the meaning
of each column, and views that join tables, such as minetest_items: who has which items in which
inventory of which world. docs/census.md lists them. The views read the files of one run, which later
runs do not change: of the newest run, or with --run of the newest one whose moment begins with a
text, in UTC: 2026-11-27, or 2026-11-27T18:30. The view census_run has its moment. A census of an
earlier version of this program has no runs; the views read its current files.

DIR may be in a bucket: s3://BUCKET/FOLDER, with settings after a ?, such as region and
endpoint; the query engine has its own settings for it. Workers ("jobs submit census") update tables
below their place for results.

With --csv it prints one table as comma-separated values, for spreadsheets, instead of writing tables.

A line is printed for each table, with its number of rows; with --json an object
{program, tables, made, left, gone, run, removedRuns}, as docs/json.md has it.`,
		Example: `  trowel census ~/maps -o maps.census
  trowel census world -o world.census --keep 30
  trowel census world --since monday.manifest -o changed.census
  trowel census ~/maps --csv teeworlds_maps > maps.csv
  trowel census ~/maps -o 's3://tables/maps?region=eu-west-1'
  trowel census world.census --views > views.sql && duckdb -init views.sql
  trowel census world.census --views --run 2026-11-27 > friday.sql
  trowel census 's3://tables/maps?region=eu-west-1' --views --engine spark > views.sql
  trowel census world -o world.census && duckdb -c "from 'world.census/minetest_players/*.parquet'"`,
		Args: verbs.Number(1, -1),
	}
	verbs.OptionFlags(a, cmd, func(f *format.Format) []format.Option {
		if f.Census == nil {
			return nil
		}
		return f.OptionsFor(format.ForCensus | format.ForRows)
	}, &o)
	_ = cmd.MarkFlagDirname("output")
	verbs.AsWork(cmd)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if err := o.fit(cmd.LocalNonPersistentFlags()); err != nil {
			return wording.Hint(err, "see `%s --help`", cmd.CommandPath())
		}
		switch {
		case o.On && len(names) > 1:
			return errors.New("--views accepts only one DIR")
		case o.On:
			return cmp.Or(a.OnlyWork("-o"), o.print(cmd.Context(), a, names[0], at))
		case o.CSV != "":
			for _, other := range []string{"output", "json", "keep", "prune"} {
				if cmd.Flags().Changed(other) {
					return fmt.Errorf("--csv cannot be combined with --%s", other)
				}
			}
			if a.Handover != nil {
				return errors.New("--csv prints a table in one process: workers write tables with -o")
			}
		case o.Output == "":
			return wording.Hint(errors.New("no -o given"), "-o names the folder of the tables, --csv prints one of them")
		case strings.Contains(o.Output, "://") && !a.IsElsewhere(o.Output):
			return fmt.Errorf("-o: %.100q is neither a folder nor a bucket, s3://BUCKET/FOLDER", o.Output)
		case slices.Contains(names, "-"):
			return errors.New("standard input cannot be read twice: name a file")
		}
		if err := checkPositions(a); err != nil {
			return err
		}
		c := &censusRun{Tool: a, names: verbs.Expand(names), dir: o.Output, at: at, keep: o.Keep}
		c.maker = Maker{Program: a.Program(), Create: create, Temp: &c.temp, Open: c.input,
			Beside: func(name string) (*format.Source, error) { return a.Source(cmd.Context(), name) },
			Failed: func(err error, f File) Note {
				if p, ok := errors.AsType[*parallel.Panic](err); ok {
					err = service.Defect(p)
				}
				return keptNote(wording.Failure(wording.Named(err, f.Path())))
			}}
		c.data = Dataset{Program: a.Program(), Create: create, Temp: &c.temp, Few: fewFiles, Tables: tablesOf(a),
			With:  func(option string) bool { _, given := a.Options.Value(option); return given },
			Prune: o.Prune, Say: c.report, Miss: func(path, message string) Note {
				return keptNote(wording.Note{Kind: wording.Missed, Path: path, Text: message})
			}}
		c.maker.Place = a.Placing()
		c.data.Files, c.data.Adopt = a.Placed()
		if _, kept := a.Kept(o.Output); kept {
			c.data.Adopt = nil
		}
		defer c.close()
		if o.CSV != "" {
			return c.printTable(cmd.Context(), o.CSV)
		}
		if err := c.run(cmd.Context()); err != nil {
			return err
		}
		return c.sum(o.JSON)
	}
	return verbs.Writes(cmd)
}

// checkPositions returns an error for a word of --positions that selects nothing in files of any format.
func checkPositions(a *verbs.Tool) (err error) {
	words, given := a.Options.Value(format.OptionPositions.Name)
	if !given {
		return nil
	}
	for word := range strings.SplitSeq(words, "\n") {
		var bad error
		for _, f := range a.Formats {
			if f.Census == nil || f.Census.Positions == nil {
				continue
			}
			if bad = f.Census.Positions(word); bad == nil {
				break
			}
		}
		if bad != nil {
			err = errors.Join(err, fmt.Errorf("--positions: %w", bad))
		}
	}
	return err
}

// tablesOf returns the tables of all formats without duplicates.
func tablesOf(a *verbs.Tool) []*format.Table {
	var all []*format.Table
	for _, f := range a.Formats {
		if f.Census == nil {
			continue
		}
		for _, t := range f.Census.Tables {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

// fewFiles is the number of unsplit files up to which a new dataset has one partition for them.
var fewFiles = 64 // changed by tests only

// censusRun is one run of census.
type censusRun struct {
	*verbs.Tool
	names  []string
	dir    string
	at     At
	maker  Maker
	temp   Temp
	data   Dataset
	store  Store // nil: not open yet
	parts  int
	failed bool

	keep    keepRuns
	removed int   // number of runs that were removed
	earlier int64 // size of the files of earlier runs, in bytes
}

func (c *censusRun) run(ctx context.Context) error {
	if _, kept := c.Kept(c.dir); c.Handover == nil { // reports problems with the folder before the work starts
		if err := c.begin(ctx); err != nil {
			return err
		}
	} else if c.IsElsewhere(c.dir) && !kept {
		return wording.Hint(fmt.Errorf("%s: workers can write only below the place for results", c.Join(c.dir, "")),
			"-o with any other name is a folder in the output of the job")
	}
	if err := c.Perform(ctx, work.Of(c)); err != nil {
		return err
	}
	if err := c.begin(ctx); err != nil {
		return err
	}
	if err := c.data.Finish(ctx); err != nil {
		return err
	}
	if err := c.store.Sync(); err != nil {
		return err
	}
	var err error
	if c.removed, err = c.keep.expire(ctx, &c.data); err == nil {
		c.earlier, err = c.data.Earlier(ctx)
	}
	if err != nil {
		return err
	}
	return c.Unfit()
}

// begin opens the dataset for writing.
func (c *censusRun) begin(ctx context.Context) (err error) {
	if c.store != nil {
		return nil
	}
	dir, kept := c.Kept(c.dir)
	if !kept {
		dir = c.Written(c.dir)
		c.data.Brief = dir != c.dir
	} else if err := c.MayLookAt(dir); err != nil {
		return err
	}
	if c.store, err = c.open(ctx, dir); err == nil {
		err = wording.Named(c.data.Load(ctx, c.store), c.Join(dir, ""))
	}
	if errors.Is(err, errNotOurs) {
		err = wording.Hint(err, "choose another name with -o")
	}
	if err != nil {
		return err
	}
	return c.data.Begin(ctx)
}

// folder returns the folder of the file system that a place names, if it names one. A file:// URL counts as a
// folder, because it can be locked.
func (c *censusRun) folder(place string) (string, bool) {
	if !c.IsElsewhere(place) {
		return place, true
	}
	u, err := url.Parse(place)
	if err != nil || u.Scheme != "file" {
		return place, false
	}
	return filepath.FromSlash(u.Path), true
}

// look reads the dataset as it is now. Other processes may be writing to it.
func (c *censusRun) look(ctx context.Context) error {
	place, kept := c.Kept(c.dir)
	if !kept {
		return nil
	}
	if err := c.MayLookAt(place); err != nil {
		return err
	}
	store, err := c.lookAt(ctx, place)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer store.Close()
	return wording.Named(c.data.Load(ctx, store), c.Join(place, ""))
}

// lookAt opens the place of a dataset for reading.
func (c *censusRun) lookAt(ctx context.Context, place string) (Store, error) {
	place, folder := c.folder(place)
	if !folder {
		return c.at(ctx, place)
	}
	f, err := lookInto(place)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// open opens the place of a dataset for writing.
func (c *censusRun) open(ctx context.Context, place string) (Store, error) {
	place, folder := c.folder(place)
	if !folder {
		for _, name := range c.names {
			if strings.HasPrefix(c.Join(place, "")+"/", c.Join(name, "")+"/") {
				return nil, fmt.Errorf("%s: refusing to overwrite the input", c.Join(place, ""))
			}
		}
		return c.at(ctx, place)
	}
	opts := output.Options{Reads: func() []string { return append(c.Inputs(), c.names...) }}
	if err := opts.NotRead(place); err != nil {
		return nil, err
	}
	f, err := OpenFolder(ctx, place, slices.ContainsFunc(c.names, work.OwnerOnly))
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (c *censusRun) close() {
	if c.store != nil {
		c.store.Close()
	}
	c.temp.Close()
}

// input opens a file to read its rows.
func (c *censusRun) input(ctx context.Context, f File, sink func(Note)) (*Input, error) {
	t := service.Target{Name: f.Path(), Found: f.Found}
	quiet := c.Part(func(n wording.Note) { sink(keptNote(n)) })
	g, err := quiet.FindTarget(ctx, t)
	switch {
	case err != nil && f.Found && (errors.Is(err, format.ErrUnknown) || errors.Is(err, format.ErrNoTree)):
		return nil, errNoTables
	case err != nil:
		return nil, err
	case g.Census == nil:
		g.Close()
		if f.Found {
			return nil, errNoTables
		}
		return nil, fmt.Errorf("%s: a %s has no tables", t.Name, g.Title)
	}
	if err := c.Fits(g.Format, t); err != nil {
		g.Close()
		return nil, err
	}
	return &Input{Format: g.Format, Source: g.Source, Job: quiet.Job(g.Format), Made: g.Made, Close: g.Close}, nil
}

func keptNote(n wording.Note) Note {
	return Note{Kind: uint8(n.Kind), Text: wording.Placed(n.Path, n.Text), Advice: n.Advice}
}

func (c *censusRun) report(n Note) {
	kind := min(wording.NoteKind(n.Kind), wording.Failed)
	c.failed = c.failed || kind == wording.Failed
	service.Report(c.Service.Report, wording.Note{Kind: kind, Text: n.Text, Advice: n.Advice})
}

// Split yields the shards of files that can be split, then the other files in bundles. If other processes do
// the work, Split only reads the dataset and does not open it for writing.
func (c *censusRun) Split(ctx context.Context, _ bool, yield func(work.Part) error) error {
	if c.store == nil {
		if err := c.look(ctx); err != nil {
			return err
		}
	}
	seen := make(map[string]bool)
	var files, small []File
	for _, name := range c.names {
		any := false
		err := c.Targets(ctx, name, func(t service.Target) error {
			f := NewFile(t.Name, t.Found)
			if seen[f.Name] {
				any = true
				return nil
			}
			shards, isSmall, err := c.maker.Split(ctx, f, c.data.IsSmall(f.Name))
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, errNoTables):
				return nil
			case errors.As(err, new(*beforeError)):
				return err
			}
			seen[f.Name], any = true, true
			switch {
			case len(shards) == 0: // or the file has an error, which is reported when its part is done
				files = append(files, f)
				return nil
			case isSmall:
				small = append(small, f)
				return nil
			}
			names := make(map[string]bool)
			for _, s := range shards {
				names[shardName(f.Name, s)] = true
			}
			moved := c.data.Moved(f.Name, names)
			for _, s := range shards {
				p, err := c.data.Part(shardName(f.Name, s), s, []File{f}, moved)
				if err == nil {
					err = yield(p)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if f := NewFile(name, false); !any && !seen[f.Name] { // the error is reported as for any other file
			files = append(files, f)
		}
	}
	bundles := c.data.Bundles(files, small)
	for _, name := range slices.Sorted(maps.Keys(bundles)) {
		slices.SortFunc(bundles[name], func(a, b File) int { return strings.Compare(a.Name, b.Name) })
		p, err := c.data.Part(name, "", bundles[name], false)
		if err == nil {
			err = yield(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Do writes the rows of a part.
func (c *censusRun) Do(ctx context.Context, p work.Part, put func(Record) error) error {
	return c.maker.Do(ctx, p, put)
}

// Take adds the results of a part to the dataset.
func (c *censusRun) Take(ctx context.Context, p work.Part, r Record) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	if r.Table == "" {
		c.parts++
		c.Progress("parts", c.parts, 0)
	}
	return c.data.Take(ctx, p, r)
}

// sum prints a summary of the dataset.
func (c *censusRun) sum(asJSON bool) error {
	index := c.data.Index()
	gone := slices.Sorted(maps.Keys(c.data.Gone))
	var rows int64
	tables := []terminal.Object{}
	for _, t := range index.Tables {
		rows += t.Rows
		tables = append(tables, terminal.Object{{"name", t.Name}, {"rows", t.Rows}, {"files", t.Files}})
	}
	if asJSON {
		err := c.PrintJSON(terminal.Object{{"program", index.Program}, {"tables", tables}, {"made", c.data.Made},
			{"left", len(index.Left)}, {"gone", append([]string{}, gone...)}, {"run", c.data.Run}, {"removedRuns", c.removed}})
		if err != nil {
			return err
		}
	} else {
		for _, t := range index.Tables {
			fmt.Fprintf(c.Out(), "%15s  %s\n", words.Thousands(t.Rows), t.Name)
		}
	}
	if n := len(gone); n > 0 {
		c.Say("%s of earlier runs, such as %s, no longer among the sources: the rows are kept, --prune removes them",
			wording.Count(n, "file"), gone[0])
	}
	if n := len(c.data.Removed); n > 0 {
		c.Say("removed the rows of %s", wording.Count(n, "file"))
	}
	if n := len(index.Left); n > 0 {
		c.Say("skipped %s without changes: the tables contain only changes", wording.Count(n, "part"))
	}
	if c.removed > 0 {
		c.Say("removed %s", wording.Count(c.removed, "run"))
	}
	if c.earlier > 0 {
		c.Say("%s bytes are in files of earlier runs only: --keep N removes old runs", words.Thousands(c.earlier))
	}
	c.Say("%s: %s in %s, of %s %d rebuilt", c.Join(c.dir, ""), wording.Count(int(rows), "row"),
		wording.Count(len(index.Tables), "table"), wording.Count(c.parts, "part"), c.data.Made)
	if c.failed {
		return verbs.Exit(2)
	}
	return nil
}
