//go:build !linux || !(amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package verbs

import (
	"context"
	"errors"
	"runtime"

	"trowel.example/cmd/internal/wording"
)

func (m *mounting) mount(_ context.Context, file, _ string) error {
	return wording.Hint(errors.New("mount works on Linux with 64 bits only, not on "+runtime.GOOS+"/"+runtime.GOARCH),
		"`trowel extract %s` makes a folder of the file", wording.Quoted(file))
}

// mountedAt returns what is mounted at a folder: nothing, on this system.
func mountedAt(string) (file string, alive, ok bool) { return "", false, false }

func freeing(string) string { return "" }
