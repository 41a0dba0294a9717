package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
)

// Verbs makes the verbs that a program adds to those of the tool.
type Added func(*Tool) []*cobra.Command

// Out returns the output for data.
func (a *Tool) Out() io.Writer { return a.out }

// PrintJSON prints a value as a line of JSON.
func (a *Tool) PrintJSON(value any) error {
	data, err := terminal.Compact(value)
	if err == nil {
		_, err = fmt.Fprintf(a.out, "%s\n", data)
	}
	return err
}

// Say prints a line that is neither an error nor data, unless --quiet is given.
func (a *Tool) Say(format string, args ...any) { a.talk.Say(format, args...) }

// Warn prints a warning about the file or other object that path names.
func (a *Tool) Warn(path, message string) { a.talk.Warn(path, message) }

// Miss reports data that could not be read. Each message is printed once. The tool then exits with 1.
func (a *Tool) Miss(path, message string) { a.talk.Miss(path, message) }

// Progress shows the progress of a long operation on a terminal; of is 0 if the total is unknown.
func (a *Tool) Progress(what string, done, of int) { a.talk.Progress(what, done, of) }

// Number returns a check of the number of arguments of a verb. If most is -1, there is no upper limit.
func Number(least, most int) cobra.PositionalArgs { return args(least, most) }

// Exit returns the error of a verb that has printed everything and ends with the given exit code, or nil for 0.
func Exit(code int) error {
	if code == exitFine {
		return nil
	}
	return exitError(code)
}

type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// exitCode returns the exit code of an error that Exit made.
func exitCode(err error) (code int, ok bool) {
	var e exitError
	ok = errors.As(err, &e)
	return int(e), ok
}

// Unconfined declares that a verb, with those below it, cannot work in the sandbox, and returns it.
func Unconfined(cmd *cobra.Command) *cobra.Command {
	for _, below := range cmd.Commands() {
		Unconfined(below)
	}
	return needs(cmd, needAll)
}

// Run is [Perform] with the games and verbs of the program.
func (a *Tool) Run(ctx context.Context, call Call) int {
	call.Games, call.More = a.Games, a.more
	return Perform(ctx, call)
}

// Reads lets the verbs that read files also read those of e.
func (a *Tool) Reads(e service.Elsewhere) { a.Elsewhere = e }

// Writes declares that a verb writes to the folder of its option -o, and returns the verb.
func Writes(cmd *cobra.Command) *cobra.Command { return needs(cmd, needOutput) }
