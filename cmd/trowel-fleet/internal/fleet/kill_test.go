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
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// envKills enables a hundred kills of workers with River's own rescue, which takes minutes.
const envKills = "TROWEL_KILLS"

// testRescue tests that the part of a killed worker is done by another one long before the part's limit, and that
// status shows which worker does what.
func testRescue(t *testing.T, b *bench) {
	begun := time.Now()
	b.write("in/hang-00001", "")
	dies := b.worker("--max", "1")
	id := b.submit("--limit", "1h", "toy", "2", "in")
	b.eventually("the part runs", func() bool { return b.alive("in/hangs") })
	s := b.must(0, "status", id)
	if want := fmt.Sprintf("00001 (1) by %s, process %d since ", machine(t), dies.Process.Pid); !strings.Contains(s.out, want) {
		t.Errorf("no %q in\n%s", want, s.out)
	}
	var status struct{ Running []active }
	if err := json.Unmarshal([]byte(b.must(0, "status", id, "--json").out), &status); err != nil ||
		len(status.Running) != 1 || status.Running[0].Step != "part" || status.Running[0].Since.Before(begun.Add(-maxSkew)) ||
		status.Running[0].Since.After(time.Now().Add(maxSkew)) {
		t.Errorf("%v, %v", status, err)
	}
	b.worker("--max", "1")
	time.Sleep(lease) // the worker observes its lease first
	b.remove("in/hang-00001")
	dies.end(os.Kill)
	killed := time.Now()
	b.eventually("the part is done", func() bool {
		return b.query(`SELECT count(*) FROM $$.river_job WHERE kind = 'trowel_part' AND state = 'completed'`) == 2
	})
	t.Logf("the part of a worker that was killed was done after %v", time.Since(killed))
	b.finish(id, "toy", "2", "in")
	if n := b.query(`SELECT count(*) FROM $$.trowel_worker`); n != 1 {
		t.Errorf("%d leases of one worker", n)
	}
}

func machine(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// testMergeFirst tests that a work is merged before the parts of other works of the same priority.
func testMergeFirst(t *testing.T, b *bench) {
	first := b.submit("toy", "4", "in", "--priority", "1")
	backlog := b.submit("toy", "60", "in", "--priority", "1")
	b.worker("--max", "1")
	b.must(0, "wait", first)
	// The last part of the work inserts its merge before the worker is free again.
	if n := b.query(`
SELECT count(*) FROM $$.river_job WHERE kind = 'trowel_part' AND args->>'work' = $2
	AND attempted_at > (SELECT max(finalized_at) FROM $$.river_job WHERE kind = 'trowel_part' AND args->>'work' = $1)
	AND attempted_at < (SELECT attempted_at FROM $$.river_job WHERE kind = 'trowel_merge' AND args->>'work' = $1)`, first, backlog); n > 0 {
		t.Errorf("%d parts of another work were begun before the merge", n)
	}
	if n := b.query(`SELECT count(*) FROM $$.river_job WHERE kind = 'trowel_merge' AND args->>'work' = $1 AND EXISTS
	(SELECT FROM $$.river_job WHERE kind = 'trowel_part' AND args->>'work' = $1 AND state <> 'completed')`, backlog); n > 0 {
		t.Errorf("%d merges before the parts are done", n)
	}
	b.finish(backlog, "toy", "60", "in")
	if n := b.query(`SELECT count(*) FROM $$.river_job WHERE kind = 'trowel_merge' AND (args->>'work' = $1 OR `+
		`args->>'work' = $2)`, first, backlog); n != 2 {
		t.Errorf("%d merges of two works", n)
	}
	if n := b.query(`SELECT count(*) FROM $$.river_job p, $$.river_job m WHERE p.kind = 'trowel_part' AND m.kind = 'trowel_merge'
	AND p.args->>'work' = $1 AND m.args->>'work' = $2 AND p.attempted_at > m.attempted_at`, backlog, first); n == 0 {
		t.Error("the other work had no parts left when the first one was merged")
	}
}

// testRefused tests that a part that the worker may not do is not retried, that its hint is stored, and that
// retry continues with another limit.
func testRefused(t *testing.T, b *bench) {
	b.write("in/refuse-00001", "")
	b.write("in/hang-00002", "")
	b.worker("--max", "2")
	id := b.submit("--limit", "4s", "toy", "3", "in", "--attempts", "3")
	s := b.must(2, "wait", id)
	if !strings.Contains(s.err, "not allowed here") || !strings.Contains(s.err, "hint: ask somebody; ") {
		t.Error(s)
	}
	s = b.must(0, "status", id)
	for _, want := range []string{"00001 (1), attempt 1, refused: a part: not allowed here", "hint:      ask somebody",
		"00002 (2), attempt 3, failed: exceeded its limit of 4s", "2 failed, 0 cancelled"} {
		if !strings.Contains(s.out, want) {
			t.Errorf("no %q in\n%s", want, s.out)
		}
	}
	b.remove("in/refuse-00001")
	b.must(2, "retry", id, "--limit", "0s")
	b.must(0, "retry", id, "--limit", "1h")
	b.eventually("the part runs", func() bool { return b.alive("in/hangs") })
	time.Sleep(4500 * time.Millisecond)
	if !b.alive("in/hangs") {
		t.Error("the limit is the old one")
	}
	b.must(0, "cancel", id)
	b.remove("in/hang-00002")
	b.must(0, "retry", id)
	b.finish(id, "toy", "3", "in")
}

// TestKilled kills workers at random, and the server of the queue once, and tests that the result is the same
// as with one process.
func TestKilled(t *testing.T) {
	tests.NotRaced(t, "kills and restarts what runs alone")
	if runtime.GOOS != "linux" {
		t.Skip("looks at processes in /proc")
	}
	b := (&base{address: judge.Postgres(t)}).bench(t)
	kills := 12
	if os.Getenv(envKills) != "" {
		kills = 100
	}
	b.write("in/slow", "")
	args := []string{"toy", strconv.Itoa(kills * 15), "in"}
	// After toy, --limit is an option of toy.
	id := b.submit(append([]string{"--attempts", "1000", "--limit", "5s"}, args...)...)
	waits := b.command("jobs", "wait", "--schema", b.schema, id)
	var talk bytes.Buffer
	waits.Stderr = &talk
	if err := waits.Start(); err != nil {
		t.Fatal(err)
	}
	var workers [4]*process
	for i := range workers {
		workers[i] = b.start("--max", "2")
	}
	restarted := false
	for i := range kills {
		time.Sleep(100*time.Millisecond + rand.N(300*time.Millisecond))
		n := rand.IntN(len(workers))
		workers[n].end(os.Kill)
		if i == kills/2 {
			crashed := make(chan bool)
			go func() { crashed <- b.crash() }()
			workers[n] = b.start("--max", "2") // at the moment in which the server ends
			restarted = <-crashed
			continue
		}
		b.eventually("the server is there", func() bool { return b.jobs("status").code == 0 })
		workers[n] = b.start("--max", "2")
	}
	err := waits.Wait()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Errorf("wait: %v\n%s", err, talk.String())
	}
	b.finish(id, args...)
	if n := b.query(`SELECT count(*) FROM $$.river_job WHERE kind = 'trowel_part' AND state = 'completed'`); n != kills*15 {
		t.Errorf("%d parts", n)
	}
	for _, w := range workers {
		w.end(syscall.SIGTERM)
		if code := w.ProcessState.ExitCode(); code != 0 {
			t.Errorf("a worker ended with %d:\n%s", code, w.said)
		}
		if restarted {
			t.Logf("a worker said:\n%s", w.said)
		}
	}
	t.Logf("wait said:\n%s", talk.String())
	if left, _ := filepath.Glob(b.path("results/" + id + "/parts/.*")); len(left) > 0 {
		t.Errorf("files were left behind: %q", left)
	}
	if left, _ := filepath.Glob(b.path("tmp/*")); len(left) > kills {
		t.Errorf("folders were left behind: %q", left)
	}
	b.start().end(os.Kill) // it may not have started
	w := b.worker()
	b.eventually("the last one has cleaned up", func() bool { left, _ := filepath.Glob(b.path("tmp/*")); return len(left) == 1 })
	w.end(syscall.SIGTERM)
	if left, _ := filepath.Glob(b.path("tmp/*")); len(left) > 0 {
		t.Errorf("folders were left behind: %q", left)
	}
}

// crash kills a process of the server, which then ends all connections and restarts. It reports whether that
// was possible.
func (b *bench) crash() bool {
	conn, err := pgx.Connect(b.t.Context(), b.address)
	if err != nil {
		return false
	}
	defer conn.Close(context.Background())
	var pid int
	if err := conn.QueryRow(b.t.Context(), `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		return false
	}
	server, err := os.FindProcess(pid)
	if err == nil {
		err = server.Kill()
	}
	if err != nil {
		b.t.Logf("the server goes on: %v", err)
		return false
	}
	// The server may still accept connections until it detects the crash and ends them.
	b.eventually("the server has ended", func() bool { return b.conn.Ping(b.t.Context()) != nil })
	b.eventually("the server is there again", func() bool {
		conn, err := pgx.Connect(b.t.Context(), b.address)
		if err != nil {
			return false
		}
		b.conn.Close(b.t.Context())
		b.conn = conn
		return true
	})
	return true
}

// rescue does the same as River, but earlier: jobs that run for long are treated as lost.
func (b *bench) rescue(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(300 * time.Millisecond)
		if conn, err := pgx.Connect(ctx, b.address); err == nil { // the server may be restarting
			_, _ = conn.Exec(ctx, `UPDATE `+b.schema+`.river_job SET state = 'available', scheduled_at = now() WHERE state = `+
				`'running' AND attempted_at < now() - interval '1500 ms'`)
			conn.Close(ctx)
		}
	}
}
