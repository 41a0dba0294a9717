package verbs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/judge"
)

// killing runs the program in a folder, and kills it.
type killing struct {
	t           *testing.T
	trowel, dir string
	samples     string
}

func newKilling(t *testing.T) *killing {
	t.Helper()
	k := &killing{t: t, trowel: toBeKilled(t), dir: t.TempDir()}
	var err error
	if k.samples, err = filepath.Abs("../../../samples"); err != nil {
		t.Fatal(err)
	}
	return k
}

// run runs a line of the shell in which trowel is the program.
func (k *killing) run(line string) (string, error) {
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir = k.dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(k.trowel)+":"+os.Getenv("PATH"), "GOMAXPROCS=2")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (k *killing) must(line string) {
	k.t.Helper()
	if out, err := k.run(line); err != nil {
		k.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// each kills the program with some arguments at every call that changes the disk: before is a line of the shell that
// prepares each run, after is called with the place of the kill.
func (k *killing) each(before string, args []string, after func(at string)) {
	k.t.Helper()
	kills := 0
	for _, call := range deadly {
		// The calls of each thread are counted, and they are distributed over the threads by chance: more on a busy machine.
		for at, misses := 1, 0; misses < 3; {
			k.must(before)
			cmd := exec.Command(k.trowel, args...)
			cmd.Dir = k.dir
			cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
			if !judge.Killed(k.t, cmd, call, at) {
				misses++
				continue
			}
			kills++
			after(fmt.Sprintf("%s %d", call, at))
			at += 1 + at/10
		}
	}
	k.t.Logf("%d kills", kills)
	if kills < 20 {
		k.t.Errorf("only %d kills", kills)
	}
}

// TestKillBackup tests that a backup killed at any call that changes the disk leaves only complete snapshots in
// the repository, and that the next backup succeeds.
func TestKillBackup(t *testing.T) {
	k := newKilling(t)
	k.must("trowel pack -q " + k.samples + "/hollow -o w; trowel backup -q w first; trowel edit -q w --in-place --backup " +
		"undo.zip -- set default:dirt --area 0,0,0:9,9,9; trowel manifest -q w -o now")
	k.each("rm -rf repo back m; cp -a first repo", []string{"backup", "-q", "w", "repo"}, func(at string) {
		if out, err := k.run("trowel check repo && trowel restore -q repo -o back"); err != nil {
			t.Errorf("killed at %s: %v\n%s", at, err, out)
		}
		k.must("rm -rf back; trowel backup -q w repo; trowel check -q repo; trowel restore -q repo -o back; trowel " +
			"manifest -q back -o m; cmp m now")
		if left, _ := filepath.Glob(filepath.Join(k.dir, "repo", "*", ".*")); len(left) > 0 {
			t.Errorf("killed at %s: left: %v", at, left)
		}
	})
}

// TestKillPrune tests that a prune that is killed at any call that changes the disk leaves each snapshot complete, and that the
// next one leaves nothing that no snapshot needs.
func TestKillPrune(t *testing.T) {
	k := newKilling(t)
	k.must("trowel pack -q " + k.samples + "/hollow -o w; for i in $(seq 24); do head -c 30000 /dev/urandom > w/notes; " +
		"head -c 9000 /dev/urandom > w/n$i; trowel backup -q w first; done; head -c 30000 /dev/urandom > w/notes; trowel edit -q w " +
		"--in-place --backup undo.zip -- set default:dirt --area 0,0,0:90,90,90; trowel backup -q w first; trowel manifest -q w -o " +
		"now; trowel forget -q first --keep-last 1")
	k.each("rm -rf repo back m; cp -a first repo", []string{"forget", "-q", "repo", "--prune", "--repack", "1G"}, func(at string) {
		if out, err := k.run("trowel check -q repo && trowel restore -q repo -o back; trowel manifest -q back -o m; cmp m now; cmp " +
			"back/notes w/notes"); err != nil {
			t.Errorf("killed at %s: %v\n%s", at, err, out)
		}
		k.must("rm -rf back m; trowel forget -q repo --prune --repack 1G; trowel check repo; trowel restore -q repo -o back; trowel " +
			"manifest -q back -o m; cmp m now")
		if left, _ := filepath.Glob(filepath.Join(k.dir, "repo", "*", ".*")); len(left) > 0 {
			t.Errorf("killed at %s: left: %v", at, left)
		}
	})
}

// TestKillInto tests that a region that is put back, when the run is killed at any call that changes the disk, is
// completely old or completely new, and that the next run puts it back.
func TestKillInto(t *testing.T) {
	k := newKilling(t)
	k.must("trowel pack -q " + k.samples + "/hollow -o w; trowel backup -q w repo; trowel edit -q w --in-place " +
		"--backup undo.zip -- set default:dirt --area 0,0,0:9,9,9; trowel manifest -q w -o edited; cp -a w first; trowel restore -q " +
		"repo --into w --area 0,0,0:9,9,9; trowel manifest -q w -o old")
	args := []string{"restore", "-q", "repo", "--into", "w", "--area", "0,0,0:9,9,9"}
	k.each("rm -rf w w.backup* m; cp -a first w", args, func(at string) {
		if out, err := k.run("trowel manifest -q w -o m; cmp m old || cmp m edited"); err != nil {
			t.Errorf("killed at %s: %v\n%s", at, err, out)
		}
		k.must("trowel restore -q repo --into w --area 0,0,0:9,9,9; rm m; trowel manifest -q w -o m; cmp m old")
	})
}

// TestKillUpdate tests that an update of a conversion that is killed at any call that changes the disk is completed by the next one, with
// everything that the world has and nothing else.
func TestKillUpdate(t *testing.T) {
	k := newKilling(t)
	k.must("trowel pack -q " + k.samples + "/hollow -o w; echo a > w/gone; trowel convert -q w -o first --to sqlite --players leveldb; " +
		"trowel edit -q w --in-place --backup undo.zip -- set default:dirt --area 0,0,0:9,9,9; " +
		"trowel edit -q w --in-place --backup names.zip -- rename-player singleplayer ann; rm w/gone; trowel manifest -q w -o now")
	args := []string{"convert", "-q", "w", "-o", "new", "--update"}
	k.each("rm -rf new m; cp -a first new", args, func(at string) {
		k.must("trowel convert -q w -o new --update; trowel check -q --min error new; trowel manifest -q new -o m; cmp m now")
		if out, _ := k.run("trowel diff w new 2>/dev/null | grep -v '^world.mt: '"); out != "" {
			t.Errorf("killed at %s: differences: %s", at, out)
		}
		if left, _ := filepath.Glob(filepath.Join(k.dir, "new", ".*")); len(left) != 2 {
			t.Errorf("killed at %s: left: %v", at, left)
		}
	})
}
