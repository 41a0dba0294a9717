package verbs

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// TestKillServer kills the server at 30 moments of a /rewind: when it runs again, the place is as before or as asked, and the
// repository is whole.
func TestKillServer(t *testing.T) {
	toBeKilled(t)
	judge.Find(t, "minetestserver")
	home := judge.Dir(t)
	at := func(name string) string { return filepath.Join(home, name) }
	reset := func(to, from string) {
		t.Helper()
		if err := errors.Join(os.RemoveAll(at(to)), os.CopyFS(at(to), os.DirFS(at(from)))); err != nil {
			t.Fatal(err)
		}
	}
	grief(t, home)
	from, to := fmt.Sprintf("%d,%d,%d", house[0], house[1], house[2]), fmt.Sprintf("%d,%d,%d", house[3], house[4], house[5])
	reset("griefed", "world")
	reset("first", "repo")
	reset("inplace", "world")
	must(t, "restore", at("repo"), "--into", at("inplace"), "--box", from+":"+to)
	time.Sleep(1100 * time.Millisecond) // moments have seconds, and the snapshot must be of an earlier one
	asked := 0
	for i := range 30 {
		reset("world", "griefed")
		reset("repo", "first")
		if err := os.Remove(at("log")); err != nil {
			t.Fatal(err)
		}
		s := startServer(t, home)
		s.order("status")
		g := startGuard(t, at("world"), at("repo"))
		s.order("0min " + from + " " + to)
		s.until("offer", func() bool { return strings.Contains(s.log(), "/rewind yes puts") })
		s.order("yes")
		pause := time.Duration(rand.IntN(12000)) * time.Millisecond
		time.Sleep(pause)
		s.stop(true)
		s = startServer(t, home)
		s.until("rest", func() bool {
			said := s.order("status")
			return strings.HasPrefix(said, "there is no plan") || strings.HasPrefix(said, "the plan for")
		})
		s.stop(false)
		g.end()
		want := "griefed"
		if strings.Contains(s.log(), "[trowel_rewind] done: ") {
			want = "inplace"
			asked++
		}
		t.Logf("run %d: killed after %v: %s", i, pause, want)
		compareWorlds(t, at("world"), at(want), "")
		must(t, "check", at("repo"), "--min", "error")
	}
	t.Logf("%d of 30 runs ended as asked", asked)
}
