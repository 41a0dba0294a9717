package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/check"
	"trowel.example/format"
	"trowel.example/internal/checking"
	"trowel.example/internal/parallel"
)

func (a *app) checkCommand() *cobra.Command {
	var asJSON, asSARIF, kinds, verbose bool
	var least string
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Find what is wrong with files",
		Long: `Check reports everything that is wrong with game files. Folders are searched for
files of the known formats; a folder in tree form, as extract makes it, is first
built in a temporary place.

Findings have a severity: an error is something that the game, or a part of it,
refuses or misreads; a warning works today but is not as it should be; an info
is only good to know. Their names, in brackets, are stable; --kinds explains them.
The exit code is 1 if there is an error among them, whatever --min shows.

Offsets in the file are shown with -v only: they change whenever a file is written
again, and two reports could not be compared.

With --json it prints an array of {file, format, findings}, each finding with
{id, severity, path, offset, message, at}. At is an array of all the places that
the finding is about, as data: {group, layer, x, y} in a map, {block, node} in a
world, {path, line, column} in a text, {offset, length} for bytes; docs/json.md
has them all. Offset and at are left out where there is none.

On a terminal many findings of one kind in a file are one line with their number;
-v shows every one.`,
		Example: `  trowel check climb.map
  trowel check --min error ~/maps
  trowel check --kinds`,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&asSARIF, "sarif", false, "print SARIF, for sites that show findings beside the files")
	cmd.Flags().BoolVar(&kinds, "kinds", false, "explain all kinds of findings")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show every finding, on a terminal too, and offsets in the file")
	a.colorFlag(cmd)
	cmd.Flags().StringVar(&least, "min", "info", "the least `severity` to show: error, warning or info")
	_ = cmd.RegisterFlagCompletionFunc("min", cobra.FixedCompletions([]string{"error", "warning", "info"}, cobra.ShellCompDirectiveNoFileComp))
	a.optionFlags(cmd, optionsFor(format.ForCheck))
	cmd.Args = func(cmd *cobra.Command, names []string) error {
		if kinds {
			return args(0, 0)(cmd, names)
		}
		return args(1, -1)(cmd, names)
	}
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		a.page()
		if kinds {
			return a.printKinds(asJSON)
		}
		if asJSON && asSARIF {
			return errOneForm
		}
		c := &checkRun{app: a, cmd: cmd, asJSON: asJSON, verbose: verbose, list: jsonArray{w: a.out}, known: make(map[string]bool)}
		if asSARIF {
			c.sarif = &sarif{w: a.out}
		}
		if err := c.min.UnmarshalText([]byte(least)); err != nil {
			return err
		}
		return c.run(cmd.Context(), expand(names))
	}
	return cmd
}

// checkRun is one run of check.
type checkRun struct {
	*app
	cmd     *cobra.Command
	min     check.Severity
	asJSON  bool
	verbose bool

	list    jsonArray
	sarif   *sarif              // nil: it is not asked for
	called  func(string) string // what the user calls a file; nil: as it is
	files   int
	folded  int             // findings that were not shown, because one of their kind was
	skipped int             // files in folders of no known format
	known   map[string]bool // what the user named and has game files in it
	failed  bool
	counts  [check.Error + 1]int
}

// checked is the result of checking one target.
type checked struct {
	target
	format   string
	findings []check.Finding
	defect   bool  // the check itself failed
	err      error // it could not even be tried
}

func (c *checkRun) run(ctx context.Context, names []string) error {
	produce := func(yield func(target) error) error {
		for _, name := range names {
			if err := c.targets(ctx, name, yield); err != nil {
				return err
			}
		}
		return nil
	}
	if c.sarif != nil {
		if err := c.sarif.begin(c.allKinds()); err != nil {
			return err
		}
	}
	if err := parallel.Ordered(ctx, produce, func(t target) checked { return c.safely(ctx, t) }, c.print); err != nil {
		return err
	}
	if c.asJSON {
		if err := c.list.end(); err != nil {
			return err
		}
	}
	if c.sarif != nil {
		if err := c.sarif.end(); err != nil {
			return err
		}
	}
	for _, name := range names {
		if !c.known[name] {
			c.complain(hint(fmt.Errorf("%s: no game files in it", name), "`trowel formats` lists the formats that are known"))
		}
	}
	if err := c.unfit(c.cmd); err != nil {
		c.complain(err)
	}
	if c.files > 0 {
		c.summary()
	}
	switch {
	case c.failed:
		return errQuiet
	case c.counts[check.Error] > 0:
		return errFound
	}
	return nil
}

// safely checks a file, and reports a panic as a finding, so that the other files are
// still checked.
func (c *checkRun) safely(ctx context.Context, t target) checked {
	r := checked{target: t, findings: []check.Finding{}}
	sink := check.Sink(func(f check.Finding) {
		f.Path, f.Message = c.talk.plain(f.Path), c.talk.plain(f.Message)
		r.findings = append(r.findings, f)
	})
	if p := parallel.Catch(func() { c.check(ctx, &r, sink) }); p != nil {
		r.defect = true
		sink.Add(checking.Defect, "", -1, "%v", defect(p))
	}
	return r
}

func (c *checkRun) check(ctx context.Context, r *checked, sink check.Sink) {
	t := r.target
	if t.err != nil {
		r.err = t.err
		return
	}
	src, err := c.source(t.name)
	if err != nil {
		r.err = err
		return
	}
	f, err := c.formatOf(src, t)
	g := &game{Format: f, name: t.name, src: src}
	if err != nil && src.IsDir() {
		if g, err = c.build(ctx, t.name, sink); g == nil && err == nil {
			return
		}
	}
	if err != nil {
		src.Close()
		r.err = err
		return
	}
	defer g.Close()
	if r.err = c.fits(c.cmd, g.Format, t); r.err != nil {
		return
	}
	r.format = g.Name
	job := c.job(c.cmd, g.Format)
	job.Checking = g.built != nil
	switch err := checking.Run(ctx, g.Format, job, g.src, sink); {
	case ctx.Err() != nil:
		r.err = ctx.Err()
	case err != nil:
		r.err = named(err, t.name)
	}
}

// build makes a game file from a folder in tree form. If that fails, it reports why to
// the sink, and returns nil.
func (c *checkRun) build(ctx context.Context, name string, sink check.Sink) (*game, error) {
	fsys, closer, err := c.openFolder(name)
	if err != nil {
		return nil, unbuildable(name, err, sink)
	}
	defer closer.Close()
	f, err := c.formats.FindTree(fsys)
	if err != nil {
		return nil, unbuildable(name, fmt.Errorf("%s: %w", name, err), sink)
	}
	job := c.job(c.cmd, f)
	job.Checking = true
	job.OnWarn = func(path, message string) { sink.Add(checking.Build, path, -1, "%s", message) }
	if f.CheckTree != nil {
		if err := f.CheckTree(ctx, job, fsys, sink); err != nil {
			return nil, named(err, name)
		}
	}
	g, err := c.buildTemporary(ctx, job, f, fsys, name)
	if err != nil && ctx.Err() == nil {
		sink(checking.Broken(checking.Unbuildable, err))
		return nil, nil
	}
	return g, err
}

// unbuildable reports an error about a folder as a finding, if it was the tree form of a
// file; else it returns it.
func unbuildable(name string, err error, sink check.Sink) error {
	if !hasSidecar(name) {
		return err
	}
	sink(checking.Broken(checking.Unbuildable, err))
	return nil
}

// print prints the findings of the next file.
func (c *checkRun) print(r checked) error {
	if errors.Is(r.err, context.Canceled) {
		return r.err
	}
	if r.err != nil {
		if r.found && errors.Is(r.err, format.ErrUnknown) {
			c.skipped++
			return nil
		}
		c.known[r.from] = true // that it is not is said
		c.complain(r.err)
		if len(r.findings) == 0 {
			return nil
		}
	}
	c.known[r.from] = true
	c.files++
	c.failed = c.failed || r.defect
	shown := []check.Finding{}
	for _, f := range r.findings {
		c.counts[f.Severity]++
		if f.Severity >= c.min {
			shown = append(shown, f)
		}
	}
	c.talk.progress("checked files", c.files, 0)
	if c.called != nil {
		r.name = c.called(r.name)
	}
	if c.sarif != nil {
		for _, f := range shown {
			if err := c.sarif.add(r.name, f); err != nil {
				return err
			}
		}
		return nil
	}
	if c.asJSON {
		return c.list.add(object{{"file", r.name}, {"format", r.format}, {"findings", shown}})
	}
	if len(shown) == 0 {
		return nil
	}
	c.talk.clear()
	if _, err := fmt.Fprintf(c.out, "%s:\n", c.screen.paint(colorHead, printable(r.name))); err != nil {
		return err
	}
	more := make(map[string]int) // findings of a kind that are not shown
	if c.screen.terminal && !c.verbose {
		shown, more = fold(shown)
	}
	for _, f := range shown {
		if err := c.printFinding(f, more[f.ID]); err != nil {
			return err
		}
		c.folded += more[f.ID]
	}
	return nil
}

// fold leaves one finding of each kind that there are many of, and counts the others.
func fold(all []check.Finding) (shown []check.Finding, more map[string]int) {
	const many = 3
	more = make(map[string]int)
	for _, f := range all {
		more[f.ID]++
	}
	seen := make(map[string]bool)
	for _, f := range all {
		if more[f.ID] <= many || !seen[f.ID] {
			shown = append(shown, f)
		}
		seen[f.ID] = true
	}
	for id, n := range more {
		if more[id] = n - 1; n <= many {
			delete(more, id)
		}
	}
	return shown, more
}

var severityColors = map[check.Severity]string{check.Error: colorError, check.Warning: colorWarning, check.Info: colorPlace}

// printFinding prints a finding that stands for more of its kind.
func (c *checkRun) printFinding(f check.Finding, more int) error {
	if more > 0 {
		f.Message += fmt.Sprintf(" (and %s more like it)", thousands(int64(more)))
	}
	text := f.String()
	if c.verbose {
		text = f.Verbose()
	}
	const indent = 2
	severity := f.Severity.String()
	text = c.screen.wrapped(printable(text), indent, 3*indent)
	_, err := fmt.Fprintf(c.out, "  %s%s\n", c.screen.paint(severityColors[f.Severity], severity), strings.TrimPrefix(text, severity))
	return err
}

// complain prints an error. The run continues: the other files may be fine.
func (c *checkRun) complain(err error) {
	c.talk.fail(err)
	c.failed = true
}

func (c *checkRun) summary() {
	line := plural(c.files, "file") + ", " + plural(c.counts[check.Error], "error") + ", " + plural(c.counts[check.Warning], "warning")
	if n := c.counts[check.Info]; n > 0 {
		line += fmt.Sprintf(", %s info", thousands(int64(n)))
	}
	if c.skipped > 0 {
		line += fmt.Sprintf("; %s of no known format skipped", plural(c.skipped, "file"))
	}
	if c.folded > 0 {
		line += fmt.Sprintf("; %s folded, -v shows all", plural(c.folded, "finding"))
	}
	_ = c.out.Flush()
	c.talk.say("%s", line)
}

// allKinds returns all kinds of findings, once each.
func (a *app) allKinds() []*check.Kind {
	all := checking.Kinds()
	seen := make(map[string]bool)
	for _, f := range a.formats {
		for _, k := range f.Kinds {
			if !seen[k.ID] {
				seen[k.ID] = true
				all = append(all, k)
			}
		}
	}
	return all
}

// printKinds explains all kinds of findings, once each.
func (a *app) printKinds(asJSON bool) error {
	list := jsonArray{w: a.out}
	seen := make(map[string]bool)
	add := func(owner string, kinds []*check.Kind) error {
		for _, k := range kinds {
			if seen[k.ID] {
				continue
			}
			seen[k.ID] = true
			var err error
			if asJSON {
				err = list.add(object{{"format", owner}, {"id", k.ID}, {"severity", k.Severity}, {"meaning", k.Meaning}, {"remedy", k.Remedy}})
			} else {
				_, err = fmt.Fprintf(a.out, "%s: %s (%s)\n    %s\n    %s\n", a.screen.paint(colorHead, k.ID), a.screen.paint(severityColors[k.Severity], k.Severity.String()),
					cmp.Or(owner, "any format"), a.screen.wrapped(k.Meaning, 4, 4), a.screen.wrapped(k.Remedy, 4, 4))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := add("", checking.Kinds()); err != nil {
		return err
	}
	for _, f := range a.formats {
		if err := add(f.Name, f.Kinds); err != nil {
			return err
		}
	}
	if asJSON {
		return list.end()
	}
	return nil
}
