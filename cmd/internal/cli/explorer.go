package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/inconshreveable/mousetrap"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// mainArgs are the runs of the tool that its start stands for. That is one, as a rule.
// Started with the mouse on Windows, without arguments or with files that were dropped
// on it, the tool tells what it is or what they are, and what is wrong with them.
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

// startedByMouse reports whether there is nobody behind us who reads what we print
// once we have ended.
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
