package fleet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// cable forwards connections from a local port to a server until it is cut.
type cable struct {
	net.Listener
	mu   sync.Mutex
	open []net.Conn
	cut  bool
	hung chan struct{} // closed while data is forwarded
}

// newCable starts forwarding.
func newCable(t *testing.T, network, address string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{Listener: l, hung: make(chan struct{})}
	close(c.hung)
	t.Cleanup(func() { l.Close(); c.set(true); c.hang(false) })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial(network, address)
			if err != nil {
				from.Close()
				continue
			}
			c.mu.Lock()
			if c.cut {
				from.Close()
				to.Close()
			} else {
				c.open = append(c.open, from, to)
			}
			c.mu.Unlock()
			go c.carry(from, to)
			go c.carry(to, from)
		}
	}()
	return c
}

func (c *cable) carry(to, from net.Conn) {
	defer to.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		c.mu.Lock()
		hung := c.hung
		c.mu.Unlock()
		<-hung
		if err != nil {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// set cuts the connection or restores it.
func (c *cable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut = cut; cut {
		for _, conn := range c.open {
			conn.Close()
		}
		c.open = nil
	}
}

// hang pauses the forwarding without losing data.
func (c *cable) hang(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.hung:
		if on {
			c.hung = make(chan struct{})
		}
	default:
		if !on {
			close(c.hung)
		}
	}
}

var hostname = regexp.MustCompile(`host='?[^ ']*'?`)

// TestCut tests that all workers continue after the network to the queue was cut or paused several times.
func TestCut(t *testing.T) {
	tests.LongOnly(t, "waits for much")
	t.Parallel()
	address := judge.Postgres(t)
	b := (&base{address: address}).bench(t)
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	network, to := pgxNetwork(config)
	c := newCable(t, network, to)
	port := c.Addr().(*net.TCPAddr).Port
	b.env = append(b.env, envQueue+"="+hostname.ReplaceAllString(address, fmt.Sprintf("host=127.0.0.1 port=%d sslmode=disable", port)))
	b.write("in/slow", "")
	id := b.submit("--limit", "5s", "--attempts", "100", "toy", "150", "in")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go b.rescue(ctx) // parts assigned to a worker that did not receive the answer
	w := b.worker("--max", "1")
	waits := b.command("jobs", "wait", "--schema", b.schema, id)
	said := new(talk)
	waits.Stderr = said
	if err := waits.Start(); err != nil {
		t.Fatal(err)
	}
	running := func() bool { return b.query(`SELECT count(*) FROM $$.river_job WHERE state = 'completed'`) > 5 }
	b.eventually("parts are done", running)
	c.hang(true)
	time.Sleep(1500 * time.Millisecond)
	c.hang(false)
	c.set(true)
	b.eventually("both have noticed", func() bool {
		return strings.Contains(said.String(), "reconnecting") && strings.Contains(w.said.String(), "reconnecting")
	})
	c.set(false)
	if err := waits.Wait(); waits.ProcessState.ExitCode() != 0 && waits.ProcessState.ExitCode() != 1 {
		t.Errorf("%v: %s", err, said)
	}
	b.finish(id, "toy", "150", "in")
	for _, talk := range []string{said.String(), w.said.String()} {
		if !strings.Contains(talk, "reconnecting") || !strings.Contains(talk, " is back\n") {
			t.Errorf("said was\n%s", talk)
		}
	}
	// A worker ends on request even if the queue is unreachable.
	c.set(true)
	b.eventually("it has seen that", func() bool { return strings.Count(w.said.String(), "reconnecting") > 1 })
	begun := time.Now()
	w.end(syscall.SIGTERM)
	if took := time.Since(begun); took > 2*time.Minute {
		t.Errorf("it took %v", took)
	}
}

// pgxNetwork returns the network and the address of a PostgreSQL server.
func pgxNetwork(config *pgx.ConnConfig) (network, address string) {
	if strings.HasPrefix(config.Host, "/") {
		return "unix", fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port)
	}
	return "tcp", net.JoinHostPort(config.Host, fmt.Sprint(config.Port))
}

// TestStorageFails tests that if object storage fails for a while and then denies access, parts fail with the
// server's message, are done after it works again, and leave no duplicate or partial objects.
func TestStorageFails(t *testing.T) {
	tests.LongOnly(t, "waits for much")
	address := judge.Postgres(t)
	name, settings, _ := strings.Cut(judge.S3(t, "archive"), "?")
	endpoint := settings[strings.Index(settings, "http://"):]
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	var mode atomic.Int64 // 0, the status of all answers, or 1 to close connections
	var n atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(target)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		switch m := mode.Load(); m {
		case 0:
			proxy.ServeHTTP(w, r)
		case 1:
			_, _ = io.CopyN(io.Discard, r.Body, 100)
			panic(http.ErrAbortHandler)
		default:
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(int(m))
			fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>as requested</Message></Error>`,
				map[int64]string{403: "AccessDenied", 503: "ServiceUnavailable"}[m])
		}
	})}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	results := name + "/results?" + strings.Replace(settings, endpoint, "http://"+l.Addr().String(), 1)
	b := (&base{address: address}).bench(t)
	modes := []struct {
		mode       int64
		part, says string
	}{{503, "00004", "ServiceUnavailable"}, {1, "00008", "EOF"}, {403, "00012", "Forbidden"}}
	for _, m := range modes {
		b.write("in/hold-"+m.part, "")
	}
	w := b.worker("--max", "3", "--root", b.dir, "--root", results)
	id := strings.TrimSpace(b.must(0, "submit", "--results", results, "--attempts", "100", "toy", "15", "in").out)
	for i, m := range modes {
		b.eventually("a part that waits", func() bool {
			data, _ := os.ReadFile(b.path("in/holds"))
			return bytes.Count(data, []byte("\n")) > i
		})
		mode.Store(m.mode)
		b.remove("in/hold-" + m.part)
		b.eventually(m.says, func() bool {
			_, text, _ := strings.Cut(b.jobs("status", id).out, "is retried: ")
			return strings.Contains(text, m.says) && !strings.Contains(text, "RequestID")
		})
		mode.Store(0)
		b.eventually("the part is done after all", func() bool { return !strings.Contains(b.jobs("status", id).out, "is retried: ") })
	}
	b.finish(id, "toy", "15", "in")
	if strings.Contains(w.said.String(), "AWS_") || strings.Contains(w.said.String(), "Signature=") {
		t.Errorf("a worker said\n%s", w.said)
	}
}
