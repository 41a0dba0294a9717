package judge

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/tests"
)

// CProgram is a C program that answers requests during a test.
type CProgram struct {
	Path string
	In   io.WriteCloser
	Out  *bufio.Reader
}

// StartC builds a program from a C source and a library, such as "z", and starts it. It skips the test if this is not
// possible, unless judges are required.
func StartC(t testing.TB, source, library string) *CProgram {
	t.Helper()
	tests.Judges(t)
	cc, err := exec.LookPath("cc")
	if err != nil {
		tests.Missing(t, "judges", "there is no C compiler to compare with lib%s", library)
	}
	path := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command(cc, "-O2", "-o", path, source, "-l"+library).CombinedOutput(); err != nil {
		tests.Missing(t, "judges", "no program with lib%s can be built here: %v\n%s", library, err, out)
	}
	cmd := exec.Command(path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &CProgram{path, in, bufio.NewReader(out)}
}
