package database

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gomodule/redigo/redis"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"trowel.example/internal/stores/server"
)

// calls records connection attempts, and makes all of them fail.
func calls(t *testing.T) *[]string {
	t.Helper()
	var all []string
	dial := server.Dial
	t.Cleanup(func() { server.Dial = dial })
	server.Dial = func(_ context.Context, network, address string) (net.Conn, error) {
		all = append(all, network+" "+address)
		return nil, errors.New("nobody is at home")
	}
	return &all
}

// keep stores a password of every kind, and a service, for the user.
func keep(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("PGPASSFILE", write("pgpass", "*:*:*:*:fromfile\n"))
	t.Setenv("PGSERVICEFILE", write("services", "[far]\nhost=192.0.2.9\npassword=fromservice\n"))
	t.Setenv("HOME", dir)
}

func TestRedisIsHere(t *testing.T) {
	for address, local := range map[string]bool{
		"127.0.0.1": true, "localhost": true, "LocalHost": true, "::1": true, "[::1]": true, "127.9.9.9": true,
		"::ffff:127.0.0.1": true, "/run/redis.sock": true, "./x/redis": true,
		"192.0.2.1": false, "example.org": false, "localhost.": false, "localhost.example.org": false, "0.0.0.0": false,
		"::": false, "127.1": false, "2130706433": false,
		"0x7f000001": false, "10.0.0.1": false, "169.254.169.254": false, "::1%eth0": false, "::ffff:192.0.2.1": false,
		"127.0.0.1@example.org": false, "127.0.0.1 example.org": false,
	} {
		called := calls(t)
		pool, _, err := Redis(address, 1, "", false)
		if local != (err == nil) || !local && !errors.Is(err, server.ErrRemote) {
			t.Errorf("%q: %v", address, err)
			continue
		}
		if err == nil {
			if _, err := pool.GetContext(t.Context()); err == nil || len(*called) == 0 {
				t.Errorf("%q: %v, called %q", address, err, *called)
			}
			pool.Close()
		}
		if _, _, err = Redis(address, 1, "", true); err != nil {
			t.Errorf("%q where it is allowed: %v", address, err)
		}
		for _, call := range *called {
			if !local || !strings.Contains(call, "unix ") && !strings.Contains(call, "127.") && !strings.Contains(call, "::1") {
				t.Errorf("%q: called %q", address, call)
			}
		}
	}
}

func TestPostgresIsHere(t *testing.T) {
	keep(t)
	for _, c := range []struct {
		conn     string
		env      map[string]string
		local    bool
		password string
	}{
		{conn: "host=127.0.0.1 user=a dbname=b", local: true},
		{conn: "host=127.0.0.1 user=a password=own", local: true, password: "own"},
		{conn: `host=127.0.0.1 user=a password='o\'w\\n'`, local: true, password: `o'w\n`},
		{conn: "host=127.0.0.1 user=a password=''", local: true},
		{conn: "host=127.0.0.1 user=a", env: map[string]string{"PGPASSWORD": "mine"}, local: true},
		{conn: "postgres://a:o%20wn@localhost/b", local: true, password: "o wn"},
		{conn: "postgres://a:@localhost/b", local: true},
		{conn: "postgres://a@[::1]:77/b", local: true},
		{conn: "host=/run/postgresql user=a", local: true},
		{conn: "postgresql:///b?host=/run/postgresql", local: true},
		{conn: "host=127.0.0.1,/run/postgresql,localhost user=a", local: true},
		{conn: "dbname=b", env: map[string]string{"PGHOST": "localhost"}, local: true},

		{conn: "host=192.0.2.1 user=a"},
		{conn: "host=example.org user=a"},
		{conn: "host=127.0.0.1,192.0.2.1 user=a"},
		{conn: "host=127.0.0.1 host=192.0.2.1 user=a"},
		{conn: "postgres://127.0.0.1,192.0.2.1/b"},
		{conn: "postgres://127.0.0.1/b?host=192.0.2.1"},
		{conn: "postgres://127.0.0.1@192.0.2.1/b"},
		{conn: "host=127.0.0.1 hostaddr=192.0.2.1 user=a"},
		{conn: "host=@abstract user=a"},
		{conn: "service=far"},
		{conn: "host=127.0.0.1 service=far"},
		{conn: "host=127.0.0.1 servicefile=/dev/zero"},
		{conn: "host=127.0.0.1 passfile=/dev/zero"},
		{conn: "host=127.0.0.1 sslkey=/dev/zero"},
		{conn: "host=127.0.0.1 sslrootcert=/dev/zero sslmode=verify-full"},
		{conn: "dbname=b", env: map[string]string{"PGHOST": "192.0.2.1"}},
		{conn: "dbname=b", env: map[string]string{"PGHOST": "127.0.0.1,example.org"}},
		{conn: "dbname=b", env: map[string]string{"PGSERVICE": "far"}},
	} {
		t.Run(c.conn, func(t *testing.T) {
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			called := calls(t)
			config, err := Postgres(c.conn, "pgsql_connection", false)
			if c.local != (err == nil) || !c.local && !errors.Is(err, server.ErrRemote) {
				t.Fatal(err)
			}
			if err == nil {
				if config.Password != c.password {
					t.Errorf("the password is %q", config.Password)
				}
				if _, err := pgx.ConnectConfig(t.Context(), config); err == nil || len(*called) == 0 {
					t.Errorf("%v, called %q", err, *called)
				}
			}
			for _, call := range *called {
				if !c.local || !strings.Contains(filepath.ToSlash(call), "unix /run") && !strings.Contains(call, "127.0.0.1") &&
					!strings.Contains(call, "::1") {
					t.Errorf("called %q", call)
				}
			}
		})
	}
}

// TestPostgresAnywhere tests that all stored credentials are used if other machines are allowed.
func TestPostgresAnywhere(t *testing.T) {
	keep(t)
	for conn, password := range map[string]string{"host=192.0.2.1": "fromfile", "service=far": "fromservice",
		"host=192.0.2.1 password=own": "own"} {
		called := calls(t)
		c, err := Postgres(conn, "pgsql_connection", true)
		if err != nil {
			t.Fatal(err)
		}
		if c.Password != password || c.ConnectTimeout != server.Timeout {
			t.Errorf("%s: password %q, timeout %v", conn, c.Password, c.ConnectTimeout)
		}
		if _, err := pgx.ConnectConfig(t.Context(), c); err == nil || len(*called) == 0 || !strings.Contains((*called)[0], "192.0.2.") {
			t.Errorf("%s: %v, called %q", conn, err, *called)
		}
	}
	for _, conn := range []string{"", " ", "host", "postgres://a:secret@h:x/"} {
		for _, anywhere := range []bool{false, true} {
			if _, err := Postgres(conn, "pgsql_connection", anywhere); err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: %v", conn, err)
			}
		}
	}
}

// TestPostgresSealed tests that a process that works for others reads no files that a world names.
func TestPostgresSealed(t *testing.T) {
	keep(t)
	server.Sealed = true
	t.Cleanup(func() { server.Sealed = false })
	for conn, fine := range map[string]bool{
		"host=192.0.2.1 user=a": true, "host=192.0.2.1 sslmode=verify-full": true, "postgres://a:own@192.0.2.1/b": true,
		"service=far": false, "host=192.0.2.1 servicefile=/dev/zero": false, "host=192.0.2.1 passfile=/dev/zero": false,
		"postgres://192.0.2.1/b?passfile=/dev/zero":         false,
		"host=192.0.2.1 sslkey=/dev/zero sslcert=/dev/zero": false, "host=192.0.2.1 sslrootcert=/dev/zero": false,
	} {
		if _, err := Postgres(conn, "pgsql_connection", true); (err == nil) != fine || err != nil && !errors.Is(err, server.ErrFiles) {
			t.Errorf("%q: %v", conn, err)
		}
	}
}

// TestDialHere tests that a client that was redirected to another machine cannot connect.
func TestDialHere(t *testing.T) {
	called := calls(t)
	for _, address := range []string{"192.0.2.1:5432", "example.org:5432", "nonsense"} {
		if _, err := dialHere(t.Context(), "tcp", address); err == nil {
			t.Errorf("%s: no error", address)
		}
	}
	if len(*called) > 0 {
		t.Errorf("called %q", *called)
	}
}

func TestWords(t *testing.T) {
	for want, err := range map[string]error{
		"no space left on the server: disk full":             &pgconn.PgError{Code: "53100", Message: "disk full"},
		"the server reports: too many":                       &pgconn.PgError{Code: "53300", Message: "too many"},
		"no answer within 10 seconds":                        context.DeadlineExceeded,
		"unknown host":                                       &net.DNSError{Err: "no such host", Name: "h"},
		"the connection has ended":                           net.ErrClosed,
		"no space left on the server: OOM command not allow": redis.Error("OOM command not allow"),
		"the server reports: NOAUTH":                         redis.Error("NOAUTH"),
	} {
		if got := Wrap("S", err); got.Error() != "S: "+want || !server.Failed(got) {
			t.Errorf("%v, want %s", got, want)
		}
	}
	if err := Wrap("S", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENOENT)}); errors.Is(err,
		fs.ErrNotExist) || err.Error() != "S: no connection: "+syscall.ENOENT.Error() {
		t.Errorf("a socket that is not there: %v", err)
	}
	if err := Wrap("S", &pgconn.PgError{Code: "42P01", Message: "no table"}); server.Failed(err) || err.Error() != "S: no table" {
		t.Errorf("a table that is missing: %v", err)
	}
}
