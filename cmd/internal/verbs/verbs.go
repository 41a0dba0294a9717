// Package verbs is the command-line tool: what a person asks, each verb in its own file. Files are opened by package
// service, and answers printed by package terminal. It has no knowledge of specific games.
package verbs

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

// Exit codes of the tool.
const (
	exitFine   = 0
	exitFound  = 1 // findings, differences, missing or unreadable data
	exitFailed = 2 // usage or I/O error
)

// errFound is returned by a verb that completed and found something.
var errFound = errors.New("found something")

// errQuiet is returned by a verb that failed and has already printed the reason.
var errQuiet = errors.New("failed")

// Tool is what the verbs of a run share. Verbs of other packages use it, too, so that they behave like all other verbs:
// they print to Out and return errors.
type Tool struct {
	*service.Service
	stdout io.Writer
	out    *bufio.Writer // stdout or the pager
	screen terminal.Screen
	pager  *terminal.Pager // nil: no pager
	talk   *terminal.Talk
	bounds limits
	more   []Added     // verbs that the program adds to those of the tool
	failed func(error) // receives the error of a failed verb; may be nil
	main   bool        // it is the whole process, which may enter a sandbox
	inPage bool        // it works for a page, which has a button that undoes the last change
	settle func()      // gives up what is needed until the verb listens; nil: nothing
}

// Main runs the tool for the files of the given games and returns its exit code. The program may add verbs to
// those of the tool.
func Main(games format.Games, args []string, stdin io.Reader, stdout, stderr io.Writer, more ...Added) int {
	args, stay := mainArgs(args, terminal.StartedByMouse())
	code := run(games, args, stdin, stdout, stderr, more...)
	if stay {
		terminal.WaitForKey(stdin, stderr)
	}
	return code
}

func run(games format.Games, args []string, stdin io.Reader, stdout, stderr io.Writer, more ...Added) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program immediately

	a := newTool(games, stdin, stdout, stderr)
	a.more, a.main = more, confined.on
	if err := startedBy(service.Version()); err != nil {
		a.talk.Fail(err)
		return exitFailed
	}
	return a.run(ctx, args, stderr)
}

func newTool(games format.Games, stdin io.Reader, stdout, stderr io.Writer) *Tool {
	out := bufio.NewWriterSize(stdout, 1<<16)
	talk := terminal.NewTalk(stderr, out)
	talk.Advise = denied
	return &Tool{Service: service.New(games, stdin, talk, talk.Aliases), stdout: stdout, out: out,
		screen: terminal.NewScreen(stdout), talk: talk}
}

func (a *Tool) run(ctx context.Context, args []string, stderr io.Writer) int {
	a.Args = args
	root := rootCommand(a)
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetErr(stderr)
	err := catchPanic(a, ctx, root)
	a.Close()
	a.talk.Clear()
	flushed := a.out.Flush()
	if a.pager != nil {
		defer func() { _ = a.pager.End() }() // after all other output
	}
	if err == nil || errors.Is(err, errFound) && flushed != nil {
		err = flushed
	}
	switch {
	case errors.Is(err, service.ErrPart):
		return exitFine
	case err == nil && a.talk.Losses() > 0:
		return exitFound
	case err == nil:
		return exitFine
	case errors.Is(err, errFound):
		return exitFound
	}
	if a.failed != nil {
		a.failed(err)
	}
	if code, ok := exitCode(err); ok {
		return code
	}
	if !service.BrokenPipe(err) && !errors.Is(err, errQuiet) {
		a.talk.Fail(err)
	}
	if _, ok := errors.AsType[lackingError](err); ok {
		return exitFound
	}
	return exitFailed
}

func rootCommand(a *Tool) *cobra.Command {
	root := &cobra.Command{
		Use:   "trowel FILE",
		Short: "Open data files of games as folders, and build them back",
		Long: `Trowel opens data files of games as folders of ordinary files that a person can read and edit
with any tool, and builds the game file back.

  trowel FILE                       prints what a file is
  trowel view FILE                  shows the file in the browser
  trowel extract FILE               turns the file into a folder
  trowel pack FOLDER                builds the file from the folder
  trowel edit FILE -- OPERATION     changes the file ("trowel edit FILE --help" lists the operations)

Every verb that reads a FILE also accepts a folder that extract made. - means standard input or
output. A file that has the name of a verb is given with its folder: ./check. "trowel formats"
lists the supported formats.

Exit codes: 0 success; 1 findings, differences, or data that is missing or unreadable; 2 wrong
usage or failure.`,
		Example: `  trowel climb.map
  trowel extract climb.map && trowel pack climb -o new.map
  trowel check *.map`,
		Version:           service.Version(),
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
	}
	root.PersistentFlags().BoolVarP(&a.talk.Quiet, "quiet", "q", false, "print only errors and data")
	root.PersistentFlags().BoolP("help", "h", false, "print help: --help everything, -h a screenful")
	a.bounds.flags(root)
	root.Flags().BoolP("version", "v", false, "print the version")
	info := infoCommand(a)
	root.Flags().AddFlagSet(info.Flags())
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			shortHelp(a, cmd)
			return nil
		}
		if err := notVerb(a, root, args[0], args[1:]); err != nil {
			return err
		}
		return info.RunE(cmd, args)
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(a, root, cmd, err) })
	setHelp(a, root)
	root.AddCommand(info, lsCommand(a), catCommand(a), extractCommand(a), packCommand(a), checkCommand(a),
		searchCommand(a), findCommand(a), editCommand(a), applyCommand(a), mergeCommand(a), gitCommand(a), repairCommand(a), undoCommand(a),
		backupCommand(a), guardCommand(a), forgetCommand(a), renderCommand(a), viewCommand(a), siteCommand(a), lspCommand(a),
		dumpCommand(a), diffCommand(a), reviewCommand(a), convertCommand(a), formatsCommand(a),
		explainCommand(a), manCommand(a, root), versionCommand(a))
	if games := a.Games.Hashing(); len(games) > 0 {
		root.AddCommand(hashCommand(a, games))
	}
	root.AddCommand(conversionVerbs(a)...)
	root.AddCommand(newCommands(a)...)
	for _, g := range a.Games {
		if g.Codex != nil {
			root.AddCommand(codexCommand(a, g))
		}
		for _, p := range g.Programs {
			root.AddCommand(programCommand(a, p))
		}
	}
	for _, verbs := range a.more {
		root.AddCommand(verbs(a)...)
	}
	if a.more == nil {
		root.AddCommand(secondCommands(a)...)
	}
	root.SetHelpCommand(helpCommand(a, root))
	root.SetOut(a.out) // completionCommand stores it
	completionCommand(root)
	return root
}

// args returns a check of the number of arguments of a verb. If most is -1, there is no upper limit.
func args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least && len(args) == 0 && service.IsFile(cmd.CalledAs()):
			return wording.Hint(errors.New("too few arguments: "+useLine(cmd)), "the file of that name is ./%s", cmd.CalledAs())
		case len(args) < least:
			return wording.Hint(errors.New("too few arguments: "+useLine(cmd)), "see `%s --help`", cmd.CommandPath())
		case most >= 0 && len(args) > most:
			return wording.Hint(errors.New("too many arguments: "+useLine(cmd)), "see `%s --help`", cmd.CommandPath())
		}
		return nil
	}
}

// colorFlag adds the flag --color to a verb.
func colorFlag(a *Tool, cmd *cobra.Command) {
	a.screen.Color = "auto"
	cmd.Flags().Var(&a.screen.Color, "color", "use colors: `when` is always, never or auto (on a terminal, unless NO_COLOR is set)")
	a.Completes(cmd, "color", cobra.FixedCompletions([]string{"auto", "always", "never"},
		cobra.ShellCompDirectiveNoFileComp))
}

// startPager makes a verb print through a pager if the output is a terminal.
func startPager(a *Tool) {
	var by terminal.Outside
	if a.main && confined.helper != nil && confined.helper.Input != nil {
		by = outsidePager{confined.helper}
	}
	a.pager = terminal.StartPaging(a.stdout, a.out, &a.screen, a.talk, by)
}

const onWindows = runtime.GOOS == "windows"
