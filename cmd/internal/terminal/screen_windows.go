package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// showsEscapes reports whether a terminal supports escape sequences. On Windows, it also enables them.
func showsEscapes(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
