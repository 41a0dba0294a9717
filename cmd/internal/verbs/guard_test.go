package verbs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/testing/judge"
)

// guarding is a guard that runs in this process.
type guarding struct {
	t     *testing.T
	world string
	said  *logged
	stop  context.CancelFunc
	ended chan int
}

// logged is what a program writes while it runs.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(data)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// startGuard starts a guard, which ends with the test.
func startGuard(t *testing.T, world, repo string, more ...string) *guarding {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	g := &guarding{t: t, world: world, said: new(logged), stop: stop, ended: make(chan int, 1)}
	a := newTool(games, strings.NewReader(""), io.Discard, g.said)
	go func() { g.ended <- a.run(ctx, append([]string{"guard", world, repo}, more...), g.said) }()
	t.Cleanup(func() { g.end() })
	return g
}

// end stops the guard and returns its exit code.
func (g *guarding) end() int {
	g.stop()
	select {
	case code := <-g.ended:
		g.ended <- code
		return code
	case <-time.After(time.Minute):
		g.t.Errorf("guard does not end\n%s", g.said)
		return -1
	}
}

// until waits until the output of the guard matches a pattern, and returns the match.
func (g *guarding) until(pattern string) []string {
	g.t.Helper()
	for end := time.Now().Add(serverPatience); ; time.Sleep(10 * time.Millisecond) {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(g.said.String()); m != nil {
			return m
		}
		if time.Now().After(end) {
			g.t.Fatalf("guard does not say %s\n%s", pattern, g.said)
		}
	}
}

// ask makes a request as the mod does, and returns the answer.
func (g *guarding) ask(request string) (is answer) {
	g.t.Helper()
	dir := filepath.Join(g.world, "trowel_rewind")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		g.t.Fatal(err)
	}
	judge.Write(g.t, filepath.Join(dir, "new"), []byte(request))
	if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, askFile)); err != nil {
		g.t.Fatal(err)
	}
	path := filepath.Join(dir, answerFile)
	for end := time.Now().Add(serverPatience); ; time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(path)
		if err == nil && json.Unmarshal(data, &is) == nil {
			if err := os.Remove(path); err != nil {
				g.t.Fatal(err)
			}
			return is
		}
		if time.Now().After(end) {
			g.t.Fatalf("no answer to %s\n%s", request, g.said)
		}
	}
}

// sampleWorld returns a copy of a sample as a world in SQLite.
func sampleWorld(t *testing.T) (world, repo string) {
	t.Helper()
	dir := t.TempDir()
	world = filepath.Join(dir, "hollow")
	must(t, "pack", "-q", "../../../samples/hollow", "-o", world)
	return world, filepath.Join(dir, "repo")
}

// TestGuard stores snapshots, answers requests, and reports what it does.
func TestGuard(t *testing.T) {
	guardPoll, guardDay, askPause = 5*time.Millisecond, time.Second, 0
	t.Cleanup(func() { guardPoll, guardDay, askPause = 500*time.Millisecond, 24*time.Hour, time.Second })
	world, repo := sampleWorld(t)
	g := startGuard(t, world, repo, "--every", "10s", "--keep-last", "2", "--listen", "127.0.0.1:0", "--most-nodes", "5000")
	at := g.until(`listening at (http://\S+)`)[1]
	get := func(path string) (int, string) {
		t.Helper()
		r, err := http.Get(at + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		data, _ := io.ReadAll(r.Body)
		return r.StatusCode, string(data)
	}
	g.until(`: 1 snapshot, 0 failures; the repository has 0 errors; 0 requests`) // of the day
	if status, text := get("/healthz"); status != 200 {
		t.Errorf("health: %d, %s", status, text)
	}
	if _, text := get("/metrics"); !strings.Contains(text, "\ntrowel_guard_snapshots_total 1\n") ||
		!strings.Contains(text, "\n# TYPE trowel_guard_repository_errors gauge\n") {
		t.Error(text)
	}
	if status, _ := get("/"); status != 404 {
		t.Errorf("/: status %d", status)
	}
	var talk bytes.Buffer
	if code := run(games, []string{"guard", world, repo}, strings.NewReader(""), io.Discard, &talk); code != exitFailed ||
		!strings.Contains(talk.String(), "another guard runs for this world") {
		t.Errorf("a second guard: exit code %d, %s", code, &talk)
	}

	// A change of the world is listed and put back by a plan; undo is a plan, too.
	must(t, "edit", "-q", world, "--in-place", "--backup", filepath.Join(filepath.Dir(world), "kept"), "--",
		"set", "air", "--box", "0,0,0:3,3,3")
	now := time.Now().UTC().Format(time.RFC3339)
	list := g.ask(`{"id": "a-1", "do": "list", "by": "ann", "options": {"moment": "` + now + `", "area": "0,0,0:1,1,1"}}`)
	if list.ID != "a-1" || list.Error != "" || len(list.Places) != 1 || !strings.Contains(fmt.Sprint(list.Places[0]), "max:[3 3 3]") {
		t.Errorf("the list is %+v", list)
	}
	plan := filepath.Join(world, "trowel_rewind.plan")
	did := g.ask(`{"id": "b-2", "do": "rewind", "by": "bob", "options": {"moment": "` + now + `", "box": "0,0,0:3,3,3"}}`)
	if did.Error != "" || !did.Written || did.Before == "" {
		t.Errorf("rewind: %+v", did)
	}
	if data, err := os.ReadFile(plan); err != nil || !bytes.HasPrefix(data, []byte("trowelrp")) || !bytes.HasSuffix(data, []byte("trowelrp")) {
		t.Errorf("the plan has %d bytes, %v", len(data), err)
	}
	if err := os.Remove(plan); err != nil {
		t.Fatal(err)
	}
	undo := g.ask(`{"id": "c-3", "do": "undo", "by": "cid", "options": {"moment": "` + did.Before + `", "box": "0,0,0:3,3,3"}}`)
	if undo.Error != "" || !undo.Written || undo.Before != "" || !service.Exists(plan) {
		t.Errorf("undo: %+v", undo)
	}
	if err := os.Remove(plan); err != nil {
		t.Fatal(err)
	}

	// Hostile requests change nothing.
	for request, why := range map[string]string{
		``:     "not as the mod writes it",
		`null`: "no ID",
		`[]`:   "not as the mod writes it",
		`{"id": "1", "do": "list", "by": "h", "options": {}, "more": 1}`:                                         "not as the mod writes it",
		`{"id": "1", "do": "list", "by": "h"} {}`:                                                                "data after its end",
		`{"id": "../x", "do": "list", "by": "h"}`:                                                                "no ID",
		`{"id": "1", "do": "forget", "by": "h"}`:                                                                 "is not an allowed request",
		`{"id": "1", "do": "list", "by": "h\n"}`:                                                                 "no name of a player",
		`{"id": "1", "do": "list", "by": "ha", "options": {"trust": "/etc/passwd"}}`:                             "cannot have the option",
		`{"id": "1", "do": "list", "by": "hb", "options": {"area": "0,0,0"}}`:                                    "expected a box",
		`{"id": "1", "do": "list", "by": "hk", "options": {"moment": "1h"}}`:                                     "expected a box",
		`{"id": "1", "do": "list", "by": "hl", "options": {"moment": "1h", "area": "-99,-99,-99:99,99,99"}}`:     "at most 5,000 nodes",
		`{"id": "1", "do": "rewind", "by": "hc", "options": {"moment": "1h"}}`:                                   "expected a box",
		`{"id": "1", "do": "rewind", "by": "hd", "options": {"moment": "1h", "box": "0,0,0:17,17,17"}}`:          "at most 5,000 nodes",
		`{"id": "1", "do": "rewind", "by": "he", "options": {"moment": "1h", "box": "0,0,0:99999,0,0"}}`:         "expected a box",
		`{"id": "1", "do": "rewind", "by": "hf", "options": {"box": "0,0,0:1,1,1"}}`:                             "names no moment",
		`{"id": "1", "do": "undo", "by": "hg", "options": {"moment": "2001-01-01", "box": "0,0,0:1,1,1"}}`:       "snapshot",
		`{"id": "1", "do": "undo", "by": "hh", "options": {"moment": "../../x", "box": "0,0,0:1,1,1"}}`:          "snapshot",
		`{"id": "1", "do": "rewind", "by": "hi", "options": {"moment": "` + strings.Repeat("9", 1<<14) + `"}}`:   "at most 16384 bytes",
		`{"id": "1", "do": "undo", "by": "hz", "options": {"moment": "1h", "box": "0,0,0:1,1,1:2,2,2"}}`:         "expected a box",
		`{"id": "1", "do": "undo", "by": "hj", "options": {"moment": "1h", "box": "0,0,0:1,1,1", "delete": ""}}`: "cannot have the option",
	} {
		if is := g.ask(request); !strings.Contains(is.Error, why) || is.Written {
			t.Errorf("%.200s: %+v, expected %q", request, is, why)
		}
	}
	if service.Exists(plan) {
		t.Error("a refused request has left a plan")
	}
	began := time.Now()
	if code := g.end(); code != exitFine || time.Since(began) > time.Second {
		t.Errorf("the end: exit code %d after %v", code, time.Since(began))
	}
	if list := must(t, "ls", repo); strings.Count(list, "\n") != 2 {
		t.Errorf("the repository has\n%s", list)
	}
}

// TestGuardFails tests that a failed snapshot is reported and tried again, and what cannot be guarded.
func TestGuardFails(t *testing.T) {
	guardPoll, guardRetry = 5*time.Millisecond, 20*time.Millisecond
	t.Cleanup(func() { guardPoll, guardRetry = 500*time.Millisecond, time.Minute })
	world, repo := sampleWorld(t)
	judge.Write(t, repo, []byte("not a folder"))
	g := startGuard(t, world, repo, "--listen", "127.0.0.1:0")
	g.until(`no snapshot: .*the next attempt is at`)
	at := g.until(`listening at (http://\S+)`)[1]
	if r, err := http.Get(at + "/healthz"); err != nil || r.StatusCode != 503 {
		t.Errorf("health: %v", err)
	}
	if err := os.Remove(repo); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		r, err := http.Get(at + "/healthz")
		if err == nil && r.StatusCode == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no snapshot although there is room\n%s", g.said)
		}
	}
	g.end()
	if _, err := os.Stat(filepath.Join(world, "trowel_rewind")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("guard has made a folder in the world")
	}

	fails := func(why string, args ...string) {
		t.Helper()
		var talk bytes.Buffer
		if code := run(games, append([]string{"guard"}, args...), strings.NewReader(""), io.Discard, &talk); code != exitFailed ||
			!strings.Contains(talk.String(), why) {
			t.Errorf("%q: exit code %d, %s", args, code, &talk)
		}
	}
	fails("at least 10s", world, repo, "--every", "1s")
	fails("at least 1", world, repo, "--keep-last", "-1")
	fails("no server runs a", "../../../samples/burrow", repo)
	fails("--listen: ", world, repo, "--listen", "nowhere:x")
	settings := filepath.Join(world, "world.mt")
	data := string(judge.Read(t, settings))
	for _, backend := range []string{"leveldb", "redis"} {
		judge.Write(t, settings, []byte(regexp.MustCompile(`(?m)^backend = .*$`).ReplaceAllString(data, "backend = "+backend)))
		fails("--map sqlite", world, repo)
	}
}

// FuzzAsk tests that requests of a game are accepted only with what they may name.
func FuzzAsk(f *testing.F) {
	f.Add([]byte(`{"id": "20261130T134632-1-77", "do": "rewind", "by": "ann", "options": {"moment": "2h", "box": "-39,-10,-20:31,18,31"}}`))
	f.Add([]byte(`{"id": "1", "do": "list", "by": "ann", "options": {"area": "0,0,0:1,1,1"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := parseAsk(data)
		if q.ID != "" && !askID.MatchString(q.ID) || q.By != "" && !askBy.MatchString(q.By) && err == nil {
			t.Errorf("accepted: %+v", q)
		}
		if err == nil && (q.ID == "" || q.By == "" || q.Do == "") {
			t.Errorf("incomplete: %+v", q)
		}
		if n := volume(q.Options["box"]); n < 0 {
			t.Errorf("a box of %d nodes", n)
		}
	})
}
