//go:build !linux

package verbs

import (
	"context"
	"errors"
	"runtime"

	"trowel.example/cmd/internal/wording"
)

func (m *mounting) mount(_ context.Context, file, _ string) error {
	return wording.Hint(errors.New("mount works on Linux only, not on "+runtime.GOOS), "`trowel extract %s` makes a folder of the file",
		wording.Quoted(file))
}

// mountedAt returns what is mounted at a folder: nothing, on this system.
func mountedAt(string) (file string, alive, ok bool) { return "", false, false }

func freeing(string) string { return "" }
