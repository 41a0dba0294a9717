package verbs

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/judge"
)

// TestKillBackup tests that a backup killed at any call that changes the disk leaves only complete snapshots in
// the repository, and that the next backup succeeds.
func TestKillBackup(t *testing.T) {
	trowel, dir := toBeKilled(t), t.TempDir()
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	run := func(line string) (string, error) {
		cmd := exec.Command("sh", "-ec", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(trowel)+":"+os.Getenv("PATH"), "GOMAXPROCS=2")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(line string) {
		t.Helper()
		if out, err := run(line); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	must("trowel pack -q " + samples + "/hollow -o w; trowel backup -q w first; trowel edit -q w --in-place --backup " +
		"undo.zip -- set default:dirt --area 0,0,0:9,9,9; trowel manifest -q w -o now")
	kills := 0
	for _, call := range deadly {
		for at := 1; ; at += 1 + at/10 {
			must("rm -rf repo back m; cp -a first repo")
			cmd := exec.Command(trowel, "backup", "-q", "w", "repo")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
			if !judge.Killed(t, cmd, call, at) {
				break // the call occurs less often
			}
			kills++
			if out, err := run("trowel check repo && trowel restore -q repo -o back"); err != nil {
				t.Errorf("killed at %s %d: %v\n%s", call, at, err, out)
			}
			must("rm -rf back; trowel backup -q w repo; trowel check -q repo; trowel restore -q repo -o back; trowel " +
				"manifest -q back -o m; cmp m now")
			if left, _ := filepath.Glob(filepath.Join(dir, "repo", "*", ".*")); len(left) > 0 {
				t.Errorf("killed at %s %d: left: %v", call, at, left)
			}
		}
	}
	t.Logf("%d kills", kills)
	if kills < 20 {
		t.Errorf("only %d kills", kills)
	}
}
