package judge

import (
	"os/exec"
	"testing"

	"trowel.example/internal/testing/tests"
)

// Neovim returns the path of Neovim. It skips the test if the program is not installed, unless judges are required.
func Neovim(t testing.TB) string {
	t.Helper()
	tests.Judges(t)
	path, err := exec.LookPath("nvim")
	if err != nil {
		tests.Missing(t, "judges", "no Neovim here: on Debian, it is the package neovim")
	}
	return path
}
