package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trowel.example/format"
)

// Tool is what verbs that another package adds have of the tool, so that they behave as all
// others do: they print to Out and return errors.
type Tool struct{ a *app }

// Verbs makes the verbs that a program adds to those of the tool.
type Verbs func(*Tool) []*cobra.Command

// Games are those whose files the tool opens.
func (t *Tool) Games() format.Games { return t.a.games }

// Out is for data.
func (t *Tool) Out() io.Writer { return t.a.out }

// Say tells the user, in a line, something that is neither an error nor data, unless --quiet was
// given.
func (t *Tool) Say(format string, args ...any) { t.a.talk.say(format, args...) }

// Warn warns the user about a file, or whatever else path names.
func (t *Tool) Warn(path, message string) { t.a.talk.warn(path, message) }

// Miss tells the user, once, what could not be had. The tool then exits with 1.
func (t *Tool) Miss(path, message string) { t.a.talk.miss(path, message) }

// Progress shows on a terminal how far something is that takes long; of is 0 where the end is not
// known.
func (t *Tool) Progress(what string, done, of int) { t.a.talk.progress(what, done, of) }

// Hint gives an error advice for the user.
func Hint(err error, format string, args ...any) error { return hint(err, format, args...) }

// Number makes the test for the number of arguments of a verb; a most of -1 means any number.
func Number(least, most int) cobra.PositionalArgs { return args(least, most) }

// Plural counts things: "1 file", "2 files".
func Plural(n int, one string) string { return plural(n, one) }

// Version is that of the tool, with the commit that it was built from.
func Version() string { return program() }

// ErrFound is returned by a verb that has done its work and found something.
var ErrFound = errFound

// Exit makes the error of a verb that has said all and ends with a code, or nil for 0.
func Exit(code int) error {
	if code == exitFine {
		return nil
	}
	return exitError(code)
}

type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// exitCode returns the code of an error of Exit.
func exitCode(err error) (code int, is bool) {
	var e exitError
	is = errors.As(err, &e)
	return int(e), is
}

// Run is [Perform] for the games and verbs of the program.
func (t *Tool) Run(ctx context.Context, call Call) int {
	call.Games, call.More = t.a.games, t.a.more
	return Perform(ctx, call)
}
