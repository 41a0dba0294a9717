package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/check"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
	"trowel.example/internal/stores/server"
	"trowel.example/internal/text/words"
)

func checkCommand(a *Tool) *cobra.Command {
	c := &checkRun{Tool: a, list: terminal.Array{W: a.out}, known: make(map[string]bool)}
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Find problems in files",
		Long: `Check reports all problems of game files. It searches folders for files of the supported formats.
A folder in tree form, as extract makes it, is first built in a temporary place.

A finding has a severity: an error is data that the game, or a part of it, rejects or misreads; a
warning works in current versions, but should be corrected; an info is worth knowing. The names in
brackets are stable: "trowel explain NAME" explains them. The exit code is 1 if there is an error,
whatever --min shows.

Offsets in the file are shown only with -v: they change whenever a file is rewritten, and two
reports could not be compared.

With --json it prints an array of {file, format, findings}, each finding with
{id, severity, path, offset, message, at}. At is an array of all the places that
the finding is about, as data: {group, layer, x, y} in a map, {block, node} in a
world, {path, line, column} in a text, {offset, length} for bytes; docs/json.md
lists them all. Offset and at are omitted if there is none.

For each file, at most 5 findings of a kind are printed, and the number of the others, so that no
kind hides another; --every prints all. JSON and SARIF always have all. --summary prints one line for
each file: the numbers of findings, and with --rules the findings against rules that bind.

--fix then performs the operations of edit that mend findings without any other change that a player
could notice ("trowel explain NAME" names them), and keeps the old file as a backup; --fix --dry-run
only lists them. The exit code is that of the check.

` + resumeHelp,
		Example: `  trowel check climb.map
  trowel check --min error ~/maps
  trowel check --fix --dry-run climb.map`,
		Args: args(1, -1),
	}
	resumeFlag(a, cmd)
	fix := fixing{editing: editing{writing: &writing{Tool: a, strict: true}, InPlace: true, own: cmd.Flags()}}
	colorFlag(a, cmd)
	OptionFlags(a, cmd, optionsFor(format.ForCheck), c)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		startPager(a)
		if c.AsJSON && c.SARIF {
			return errOneForm
		}
		if c.Summary && (c.AsJSON || c.SARIF) {
			return errors.New("--summary cannot be combined with --json or --sarif")
		}
		switch {
		case c.DryRun && !c.Fix:
			return errors.New("--dry-run is for --fix: check changes nothing without it")
		case c.Fix && (c.AsJSON || c.SARIF):
			return errors.New("--fix cannot be combined with --json or --sarif")
		}
		c.Files, c.Every = a.NewFiles(Expand(names)), c.Every || c.Verbose
		if c.SARIF {
			c.sarif = &terminal.SARIF{W: a.out, Release: service.Built().Version}
		}
		if err := c.min.UnmarshalText([]byte(c.Min)); err != nil {
			return err
		}
		if fix.DryRun = c.DryRun; c.Fix {
			c.fix = &fix
		}
		err := c.run(cmd.Context())
		if c.Fix && (err == nil || errors.Is(err, errFound)) {
			if failed := fix.run(cmd.Context()); failed != nil {
				return failed
			}
		}
		return err
	}
	return needs(cmd, needPager, needPlace)
}

// checkRun is one run of check.
type checkRun struct {
	*Tool
	*service.Files
	jsonOption
	SARIF   bool   `option:"sarif" help:"print SARIF, for sites that show findings next to the files"`
	Verbose bool   `option:"verbose,v" help:"show every finding, and offsets in the file"`
	Every   bool   `option:"every" help:"show every finding"`
	Summary bool   `option:"summary" help:"print one line for each file"`
	Fix     bool   `option:"fix" help:"mend what can be mended without any other change"`
	DryRun  bool   `option:"dry-run" help:"with --fix, print what would be changed, and write nothing"`
	Min     string `option:"min" default:"info" choices:"error|warning|info" help:"the lowest {severity} to show: error, warning or info"`

	min     check.Severity
	now     taking // records taken so far of the current file
	list    terminal.Array
	sarif   *terminal.SARIF     // nil: SARIF output was not requested
	called  func(string) string // returns the user's name for a file; nil: names are unchanged
	number  int                 // number of files
	folded  int                 // number of findings not shown because several of their kind were
	skipped int                 // files in folders that have no known format
	fix     *fixing             // nil: nothing is to be mended
	known   map[string]bool     // arguments that name game files or folders with game files
	failed  bool
	counts  [check.Error + 1]int
}

// checkRecord is one result for a file: a note, findings, or the end of the file.
type checkRecord struct {
	File     int // index of the file in the part
	Note     *wording.Note
	Findings []keptFinding
	Missed   []keptFinding // see [format.Gathering]; for shards only
	End      *checkEnd
}

// keptFinding is a finding that package gob can encode, places included.
type keptFinding struct {
	check.Finding // At is nil
	Places        places
}

func keepFindings(all []check.Finding) []keptFinding {
	kept := make([]keptFinding, len(all))
	for i, f := range all {
		kept[i] = keptFinding{f, f.At}
		kept[i].At = nil
	}
	return kept
}

// checkEnd is the last record of a file or of one of its shards.
type checkEnd struct {
	Format  string
	Defect  bool
	Skipped bool // not a game file
	Failed  bool // a note gives the reason
}

func (c *checkRun) run(ctx context.Context) error {
	if c.sarif != nil {
		if err := c.sarif.Begin(allKinds(c.Tool)); err != nil {
			return err
		}
	}
	if err := c.Files.Perform(ctx, work.Of(c)); err != nil {
		return err
	}
	if c.AsJSON {
		if err := c.list.End(); err != nil {
			return err
		}
	}
	if c.sarif != nil {
		if err := c.sarif.End(); err != nil {
			return err
		}
	}
	for _, name := range c.Names {
		if !c.known[name] {
			c.complain(noFiles(name, "game files"))
		}
	}
	if err := c.Unfit(); err != nil {
		c.complain(err)
	}
	if c.number > 0 {
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

// Do checks the files of a part.
func (c *checkRun) Do(ctx context.Context, p work.Part, put func(checkRecord) error) error {
	return c.Each(p, func(i int, t service.Target) error {
		return c.one(ctx, t, p.Shard, func(r checkRecord) error {
			r.File = i
			return put(r)
		})
	})
}

// one checks a file or a shard of a file. It passes the results to put after the check has ended.
func (c *checkRun) one(ctx context.Context, t service.Target, shard format.Shard, put func(checkRecord) error) error {
	var notes []wording.Note
	quiet := c.Part(func(n wording.Note) { notes = append(notes, n) })
	var r service.Checked
	quiet.CheckSafely(ctx, t, shard, &r)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.InParts() && server.Failed(r.Err) {
		return r.Err // the server may be reachable again when the part is retried
	}
	end := &checkEnd{Format: r.Format, Defect: r.Defect, Failed: r.Err != nil}
	if end.Skipped = t.Found && errors.Is(r.Err, format.ErrUnknown); !end.Skipped && end.Failed {
		notes = append(notes, wording.Failure(r.Err))
	}
	for i := range notes {
		if err := put(checkRecord{Note: &notes[i]}); err != nil {
			return err
		}
	}
	const many = 1000
	for some := range slices.Chunk(r.Findings, many) {
		if err := put(checkRecord{Findings: keepFindings(some)}); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(r.Missed, many) {
		if err := put(checkRecord{Missed: keepFindings(some)}); err != nil {
			return err
		}
	}
	return put(checkRecord{End: end})
}

// Take adds a record to the results of the current file and prints them at the end of the file.
func (c *checkRun) Take(_ context.Context, p work.Part, r checkRecord) error {
	t, last, err := c.Taken(p, r.File)
	if err != nil {
		return err
	}
	if r.Note != nil {
		c.failed = c.failed || r.Note.Kind == wording.Failed
		c.Report(p, *r.Note)
	}
	c.now.findings = append(c.now.findings, c.findings(r.Findings)...)
	c.now.missed = append(c.now.missed, c.findings(r.Missed)...)
	if r.End == nil {
		return nil
	}
	c.now.end(r.End)
	f := c.Formats.ByName(c.now.Format)
	if p.Shard != "" && f != nil {
		c.now.gather(f)
	}
	if p.Shard != "" && !last {
		return nil
	}
	if c.now.gathering != nil {
		c.now.gathering.End()
		c.now.findings = c.now.gathered
	}
	now := c.now
	c.now = taking{}
	return c.print(t, f, &now)
}

// findings returns the decoded findings.
func (c *checkRun) findings(kept []keptFinding) []check.Finding {
	var all []check.Finding
	for _, k := range kept {
		k.At, k.Path, k.Message = k.Places, c.talk.Plain(k.Path), c.talk.Plain(k.Message)
		all = append(all, k.Finding)
	}
	return all
}

// taking collects the records of the current file.
type taking struct {
	checkEnd
	findings, missed []check.Finding // of a file, or of shards not gathered yet
	gathering        *format.Gathering
	gathered         []check.Finding
}

// end merges the end record of the file or of one of its shards.
func (t *taking) end(e *checkEnd) {
	t.Format = cmp.Or(t.Format, e.Format)
	t.Defect, t.Skipped, t.Failed = t.Defect || e.Defect, t.Skipped || e.Skipped, t.Failed || e.Failed
}

// gather combines the findings of shards into findings of the file.
func (t *taking) gather(f *format.Format) {
	if t.gathering == nil {
		t.gathering = format.Gather(f, func(f check.Finding) { t.gathered = append(t.gathered, f) })
	}
	for _, f := range t.findings {
		t.gathering.Put(f)
	}
	for _, f := range t.missed {
		t.gathering.Miss(f)
	}
	t.findings, t.missed = nil, nil
}

// print prints the findings of a file.
func (c *checkRun) print(t service.Target, f *format.Format, r *taking) error {
	if r.Skipped {
		c.skipped++
		return nil
	}
	c.known[t.From] = true // arguments without game files are reported as errors
	if f != nil && t.Found {
		c.Fitted(f)
	}
	if r.Failed && len(r.findings) == 0 {
		return nil
	}
	c.number++
	c.failed = c.failed || r.Defect
	name := t.Name
	if c.called != nil {
		name = c.called(name)
	}
	if c.fix != nil {
		c.fix.add(t.Name, r.findings)
	}
	shown := []check.Finding{}
	for _, f := range r.findings {
		c.counts[f.Severity]++
		if f.Severity >= c.min {
			shown = append(shown, f)
		}
	}
	c.Files.Progress("checked files", c.number)
	if c.sarif != nil {
		for _, f := range shown {
			if err := c.sarif.Add(name, f); err != nil {
				return err
			}
		}
		return nil
	}
	if c.AsJSON {
		return c.list.Add(terminal.Object{{"file", name}, {"format", r.Format}, {"findings", shown}})
	}
	if c.Summary {
		c.talk.Clear()
		_, err := fmt.Fprintf(c.out, "%s: %s\n", c.screen.Paint(terminal.ColorHead, words.Printable(name)), oneLine(shown))
		return err
	}
	if len(shown) == 0 {
		return nil
	}
	c.talk.Clear()
	if _, err := fmt.Fprintf(c.out, "%s:\n", c.screen.Paint(terminal.ColorHead, words.Printable(name))); err != nil {
		return err
	}
	more := make(map[string]int) // number of hidden findings of each kind
	if !c.Every {
		shown, more = fold(shown)
	}
	last := make(map[string]int) // index of the last shown finding of each kind
	for i, f := range shown {
		last[f.ID] = i
	}
	for i, f := range shown {
		n := 0
		if last[f.ID] == i {
			n = more[f.ID]
		}
		if err := c.printFinding(f, n); err != nil {
			return err
		}
		c.folded += n
	}
	return nil
}

// oneLine returns the numbers of findings, and those that show that a binding rule is broken.
func oneLine(all []check.Finding) string {
	var counts [check.Error + 1]int
	var binding []string
	for _, f := range all {
		counts[f.Severity]++
		if f.Breaks() && !slices.Contains(binding, f.ID) {
			binding = append(binding, f.ID)
		}
	}
	line := severities(counts)
	if binding != nil {
		line += "; against binding rules: " + strings.Join(binding, ", ")
	}
	return line
}

// severities returns numbers of findings in words.
func severities(counts [check.Error + 1]int) string {
	line := wording.Count(counts[check.Error], "error") + ", " + wording.Count(counts[check.Warning], "warning")
	if n := counts[check.Info]; n > 0 {
		line += fmt.Sprintf(", %s info", words.Thousands(int64(n)))
	}
	return line
}

// fold returns the first findings of each kind and the number of the others.
func fold(all []check.Finding) (shown []check.Finding, more map[string]int) {
	const few = 5
	seen := make(map[string]int)
	more = make(map[string]int)
	for _, f := range all {
		if seen[f.ID]++; seen[f.ID] <= few {
			shown = append(shown, f)
		} else {
			more[f.ID]++
		}
	}
	return shown, more
}

var severityColors = map[check.Severity]string{check.Error: terminal.ColorError, check.Warning: terminal.ColorWarning,
	check.Info: terminal.ColorPlace}

// printFinding prints a finding and the number of hidden findings of the same kind.
func (c *checkRun) printFinding(f check.Finding, more int) error {
	if more > 0 {
		f.Message += fmt.Sprintf(" (and %s more like it)", words.Thousands(int64(more)))
	}
	text := f.String()
	if c.Verbose {
		text = f.Verbose()
	}
	const indent = 2
	severity := f.Severity.String()
	text = c.screen.Wrapped(words.Printable(text), indent, 3*indent)
	_, err := fmt.Fprintf(c.out, "  %s%s\n", c.screen.Paint(severityColors[f.Severity], severity), strings.TrimPrefix(text, severity))
	return err
}

// complain prints an error. The run continues with the other files.
func (c *checkRun) complain(err error) {
	c.talk.Fail(err)
	c.failed = true
}

func (c *checkRun) summary() {
	line := wording.Count(c.number, "file") + ", " + severities(c.counts)
	if c.skipped > 0 {
		line += fmt.Sprintf("; %s of unknown formats skipped", wording.Count(c.skipped, "file"))
	}
	if c.folded > 0 {
		line += fmt.Sprintf("; %s of the same kinds not shown: --every shows them", wording.Count(c.folded, "finding"))
	}
	_ = c.out.Flush()
	c.talk.Say("%s", line)
}

// allKinds returns all kinds of findings without duplicates.
func allKinds(a *Tool) []*check.Kind {
	all := format.CheckKinds()
	seen := make(map[string]bool)
	for _, f := range a.Formats {
		for _, k := range f.Kinds {
			if !seen[k.ID] {
				seen[k.ID] = true
				all = append(all, k)
			}
		}
	}
	return all
}

var errOneForm = errors.New("--json and --sarif cannot be combined")
