package judge

import (
	"cmp"
	"os"
	"os/exec"
	"testing"

	"trowel.example/internal/testing/tests"
)

// Python returns the path of a Python with a module, such as "duckdb": the one that TROWEL_PYTHON names, or the one in
// PATH. It skips the test if there is none, unless judges are required.
func Python(t testing.TB, module string) string {
	t.Helper()
	tests.Judges(t)
	path, err := exec.LookPath(cmp.Or(os.Getenv("TROWEL_PYTHON"), "python3"))
	if err == nil {
		err = exec.Command(path, "-c", "import "+module).Run()
	}
	if err != nil {
		tests.Missing(t, "judges", "no Python here that has %s: .ci/run lists what to install from PyPI", module)
	}
	return path
}
