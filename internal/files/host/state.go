package host

import (
	"path/filepath"
	"runtime"
)

// StateFolder returns the folder in which programs keep their state for the user, "" if there is none: $XDG_STATE_HOME
// or .local/state in the home folder, on Windows %LocalAppData%, on macOS Library/Application Support.
func StateFolder() string { return stateFolder(runtime.GOOS, Env, HomeFolder()) }

func stateFolder(system string, env func(string) string, home string) string {
	if system == "windows" {
		return env("LocalAppData")
	}
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) && system != "darwin" {
		return dir
	}
	switch {
	case home == "":
		return ""
	case system == "darwin":
		return filepath.Join(home, "Library", "Application Support")
	}
	return filepath.Join(home, ".local", "state")
}
