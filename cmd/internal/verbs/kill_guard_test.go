package verbs

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/testing/judge"
)

// TestKillGuard kills guard at 30 moments while it stores a snapshot and answers a request: the world stays as it was, the repository
// is complete, a plan is whole or not there, and the next guard works.
func TestKillGuard(t *testing.T) {
	trowel := toBeKilled(t)
	dir := t.TempDir()
	world, repo := filepath.Join(dir, "hollow"), filepath.Join(dir, "repo")
	must(t, "pack", "-q", "../../../samples/hollow", "-o", world)
	must(t, "backup", "-q", world, repo)
	time.Sleep(1100 * time.Millisecond)
	now := time.Now().UTC().Format(time.RFC3339)
	before := look(t, world)
	plan := filepath.Join(world, "trowel_rewind.plan")
	if err := os.Mkdir(filepath.Join(world, "trowel_rewind"), 0o777); err != nil {
		t.Fatal(err)
	}
	plans := 0
	for i := range 30 {
		request := fmt.Sprintf(`{"id": "k-%d", "do": "rewind", "by": "ann", "options": {"moment": %q, "box": "-20,-20,-20:20,20,20"}}`, i, now)
		judge.Write(t, filepath.Join(world, "trowel_rewind", askFile), []byte(request))
		cmd := exec.Command(trowel, "guard", world, repo, "--keep-last", "99")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(700)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if data, err := os.ReadFile(plan); err == nil {
			plans++
			if !bytes.HasPrefix(data, []byte("trowelrp")) || !bytes.HasSuffix(data, []byte("trowelrp")) {
				t.Errorf("run %d: a plan of %d bytes is cut off", i, len(data))
			}
			if err := os.Remove(plan); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := exec.Command(trowel, "check", "--min", "error", repo).CombinedOutput(); err != nil {
			t.Errorf("run %d: %v\n%s", i, err, out)
		}
		after := look(t, world)
		for name, data := range before {
			if after[name] != data {
				t.Errorf("run %d: %s has changed", i, name)
			}
		}
	}
	t.Logf("%d of 30 runs had written the plan", plans)
	if err := os.RemoveAll(filepath.Join(world, "trowel_rewind")); err != nil {
		t.Fatal(err)
	}
	g := startGuard(t, world, repo)
	is := g.ask(fmt.Sprintf(`{"id": "last", "do": "undo", "by": "ann", "options": {"moment": %q, "box": "-20,-20,-20:20,20,20"}}`, now))
	if is.Error != "" || !service.Exists(plan) {
		t.Errorf("after all: %+v", is)
	}
}
