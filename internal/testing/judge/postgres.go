package judge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trowel.example/internal/testing/tests"
)

// databases counts the databases that this process created in an external server.
var databases atomic.Int32

// Postgres returns the connection string of an empty database that exists during the test. It is created in the server
// of the connection string TROWEL_POSTGRES, whose user must be allowed to create databases. Without this variable, it
// is in a server for this test, which listens only on a Unix socket in a temporary folder and takes a second to start.
// Postgres skips the test if PostgreSQL is not installed, unless judges are required.
func Postgres(t testing.TB) (connString string) {
	t.Helper()
	tests.Judges(t)
	admin := os.Getenv("TROWEL_POSTGRES")
	if admin == "" {
		return startPostgres(t)
	}
	name := fmt.Sprintf("trowel_%d_%d", os.Getpid(), databases.Add(1))
	do := func(sql string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		conn, err := pgx.Connect(ctx, admin)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	do("CREATE DATABASE " + name)
	t.Cleanup(func() { do("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)") })

	config, err := pgx.ParseConfig(admin)
	if err != nil {
		t.Fatal(err)
	}
	connString = fmt.Sprintf("host='%s' port=%d user='%s' dbname='%s'", config.Host, config.Port, config.User, name)
	if config.Password != "" {
		connString += fmt.Sprintf(" password='%s'", strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(config.Password))
	}
	return connString
}

// PostgresTLS runs a PostgreSQL server with a certificate on a port of 127.0.0.1, which accepts no connection without TLS, and
// returns the port. The user trowel needs no certificate; the user certified needs one of the authority, with this name.
func PostgresTLS(t testing.TB, cert, key string, authority *Authority) (port int) {
	t.Helper()
	tests.Judges(t)
	port = freePort(t)
	dir := runPostgres(t, func(dir string) []string {
		for name, from := range map[string]string{"server.pem": cert, "server.key": key, "ca.pem": authority.File} {
			Write(t, filepath.Join(dir, name), Read(t, from))
			own(t, filepath.Join(dir, name), 0o600)
		}
		Write(t, filepath.Join(dir, "hba"), []byte("local all all trust\nhostssl all trowel 127.0.0.1/32 trust\n"+
			"hostssl all certified 127.0.0.1/32 cert\n"))
		return []string{"-c", "listen_addresses=127.0.0.1", "-p", strconv.Itoa(port), "-c", "ssl=on", "-c", "hba_file=" + dir + "/hba",
			"-c", "ssl_cert_file=" + dir + "/server.pem", "-c", "ssl_key_file=" + dir + "/server.key", "-c", "ssl_ca_file=" + dir + "/ca.pem"}
	})
	conn, err := pgx.Connect(t.Context(), fmt.Sprintf("host=%s port=%d user=trowel dbname=postgres", dir, port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), "CREATE ROLE certified SUPERUSER LOGIN"); err != nil {
		t.Fatal(err)
	}
	return port
}

// startPostgres runs a server without a port during the test, and returns its connection string.
func startPostgres(t testing.TB) string {
	t.Helper()
	dir := runPostgres(t, func(string) []string { return []string{"-c", "listen_addresses="} })
	return fmt.Sprintf("host=%s user=trowel dbname=postgres", dir)
}

// runPostgres creates a cluster in a temporary folder, and runs its server during the test with the options that prepare
// returns. It returns the folder of the socket.
func runPostgres(t testing.TB, prepare func(dir string) []string) (dir string) {
	t.Helper()
	programs := postgresPrograms(t)
	// The path of a Unix socket is limited to about 100 bytes: t.TempDir is too long.
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	become := unprivileged(t, dir)
	run := func(ctx context.Context, name string, args ...string) *exec.Cmd {
		args = slices.Concat(become, []string{name}, args)
		return command(ctx, dir, args[0], args[1:])
	}

	data := filepath.Join(dir, "data")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if output, err := run(ctx, filepath.Join(programs, "initdb"), "-D", data, "-U", "trowel", "-A", "trust", "-E", "UTF8",
		"--locale=C", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, output)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	options := prepare(dir)
	// A shell ends the server at the end of its input, so that a killed test leaves no server behind.
	server := run(context.Background(), "/bin/sh", slices.Concat([]string{"-c",
		`"$@" & read -r _; kill -INT $!; wait $!; rm -rf "$0"`, dir, filepath.Join(programs, "postgres"), "-D", data, "-k", dir,
		"-c", "fsync=off", "-c", "shared_buffers=8MB", "-c", "max_connections=60"}, options)...)
	server.Stdout, server.Stderr = log, log
	life, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		life.Close()
		server.Wait()
	})

	for {
		if sockets, _ := filepath.Glob(filepath.Join(dir, ".s.PGSQL.*[0-9]")); len(sockets) > 0 {
			port := strings.TrimPrefix(filepath.Ext(sockets[0]), ".")
			conn, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%s user=trowel dbname=postgres", dir, port))
			if err == nil {
				conn.Close(ctx)
				return dir
			}
		}
		if ctx.Err() != nil {
			t.Fatalf("postgres does not answer:\n%s", Read(t, log.Name()))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// postgresPrograms returns the folder of initdb and postgres: the newest version that Debian installs, otherwise the
// one in PATH.
func postgresPrograms(t testing.TB) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	found = slices.DeleteFunc(found, func(path string) bool {
		_, err := exec.LookPath(path)
		return err != nil // not usable, as under Wine
	})
	slices.Sort(found)
	if path, err := exec.LookPath("initdb"); err == nil {
		found = slices.Insert(found, 0, path)
	}
	for _, path := range slices.Backward(found) {
		dir := filepath.Dir(path)
		if _, err := os.Stat(filepath.Join(dir, "postgres")); err == nil {
			return dir
		}
	}
	tests.Missing(t, "judges", "no PostgreSQL here: install the package postgresql, or set TROWEL_POSTGRES to a connection string")
	return ""
}

// unprivileged makes dir accessible to the user that the server will run as, and returns the words to put before its
// command. For users other than root it does nothing.
func unprivileged(t testing.TB, dir string) []string {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid := own(t, dir, 0o700)
	return []string{Find(t, "setpriv"), fmt.Sprintf("--reuid=%d", uid), fmt.Sprintf("--regid=%d", gid), "--clear-groups"}
}

// own gives a file or folder to the user that the server will run as. PostgreSQL refuses to run as root: root runs it as the
// user postgres, or else as nobody.
func own(t testing.TB, path string, mode os.FileMode) (uid, gid int) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		return 0, 0
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2, os.Chown(path, uid, gid)); err != nil {
			t.Fatal(err)
		}
		return uid, gid
	}
	t.Fatal("PostgreSQL refuses to run as root, and there is no user postgres or nobody")
	return 0, 0
}
