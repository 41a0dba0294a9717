package verbs

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
)

// pageWorld is the setting of world.mt that docs/jobs.md shows.
const pageWorld = "host=db.example dbname=world user=trowel sslmode=verify-full sslrootcert=/etc/trowel/ca.pem"

// TestWorldTLS tests worlds in PostgreSQL with TLS, and the errors about wrong certificates and about Redis with TLS.
func TestWorldTLS(t *testing.T) {
	authority, stranger := judge.NewAuthority(t), judge.NewAuthority(t)
	cert, key := authority.Certificate("127.0.0.1", time.Now().Add(time.Hour))
	port := judge.PostgresTLS(t, cert, key, authority)
	page, err := os.ReadFile("../../../docs/jobs.md")
	if err != nil || !strings.Contains(string(page), "pgsql_connection = "+pageWorld+"\n") {
		t.Errorf("docs/jobs.md does not show %s, %v", pageWorld, err)
	}
	samples, err := filepath.Abs("../../../samples/hollow")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	do := func(args ...string) (int, string) {
		var out, talk bytes.Buffer
		code := Main(games, args, strings.NewReader(""), &out, &talk)
		return code, out.String() + talk.String()
	}
	connection := strings.NewReplacer("db.example", fmt.Sprintf("127.0.0.1 port=%d", port), "dbname=world", "dbname=postgres",
		"/etc/trowel/ca.pem", authority.File).Replace(pageWorld)
	for _, args := range [][]string{{"pack", "-q", samples, "-o", "here"},
		{"convert", "-q", "here", "-o", "w", "--to", "postgresql", "--postgres", connection, "--remote"}} {
		if code, said := do(args...); code != 0 {
			t.Fatalf("%q: %d, %s", args, code, said)
		}
	}
	settings := string(judge.Read(t, "w/world.mt"))
	if !strings.Contains(settings, connection) {
		t.Fatal(settings)
	}
	for _, c := range []struct{ name, from, to, words string }{
		{"sound", "", "", ""},
		{"another authority", authority.File, stranger.File, "signed by an authority that is not trusted here: sslrootcert names"},
		{"no authority", " sslrootcert=" + authority.File, "", "signed by an authority that is not trusted here: sslrootcert names"},
		{"another name", "127.0.0.1", "localhost", "is for 127.0.0.1, not for localhost"},
		{"no such file", authority.File, "/none.pem", "/none.pem: no such file"},
		{"no certificate", authority.File, key, "the file of sslrootcert contains no certificate"},
		{"no mode", "verify-full", "all", "sslmode must be disable"},
		{"no TLS", "verify-full", "disable", "no encryption"},
	} {
		judge.Write(t, "w/world.mt", []byte(strings.ReplaceAll(settings, c.from, c.to)))
		code, said := do("check", "w", "--remote")
		if c.words == "" && code != 0 || !strings.Contains(said, c.words) || c.words != "" && code == 0 {
			t.Errorf("%s: %d, %s", c.name, code, said)
		}
	}
	judge.Write(t, "w/world.mt", []byte(settings))
	if code, said := do("check", "w"); !strings.Contains(said, "--remote") {
		t.Errorf("files of this machine: %d, %s", code, said)
	}
	t.Setenv("PGSSLROOTCERT", authority.File)
	judge.Write(t, "w/world.mt", []byte(strings.ReplaceAll(settings, " sslrootcert="+authority.File, "")))
	if code, said := do("check", "w"); code != 0 {
		t.Errorf("the authority from the environment: %d, %s", code, said)
	}
	redisTLS(t, authority, do)
}

// redisTLS tests that a Redis with TLS, which is not supported, is an error in words.
func redisTLS(t *testing.T, authority *judge.Authority, do func(args ...string) (int, string)) {
	cert, key := authority.Certificate("127.0.0.1", time.Now().Add(time.Hour))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	ctx, stop := context.WithCancel(t.Context())
	server := exec.CommandContext(ctx, judge.Find(t, "redis-server"), "--port", "0", "--tls-port", port, "--tls-cert-file", cert,
		"--tls-key-file", key, "--tls-ca-cert-file", authority.File, "--save", "", "--bind", "127.0.0.1")
	server.Dir = t.TempDir()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stop(); _ = server.Wait() }()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			conn.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	number, _ := strconv.Atoi(port)
	for address, words := range map[string]string{"127.0.0.1": "if it expects TLS", "rediss://127.0.0.1": "needs a tunnel"} {
		judge.Write(t, "r/world.mt", fmt.Appendf(nil, "gameid = a\nbackend = redis\nredis_address = %s\nredis_port = %d\nredis_hash = a\n",
			address, number))
		if code, said := do("ls", "r"); code == 0 || !strings.Contains(said, words) {
			t.Errorf("%s: %d, %s", address, code, said)
		}
	}
}
