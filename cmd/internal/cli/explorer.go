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

// mainArgs returns the arguments of the tool. If the tool was started from the Windows Explorer, it shows its
// help, or opens the dropped files and folders in the browser.
func mainArgs(args []string, byMouse bool) (run []string, stay bool) {
	switch {
	case !byMouse:
		return args, false
	case len(args) == 0:
		return []string{"help"}, true
	case slices.ContainsFunc(args, func(name string) bool { return !isThere(name) }):
		return args, true // started from a shortcut with arguments
	}
	return append([]string{"view", "--"}, args...), true
}

func init() { cobra.MousetrapHelpText = "" } // cobra would refuse to run

// startedByMouse reports whether the program was started from the Explorer, whose window closes with all output
// when the program ends.
func startedByMouse() bool { return mousetrap.StartedByExplorer() }

// waitForKey keeps the window open until the user presses a key.
func waitForKey(stdin io.Reader, stderr io.Writer) {
	fmt.Fprint(stderr, "\nPress a key to close this window.")
	if f, ok := stdin.(*os.File); ok {
		if old, err := term.MakeRaw(int(f.Fd())); err == nil {
			defer func() { _ = term.Restore(int(f.Fd()), old) }()
		}
	}
	_, _ = stdin.Read(make([]byte, 1))
}
