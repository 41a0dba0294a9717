package terminal

import (
	"fmt"
	"io"
	"os"

	"github.com/inconshreveable/mousetrap"
	"golang.org/x/term"
)

// StartedByMouse reports whether the program was started from the Explorer, whose window closes with all output
// when the program ends.
func StartedByMouse() bool { return mousetrap.StartedByExplorer() }

// WaitForKey keeps the window open until the user presses a key.
func WaitForKey(stdin io.Reader, stderr io.Writer) {
	fmt.Fprint(stderr, "\nPress a key to close this window.")
	if f, ok := stdin.(*os.File); ok {
		if old, err := term.MakeRaw(int(f.Fd())); err == nil {
			defer func() { _ = term.Restore(int(f.Fd()), old) }()
		}
	}
	_, _ = stdin.Read(make([]byte, 1))
}
