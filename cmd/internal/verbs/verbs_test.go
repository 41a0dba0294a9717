package verbs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	_ "trowel.example/all"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/tests"
)

// games are all games of the tool.
var games = format.Registered()

// withToys are all games and the toys.
var withToys = append(format.Games{toys}, games...)

// inTests runs the tests. In tests, no program replaces the process, and garbage is collected less often.
type inTests struct{ *testing.M }

func (m inTests) Run() int {
	takeOver = func(path string, _, _ []string) error {
		return fmt.Errorf("%s would take the place of the tests", path)
	}
	debug.SetGCPercent(400)
	return m.M.Run()
}

func TestMain(m *testing.M) {
	testscript.Main(inTests{m}, map[string]func(){
		"trowel": func() {
			tests.AsProgram()
			Confine()
			os.Exit(run(withToys, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
		"edit":    func() { os.Exit(edit(os.Args[1:], os.Stderr)) },
		"makebox": func() { os.Exit(makeBox(os.Args[1:], os.Stderr)) },
		"imginfo": func() { os.Exit(imageInfo(os.Args[1:], os.Stdout)) },
		"list":    func() { os.Exit(list(os.Args[1:], os.Stdout)) },
	})
}

// list is a program for scripts: it prints the names in folders, including hidden ones.
func list(dirs []string, out io.Writer) int {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			fmt.Fprintln(out, err)
			return 1
		}
		for _, e := range entries {
			fmt.Fprintln(out, e.Name())
		}
	}
	return 0
}

// replaceText is a command for scripts: it replaces the first occurrence of a text in a file.
func replaceText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s: no %q in it", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o666))
}

// cutOff is a command for scripts: it truncates a file to a number of bytes.
func cutOff(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cutoff FILE SIZE")
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// exits is a command for scripts: it runs a program, which must exit with the given code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM...")
	}
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	code := 0
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, expected %s\n%s%s", code, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// edit replaces a text in a UTF-16 file, as an editor does.
func edit(args []string, stderr io.Writer) int {
	data, err := os.ReadFile(args[0])
	if err == nil {
		old, now := bin.AppendUTF16(nil, args[1]), bin.AppendUTF16(nil, args[2])
		if !bytes.Contains(data, old) {
			err = fmt.Errorf("%s: no %q in it", args[0], args[1])
		} else {
			err = os.WriteFile(args[0], bytes.Replace(data, old, now, 1), 0o666)
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}
