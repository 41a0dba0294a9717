package host

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/term"
)

// enter reads a secret from the terminal, also if other data is on standard input. The terminal does not show it.
func enter(what string) (string, error) {
	name := "/dev/tty"
	if runtime.GOOS == "windows" {
		name = "CONIN$"
	}
	tty, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer tty.Close()
	fmt.Fprintf(os.Stderr, "trowel: %s: ", what)
	text, err := term.ReadPassword(int(tty.Fd()))
	fmt.Fprintln(os.Stderr)
	return string(text), err
}
