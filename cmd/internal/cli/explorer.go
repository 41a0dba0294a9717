package cli

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/inconshreveable/mousetrap"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// mainArgs returns what the tool was started for. If it was started with the mouse on Windows,
// it shows help, or in the browser the files and folders that were dropped on it.
func mainArgs(args []string, byMouse bool) (run []string, stay bool) {
	switch {
	case !byMouse:
		return args, false
	case len(args) == 0:
		return []string{"help"}, true
	case slices.ContainsFunc(args, func(name string) bool { return !isThere(name) }):
		return args, true // a shortcut that somebody made
	}
	return append([]string{"view", "--"}, args...), true
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
