package fleet

import (
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
)

// The settings that docs/jobs.md shows.
const (
	pageQueue  = "postgres://trowel@db.example/jobs?sslmode=verify-full&sslrootcert=/etc/trowel/ca.pem"
	pageClient = "&sslcert=/etc/trowel/client.pem&sslkey=/etc/trowel/client.key"
	pageBucket = "s3://results/tour?region=us-east-1&use_path_style=true&endpoint=https://s3.example.org"
	pageBundle = "AWS_CA_BUNDLE=/etc/trowel/ca.pem"
)

// secure is a PostgreSQL with TLS, and the certificates for it.
type secure struct {
	*bench
	authority, stranger *judge.Authority
	port                int
	cert, key           string // of the client
}

func secured(t *testing.T, host string, until time.Time) *secure {
	t.Helper()
	s := &secure{bench: offline(t), authority: judge.NewAuthority(t), stranger: judge.NewAuthority(t)}
	cert, key := s.authority.Certificate(host, until)
	s.port = judge.PostgresTLS(t, cert, key, s.authority)
	s.cert, s.key = s.authority.Certificate("certified", time.Now().Add(time.Hour))
	return s
}

// queue returns the address of a queue as docs/jobs.md shows it, with the files of this test.
func (s *secure) queue(user, host, root, cert, key string) string {
	text := strings.Replace(pageQueue, "trowel@db.example/jobs", fmt.Sprintf("%s@%s:%d/postgres", user, host, s.port), 1)
	if cert != "" {
		text += pageClient
	}
	return strings.NewReplacer("/etc/trowel/ca.pem", root, "/etc/trowel/client.pem", cert, "/etc/trowel/client.key", key).Replace(text)
}

// TestTLS tests the settings for TLS of the queue and of buckets that docs/jobs.md shows, and the errors about wrong ones.
func TestTLS(t *testing.T) {
	page := judge.Read(t, "../../../../docs/jobs.md")
	for _, text := range []string{pageQueue, pageClient, pageBucket, pageBundle} {
		if !strings.Contains(string(page), text) {
			t.Errorf("docs/jobs.md does not show %s", text)
		}
	}
	t.Run("queue", testQueueTLS)
	t.Run("bucket", testBucketTLS)
}

func testQueueTLS(t *testing.T) {
	s := secured(t, "127.0.0.1", time.Now().Add(time.Hour))
	expired := secured(t, "127.0.0.1", time.Now().Add(-time.Hour))
	elsewhere := secured(t, "db.example", time.Now().Add(time.Hour))
	strange, strangeKey := s.stranger.Certificate("certified", time.Now().Add(time.Hour))
	other, otherKey := s.authority.Certificate("other", time.Now().Add(time.Hour))
	b := s.bench
	for _, name := range []string{"results", "in"} {
		_ = os.Mkdir(b.path(name), 0o777)
	}
	submit := func(address string) said {
		b.env = append(b.env, envQueue+"="+address)
		return b.run("jobs", "submit", "--results", "results", "toy", "3", "in")
	}
	for _, c := range []struct{ name, address, words string }{
		{"another authority", s.queue("trowel", "127.0.0.1", s.stranger.File, "", ""),
			"signed by an authority that is not trusted here: sslrootcert names"},
		{"another name", s.queue("trowel", "localhost", s.authority.File, "", ""), "is for 127.0.0.1, not for localhost"},
		{"another host", elsewhere.queue("trowel", "127.0.0.1", elsewhere.authority.File, "", ""), "is for db.example, not for 127.0.0.1"},
		{"expired", expired.queue("trowel", "127.0.0.1", expired.authority.File, "", ""), "the certificate of the server expired on 20"},
		{"no such file", s.queue("trowel", "127.0.0.1", b.path("none.pem"), "", ""), "none.pem: no such file"},
		{"no certificate", s.queue("trowel", "127.0.0.1", s.key, "", ""), "the file of sslrootcert contains no certificate"},
		{"no certificate of the client", s.queue("certified", "127.0.0.1", s.authority.File, "", ""), "valid client certificate"},
		{"of another user", s.queue("certified", "127.0.0.1", s.authority.File, other, otherKey), "certificate authentication failed for user"},
		{"of another authority", s.queue("certified", "127.0.0.1", s.authority.File, strange, strangeKey),
			"the server ended the TLS connection: unknown certificate authority"},
		{"another key", s.queue("certified", "127.0.0.1", s.authority.File, s.cert, otherKey), "no certificate with its key"},
		{"no key", s.queue("certified", "127.0.0.1", s.authority.File, s.cert, s.cert), "no certificate with its key"},
		{"half", strings.Replace(s.queue("certified", "127.0.0.1", s.authority.File, s.cert, s.key), "&sslkey=", "&x=", 1), "needed together"},
		{"another mode", strings.Replace(s.queue("trowel", "127.0.0.1", s.authority.File, "", ""), "verify-full", "all", 1),
			"sslmode must be disable"},
		{"without TLS", fmt.Sprintf("postgres://trowel@127.0.0.1:%d/postgres?sslmode=disable", s.port), "no encryption"},
	} {
		got := submit(c.address)
		if got.code != 2 || !strings.Contains(got.err, c.words) || strings.Contains(got.err, "sslmode=") {
			t.Errorf("%s: %d, %s", c.name, got.code, got.err)
		}
	}
	plain := judge.Postgres(t)
	if got := submit(plain + " sslmode=require"); got.code != 2 && !strings.Contains(plain, "host=/") {
		t.Errorf("a server without TLS: %s", got.err)
	}
	for _, address := range []string{s.queue("trowel", "127.0.0.1", s.authority.File, "", ""),
		s.queue("certified", "127.0.0.1", s.authority.File, s.cert, s.key)} {
		if got := submit(address + "&application_name=x"); got.code != 0 {
			t.Fatalf("%d, %s", got.code, got.err)
		}
	}
	address := s.queue("certified", "127.0.0.1", s.authority.File, s.cert, s.key)
	id := strings.TrimSpace(submit(address).out)
	b.schema = "trowel"
	// A world names no files; its authority comes from the environment of the worker.
	b.env = append(b.env, "PGSSLROOTCERT="+s.authority.File)
	b.worker("--root", b.dir, "--remote")
	if got := b.jobs("wait", id); got.code > 1 {
		t.Errorf("%d, %s", got.code, got.err)
	}
	if got := b.run("pack", "-q", b.samples()+"/hollow", "-o", "here"); got.code != 0 {
		t.Fatal(got.err)
	}
	connection := fmt.Sprintf("host=127.0.0.1 port=%d user=trowel dbname=postgres sslmode=verify-full", s.port)
	if got := b.run("convert", "-q", "here", "-o", "world", "--to", "postgresql", "--postgres", connection, "--remote"); got.code != 0 {
		t.Fatal(got.err)
	}
	for words, named := range map[string]string{"": "", "is a file of this machine": " sslrootcert=" + s.authority.File} {
		text := string(judge.Read(t, b.path("world/world.mt")))
		b.write("world/world.mt", strings.ReplaceAll(text, connection, connection+named))
		id := strings.TrimSpace(b.jobs("submit", "--results", "results", "--again", "--attempts", "1", "check", "world", "--remote").out)
		b.jobs("wait", id)
		got := b.jobs("results", id)
		if words == "" && got.code != 0 || !strings.Contains(got.out+got.err+b.jobs("status", id).out, words) {
			t.Errorf("a world, %q: %d, %s%s", words, got.code, got.out, got.err)
		}
		b.write("world/world.mt", text)
	}
}

func testBucketTLS(t *testing.T) {
	address := judge.S3(t, "results")
	b := offline(t) // has the credentials of the server
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(u.Query().Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	authority, stranger := judge.NewAuthority(t), judge.NewAuthority(t)
	serve := func(host string, until time.Time) string {
		cert, key := authority.Certificate(host, until)
		s := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(to))
		s.TLS, s.Config.ErrorLog = judge.ServerTLS(t, cert, key), log.New(io.Discard, "", 0)
		s.StartTLS()
		t.Cleanup(s.Close)
		return strings.Replace(pageBucket, "https://s3.example.org", s.URL, 1)
	}
	sound := serve("127.0.0.1", time.Now().Add(time.Hour))
	env := slices.DeleteFunc(append(b.env, "AWS_MAX_ATTEMPTS=1"), func(v string) bool { return strings.HasPrefix(v, "AWS_CA_BUNDLE=") })
	for _, c := range []struct{ name, url, set, words string }{
		{"a bundle", sound, strings.Replace(pageBundle, "/etc/trowel/ca.pem", authority.File, 1), ""},
		{"a file of the system", sound, "SSL_CERT_FILE=" + authority.File, ""},
		{"no authority", sound, "X=", "signed by an authority that is not trusted here: AWS_CA_BUNDLE names"},
		{"another authority", sound, "AWS_CA_BUNDLE=" + stranger.File, "signed by an authority that is not trusted here: AWS_CA_BUNDLE names"},
		{"no such file", sound, "AWS_CA_BUNDLE=" + b.path("none.pem"), "none.pem: no such file"},
		{"another name", strings.Replace(sound, "127.0.0.1", "localhost", 1), "AWS_CA_BUNDLE=" + authority.File,
			"is for 127.0.0.1, not for localhost"},
		{"another host", serve("s3.example.org", time.Now().Add(time.Hour)), "AWS_CA_BUNDLE=" + authority.File,
			"is for s3.example.org, not for 127.0.0.1"},
		{"expired", serve("127.0.0.1", time.Now().Add(-time.Hour)), "AWS_CA_BUNDLE=" + authority.File,
			"the certificate of the server expired on 20"},
		{"no TLS", strings.Replace(address, "http://", "https://", 1), "AWS_CA_BUNDLE=" + authority.File, "the server answers without TLS"},
	} {
		b.env = append(slices.Clone(env), c.set)
		results := "--results=" + c.url
		got := b.run("worker", "--part", "0/1", results, "toy", "3", "in")
		if c.words == "" {
			if got.code != 0 {
				t.Errorf("%s: %d, %s", c.name, got.code, got.err)
			} else if got := b.run("jobs", "merge", results, "toy", "3", "in"); got.code > 1 || got.out == "" {
				t.Errorf("%s: %d, %s", c.name, got.code, got.err)
			}
			continue
		}
		if got.code != 2 || !strings.Contains(got.err, c.words) || strings.Contains(got.err, "x509") {
			t.Errorf("%s: %d, %s", c.name, got.code, got.err)
		}
	}
}
