package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/inconshreveable/mousetrap"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// mainArgs returns the runs that the tool was started for: as a rule, one. If it was started
// with the mouse on Windows, it shows help, or for files that were dropped on it what they
// are and what is wrong with them.
func mainArgs(args []string, byMouse bool) (runs [][]string, stay bool) {
	if !byMouse {
		return [][]string{args}, false
	}
	for _, name := range args {
		if !isThere(name) {
			return [][]string{args}, true // a shortcut that somebody made
		}
	}
	if len(args) == 0 {
		return [][]string{{"help"}}, true
	}
	return [][]string{append([]string{"info", "--"}, args...), append([]string{"check", "--"}, args...)}, true
}

func init() { cobra.MousetrapHelpText = "" } // cobra's own answer is to do nothing

// startedByMouse reports whether the window closes, with all that was printed, when the
// program ends.
func startedByMouse() bool { return mousetrap.StartedByExplorer() }

// waitForKey keeps the window open until the user has read it.
func waitForKey(stdin io.Reader, stderr io.Writer) {
	fmt.Fprint(stderr, "\nPress a key to close this window.")
	if f, ok := stdin.(*os.File); ok {
		if old, err := term.MakeRaw(int(f.Fd())); err == nil {
			defer func() { _ = term.Restore(int(f.Fd()), old) }()
		}
	}
	_, _ = stdin.Read(make([]byte, 1))
}
