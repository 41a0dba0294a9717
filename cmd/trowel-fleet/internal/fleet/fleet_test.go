package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trowel.example/internal/testing/judge"
)

// base is the server that the tests of a run share; each test has its own schema.
type base struct {
	address string
	n       int
	mu      sync.Mutex
}

// bench has the files, workers and queue of a test.
type bench struct {
	*base
	t      *testing.T
	dir    string
	schema string
	env    []string
	conn   *pgx.Conn
}

func (b *base) bench(t *testing.T) *bench {
	t.Helper()
	b.mu.Lock()
	b.n++
	schema := fmt.Sprintf("fleet_%d", b.n)
	b.mu.Unlock()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"in", "results", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), b.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return &bench{b, t, dir, schema, append(os.Environ(), envProgram+"=1", envQueue+"="+b.address, envGrace+"=3s",
		"TMPDIR="+filepath.Join(dir, "tmp")), conn}
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(b.path(name), []byte(text), 0o666); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) remove(name string) {
	b.t.Helper()
	if err := os.Remove(b.path(name)); err != nil {
		b.t.Fatal(err)
	}
}

// command returns a command that runs the tool in the folder of the test.
func (b *bench) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(b.t.Context(), os.Args[0], args...)
	cmd.Dir, cmd.Env = b.dir, b.env
	return cmd
}

// said is the output, the messages and the exit code of a run.
type said struct {
	out, err string
	code     int
}

func (b *bench) run(args ...string) said {
	b.t.Helper()
	cmd := b.command(args...)
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	return said{out.String(), talk.String(), cmd.ProcessState.ExitCode()}
}

// jobs runs a verb of jobs with the schema of the test.
func (b *bench) jobs(verb string, args ...string) said {
	b.t.Helper()
	return b.run(append([]string{"jobs", verb, "--schema", b.schema}, args...)...)
}

// must is jobs with a required exit code.
func (b *bench) must(code int, verb string, args ...string) said {
	b.t.Helper()
	s := b.jobs(verb, args...)
	if s.code != code {
		b.t.Fatalf("jobs %s %q: exit code %d, want %d\n%s%s", verb, args, s.code, code, s.out, s.err)
	}
	return s
}

// submit submits a command line, with results in the folder of the test, and returns the ID.
func (b *bench) submit(args ...string) string {
	b.t.Helper()
	return strings.TrimSpace(b.must(0, "submit", append([]string{"--results", "results"}, args...)...).out)
}

// process is a running worker.
type process struct {
	*exec.Cmd
	said *talk
	once sync.Once
}

// talk collects the messages of a worker, and can be read while the worker runs.
type talk struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *talk) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *talk) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// worker starts a worker, which ends with the test.
func (b *bench) worker(args ...string) *process {
	b.t.Helper()
	p := b.start(args...)
	b.t.Cleanup(func() {
		p.end(os.Kill)
		if b.t.Failed() {
			b.t.Logf("a worker said:\n%s", p.said)
		}
	})
	return p
}

func (b *bench) start(args ...string) *process {
	b.t.Helper()
	if !slices.Contains(args, "--root") {
		args = append(args, "--root", b.dir)
	}
	cmd := b.command(append([]string{"worker", "--schema", b.schema}, args...)...)
	p := &process{Cmd: cmd, said: new(talk)}
	cmd.Stderr = p.said
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	return p
}

// end sends a signal and waits for the process to exit.
func (p *process) end(s os.Signal) {
	p.once.Do(func() {
		_ = p.Process.Signal(s)
		_ = p.Wait()
	})
}

// eventually waits until a condition is true.
func (b *bench) eventually(what string, is func() bool) {
	b.t.Helper()
	for end := time.Now().Add(6 * time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("%s: never", what)
		}
	}
}

// query runs a query that returns a number.
func (b *bench) query(sql string, args ...any) (n int) {
	b.t.Helper()
	if err := b.conn.QueryRow(b.t.Context(), strings.ReplaceAll(sql, "$$", b.schema), args...).Scan(&n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

// alive reports whether the process whose ID is in the last line of a file is running.
func (b *bench) alive(name string) bool {
	data, _ := os.ReadFile(b.path(name))
	lines := strings.Fields(string(data))
	if len(lines) == 0 {
		return false
	}
	pid, _ := strconv.Atoi(lines[len(lines)-1])
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(state, []byte(") Z ")) // not a zombie, which may have no parent to reap it
}

// finish waits for a work and requires the same result as with one process.
func (b *bench) finish(id string, args ...string) {
	b.t.Helper()
	here := b.run(args...)
	b.must(here.code, "wait", id)
	there := b.jobs("results", id)
	if here != there {
		b.t.Errorf("%q: exit codes %d and %d, %d and %d bytes\n%s%s", args, here.code, there.code, len(here.out),
			len(there.out), here.err, there.err)
	}
}

func TestFleet(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at processes in /proc")
	}
	b := &base{address: judge.Postgres(t)}
	for name, test := range map[string]func(*testing.T, *bench){
		"result": testResult, "twice": testTwice, "failed": testFailed, "limit": testLimit, "cancel": testCancel,
		"ends": testEnds, "store": testStore, "real": testReal,
		"orphan": testOrphan, "split": testSplit, "many": testMany, "roots": testRoots, "hostile": testHostile, "world": testWorld,
		"schema": testSchema, "left": testLeft, "words": testWords, "clock": testClock, "census": testCensus,
		"rescue": testRescue, "placed": testPlaced, "merge": testMergeFirst, "refused": testRefused,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, b.bench(t))
		})
	}
}

// testResult tests that workers give the same output, messages and exit code as one process.
func testResult(t *testing.T, b *bench) {
	for range 2 {
		b.worker("--max", "2")
	}
	for _, args := range [][]string{{"toy", "40", "in"}, {"toy", "3", "in"}} {
		b.finish(b.submit(args...), args...)
	}
	if s := b.must(0, "status"); strings.Count(s.out, " done ") != 2 || !strings.Contains(s.out, " 40/40 ") {
		t.Error(s)
	}
	// The arguments may contain an option with the name of an option of submit.
	id := b.submit("toy", "--limit", "no time", "2", "in", "--priority=1")
	var status struct {
		Verb  []string
		State string
	}
	if err := json.Unmarshal([]byte(b.must(0, "status", id, "--json").out), &status); err != nil ||
		strings.Join(status.Verb, " ") != "toy --limit no time 2 in" {
		t.Error(status, err)
	}
	b.finish(id, "toy", "2", "in")
	for _, wrong := range [][]string{{"toy", "x", "in"}, {"formats"}, {"no-verb"}, {"toy", "1", "in", "--attempts", "0"},
		{"toy", "1", "s3://me:secret@host/x"}} {
		if s := b.jobs("submit", append([]string{"--results", "results"}, wrong...)...); s.code != 2 || s.out != "" ||
			strings.Contains(s.err, "secret") {
			t.Error(wrong, s)
		}
	}
}

// testTwice tests that a work submitted twice, even concurrently, is done once.
func testTwice(t *testing.T, b *bench) {
	b.must(2, "status") // there is no work
	ids := make([]string, 6)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() { ids[i] = strings.TrimSpace(b.jobs("submit", "toy", "30", "in", "--results", "results").out) })
	}
	all.Wait()
	for _, id := range ids {
		if !validID(id) || id != ids[0] {
			t.Fatal(ids)
		}
	}
	b.worker("--max", "3")
	b.must(1, "wait", ids[0])
	b.submit("toy", "30", "in")
	b.must(1, "wait", ids[0])
	did := strings.Fields(string(judge.Read(t, b.path("in/did"))))
	if len(did) != 30 {
		t.Errorf("%d parts were done", len(did))
	}
	again := b.submit("toy", "30", "in", "--again")
	if again != ids[0]+"-2" {
		t.Fatal(again)
	}
	b.finish(again, "toy", "30", "in")
}

// testFailed tests that a failing part is retried, that status prints the reason, and that retry repeats it.
func testFailed(t *testing.T, b *bench) {
	b.write("in/fail-00003", "")
	b.write("in/panic-00005", "")
	b.worker("--max", "2")
	id := b.submit("toy", "8", "in", "--attempts", "2")
	s := b.must(2, "wait", id)
	if !strings.Contains(s.err, "2 parts failed") || !strings.Contains(s.err, "as requested") ||
		strings.Count(s.err, "\n") < 2 || strings.Count(s.err, "\n") > 4 {
		t.Error(s)
	}
	s = b.must(0, "status", id)
	for _, want := range []string{"state:     failed", "6 done", "2 failed",
		"00003 (3), attempt 2, failed: fails as requested", "00005 (5), attempt 2, failed: a defect of trowel"} {
		if !strings.Contains(s.out, want) {
			t.Errorf("no %q in\n%s", want, s.out)
		}
	}
	b.must(2, "results", id)
	b.must(0, "retry", id)
	b.must(2, "wait", id)
	b.remove("in/fail-00003")
	b.remove("in/panic-00005")
	b.must(0, "retry", id)
	b.finish(id, "toy", "8", "in")
	b.must(2, "retry", id)
	b.must(2, "cancel", id)
}

// testLimit tests that a part that exceeds its limit is ended.
func testLimit(t *testing.T, b *bench) {
	b.write("in/hang-00001", "")
	b.worker()
	id := b.submit("--limit", "1s", "--attempts", "1", "toy", "2", "in")
	if s := b.must(2, "wait", id); !strings.Contains(s.err, "exceeded its limit of 1s") {
		t.Error(s)
	}
	if b.alive("in/hangs") {
		t.Error("its process lives")
	}
}

// testCancel tests that cancel ends the running parts, and that retry continues.
func testCancel(t *testing.T, b *bench) {
	b.write("in/hang-00002", "")
	b.worker("--max", "2")
	id := b.submit("toy", "40", "in")
	b.eventually("a part runs", func() bool { return b.alive("in/hangs") })
	b.must(0, "cancel", id)
	b.must(2, "wait", id)
	b.eventually("no part runs", func() bool { return !b.alive("in/hangs") })
	b.eventually("nobody does it", func() bool {
		return b.query(`SELECT count(*) FROM $$.river_job WHERE state NOT IN ('completed', 'cancelled')`) == 0
	})
	if s := b.must(0, "status"); !strings.Contains(s.out, "cancelled") {
		t.Error(s)
	}
	b.remove("in/hang-00002")
	b.must(0, "retry", id)
	b.finish(id, "toy", "40", "in")
	// An immediate retry waits until the parts have ended.
	b.write("in/hang-00030", "")
	id = b.submit("toy", "41", "in")
	b.eventually("a part runs", func() bool { return b.alive("in/hangs") })
	b.must(0, "cancel", id)
	b.remove("in/hang-00030")
	b.must(0, "retry", id)
	b.finish(id, "toy", "41", "in")
	// The same for a work that was cancelled while being split.
	b.write("in/hold-split", "")
	id = b.submit("toy", "42", "in")
	b.eventually("it is taken apart", func() bool { _, err := os.Stat(b.path("in/splitting")); return err == nil })
	b.must(0, "cancel", id)
	b.eventually("that has ended", func() bool { return b.query(`SELECT count(*) FROM $$.river_job WHERE state = 'running'`) == 0 })
	if n := b.query(`SELECT count(*) FROM $$.river_job WHERE args->>'work' = $1 AND kind = 'trowel_part'`, id); n > 0 {
		t.Errorf("%d parts are in the queue", n)
	}
	b.remove("in/hold-split")
	b.must(0, "retry", id)
	b.finish(id, "toy", "42", "in")
}

// testEnds tests that a stopped worker gives back unfinished parts, which does not count as a failure.
func testEnds(t *testing.T, b *bench) {
	b.write("in/hang-00000", "")
	w := b.worker("--max", "1")
	id := b.submit("toy", "3", "in", "--attempts", "1")
	b.eventually("a part runs", func() bool { return b.alive("in/hangs") })
	w.end(syscall.SIGTERM)
	if code := w.ProcessState.ExitCode(); code != 0 || b.alive("in/hangs") {
		t.Errorf("exit code %d\n%s", code, w.said)
	}
	// A second signal ends the worker immediately.
	b.env = append(b.env, envGrace+"=5m")
	w = b.worker("--max", "1")
	b.eventually("a part runs", func() bool { return b.alive("in/hangs") })
	if err := w.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	b.eventually("it is reported", func() bool { return strings.Contains(w.said.String(), "are returned to the queue") })
	ended := make(chan struct{})
	go func() { defer close(ended); w.end(syscall.SIGTERM) }()
	for running := true; running; {
		select {
		case <-ended:
			running = false
		case <-time.After(200 * time.Millisecond): // a signal soon after the first one may have been merged with it
			_ = w.Process.Signal(syscall.SIGTERM)
		}
	}
	if status := w.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
		t.Errorf("exit code %d\n%s", status.ExitStatus(), w.said)
	}
	b.eventually("its process is gone", func() bool { return !b.alive("in/hangs") })
	b.remove("in/hang-00000")
	b.worker()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go b.rescue(ctx)
	b.finish(id, "toy", "3", "in")
}

// testStore tests a place for results that is temporarily not writable.
func testStore(t *testing.T, b *bench) {
	id := b.submit("toy", "5", "in", "--attempts", "100")
	b.write("results/"+id, "a file, and no folder")
	b.worker()
	b.eventually("it fails", func() bool { return strings.Contains(b.jobs("status", id).out, "is retried: ") })
	b.remove("results/" + id)
	b.finish(id, "toy", "5", "in")
	// A lost result, or a damaged result that was removed, is made again.
	b.write("in/hang-00002", "")
	id = b.submit("toy", "3", "in", "--attempts", "1", "--limit", "no time")
	part := "results/" + id + "/parts/00000"
	b.eventually("a part runs", func() bool { return b.alive("in/hangs") })
	b.eventually("one is done", func() bool { _, err := os.Stat(b.path(part)); return err == nil })
	b.remove(part)
	b.remove("in/hang-00002")
	b.must(0, "cancel", id)
	b.must(0, "retry", id)
	if s := b.must(2, "wait", id); !strings.Contains(s.err, "00000") {
		t.Error(s)
	}
	b.must(0, "retry", id)
	b.finish(id, "toy", "3", "in", "--limit", "no time")
}

// testReal checks files of real games.
func testReal(t *testing.T, b *bench) {
	samples, err := filepath.Abs("../../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	if s := b.run("pack", filepath.Join(samples, "burrow"), "-o", "burrow.map"); s.code != 0 {
		t.Fatal(s)
	}
	b.write("broken.map", "DATA\x04\x00\x00\x00 no map")
	b.worker("--max", "2")
	for _, args := range [][]string{{"check", "burrow.map", "broken.map"}, {"check", "--json", "burrow.map"},
		{"check", "none.map", "burrow.map"}, {"find", "burrow.map", "--", "tile", "freeze"}} {
		if s := b.run(args...); s.out+s.err == "" || args[0] == "find" && s.code != 0 {
			t.Errorf("%q: nothing to compare: %s", args, s.err)
		}
		b.finish(b.submit(args...), args...)
	}
}

// testOrphan tests that a killed worker leaves no process behind.
func testOrphan(t *testing.T, b *bench) {
	b.write("in/hang-00000", "")
	w := b.worker()
	b.submit("toy", "1", "in")
	b.eventually("a part runs", func() bool { return b.alive("in/hangs") })
	w.end(os.Kill)
	b.eventually("its process is gone", func() bool { return !b.alive("in/hangs") })
}

// testSplit tests that a worker killed while splitting a work causes no duplicate or missing parts in the
// queue.
func testSplit(t *testing.T, b *bench) {
	b.write("in/slow-split", "")
	id := b.submit("toy", "2500", "in")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go b.rescue(ctx)
	for i := range 3 {
		w := b.worker()
		b.eventually("it is taken apart", func() bool {
			data, _ := os.ReadFile(b.path("in/splitting"))
			_, err := os.Stat(b.path("results/" + id + "/plan.json")) // the worker was killed after writing the plan
			return bytes.Count(data, []byte("\n")) > i || err == nil
		})
		time.Sleep(rand.N(400 * time.Millisecond))
		w.end(os.Kill)
	}
	b.remove("in/slow-split")
	b.worker()
	b.eventually("all parts are in the queue", func() bool {
		return b.query(`SELECT coalesce(max(parts), 0) FROM $$.trowel_work WHERE id = $1`, id) == 2500
	})
	for what, sql := range map[string]string{"parts": `count(*)`, "names": `count(DISTINCT args->'part'->>'name')`} {
		if n := b.query(`SELECT ` + sql + ` FROM $$.river_job WHERE kind = 'trowel_part'`); n != 2500 {
			t.Errorf("%d %s", n, what)
		}
	}
	b.must(0, "cancel", id)
}

// testMany tests a work of ten thousand parts.
func testMany(t *testing.T, b *bench) {
	id := b.submit("toy", "10000", "in")
	b.worker("--max", "1")
	b.eventually("all parts are in the queue", func() bool {
		return b.query(`SELECT count(*) FROM $$.river_job WHERE kind = 'trowel_part'`) == 10000
	})
	b.must(0, "cancel", id)
	b.must(2, "wait", id)
}

// testWorld runs workers with the queue in the database of a world, and tests that the world is unchanged.
func testWorld(t *testing.T, b *bench) {
	ctx := t.Context()
	for _, sql := range []string{`CREATE TABLE blocks (posx int, posy int, posz int, data bytea, PRIMARY KEY (posx, posy, posz))`,
		`INSERT INTO blocks SELECT n, n, n, decode(md5(n::text), 'hex') FROM generate_series(1, 100) n`} {
		if _, err := b.conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	look := func() (text string) {
		t.Helper()
		err := b.conn.QueryRow(ctx, `
SELECT (SELECT string_agg(b::text || b.ctid::text || b.xmin::text, ',' ORDER BY posx) FROM blocks b) ||
	(SELECT string_agg(relname::text || relkind::text, ',' ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace) ||
	coalesce((SELECT string_agg(proname::text, ',' ORDER BY proname) FROM pg_proc WHERE pronamespace = 'public'::regnamespace), '') ||
	coalesce((SELECT string_agg(typname::text, ',' ORDER BY typname) FROM pg_type WHERE typnamespace =
	'public'::regnamespace), '')`).Scan(&text)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	was := look()
	b.worker()
	b.finish(b.submit("toy", "5", "in"), "toy", "5", "in")
	if is := look(); is != was {
		t.Errorf("the world was\n%s\nand is\n%s", was, is)
	}
}
