package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"trowel.example/cmd/internal/sandbox"
	"trowel.example/internal/testing/breakout"
	"trowel.example/internal/testing/tests"
)

func init() {
	asProgram = func() {
		sandbox.Entered = breakout.Prepare()
		sandbox.Reexecute = os.Getenv("TROWEL_TEST_REEXECUTE") != ""
		if os.Getenv("TROWEL_TEST_BREAKOUT_FREE") != "" {
			sandbox.Entered()
			os.Exit(0)
		}
	}
}

// confined returns a command that runs the program in a folder, with an own folder for temporary files and another home. The
// program tries to reach the target.
func confined(t testing.TB, dir string, target breakout.Target, args ...string) *exec.Cmd {
	cmd := trowel(t, args...)
	if !filepath.IsAbs(cmd.Path) {
		cmd.Path, _ = filepath.Abs(cmd.Path)
	}
	temp := filepath.Join(dir, ".tmp")
	if err := os.MkdirAll(temp, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd.Dir, cmd.Stderr = dir, nil
	cmd.Env = append(cmd.Env, "TMPDIR="+temp, "HOME="+filepath.Join(dir, ".home"), target.Setting())
	return cmd
}

// needsSandbox skips a test on systems with less protection.
func needsSandbox(t testing.TB) {
	t.Helper()
	if s := sandbox.Supported(); s.Landlock < 2 || !s.Seccomp {
		t.Skipf("this system has no sandbox: %+v", s)
	}
}

// TestBreakOut lets each verb try to leave its sandbox, by 64 threads.
func TestBreakOut(t *testing.T) {
	needsSandbox(t)
	target := breakout.Outside(t, t.TempDir())
	// Without the sandbox, all attempts succeed.
	free := confined(t, t.TempDir(), target)
	free.Env = append(free.Env, "TROWEL_TEST_BREAKOUT_FREE=1")
	out, err := free.CombinedOutput()
	counts := breakout.Counts(string(out))
	for _, name := range breakout.Names {
		if counts[name] != breakout.Most(name) {
			t.Errorf("without a sandbox, %d of %d attempts to %s succeed: %v\n%s", counts[name], breakout.Most(name), name, err, out)
		}
	}
	samples, err := filepath.Abs("../../samples")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	type line struct {
		words string
		code  int
		keeps string // the ways out that the verb keeps
	}
	lines := []line{
		{"pack $/burrow -o burrow.map", 0, ""},
		{"info burrow.map", 0, ""},
		{"edit burrow.map --in-place -- crop 0,0:9,9", 0, ""},
	}
	if tests.Long(t) {
		lines = append(lines, []line{
			{"pack $/ember --tables -o ember.mod", 0, ""},
			{"pack $/hollow -o world", 0, ""},
			{"pack -f $/hollow -o world", 0, ""},
			{"extract burrow.map", 0, ""},
			{"extract ember.mod -o ember", 0, ""},
			{"extract world -o hollow", 0, ""},
			{"pack burrow -o again.map", 0, ""},
			{"burrow.map", 0, ""},
			{"info world", 0, ""},
			{"check -q burrow.map ember.mod world", 0, ""},
			{"check -q --resume parts .", 0, ""},
			{"ls burrow.map", 0, ""},
			{"cat burrow.map map.json", 0, ""},
			{"dump burrow.map", 0, ""},
			{"search burrow world", 1, ""},
			{"find burrow.map -- tile 1", 0, ""},
			{"diff burrow.map burrow", 0, ""},
			{"edit burrow.map -- info --author Ann", 0, ""},
			{"edit world --in-place -- replace default:dirt default:stone", 0, ""},
			{"merge burrow.map burrow.map burrow.map -o merged.map", 0, ""},
			{"convert burrow.map -o burrow3.map --to datafile-3", 0, ""},
			{"convert world -o world2 --to leveldb", 0, ""},
			{"render burrow.map -o map.png", 0, ""},
			{"render world --tiles tiles", 0, ""},
			{"render world -o world.png", 0, ""},
			{"minetestmapper -i world -o mapper.png", 1, ""},
			{"manifest world -o world.trowel-manifest", 0, ""},
			{"backup world backups", 0, ""},
			{"restore backups -o restored", 0, ""},
			{"forget backups --keep-last 1", 0, ""},
			{"repair world -o repaired", 0, ""},
			{"repair world --in-place", 0, ""},
			{"apply burrow burrow.map -o applied.map", 0, ""},
			{"apply burrow burrow.map --in-place", 0, ""},
			{"review burrow.map applied.map -o review", 0, "read exec signal"},
			{"git textconv burrow.map", 0, ""},
			{"git merge burrow.map burrow.map burrow.map", 0, ""},
			{"git diff burrow.map burrow.map . . burrow.map . .", 0, ""},
			{"git check", 2, "read exec signal"},
			{"lsp", 2, "read"},
			{"site burrow.map -o site", 2, ""},
			{"hash x", 0, ""}, {"man -o man", 0, ""}, {"__complete info b", 0, "read exec signal"},
		}...)
	}
	for i, l := range lines {
		cmd := confined(t, dir, target, strings.Fields(strings.ReplaceAll(l.words, "$", samples))...)
		if i%2 == 1 {
			cmd.Env = append(cmd.Env, "TROWEL_TEST_REEXECUTE=1")
		}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		_, _ = cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != l.code {
			t.Errorf("%s: exit code %d, want %d\n%s", l.words, code, l.code, &stderr)
		}
		counts := breakout.Counts(stderr.String())
		if counts == nil {
			t.Errorf("%s: not in a sandbox\n%s", l.words, &stderr)
		}
		keeps := strings.Fields(l.keeps)
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			if n := counts[name]; n > 0 != slices.Contains(keeps, name) {
				t.Errorf("%s: %d of %d attempts to %s succeed", l.words, n, breakout.Most(name), name)
			}
		}
	}
}

// TestBreakOutOfView lets the viewer try to leave its sandbox, when it listens and a process outside has opened the browser.
func TestBreakOutOfView(t *testing.T) {
	needsSandbox(t)
	dir := t.TempDir()
	name, target := sample(t, "burrow", "burrow.map"), breakout.Outside(t, t.TempDir())
	opened := filepath.Join(dir, "opened")
	script := "#!/bin/sh\necho \"$1\" >'" + opened + ".new'\nmv '" + opened + ".new' '" + opened + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := confined(t, filepath.Dir(name), target, "view", "burrow.map")
	cmd.Env = append(cmd.Env, "DISPLAY=:9", "PATH="+dir+":"+os.Getenv("PATH"))
	messages, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	var said strings.Builder
	for lines := bufio.NewScanner(messages); !strings.Contains(said.String(), "Ctrl-C ends it") && lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
	}
	counts := breakout.Counts(said.String())
	if counts == nil {
		t.Fatalf("not in a sandbox\n%s", &said)
	}
	for name, n := range counts {
		if n > 0 {
			t.Errorf("%d of %d attempts to %s succeed", n, breakout.Most(name), name)
		}
	}
	var address []byte
	for end := time.Now().Add(time.Minute); address == nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		address, _ = os.ReadFile(opened)
	}
	jar, _ := cookiejar.New(nil)
	browsing := &http.Client{Jar: jar, Timeout: time.Minute}
	r, err := browsing.Get(strings.TrimSpace(string(address)))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 200 {
		t.Errorf("the address that the browser gets is answered with %s", r.Status)
	}
}

// TestSandboxInUse tests that programs outside of the sandbox are seen, which have the files of a world open.
func TestSandboxInUse(t *testing.T) {
	needsSandbox(t)
	dir := sample(t, "hollow", "world")
	f, err := os.Open(filepath.Join(dir, "map.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, setting := range []string{"TROWEL_TEST_REEXECUTE=", "TROWEL_TEST_REEXECUTE=1"} {
		cmd := trowel(t, "edit", dir, "--in-place", "--", "replace", "default:stone", "default:dirt")
		cmd.Env = append(cmd.Env, setting)
		cmd.Stderr = nil
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "the database is in use: by") {
			t.Errorf("%s: %v: %s", setting, err, out)
		}
	}
}

// TestSandboxPager tests that a process outside of the sandbox shows the output of a verb in the user's pager, on a terminal.
func TestSandboxPager(t *testing.T) {
	needsSandbox(t)
	name := sample(t, "burrow", "burrow.map")
	pager := filepath.Join(t.TempDir(), "pager")
	if err := os.WriteFile(pager, []byte("#!/bin/sh\nread first\necho \"paged: $first\"\ncat >/dev/null\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{pager, pager + ".missing"} {
		terminal, end := openTerminal(t)
		cmd := trowel(t, "ls", name)
		cmd.Env = append(cmd.Env, "TROWEL_PAGER="+program, "TERM=xterm", "TROWEL_TEST_REEXECUTE=1")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = end, end, end
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		end.Close()
		out, _ := io.ReadAll(terminal) // ends with an error when no process has the terminal open
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		paged, plain := strings.Contains(string(out), "paged: "), strings.Contains(string(out), "map.json")
		if paged != (program == pager) || !paged && !plain {
			t.Errorf("%s: the terminal shows\n%s", program, out)
		}
	}
}

// openTerminal makes a terminal of 10 lines, and returns its two ends.
func openTerminal(t *testing.T) (terminal, end *os.File) {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { terminal.Close() })
	fd := int(terminal.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 10, Col: 80})
	}
	if err == nil {
		end, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skip(err)
	}
	return terminal, end
}

// TestSandboxOff tests the variable that switches the sandbox off.
func TestSandboxOff(t *testing.T) {
	needsSandbox(t)
	for value, want := range map[string]string{"off": `"sandbox":false`, "": `"sandbox":true`} {
		cmd := trowel(t, "version", "--json")
		cmd.Env = append(cmd.Env, sandbox.Variable+"="+value)
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v: %s", value, err, out)
		}
	}
}
