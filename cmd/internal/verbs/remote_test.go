package verbs

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"trowel.example/internal/stores/server"
	"trowel.example/internal/testing/judge"
)

// TestWorldCallsNobody tests that no verb connects to another machine because of settings in a world, and that
// writing to a server on this machine requires packing the world.
func TestWorldCallsNobody(t *testing.T) {
	redis := miniredis.RunT(t)
	var called []string
	dial := server.Dial
	defer func() { server.Dial = dial }()
	server.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		called = append(called, address)
		return dial(ctx, network, address)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, name, []byte(text))
	}
	do := func(args ...string) (code int, text string) {
		var out, talk bytes.Buffer // two: parts print messages while the output is flushed
		code = Main(games, args, strings.NewReader(""), &out, &talk)
		return code, out.String() + talk.String()
	}
	const block = "version 28\nnodes\n  z 0-15\n    y 0-15 air*16\n"
	for name, settings := range map[string]string{
		"redis": "gameid = a\nbackend = redis\nredis_address = 192.0.2.1\nredis_hash = a\n",
		"name":  "gameid = a\nbackend = redis\nredis_address = example.org\nredis_hash = a\n",
		"postgres": "gameid = a\nbackend = postgresql\npgsql_connection = host=192.0.2.1 user=a\nplayer_backend = " +
			"postgresql\npgsql_player_connection = host=192.0.2.1 user=a\n",
		"players": "gameid = a\nplayer_backend = postgresql\npgsql_player_connection = host=192.0.2.1 user=a\n",
	} {
		write(name+"/w/world.mt", settings)
		write(name+"/t/world.mt", settings)
		write(name+"/t/blocks/z0/y0/0,0,0.txt", block)
		for _, c := range []struct {
			code int
			says string
			args []string
		}{
			{0, "--remote", []string{"info", name + "/w"}},
			{0, "mt-", []string{"check", name + "/w"}},
			{0, "", []string{"check", name}},
			{0, "", []string{"info", name + "/t"}},
			{2, "--remote", []string{"ls", name + "/w"}},
			{2, "--remote", []string{"extract", name + "/w", "-o", name + "/out"}},
			{2, "--remote", []string{"convert", name + "/w", "-o", name + "/out", "--to", "sqlite", "--players", "files"}},
		} {
			if name == "players" && c.args[0] == "ls" {
				continue // ls asks each store separately
			}
			if code, text := do(c.args...); code != c.code || !strings.Contains(text, c.says) {
				t.Errorf("%q: exit %d\n%s", c.args, code, text)
			}
		}
		if name != "players" {
			if code, text := do("pack", name+"/t", "-o", name+"/out"); code != 2 || !strings.Contains(text, "--remote") {
				t.Errorf("pack %s: exit %d\n%s", name, code, text)
			}
		}
	}
	do("search", "x", "redis", "name", "postgres", "players")
	if len(called) > 0 {
		t.Errorf("called %q", called)
	}
	here := fmt.Sprintf("gameid = a\nbackend = redis\nredis_address = %s\nredis_port = %s\nredis_hash = a\n", redis.Host(), redis.Port())
	write("here/world.mt", here)
	write("here/blocks/z0/y0/0,0,0.txt", block)
	for _, verb := range []string{"check", "info"} {
		if code, text := do(verb, "here"); code != 0 {
			t.Errorf("%s: exit %d\n%s", verb, code, text)
		}
	}
	if keys := redis.Keys(); len(keys) > 0 || len(called) > 0 {
		t.Errorf("called %q, there is %q", called, keys)
	}
	if code, text := do("pack", "here", "-o", "made"); code != 0 || len(redis.Keys()) != 1 {
		t.Errorf("exit %d, there is %q\n%s", code, redis.Keys(), text)
	}
	// An error of a server does not mean that the world is damaged.
	redis.SetError("OOM command not allowed when used memory > 'maxmemory'.")
	for _, verb := range []string{"check", "info"} {
		if code, text := do(verb, "made"); code != 2 || !strings.Contains(text, "Redis at 127.0.0.1") ||
			!strings.Contains(text, "no space left") {
			t.Errorf("%s: exit %d\n%s", verb, code, text)
		}
	}
	redis.SetError("")
	redis.Close()
	if code, text := do("check", "made"); code != 2 || !strings.Contains(text, "connection refused") || strings.Contains(text, "redis: ") {
		t.Errorf("exit %d\n%s", code, text)
	}
}
