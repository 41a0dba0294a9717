// Package cli is the command-line tool: one file per verb, written over
// [trowel.example/format], knowing no game.
package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/work"
	"trowel.example/format"
)

// What the tool exits with.
const (
	exitFine   = 0
	exitFound  = 1 // findings, differences, or data that is missing or cannot be read
	exitFailed = 2 // usage or I/O
)

// errFound is returned by a verb that has done its work and found something.
var errFound = errors.New("found something")

// errQuiet is returned by a verb that failed and has already printed why.
var errQuiet = errors.New("failed")

// app is one run of the tool.
type app struct {
	games   format.Games
	formats format.Set // of all games
	in      io.Reader
	stdout  io.Writer
	out     *bufio.Writer // to stdout, or to the pager
	screen  screen
	pager   *pager // nil: none
	talk    *talk
	args    []string // as the user gave them
	more    []Verbs  // of the program, besides those of the tool

	pipes     *pipes          // that the user named
	call      *Call           // nil: it is the tool itself
	elsewhere Elsewhere       // nil: there is nothing elsewhere
	ctx       context.Context // of the run, for what is elsewhere
	performed bool            // the work of the verb was begun, or handed on
	lost      atomic.Int64    // what jobs reported as lost

	resume string                 // the folder for results of parts; "" for none
	stale  func(p work.Part) bool // whether a part is of files that have changed; nil: none is

	mu      sync.Mutex
	fitting map[string]bool // options that are for some file that was found in a folder
}

// Main runs the tool for the files of some games and returns its exit code. A program may have
// more verbs than the tool.
func Main(games format.Games, args []string, stdin io.Reader, stdout, stderr io.Writer, more ...Verbs) int {
	args, stay := mainArgs(args, startedByMouse())
	code := run(games, args, stdin, stdout, stderr, more...)
	if stay {
		waitForKey(stdin, stderr)
	}
	return code
}

func run(games format.Games, args []string, stdin io.Reader, stdout, stderr io.Writer, more ...Verbs) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once

	a := newApp(games, stdin, stdout, stderr)
	a.more = more
	if err := startedBy(version()); err != nil {
		a.talk.fail(err)
		return exitFailed
	}
	return a.run(ctx, args, stderr)
}

func newApp(games format.Games, stdin io.Reader, stdout, stderr io.Writer) *app {
	out := bufio.NewWriterSize(stdout, 1<<16)
	return &app{games: games, formats: games.Formats(), in: stdin, stdout: stdout, out: out, screen: newScreen(stdout), fitting: make(map[string]bool), talk: newTalk(stderr, out), pipes: new(pipes)}
}

func (a *app) run(ctx context.Context, args []string, stderr io.Writer) int {
	a.args, a.ctx = args, ctx
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetErr(stderr)
	err := a.catch(ctx, root)
	a.pipes.remove()
	a.talk.clear()
	flushed := a.out.Flush()
	if a.pager != nil {
		defer func() { _ = a.pager.end() }() // when all is said
	}
	if err == nil || errors.Is(err, errFound) && flushed != nil {
		err = flushed
	}
	switch {
	case errors.Is(err, ErrPart):
		return exitFine
	case err == nil && a.talk.losses() > 0:
		return exitFound
	case err == nil:
		return exitFine
	case errors.Is(err, errFound):
		return exitFound
	}
	if a.call != nil && a.call.Failed != nil {
		a.call.Failed(err)
	}
	if code, is := exitCode(err); is {
		return code
	}
	if !brokenPipe(err) && !errors.Is(err, errQuiet) {
		a.talk.fail(err)
	}
	if _, is := errors.AsType[lackingError](err); is {
		return exitFound
	}
	return exitFailed
}

// brokenPipe reports whether err says that nobody reads the output any more. `trowel ls x
// | head` ends like that, and it is not an error.
func brokenPipe(err error) bool {
	const windowsBrokenPipe, windowsNoData = syscall.Errno(109), syscall.Errno(232)
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		onWindows && (errors.Is(err, windowsBrokenPipe) || errors.Is(err, windowsNoData))
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "trowel FILE",
		Short: "Open data files of games as folders, and build them back",
		Long: `Trowel opens data files of games as folders of ordinary files, which a person
can read and edit with the tools they have, and builds the game file back.

  trowel FILE            tells what a file is
  trowel extract FILE    makes it a folder
  trowel pack FOLDER     makes the folder a file again

A folder that extract made can stand wherever a FILE is read, and - means
standard input or output. A file that is called like a verb is named with its
folder: ./check. "trowel formats" lists the formats that are known.

Exit codes: 0 fine; 1 findings, differences, or data that is missing or cannot be
read; 2 wrong usage or a failure.`,
		Example: `  trowel climb.map
  trowel extract climb.map && trowel pack climb -o new.map
  trowel check *.map`,
		Version:           version(),
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
	}
	root.PersistentFlags().BoolVarP(&a.talk.quiet, "quiet", "q", false, "say nothing but errors")
	info := a.infoCommand()
	root.Flags().AddFlagSet(info.Flags())
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		if err := isFileOrVerb(root, args[0]); err != nil {
			return err
		}
		return info.RunE(cmd, args)
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return a.flagError(root, cmd, err) })
	root.SetUsageFunc(a.usage)
	root.AddCommand(info, a.lsCommand(), a.catCommand(), a.extractCommand(), a.packCommand(), a.checkCommand(),
		a.searchCommand(), a.findCommand(), a.editCommand(), a.applyCommand(), a.mergeCommand(), a.gitCommand(), a.repairCommand(), a.backupCommand(), a.forgetCommand(), a.renderCommand(), a.viewCommand(),
		a.dumpCommand(), a.diffCommand(), a.convertCommand(), a.formatsCommand(), a.manCommand(root), a.versionCommand())
	if games := a.games.Hashing(); len(games) > 0 {
		root.AddCommand(a.hashCommand(games))
	}
	root.AddCommand(a.conversionVerbs()...)
	for _, g := range a.games {
		for _, p := range g.Programs {
			root.AddCommand(a.programCommand(p))
		}
	}
	for _, verbs := range a.more {
		root.AddCommand(verbs(&Tool{a})...)
	}
	if a.more == nil {
		root.AddCommand(a.secondCommands()...)
	}
	root.SetHelpCommand(a.helpCommand(root))
	root.SetOut(a.out) // completionCommand keeps it
	completionCommand(root)
	return root
}

// args makes the test for the number of arguments of a verb; a most of -1 means any number.
func args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least && len(args) == 0 && isFile(cmd.CalledAs()):
			return hint(errors.New("too few arguments: "+useLine(cmd)), "the file of that name is ./%s", cmd.CalledAs())
		case len(args) < least:
			return hint(errors.New("too few arguments: "+useLine(cmd)), "see `%s --help`", cmd.CommandPath())
		case most >= 0 && len(args) > most:
			return hint(errors.New("too many arguments: "+useLine(cmd)), "see `%s --help`", cmd.CommandPath())
		}
		return nil
	}
}
