package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"trowel.example/cmd/internal/sandbox"
	"trowel.example/internal/testing/breakout"
	"trowel.example/internal/testing/judge"
)

func init() { asProgram = func() { sandbox.Entered = breakout.Prepare() } }

// TestBreakOut lets a census, and the processes of a worker's parts, try to leave their sandbox.
func TestBreakOut(t *testing.T) {
	if s := sandbox.Supported(); s.Landlock < sandbox.LeastLandlock || !s.Seccomp {
		t.Skipf("this system has no sandbox: %+v", s)
	}
	dir, temp := t.TempDir(), t.TempDir()
	target := breakout.Outside(t, t.TempDir())
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), envProgram+"=1", "TMPDIR="+temp, target.Setting())
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			t.Errorf("%q: %v\n%s", args, err, &out)
		}
		return out.String()
	}
	none := func(what, messages string) {
		t.Helper()
		counts := breakout.Counts(messages)
		if counts == nil {
			t.Errorf("%s: not in a sandbox\n%s", what, messages)
		}
		for name, n := range counts {
			if n > 0 {
				t.Errorf("%s: %d of %d attempts to %s succeed", what, n, breakout.Most(name), name)
			}
		}
	}
	name, results := filepath.Join(dir, "burrow.map"), filepath.Join(dir, "results")
	none("pack", run("pack", "-q", "../../samples/burrow", "-o", name))
	none("census", run("census", "-q", name, "-o", filepath.Join(dir, "tables")))
	if err := os.Mkdir(results, 0o777); err != nil {
		t.Fatal(err)
	}
	target.Report = results
	run("worker", "--part", "0/1", "--results", results, "check", name)
	reports, _ := filepath.Glob(filepath.Join(results, "breakout-*"))
	if len(reports) < 2 { // one that splits the work, and one for its part
		t.Errorf("%d processes have tried", len(reports))
	}
	for _, report := range reports {
		data := judge.Read(t, report)
		none("a part", string(data))
	}
}
