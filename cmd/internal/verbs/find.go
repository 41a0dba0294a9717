package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/stores/server"
	"trowel.example/internal/text/words"
)

// queriesOf returns the queries of a format.
func queriesOf(f *format.Format) []*format.Command {
	if f.Finder == nil {
		return nil
	}
	return f.Finder.Commands
}

func findCommand(a *Tool) *cobra.Command {
	var o findOptions
	cmd := &cobra.Command{
		Use:   "find FILE... -- QUERY [ARGUMENT...] [--OPTION...]",
		Short: "Find tiles, nodes, items, keys and other things",
		Long: `Find finds things by type, not by text: each format has its queries, which follow --. It prints a
line for each match: the file, its part, the place and the fields of the match. It searches folders
for files whose format has the query. "trowel help find QUERY" explains a query.

With --json it prints an array of {file, path, at, fields}, where at is the place as data, as in
findings, and fields is an object; with --csv a table. --by groups the matches, with --json an array
of {by, hits, sums}: sums is an object. With --limit 10 it prints 10 matches or groups, and reports if
there are more. These options may follow the query.

The exit code is 0 if something was found and 1 if not. Then find prints the names in the query that
are in none of the files to standard error.

` + resumeHelp,
		Example: `  trowel find climb.map -- tele 5
  trowel find maps -- image grass_main --by file
  trowel find world -- item default:diamond --by owner
  trowel find better.mod -- key LEVEL --files 'MEDIA/UNITS/**' --csv`,
		ValidArgsFunction: completeCommands(a, queriesOf, queryOptions),
	}
	OptionFlags(a, cmd, func(f *format.Format) []format.Option {
		if f.Finder == nil {
			return nil
		}
		return f.OptionsFor(0)
	}, &o)
	resumeFlag(a, cmd)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) && isCommandOption(a.Formats, queriesOf, unknown.GetSpecifiedName()) {
			return wording.Hint(optionError(cmd, err), "this is an option of queries, which follow --: `%s`", useLine(cmd))
		}
		return flagError(a, cmd.Root(), cmd, err)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && slices.Contains(args[dash:], "--help") {
			return helpAfterDash(a, cmd, args[:dash], args[dash:])
		}
		f := &finding{Tool: a, Files: a.NewFiles(nil), queries: make(map[*format.Format]query)}
		names, err := f.parse(cmd, o, args)
		if err != nil {
			return err
		}
		startPager(a)
		f.Names = Expand(names)
		return f.run(cmd.Context())
	}
	return needs(cmd, needPager)
}

// query is the parsed query for one format.
type query struct {
	format.Step
	err error // the format does not have the query
}

// parse parses the arguments and returns the names of the files.
func (f *finding) parse(cmd *cobra.Command, o findOptions, args []string) (files []string, err error) {
	dash := cmd.ArgsLenAtDash()
	if dash < 1 || dash == len(args) {
		return nil, f.misplaced(cmd, args, dash)
	}
	files, words := args[:dash], args[dash:]
	known := false
	for _, of := range f.Formats {
		commands := withOptions(queriesOf(of), queryOptions)
		if len(commands) == 0 {
			continue
		}
		steps, e := format.ParseSteps(f.Job(of), commands, words)
		if e == nil && len(steps) > 1 {
			e = errors.New("only one query is allowed")
		}
		if e != nil {
			f.queries[of] = query{err: e}
			_, lacks := errors.AsType[*format.OptionError](err)
			if err == nil || errors.Is(err, format.ErrCommand) || lacks && !errors.Is(e, format.ErrCommand) {
				err = e // that of a format which has the query and its options
			}
			continue
		}
		if err := f.MayUse(slices.Concat(steps[0].Args, steps[0].Options), steps[0].Job.Value); err != nil {
			return nil, err
		}
		if err := f.StepInputs(cmd.Context(), steps); err != nil {
			return nil, err
		}
		f.queries[of] = query{Step: steps[0]}
		if !known {
			if f.output, err = outputOf(o, steps[0].Job); err != nil {
				return nil, err
			}
		}
		known = true
	}
	switch {
	case known:
		return files, nil
	case errors.Is(err, format.ErrCommand) && service.Exists(words[0]):
		return nil, f.misplaced(cmd, append(words, files...), -1)
	case errors.Is(err, format.ErrCommand):
		return nil, wording.CommandHint(fmt.Errorf("no query %s", words[0]), words[0], allCommands(f.Formats, queriesOf),
			"`%s --help` lists the queries", cmd.CommandPath())
	case err == nil:
		return nil, errors.New("no format has a query")
	}
	if lacks, ok := errors.AsType[*format.OptionError](err); ok {
		return nil, wrongOption(f.Tool, err, lacks, "find")
	}
	return nil, wording.Hint(err, "see `trowel help find %s`", words[0])
}

// misplaced returns an error for arguments that do not have the form FILE... -- QUERY. Its hint has them in the
// right order, if that can be determined.
func (f *finding) misplaced(cmd *cobra.Command, args []string, dash int) error {
	err := errors.New("expected files, -- and a query: " + useLine(cmd))
	var files, query []string
	for _, arg := range args {
		if service.Exists(arg) && dash < 1 || len(files) < dash {
			files = append(files, arg)
		} else {
			query = append(query, arg)
		}
	}
	switch {
	case len(query) > 0 && !slices.Contains(commandNames(f.Formats, queriesOf), query[0]):
		return wording.CommandHint(err, query[0], allCommands(f.Formats, queriesOf), "`%s --help` lists the queries", cmd.CommandPath())
	case len(query) == 0:
		return wording.Hint(err, "`%s --help` lists the queries", cmd.CommandPath())
	case len(files) == 0:
		files = []string{"FILE"}
	}
	return wording.Hint(err, "did you mean `%s %s`?", cmd.CommandPath(), words.Quoted(slices.Concat(files, []string{"--"}, query)...))
}

// finding is one run of find.
type finding struct {
	*Tool
	*service.Files
	queries map[*format.Format]query
	output  findOutput

	printer *findPrinter
	total   counts
	number  int             // number of files searched
	known   map[string]bool // arguments with files that were searched
	failed  bool
}

// findRecord is one result for a file: hits, a note, or the end of the file.
type findRecord struct {
	File int // index of the file in the part
	Hits *keptHits
	Note *wording.Note
	End  *findEnd
}

// keptHits are hits as lists that package gob can encode.
type keptHits struct {
	Path   []string
	At     places
	Fields [][]format.InfoField
	More   [][]format.InfoField
	bytes  int // size of the texts in fields
}

const (
	maxHits     = 16 // of a record
	maxHitBytes = 1 << 20
)

func (k *keptHits) full() bool { return len(k.Path) == maxHits || k.bytes >= maxHitBytes }

func (k *keptHits) add(h format.Hit) {
	if k.Path == nil {
		k.Path, k.At, k.Fields = make([]string, 0, maxHits), make(places, 0, maxHits), make([][]format.InfoField, 0, maxHits)
		k.More = make([][]format.InfoField, 0, maxHits)
	}
	k.Path, k.At, k.Fields, k.More = append(k.Path, h.Path), append(k.At, h.At), append(k.Fields, h.Fields), append(k.More, h.More)
	k.bytes += textBytes(h.Fields) + textBytes(h.More)
}

func textBytes(fields []format.InfoField) (n int) {
	for _, f := range fields {
		switch v := f.Value.(type) {
		case string:
			n += len(v)
		case []format.InfoField:
			n += textBytes(v)
		}
	}
	return n
}

// each calls do for each hit.
func (k *keptHits) each(do func(format.Hit) error) error {
	if len(k.At) != len(k.Path) || len(k.Fields) != len(k.Path) || len(k.More) != len(k.Path) {
		return fmt.Errorf("%w: %s at %s", fault.ErrFormat, words.Count(len(k.Path), "hit"), words.Count(len(k.At), "place"))
	}
	for i := range k.Path {
		if err := do(format.Hit{Path: k.Path[i], At: k.At[i], Fields: k.Fields[i], More: k.More[i]}); err != nil {
			return err
		}
	}
	return nil
}

// findEnd is the last record of a file or of one of its shards.
type findEnd struct {
	Format string
	Passed bool // the file has no such query
	Tally  counts
}

// run runs the query on all files, several at a time.
func (f *finding) run(ctx context.Context) error {
	f.known = make(map[string]bool)
	f.printer = f.output.printer(f.out)
	err := f.Files.Perform(ctx, work.Of(f))
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	for _, name := range f.Names {
		if err == nil && !f.known[name] {
			f.failed = true
			err := fmt.Errorf("%s: contains no file whose format has this query", name)
			f.talk.Fail(cmp.Or(service.Foreign(name, err), err))
		}
	}
	if err := f.Unfit(); err != nil {
		return err
	}
	if err := f.printer.end(&f.total); err != nil {
		return err
	}
	if f.printer.more {
		f.talk.Say("there are more: --limit %d prints the first", f.output.limit)
	}
	switch {
	case errors.Is(err, errEnough) && !f.failed:
		return nil
	case f.failed:
		return errQuiet
	case f.total.Hits == 0:
		f.sayLacks(ctx)
		return errFound // no hits: the same exit code as grep
	}
	return nil
}

// maxLacking is the maximum number of files that are read again to report names they do not contain.
const maxLacking = 16

// sayLacks prints each name in the query that is in none of the files, with a similar name. Files found in
// folders are not read again.
func (f *finding) sayLacks(ctx context.Context) {
	if f.Handover != nil || f.talk.Quiet {
		return
	}
	var none nowhere
	for _, name := range f.Names[:min(len(f.Names), maxLacking)] {
		if name == "-" {
			continue // standard input can be read only once
		}
		quiet := f.Quiet(func(wording.Note) {})
		g, err := quiet.FindTarget(ctx, service.Target{Name: name})
		if err != nil {
			continue
		}
		if q := f.queries[g.Format]; q.Command != nil && g.Finder.Lacks != nil {
			var lacks []lack
			for _, e := range fault.NameErrors(g.Finder.Lacks(ctx, quiet.Job(g.Format), g.Source, q.Step)) {
				lacks = append(lacks, lack{NameError: e})
			}
			none.add(lacks)
		}
		g.Close()
	}
	for _, e := range none.names {
		advice := e.Advice
		if near := wording.NearName(e.NameError); near != "" {
			advice = "did you mean " + words.Quoted(near) + "?"
		}
		f.talk.Say("trowel: %s", e.Error())
		if advice != "" {
			f.talk.Say("hint: %s", advice)
		}
	}
}

// Do runs the query on the files of a part.
func (f *finding) Do(ctx context.Context, p work.Part, put func(findRecord) error) error {
	return f.Each(p, func(i int, t service.Target) error {
		return f.one(ctx, t, p.Shard, func(r findRecord) error {
			r.File = i
			return put(r)
		})
	})
}

// one runs the query on a file or a shard of a file.
func (f *finding) one(ctx context.Context, t service.Target, shard format.Shard, put func(findRecord) error) error {
	var notes []wording.Note
	quiet := f.Part(func(n wording.Note) { notes = append(notes, n) })
	var end findEnd
	var stop, err error // the error of put, and that of the file
	hits := new(keptHits)
	flush := func() error {
		some := hits
		if hits = new(keptHits); len(some.Path) == 0 {
			return nil
		}
		return put(findRecord{Hits: some})
	}
	if panicked := parallel.Catch(func() {
		err = f.look(ctx, quiet, t, shard, &end, func(h format.Hit) error {
			if hits.add(h); hits.full() {
				stop = flush()
			}
			return stop
		})
	}); panicked != nil {
		err = wording.Named(service.Defect(panicked), t.Name)
	}
	switch {
	case stop != nil:
		return stop
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errEnough):
	case f.InParts() && server.Failed(err):
		return err // the server may be reachable again when the part is retried
	case err != nil:
		notes = append(notes, wording.Failure(err))
	}
	if err := flush(); err != nil {
		return err
	}
	for i := range notes {
		if err := put(findRecord{Note: &notes[i]}); err != nil {
			return err
		}
	}
	return put(findRecord{End: &end})
}

// look runs the query on a file or a shard of a file. Notes go to the service quiet.
func (f *finding) look(ctx context.Context, quiet *service.Service, t service.Target, shard format.Shard, end *findEnd,
	hit func(format.Hit) error) error {
	if t.Err != nil {
		return t.Err
	}
	g, err := quiet.FindTarget(ctx, t)
	if t.Found && (errors.Is(err, format.ErrUnknown) || errors.Is(err, format.ErrNoTree)) {
		end.Passed = true
		return nil
	}
	if err != nil {
		return err
	}
	defer g.Close()
	q := f.queries[g.Format]
	switch {
	case q.Command == nil && t.Found:
		end.Passed = true
		return nil
	case q.err != nil && !errors.Is(q.err, format.ErrCommand):
		return fmt.Errorf("%s: %w", t.Name, q.err)
	case q.Command == nil:
		err := fmt.Errorf("%s: is a %s, whose format lacks this query", t.Name, g.Title)
		if own := commandNames(format.Set{g.Format}, queriesOf); len(own) > 0 {
			return wording.Hint(err, "there are %s", strings.Join(own, ", "))
		}
		return err
	}
	if err := quiet.Fits(g.Format, t); err != nil {
		return err
	}
	end.Format = g.Name
	job := quiet.About(quiet.Job(g.Format), t.Name)
	job.Shard = shard
	return wording.Named(g.Finder.Find(ctx, job, g.Source, q.Step, func(h format.Hit) error {
		if err := end.Tally.count(&f.output, t.Name, h); err != nil || !f.output.each() {
			return err
		}
		if err := hit(h); err != nil || f.output.limit == 0 || end.Tally.Hits <= f.output.limit {
			return err
		}
		return errEnough
	}), t.Name)
}

// errEnough ends a search of which --limit prints no more matches.
var errEnough = errors.New("enough")

// Take adds a record to the results and prints its hits.
func (f *finding) Take(_ context.Context, p work.Part, r findRecord) error {
	t, last, err := f.Taken(p, r.File)
	switch {
	case err != nil:
		return err
	case r.Hits != nil:
		err := r.Hits.each(func(h format.Hit) error { return f.printer.print(t.Name, h) })
		if errors.Is(err, errEnough) && f.InParts() {
			return nil // all parts end
		}
		return err
	case r.Note != nil:
		f.failed = f.failed || r.Note.Kind == wording.Failed
		f.Report(p, *r.Note)
		return nil
	case r.End == nil:
		return nil
	}
	if of := f.Formats.ByName(r.End.Format); of != nil && t.Found {
		f.Fitted(of)
	}
	f.total.add(&r.End.Tally)
	if f.known[t.From] = f.known[t.From] || !r.End.Passed; !r.End.Passed && last {
		f.number++
		f.Files.Progress("searched files", f.number)
	}
	return nil
}
