package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/check"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
)

func editCommands(f *format.Format) []*format.Command {
	if f.Editing == nil {
		return nil
	}
	return f.Editing.Commands
}

// editing is one run of edit.
type editing struct {
	*writing
	Output  string `option:"output,o" help:"the new {file}"`
	InPlace bool   `option:"in-place" help:"change the file itself"`
	Backup  string `option:"backup" help:"the {file} for the backup of --in-place (default: next to FILE)"`
	Expect  string `option:"expect" help:"change the file of --in-place only if its SHA-256 is {hash}"`
	Force   bool   `option:"force,f" help:"replace an existing file"`

	batch struct { // options of edit only
		Dir          string   `option:"out-dir" help:"the {folder} for the changed files, which keep their names"`
		AllowNothing bool     `option:"allow-nothing" help:"accept operations whose names are in none of the files"`
		Scripts      []string `option:"script,input" help:"read operations from a {file}, one on each line"`
	}
	elsewhere bool // accept names that are in another of the files
	words     []string
	own       *pflag.FlagSet // flags of the verb
}

func editCommand(a *Tool) *cobra.Command {
	e := &editing{writing: &writing{Tool: a, strict: true, first: []string{"changes"}}}
	cmd := &cobra.Command{
		Use:   "edit FILE... [-o NEW | --out-dir FOLDER | --in-place] -- OPERATION [then OPERATION...]",
		Short: "Change files by operations",
		Long: `Edit changes files by operations, one after the other, and reports each change. Parts that no
operation changes keep their bytes.

The changed file is NAME.edited next to FILE, the file of -o, or in the folder --out-dir. With
--in-place it replaces FILE, which is kept as a backup next to it:
"trowel undo FILE" restores it. With --dry-run nothing is written. The result
for a folder made by extract is a folder.

` + keepHelp + `

If a name in an operation (a node, an item, an image, a layer, a key) is in none of the files,
nothing is written, and the exit code is 1. --allow-nothing writes the files nevertheless, for
scripts.

An operation is a name with arguments and options; the word then separates two operations.
--script reads them from a file, one on each line. "trowel help OPERATION" explains an operation.

With --json it prints an array with one {file, format, output, dryRun, changes, made,
warnings, losses, error} for each FILE: changes is an array of {path, what, count, unit, at,
histogram},
made is an array of {path, size}, the others of {path, message}, and error is present only if
the edit failed; the file is unchanged then.`,
		Example: `  trowel edit climb.map -- info --author Ann
  trowel edit *.map --out-dir edited --script clean.txt
  trowel edit climb.map --dry-run -- info --author Ann then info --license CC0`,
		Args:              args(0, -1),
		ValidArgsFunction: completeCommands(a, editCommands, nil),
	}
	e.placeFlags(cmd)
	Bind(a, cmd, &e.batch)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) && isCommandOption(a.Formats, editCommands, unknown.GetSpecifiedName()) {
			return wording.Hint(optionError(cmd, err), "this is an option of operations, which follow --: `%s`", useLine(cmd))
		}
		return flagError(a, cmd.Root(), cmd, err)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var files []string
		if files = args; cmd.ArgsLenAtDash() >= 0 {
			files, e.words = args[:cmd.ArgsLenAtDash()], args[cmd.ArgsLenAtDash():]
		}
		if slices.Contains(e.words, "--help") {
			return helpAfterDash(a, cmd, files, e.words)
		}
		if err := e.notDashed(cmd, files); err != nil {
			return err
		}
		if err := e.agree(cmd, files); err != nil {
			return err
		}
		files = Expand(files)
		nowhere := e.lookForNames(cmd.Context(), files)
		if nowhere != nil && !e.AsJSON {
			return nowhere
		}
		from := make(map[string]string) // source file of each new file
		return e.each(cmd.Context(), files, func(name string, r *report) error {
			if nowhere != nil {
				return nowhere
			}
			return asLacking(e.edit(cmd.Context(), name, from, r))
		})
	}
	return needs(cmd, needOutput, needPlace)
}

// placeFlags adds the flags that choose where the output goes.
func (e *editing) placeFlags(cmd *cobra.Command) {
	e.own = cmd.Flags()
	OptionFlags(e.Tool, cmd, func(f *format.Format) []format.Option {
		if f.Editing == nil {
			return nil
		}
		return append(f.OptionsFor(0), f.Editing.Options...)
	}, e, &e.keep)
}

// agree returns an error if the options contradict each other.
func (e *editing) agree(cmd *cobra.Command, files []string) error {
	ways := 0
	for _, given := range []bool{e.Output != "", e.batch.Dir != "", e.InPlace} {
		if given {
			ways++
		}
	}
	switch {
	case len(files) == 0:
		return wording.Hint(errors.New("too few arguments: "+useLine(cmd)), "see `%s --help`", cmd.CommandPath())
	case len(e.words) == 0 && len(e.batch.Scripts) == 0:
		return wording.Hint(errors.New("no operation is given"), "write it after --: `%s %s -- OPERATION`", cmd.CommandPath(),
			words.Quoted(files...))
	case ways > 1:
		return errors.New("-o, --out-dir and --in-place cannot be combined")
	case e.Output != "" && len(files) > 1:
		return wording.Hint(errors.New("-o names one file, but several files are given"), "name a folder for all with --out-dir")
	case e.Backup != "" && (!e.InPlace || len(files) > 1):
		return errors.New("--backup requires --in-place and one file")
	}
	if e.Expect != "" && (!e.InPlace || len(files) > 1) {
		return errors.New("--expect requires --in-place and one file")
	}
	return nil
}

// steps returns the steps for a file: the lines of the scripts, then the words of the command line.
func (e *editing) steps(ctx context.Context, job *format.Job, f *format.Format) ([]format.Step, error) {
	var steps []format.Step
	for _, script := range e.batch.Scripts {
		text, err := readScript(script, e.Tool)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
			words, err := splitWords(line)
			if err == nil && len(words) == 0 {
				continue
			}
			if err == nil {
				var more []format.Step
				more, err = format.ParseSteps(job, f.Editing.Commands, words)
				steps = append(steps, more...)
			}
			if err != nil {
				return nil, e.unknown(f, fmt.Errorf("%s:%d: %w", script, i+1, err))
			}
		}
	}
	if len(e.words) == 0 {
		if len(steps) == 0 {
			return nil, errors.New("the script has no operation")
		}
		return steps, e.StepInputs(ctx, steps)
	}
	more, err := format.ParseSteps(job, f.Editing.Commands, e.words)
	if err != nil {
		lacks, ok := errors.AsType[*format.OptionError](err)
		if ok && slices.Contains(e.words, "--"+lacks.Name) && e.own.Lookup(lacks.Name) != nil {
			return nil, wording.Hint(err, "write --%s before the --", lacks.Name)
		}
		return nil, e.unknown(f, err)
	}
	steps = append(steps, more...)
	return steps, e.StepInputs(ctx, steps)
}

// notDashed returns an error if the name of an operation is given in place of a file: the user probably left
// out the --.
func (e *editing) notDashed(cmd *cobra.Command, files []string) error {
	names := commandNames(e.Formats, editCommands)
	for i, name := range files {
		if i > 0 && slices.Contains(names, name) && !service.Exists(name) {
			return wording.Hint(fmt.Errorf("%s: no such file", name), "write -- before the operation: `%s %s -- %s`",
				cmd.CommandPath(), words.Quoted(files[:i]...), words.Quoted(files[i:]...))
		}
	}
	return nil
}

// unknown adds to an error about an unknown operation the operation that was probably meant.
func (e *editing) unknown(f *format.Format, err error) error {
	if lacks, ok := errors.AsType[*format.OptionError](err); ok {
		return wrongOption(e.Tool, err, lacks, "edit")
	}
	command, ok := errors.AsType[*format.CommandError](err)
	if !ok {
		return err
	}
	if err := GoneError(command.Name); err != nil {
		return err
	}
	switch word := strings.ToLower(command.Name); {
	case slices.Contains(commandNames(e.Formats, editCommands), word):
		if like := wording.LikeCommands(word, editCommands(f)); len(like) == 1 {
			return wording.Hint(err, "the operation is for another format; did you mean %s?", like[0])
		}
		return wording.Hint(err, "the operation is for another format")
	case otherVerbs[word] == "undo" || word == "undo":
		return wording.Hint(err, "`trowel undo FILE` undoes the newest change in place")
	}
	return wording.CommandHint(err, command.Name, editCommands(f), "`trowel edit --help` lists the operations")
}

// wrongOption explains an option that an operation or query of a verb does not have.
func wrongOption(a *Tool, err error, lacks *format.OptionError, verb string) error {
	commands := []*format.Command{lacks.Command}
	for _, f := range a.Formats { // several formats may have an operation or query of this name
		commands = append(commands, verbCommands[verb](f)...)
	}
	var names []string
	for _, c := range commands {
		for _, o := range c.Options {
			if c.Name == lacks.Command.Name {
				names = append(names, "--"+o.Name)
			}
		}
	}
	if known := otherName(lacks.Name, names); known != "" {
		return wording.Hint(err, "did you mean %s?", known)
	}
	return wording.DidYouMean(err, "--"+lacks.Name, names, "see `trowel help %s %s`", verb, lacks.Command.Name)
}

func readScript(name string, a *Tool) (string, error) {
	if name == "-" {
		data, err := regular.ReadAll(a.In, "standard input", 4096, effort.ScriptFile)
		return string(data), err
	}
	data, err := regular.ReadFile(name, effort.ScriptFile)
	return string(data), err
}

// fileEdit is the change of one file.
type fileEdit struct {
	*editing
	report  *report
	game    *service.File
	job     *format.Job
	steps   []format.Step
	options output.Options
	changes int
}

// edit applies the steps to one file. from has the source file of each new file.
func (e *editing) edit(ctx context.Context, name string, from map[string]string, r *report) error {
	if e.InPlace && !e.DryRun {
		var err error
		if r.held, err = e.Hold(ctx, name); err != nil {
			return err
		}
		defer r.held.Release()
	}
	g, err := e.FindTarget(ctx, e.asTarget(name))
	if err != nil {
		return err
	}
	defer g.Close()
	if g.Editing == nil {
		return wording.Hint(fmt.Errorf("%s: no operations exist for a %s", g.Called, g.Title), "`trowel edit --help` lists all operations")
	}
	if err := e.Owned(g.Format, g.Editing.Options...); err != nil {
		return err
	}
	if err := e.asExpected(g); err != nil {
		return err
	}
	r.format = g.Name
	f := &fileEdit{editing: e, report: r, game: g, job: r.watch(e.Job(g.Format, g.Editing.Options...))}
	if f.steps, err = e.steps(ctx, f.job, g.Format); err != nil {
		return err
	}
	e.decideLacks(f.steps, g.Called, f.job)
	f.options = e.WriteOptions(ctx, e.Force, g.Format, f.job, nil, filepath.Ext(g.Source.Name),
		func() []string { return append(g.Reads(), inputsOf(f.steps)...) })
	outcome := "nothing was written"
	switch {
	case e.DryRun:
		err = wording.Named(f.apply(ctx, nil), g.Called)
	case e.InPlace:
		outcome, err = f.replace(ctx)
	default:
		outcome, err = f.write(ctx, from)
	}
	if err != nil {
		return err
	}
	_ = e.Tool.out.Flush()
	e.talk.Say("%s: %s: %s", g.Called, wording.Count(f.changes, "change"), outcome)
	return nil
}

// apply applies the steps and prints the changes.
func (f *fileEdit) apply(ctx context.Context, out format.Output) error {
	return editFile(ctx, f.game, f.job, f.steps, out, f.change)
}

// change counts and prints a change.
func (f *fileEdit) change(c check.Change) error {
	if c.Histogram == nil {
		f.changes++
	}
	if f.report.AsJSON {
		return f.report.item("changes", c)
	}
	if f.Output == "-" { // standard output receives the file
		f.talk.Say("%s", c.String())
		return nil
	}
	if f.talk.Quiet && !f.DryRun {
		return nil
	}
	f.talk.Clear()
	_, err := fmt.Fprintln(f.Tool.out, f.screen.Wrapped(words.Printable(c.String()), 0, 4))
	if len(c.Histogram) == 1 { // the text of the change states the only value
		return err
	}
	return cmp.Or(err, f.bars(c.Histogram))
}

// bars prints a histogram.
func (f *fileEdit) bars(bins []check.Bin) error {
	const widest = 40
	most := int64(1)
	labels, width := make([]string, len(bins)), 0
	for i, b := range bins {
		if labels[i] = fmt.Sprintf("%.6g", b.From); b.To != b.From {
			labels[i] += fmt.Sprintf(" to %.6g", b.To)
		}
		most, width = max(most, b.Count), max(width, len(labels[i]))
	}
	for i, b := range bins {
		bar := strings.Repeat("#", int((b.Count*widest+most-1)/most))
		if _, err := fmt.Fprintf(f.Tool.out, "  %*s  %-*s %s\n", width, labels[i], widest, bar, words.Thousands(b.Count)); err != nil {
			return err
		}
	}
	return nil
}

// replace changes the file in place and returns what was done.
func (f *fileEdit) replace(ctx context.Context) (string, error) {
	f.report.output = f.game.Called
	kept, err := f.changeInPlace(ctx)
	switch {
	case err != nil && kept != "": // part of the change may be done
		return "", wording.Hint(wording.Named(err, f.game.Called), "%s", undoing(f.game.Called, kept))
	case err != nil:
		return "", wording.Named(err, f.game.Called)
	case kept == "":
		return "the file is unchanged", nil
	case f.Tool.inPage:
		return "the backup is " + kept, nil
	}
	return undoing(f.game.Called, kept), nil
}

// write writes the changed file under another name and returns what was done.
func (f *fileEdit) write(ctx context.Context, from map[string]string) (string, error) {
	g := f.game
	made, err := f.target(g)
	if err != nil {
		return "", err
	}
	if other, twice := from[made]; twice {
		return "", wording.Hint(fmt.Errorf("%s: the output would be %s, as for %s", f.report.file, made, other),
			"edit one of them separately, with another -o")
	}
	from[made] = f.report.file
	if f.batch.Dir != "" {
		if err := wholefile.MkdirAll(f.batch.Dir, 0o777); err != nil {
			return "", err
		}
	}
	isFile := made == "-" || slices.ContainsFunc(g.Extensions,
		func(ext string) bool { _, has := service.CutSuffixFold(made, ext); return has })
	switch {
	case g.Tree != nil && isFile:
		return "", wording.Hint(fmt.Errorf("%s: the result is a folder, but %s is the name of a file", g.Called, made),
			"run `trowel pack %s` and edit the file", words.Quoted(g.Called, "-o", made))
	case g.Tree != nil:
		f.options.Replaces = nil
		err = f.report.write(ctx, made, f.options, func(out format.Output) error { return f.apply(ctx, out) })
	case g.Built != nil && !isFile:
		err = f.writeTree(ctx, made)
	default:
		if err := f.MayBeCalled(made, g.Format, filepath.Ext(g.Source.Name), true); err != nil {
			return "", err
		}
		write := f.report.write
		if g.Editing.Resumes {
			if f.Force {
				return "", wording.Hint(fmt.Errorf("%s: a copy of a %s never replaces an existing one", g.Called, g.Title),
					"without -f it continues where an earlier run stopped")
			}
			write = f.report.resume
		}
		err = write(ctx, made, f.options, func(out format.Output) error { return f.apply(ctx, out) })
	}
	if made == "-" {
		made = "to standard output"
	}
	return "wrote " + made, wording.Named(err, g.Called)
}

// asTarget returns the target for a name. A folder whose format edits trees is not built.
func (e *editing) asTarget(name string) service.Target {
	return service.Target{Name: name, AsTree: func(f *format.Format) bool { return f.Editing != nil && f.Editing.Tree != nil }}
}

// inputsOf returns the paths that the steps read.
func inputsOf(steps []format.Step) []string {
	var list []string
	for _, s := range steps {
		for _, o := range append(s.Args[:len(s.Args):len(s.Args)], s.Options...) {
			if o.Input {
				list = append(list, o.Values(s.Job)...)
			}
		}
	}
	return list
}

// target returns the name of the changed file.
func (e *editing) target(g *service.File) (string, error) {
	name := g.Source.Name
	if g.Built != nil {
		name = filepath.Base(filepath.Clean(g.Called)) // a tree becomes a tree
	}
	switch {
	case e.Output != "":
		return e.Output, nil
	case name == "-":
		return "", wording.Hint(errors.New("no name given for the changed file"), "give it with -o, or -o - for standard output")
	case e.batch.Dir != "":
		return filepath.Join(e.batch.Dir, name), nil
	}
	ext := ""
	for _, known := range g.Extensions {
		if stem, has := service.CutSuffixFold(name, known); has && stem != "" && !g.Folder && g.Built == nil {
			ext = name[len(stem):]
			break
		}
	}
	return filepath.Join(filepath.Dir(filepath.Clean(g.Called)), strings.TrimSuffix(name, ext)+".edited"+ext), nil
}

// writeTree edits a file that was built from a tree and writes the result as a tree, with the names of the
// original tree.
func (f *fileEdit) writeTree(ctx context.Context, made string) error {
	g := f.game
	edited, err := f.Scratch(g.Format, g.Source.Name, g.Called, func(out format.Output) error { return f.apply(ctx, out) })
	if err != nil {
		return err
	}
	defer edited.Close()
	names, closer, err := f.OpenFolder(g.Called)
	if err != nil {
		return err
	}
	defer closer.Close()
	f.report.output = filepath.Clean(made)
	chosen, err := selectPaths(nil)
	if err != nil {
		return err
	}
	x := &extraction{Tool: f.Tool, report: f.report, file: g.Called, chosen: chosen, like: names}
	f.options.Replaces = nil
	return x.extract(ctx, made, edited, f.options)
}

// splitWords splits a line of a script into words as a shell does: at blanks outside of quotes. A comment
// begins with #.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	inWord, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\r':
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		case r == '#' && !inWord:
			return words, nil
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("missing closing quote")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// editFile applies the steps to the file or its tree.
func editFile(ctx context.Context, g *service.File, job *format.Job, steps []format.Step, out format.Output,
	change func(check.Change) error) error {
	if g.Tree != nil {
		return g.Editing.Tree(ctx, job, g.Tree, steps, out, change)
	}
	return g.Editing.Edit(ctx, job, g.Source, steps, out, change)
}
