package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// showsEscapes reports whether a terminal obeys escape sequences, which has to be
// turned on here.
func showsEscapes(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
