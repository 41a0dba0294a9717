//go:build !windows

package terminal

import (
	"os"

	"trowel.example/internal/files/host"
)

// showsEscapes reports whether a terminal supports escape sequences.
func showsEscapes(*os.File) bool { return host.Env("TERM") != "" }
