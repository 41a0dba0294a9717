package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/format"
	"trowel.example/internal/parallel"
)

// queriesOf returns the queries of a format.
func queriesOf(f *format.Format) []*format.Command {
	if f.Finder == nil {
		return nil
	}
	return f.Finder.Commands
}

// findOptions are those of find itself. They may stand behind the query, too.
var findOptions = []format.Option{
	{Name: "json", Bool: true, Help: "print JSON"},
	{Name: "csv", Bool: true, Help: "print a table with commas between, for spreadsheets"},
	{Name: "by", Help: "group what is found by a `field`, path, at or file: how often each value is there, and the sums of amounts"},
	{Name: "count", Bool: true, Help: "print only how many things were found"},
}

func (a *app) findCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "find FILE... -- QUERY [ARGUMENT...] [--OPTION...]",
		Short: "Find tiles, nodes, items, keys and the like, with their places",
		Long: `Find looks for things by what they are, not by text: each format has its queries,
which stand behind --. It prints a line for each thing: the file, the part of it, the place
and what there is to know of it. Folders are searched for files that have such a query.
"trowel help find QUERY" tells more about a query.

With --json it prints an array of {file, path, at, fields}, where at is the place as data,
as of findings, and fields is an object; with --csv a table. --by makes groups, with --json
an array of {by, hits, sums}: sums is an object. These options may stand behind the query.

The exit code is 0 if something was found and 1 if not.
` + commandList(a.formats, queriesOf),
		Example: `  trowel find climb.map -- tele 5
  trowel find maps -- image grass_main --by file
  trowel find world -- item default:diamond --by owner
  trowel find better.mod -- key LEVEL --files 'MEDIA/UNITS/**' --csv`,
		ValidArgsFunction: a.completeCommands(queriesOf, findOptions),
	}
	for _, o := range findOptions {
		if o.Bool {
			cmd.Flags().Bool(o.Name, false, o.Help)
		} else {
			cmd.Flags().String(o.Name, "", o.Help)
		}
	}
	a.optionFlags(cmd, func(f *format.Format) []format.Option {
		if f.Finder == nil {
			return nil
		}
		return f.OptionsFor(0)
	})
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) && isCommandOption(a.formats, queriesOf, unknown.GetSpecifiedName()) {
			return hint(err, "it is an option of queries, which stand behind --: `%s`", useLine(cmd))
		}
		return a.flagError(cmd.Root(), cmd, err)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && dash < len(args) && slices.Contains(args[dash:], "--help") && a.commandHelp(a.out, cmd.Name(), args[dash], queriesOf) {
			return nil
		}
		f := &finding{app: a, cmd: cmd, queries: make(map[*format.Format]query)}
		names, err := f.parse(args)
		if err != nil {
			return err
		}
		a.page()
		return f.run(cmd.Context(), expand(names))
	}
	return cmd
}

// query is what was asked of the files of a format.
type query struct {
	format.Step
	err error // it is none of the format
}

// parse reads what the user asks, and returns the names of the files.
func (f *finding) parse(args []string) (files []string, err error) {
	dash := f.cmd.ArgsLenAtDash()
	if dash < 1 || dash == len(args) {
		return nil, f.misplaced(args, dash)
	}
	files, words := args[:dash], args[dash:]
	known := false
	for _, of := range f.formats {
		commands := withOptions(queriesOf(of), findOptions)
		if len(commands) == 0 {
			continue
		}
		steps, e := format.ParseSteps(f.job(f.cmd, of), commands, words)
		if e == nil && len(steps) > 1 {
			e = errors.New("a run takes one query")
		}
		if e != nil {
			f.queries[of] = query{err: e}
			if err == nil || errors.Is(err, format.ErrCommand) {
				err = e
			}
			continue
		}
		f.queries[of] = query{Step: steps[0]}
		if !known {
			f.output, err = outputOf(f.cmd, steps[0].Job)
		}
		if known = true; err != nil {
			return nil, err
		}
	}
	switch {
	case known:
		return files, nil
	case errors.Is(err, format.ErrCommand) && isThere(words[0]):
		return nil, f.misplaced(append(words, files...), -1)
	case errors.Is(err, format.ErrCommand):
		return nil, didYouMean(fmt.Errorf("no query is called %s", words[0]), words[0], commandNames(f.formats, queriesOf), "`%s --help` lists the queries", f.cmd.CommandPath())
	case err == nil:
		return nil, errors.New("no format has a query")
	}
	return nil, hint(err, "see `trowel help find %s`", words[0])
}

// misplaced explains words that are not as they should be, FILE... -- QUERY: the hint has
// them in the right order, as far as it can be told what they are.
func (f *finding) misplaced(args []string, dash int) error {
	err := errors.New("expected files, -- and a query: " + useLine(f.cmd))
	var files, words []string
	for _, arg := range args {
		if isThere(arg) && dash < 1 || len(files) < dash {
			files = append(files, arg)
		} else {
			words = append(words, arg)
		}
	}
	switch {
	case len(words) > 0 && !slices.Contains(commandNames(f.formats, queriesOf), words[0]):
		return didYouMean(err, words[0], commandNames(f.formats, queriesOf), "`%s --help` lists the queries", f.cmd.CommandPath())
	case len(words) == 0:
		return hint(err, "`%s --help` lists the queries", f.cmd.CommandPath())
	case len(files) == 0:
		files = []string{"FILE"}
	}
	line := []string{f.cmd.CommandPath()}
	for _, word := range slices.Concat(files, []string{"--"}, words) {
		if strings.ContainsAny(word, " *?\"'`$&|;<>()[]{}\\#~!") || word == "" {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		line = append(line, word)
	}
	return hint(err, "did you mean `%s`?", strings.Join(line, " "))
}

// finding is one run of find.
type finding struct {
	*app
	cmd     *cobra.Command
	queries map[*format.Format]query
	output  findOutput

	known  map[string]bool // what the user named, and has files that were asked
	failed bool
}

// turned is a target whose turn to print comes when its predecessor is done.
type turned struct {
	target
	turn <-chan struct{}
	done chan struct{}
}

// found is what was found in a target.
type found struct {
	turned
	hits   []format.Hit // those that were not printed yet
	tally  tally
	passed bool  // it has no such query
	err    error // it could not be searched, or not to its end
}

// run asks all files that the names stand for, several at a time.
func (f *finding) run(ctx context.Context, names []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.known = make(map[string]bool)
	p := f.output.printer(f.out)
	turn := make(chan struct{})
	close(turn)
	var total tally
	files := 0
	err := parallel.Ordered(ctx,
		func(yield func(turned) error) error {
			for _, name := range names {
				if err := f.targets(ctx, name, func(t target) error {
					next := turned{t, turn, make(chan struct{})}
					turn = next.done
					return yield(next)
				}); err != nil {
					return err
				}
			}
			return nil
		},
		func(t turned) found {
			r := found{turned: t}
			if panicked := parallel.Catch(func() { r.err = f.look(ctx, &r, p) }); panicked != nil {
				r.err = named(defect(panicked), t.name)
			}
			return r
		},
		func(r found) (err error) {
			defer func() {
				if err != nil {
					cancel() // who waits for a turn
				}
				close(r.done)
			}()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			f.known[r.from] = f.known[r.from] || !r.passed
			for _, h := range r.hits {
				if err := p.print(r.name, h); err != nil {
					return err
				}
			}
			total.add(&r.tally)
			if !r.passed {
				files++
				f.talk.progress("searched files", files, 0)
			}
			var broken printing
			if errors.As(r.err, &broken) {
				return broken.error
			}
			if r.err != nil {
				f.complain(r.err)
			}
			return nil
		})
	if err != nil {
		return err
	}
	for _, name := range names {
		if !f.known[name] {
			f.complain(fmt.Errorf("%s: no file in it that has such a query", name))
		}
	}
	if err := f.unfit(f.cmd); err != nil {
		return err
	}
	if err := p.end(&total); err != nil {
		return err
	}
	switch {
	case f.failed:
		return errQuiet
	case total.hits == 0:
		return errFound // nothing, as grep has it
	}
	return nil
}

// look asks a target. What it finds is kept until its turn comes; if that is more than a
// little it waits for it, and prints.
func (f *finding) look(ctx context.Context, r *found, p *findPrinter) error {
	if r.target.err != nil {
		return r.target.err
	}
	g, err := f.findTarget(f.cmd, r.target)
	if r.found && (errors.Is(err, format.ErrUnknown) || errors.Is(err, format.ErrNoTree)) {
		r.passed = true
		return nil
	}
	if err != nil {
		return err
	}
	defer g.Close()
	q := f.queries[g.Format]
	switch {
	case q.Command == nil && r.found:
		r.passed = true
		return nil
	case q.err != nil && !errors.Is(q.err, format.ErrCommand):
		return fmt.Errorf("%s: %w", r.name, q.err)
	case q.Command == nil:
		err := fmt.Errorf("%s: is a %s, which has no such query", r.name, g.Title)
		if own := commandNames(format.Set{g.Format}, queriesOf); len(own) > 0 {
			return hint(err, "there are %s", strings.Join(own, ", "))
		}
		return err
	}
	if err := f.fits(f.cmd, g.Format, r.target); err != nil {
		return err
	}
	mine := false // my turn has come
	err = g.Finder.Find(ctx, f.job(f.cmd, g.Format), g.src, q.Step, func(h format.Hit) error {
		if err := r.tally.count(&f.output, r.name, h); err != nil || !f.output.each() {
			return err
		}
		if !mine && len(r.hits) < maxKept {
			r.hits = append(r.hits, h)
			return nil
		}
		if !mine {
			select {
			case <-r.turn:
			case <-ctx.Done():
				return ctx.Err()
			}
			mine = true
		}
		for _, h := range append(r.hits, h) {
			if err := p.print(r.name, h); err != nil {
				return printing{err}
			}
		}
		r.hits = r.hits[:0]
		return nil
	})
	return named(err, r.name)
}

// complain prints an error. The run continues: the other files may be fine.
func (f *finding) complain(err error) {
	f.failed = true
	f.talk.fail(err)
}
