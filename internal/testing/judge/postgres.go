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

	"trowel.example/internal/testing/corpus"
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

// startPostgres creates a cluster in a temporary folder, runs its server during the test, and returns its connection
// string.
func startPostgres(t testing.TB) string {
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
	// A shell ends the server at the end of its input, so that a killed test leaves no server behind.
	server := run(context.Background(), "/bin/sh", "-c", `"$@" & read -r _; kill -INT $!; wait $!; rm -rf "$0"`, dir,
		filepath.Join(programs, "postgres"), "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c",
		"shared_buffers=8MB", "-c", "max_connections=60")
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

	admin := fmt.Sprintf("host=%s user=trowel dbname=postgres", dir)
	for {
		conn, err := pgx.Connect(ctx, admin)
		if err == nil {
			conn.Close(ctx)
			return admin
		}
		if ctx.Err() != nil {
			t.Fatalf("postgres does not answer: %v\n%s", err, Read(t, log.Name()))
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
	corpus.Missing(t, "judges", "no PostgreSQL here: install the package postgresql, or set TROWEL_POSTGRES to a connection string")
	return ""
}

// unprivileged makes dir accessible to the user that the server will run as, and returns the words to put before its
// command. PostgreSQL refuses to run as root: root runs it as the user postgres, or else as nobody. For other users it
// does nothing.
func unprivileged(t testing.TB, dir string) []string {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2, os.Chown(dir, uid, gid)); err != nil {
			t.Fatal(err)
		}
		return []string{Find(t, "setpriv"), "--reuid=" + u.Uid, "--regid=" + u.Gid, "--clear-groups"}
	}
	t.Fatal("PostgreSQL refuses to run as root, and there is no user postgres or nobody")
	return nil
}
