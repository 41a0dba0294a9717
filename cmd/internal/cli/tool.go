package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

// Tool gives the verbs of other packages access to the tool, so that they behave like all other verbs: they
// print to Out and return errors.
type Tool struct{ a *app }

// Verbs makes the verbs that a program adds to those of the tool.
type Verbs func(*Tool) []*cobra.Command

// Games returns the games whose files the tool opens.
func (t *Tool) Games() format.Games { return t.a.Games }

// Out returns the output for data.
func (t *Tool) Out() io.Writer { return t.a.out }

// Say prints a line that is neither an error nor data, unless --quiet is given.
func (t *Tool) Say(format string, args ...any) { t.a.talk.Say(format, args...) }

// Warn prints a warning about the file or other object that path names.
func (t *Tool) Warn(path, message string) { t.a.talk.Warn(path, message) }

// Miss reports data that could not be read. Each message is printed once. The tool then exits with 1.
func (t *Tool) Miss(path, message string) { t.a.talk.Miss(path, message) }

// Progress shows the progress of a long operation on a terminal; of is 0 if the total is unknown.
func (t *Tool) Progress(what string, done, of int) { t.a.talk.Progress(what, done, of) }

// Hint adds advice for the user to an error.
func Hint(err error, format string, args ...any) error { return wording.Hint(err, format, args...) }

// Number returns a check of the number of arguments of a verb. If most is -1, there is no upper limit.
func Number(least, most int) cobra.PositionalArgs { return args(least, most) }

// Plural returns a count with its unit: "1 file", "2 files".
func Plural(n int, one string) string { return wording.Count(n, one) }

// Version returns the version of the tool and the commit it was built from.
func Version() string { return service.Program() }

// ErrFound is returned by a verb that completed and found something.
var ErrFound = errFound

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
func exitCode(err error) (code int, is bool) {
	var e exitError
	is = errors.As(err, &e)
	return int(e), is
}

// Run is [Perform] with the games and verbs of the program.
func (t *Tool) Run(ctx context.Context, call Call) int {
	call.Games, call.More = t.a.Games, t.a.more
	return Perform(ctx, call)
}

// Reads lets the verbs that read files also read those of e.
func (t *Tool) Reads(e service.Elsewhere) { t.a.Elsewhere = e }
