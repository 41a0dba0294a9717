//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// envProgram makes the test program run as the tool.
const envProgram = "TROWEL_TEST_PROGRAM"

// asProgram prepares the test program to run as the tool; nil: nothing is needed.
var asProgram func()

func TestMain(m *testing.M) {
	if os.Getenv(envProgram) != "" {
		tests.AsProgram()
		if asProgram != nil {
			asProgram()
		}
		main()
	}
	os.Exit(m.Run())
}

// TestScalePage tests that the commands in docs/scale.md work: a shell runs them, those of the second terminal
// concurrently. System commands (packages, containers) are not run, and the addresses are replaced by those of
// test servers.
func TestScalePage(t *testing.T) {
	t.Run("folder", func(t *testing.T) { scalePage(t, "") })
	t.Run("bucket", func(t *testing.T) { scalePage(t, judge.S3(t, "results")) })
}

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

func scalePage(t *testing.T, bucket string) {
	page := judge.Read(t, "../../docs/scale.md")
	samples, err := filepath.Abs("../../samples")
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(samples, filepath.Join(top, "samples")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(top, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	shim := "#!/bin/sh\n" + envProgram + `=1 exec "` + program + `" "$@"` + "\n"
	if err := os.WriteFile(filepath.Join(top, "bin", "trowel"), []byte(shim), 0o777); err != nil {
		t.Fatal(err)
	}
	const queue, place = "'postgres://trowel@localhost/jobs'",
		"s3://results/tour?region=us-east-1&use_path_style=true&endpoint=https://s3.example.org"
	if strings.Count(string(page), queue) < 2 || strings.Count(string(page), place) != 2 {
		t.Fatal("the page has other addresses than this test expects")
	}
	script, blocks := "set -e\ntrap end EXIT\nend() { test -z \"$worker\" || { kill $worker; wait $worker || true; }; worker=; }\n", 0
	for _, found := range shellBlock.FindAllStringSubmatch(string(page), -1) {
		lines := strings.ReplaceAll(found[1], queue, `"$SERVER"`)
		first, _, _ := strings.Cut(lines, "\n")
		if strings.Contains(first, "object storage") {
			if bucket == "" {
				continue
			}
			lines = strings.ReplaceAll(lines, place, strings.Replace(bucket, "?", "/tour?", 1))
		}
		if blocks++; strings.HasPrefix(first, "# terminal 2") {
			lines = "end\n( cd \"$TOP\"\n" + strings.Replace(lines, "\ntrowel worker", "\nexec trowel worker", 1) + ") & worker=$!\n"
		}
		script += lines
	}
	if blocks < 7 {
		t.Errorf("%d blocks of commands", blocks)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir = top
	cmd.Env = append(os.Environ(), "SERVER="+judge.Postgres(t), "TOP="+top, "PATH="+filepath.Join(top, "bin")+":"+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 10 * time.Second
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	said, err := cmd.CombinedOutput()
	t.Logf("%s", said)
	if err != nil {
		t.Fatalf("%v, in\n%s", err, script)
	}
	for _, name := range []string{"www/index.html", "tables/minetest_players", "before", "half-done/plan.json"} {
		if _, err := os.Stat(filepath.Join(top, "tour", name)); err != nil {
			t.Error(err)
		}
	}
}
