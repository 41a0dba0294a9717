//go:build !windows

package cli

import "os"

// showsEscapes reports whether a terminal obeys escape sequences.
func showsEscapes(*os.File) bool { return os.Getenv("TERM") != "" }
