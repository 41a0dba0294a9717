package judge

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"trowel.example/internal/testing/tests"
)

// Redis starts a Redis server for this test and returns the path of its Unix socket. The server listens on nothing
// else, and stores nothing on disk. Redis skips the test if Redis is not installed, unless judges are required.
func Redis(t testing.TB) (addr string) {
	t.Helper()
	tests.Judges(t)
	path := ""
	for _, p := range []string{"redis-server", "/usr/bin/redis-server", "valkey-server"} {
		if found, err := exec.LookPath(p); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		tests.Missing(t, "judges", "no redis-server here: install the package redis-server")
	}
	// The path of a Unix socket is limited to about 100 bytes: t.TempDir is too long.
	dir, err := os.MkdirTemp("", "redis")
	if err != nil {
		t.Fatal(err)
	}
	addr = filepath.Join(dir, "socket")
	ctx, cancel := context.WithCancel(context.Background())
	c := command(ctx, dir, path, []string{"--port", "0", "--unixsocket", addr, "--save", "", "--appendonly", "no", "--dir", dir})
	if err := c.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		c.Wait()
		os.RemoveAll(dir)
	})
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if conn, err := net.Dial("unix", addr); err == nil {
			conn.Close()
			return addr
		}
		if time.Now().After(end) {
			t.Fatal("redis-server does not listen")
		}
	}
}
