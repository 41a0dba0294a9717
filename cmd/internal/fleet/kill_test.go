package fleet

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trowel.example/internal/judge"
)

// envKills makes workers be killed a hundred times, with River's own rescue: it takes minutes.
const envKills = "TROWEL_KILLS"

// TestKilled kills workers at random, and the server of the queue in the middle: the result is that
// of one process.
func TestKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at processes in /proc")
	}
	b := (&base{address: judge.Postgres(t)}).bench(t)
	kills := 12
	if os.Getenv(envKills) != "" {
		kills = 100
	} else {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go b.rescue(ctx) // that of River looks every half minute
	}
	b.write("in/slow", "")
	args := []string{"toy", strconv.Itoa(kills * 15), "in"}
	id := b.submit(append([]string{"--attempts", "1000", "--limit", "5s"}, args...)...) // behind toy, --limit is its own
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
			restarted = b.crash()
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
	b.start().end(os.Kill) // it may not have begun
	w := b.worker()
	b.eventually("the last one has cleaned up", func() bool { left, _ := filepath.Glob(b.path("tmp/*")); return len(left) == 1 })
	w.end(syscall.SIGTERM)
	if left, _ := filepath.Glob(b.path("tmp/*")); len(left) > 0 {
		t.Errorf("folders were left behind: %q", left)
	}
}

// crash kills a process of the server, which then ends all others and starts anew. It reports
// whether that could be done.
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
	// Until it has seen that it still takes connections, and then ends them with all others.
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

// rescue does what River does, sooner: jobs that run for long are taken for lost.
func (b *bench) rescue(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(300 * time.Millisecond)
		if conn, err := pgx.Connect(ctx, b.address); err == nil { // it may be restarted just now
			_, _ = conn.Exec(ctx, `UPDATE `+b.schema+`.river_job SET state = 'available', scheduled_at = now() WHERE state = 'running' AND attempted_at < now() - interval '1500 ms'`)
			conn.Close(ctx)
		}
	}
}
