package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"trowel.example/internal/stores/server"
)

// testSchema tests that a schema of another program is not changed, even if that program uses River, and that
// an empty schema, or one that a killed submit began, is used.
func testSchema(t *testing.T, b *bench) {
	do := func(sql string) {
		t.Helper()
		if _, err := b.conn.Exec(t.Context(), strings.ReplaceAll(sql, "$$", b.schema)); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(words ...string) {
		t.Helper()
		if s := b.run(words...); s.code != 2 || !strings.Contains(s.err, "something other than a queue") || strings.Count(s.err, "\n") != 2 {
			t.Errorf("%q: %+v", words, s)
		}
	}
	submit := []string{"jobs", "submit", "--schema", b.schema, "--results", "results", "toy", "2", "in"}
	for _, sql := range []string{"CREATE TABLE $$.river_job (id bigint)", "CREATE SEQUENCE $$.mine"} {
		do("CREATE SCHEMA $$")
		do(sql)
		refused(submit...)
		refused("worker", "--schema", b.schema, "--root", b.dir)
		if n := b.query(`SELECT count(*) FROM pg_class WHERE relnamespace = '$$'::regnamespace`); n != 1 {
			t.Errorf("there are %d things in it", n)
		}
		do("DROP SCHEMA $$ CASCADE")
	}
	do("CREATE SCHEMA $$")
	b.submit("toy", "2", "in")
	for table := range strings.FieldsSeq("river_job river_leader river_migration river_notification river_queue") {
		do("DROP TABLE $$." + table + " CASCADE")
	}
	do("DROP FUNCTION $$.river_job_state_in_bitmask")
	do("DROP TYPE $$.river_job_state")
	b.submit("toy", "2", "in", "--again")
	w := b.worker()
	b.finish(b.submit("toy", "3", "in"), "toy", "3", "in")
	// Errors of the server are reported.
	do("ALTER TABLE $$.river_job RENAME COLUMN attempt TO tried")
	b.eventually("the worker reports it", func() bool {
		return strings.Contains(w.said.String(), `the server reports: column "attempt" does not exist`)
	})
}

// testLeft tests that results unknown to the queue are reported, and that --again repeats the work.
func testLeft(t *testing.T, b *bench) {
	b.worker()
	first := b.submit("toy", "2", "in")
	b.finish(first, "toy", "2", "in")
	if _, err := b.conn.Exec(t.Context(), `DROP SCHEMA `+b.schema+` CASCADE`); err != nil {
		t.Fatal(err)
	}
	s := b.must(0, "submit", "--results", "results", "toy", "2", "in")
	if !strings.Contains(s.err, "count as done") || strings.TrimSpace(s.out) != first {
		t.Error(s)
	}
	again := b.submit("--again", "toy", "2", "in")
	if again != first+"-2" {
		t.Error(again)
	}
	if err := os.MkdirAll(b.path("results/"+first+"-3"), 0o777); err != nil {
		t.Fatal(err)
	}
	b.write("results/"+first+"-3/plan.json", "{}")
	if s := b.submit("--again", "toy", "2", "in"); s != first+"-4" {
		t.Error(s)
	}
}

// testWords tests that arguments that the queue cannot store are rejected.
func testWords(t *testing.T, b *bench) {
	if s := b.jobs("submit", "--results", "results", "toy", "1", "in\xff"); s.code != 2 ||
		!strings.Contains(s.err, `"in\xff" is not valid UTF-8`) {
		t.Error(s)
	}
	dir := b.path("no \xff")
	if os.Mkdir(dir, 0o777) != nil {
		t.Skip("the file system has no such names")
	}
	cmd := b.command("jobs", "submit", "--schema", b.schema, "--results", "results", "toy", "1", "in")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "is not valid UTF-8") {
		t.Errorf("%v: %s", err, out)
	}
}

// testClock tests that a clock error of more than 30 seconds is an error.
func testClock(t *testing.T, b *bench) {
	at, err := parseAddress(b.address, "")
	if err != nil && strings.Contains(b.address, "password") {
		t.Skip("the address has a password in it")
	}
	if err != nil {
		t.Fatal(err)
	}
	q, err := open(t.Context(), at, b.schema)
	if err != nil {
		t.Fatal(err)
	}
	defer q.pool.Close()
	for skew, wrong := range map[time.Duration]bool{0: false, 10 * time.Second: false, -10 * time.Second: false,
		time.Hour: true, -time.Minute: true} {
		err := q.clock(t.Context(), func() time.Time { return time.Now().Add(skew) })
		if (err != nil) != wrong {
			t.Errorf("%v: %v", skew, err)
		}
	}
}

// A server that restarts is asked again, and no other error is.
func TestWhenUp(t *testing.T) {
	restarts, full := &pgconn.PgError{Code: "57P03"}, &pgconn.PgError{Code: "53100"}
	wrong := &server.Error{Err: &net.DNSError{Name: "nowhere"}}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx     context.Context
		answers []error
		asked   int
		last    error
	}{
		{t.Context(), []error{restarts, fmt.Errorf("queue: %w", restarts), nil}, 3, nil},
		{t.Context(), []error{&server.Error{Err: restarts}, full, nil}, 2, full},
		{t.Context(), []error{&server.Error{Err: io.ErrUnexpectedEOF}, wrong, nil}, 2, wrong},
		{ended, []error{restarts, nil}, 1, restarts},
	} {
		asked := 0
		err := whenUp(c.ctx, false, func() error {
			asked++
			return c.answers[asked-1]
		})
		if asked != c.asked || err != c.last {
			t.Errorf("asked %d times, %v", asked, err)
		}
	}
}

// TestStartsLater tests that a worker waits for a server that is not there yet, that ends or resets connections, and that starts;
// and that other verbs wait for the latter only.
func TestStartsLater(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	where := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	at, err := parseAddress("postgres://me@"+where+"/jobs?sslmode=disable", "")
	if err != nil {
		t.Fatal(err)
	}
	once := func() error { _, err := open(t.Context(), at, "trowel"); return err }
	if err := once(); err == nil || !strings.Contains(err.Error(), "no connection: ") {
		t.Errorf("nothing listens there: %v", err)
	}
	answers := make(chan int, 1)
	time.AfterFunc(300*time.Millisecond, func() {
		l, err := net.Listen("tcp", where)
		if err != nil {
			answers <- -1
			return
		}
		defer l.Close()
		n := 0
		for ; n < 5; n++ {
			c, err := l.Accept()
			if err != nil {
				break
			}
			in := pgproto3.NewBackend(c, c)
			reply := &pgproto3.ErrorResponse{Severity: "FATAL", Code: "57P03", Message: "the database system is starting up"}
			switch n {
			case 0: // ends before it has read anything
			case 1:
				_ = c.(*net.TCPConn).SetLinger(0) // resets
			case 4:
				reply.Code, reply.Message = "28000", "not you"
				fallthrough
			default:
				_, _ = in.ReceiveStartupMessage()
				in.Send(reply)
				_ = in.Flush()
			}
			c.Close()
		}
		answers <- n
	})
	if err := whenUpFor(t.Context(), once); err == nil || !strings.Contains(err.Error(), "not you") {
		t.Error(err)
	}
	if n := <-answers; n != 5 {
		t.Errorf("%d answers", n)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	asked := 0
	reset := &server.Error{Err: net.ErrClosed}
	if err := whenUpFor(ended, func() error { asked++; return reset }); asked != 1 || !errors.Is(err, reset) {
		t.Errorf("asked %d times, %v", asked, err)
	}
}

// TestGone tests that verbs of earlier versions are answered with what replaces them.
func TestGone(t *testing.T) {
	if s := offline(t).run("jobs", "plan", "toy", "3", "in"); s.code != 2 || !strings.Contains(s.err, "`jobs plan` is gone: use ") {
		t.Errorf("%d, %s", s.code, s.err)
	}
}
