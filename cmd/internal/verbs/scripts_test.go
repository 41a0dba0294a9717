package verbs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"trowel.example/internal/files/host"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestScripts runs testdata/script: the verbs as a user calls them. The long form starts a process for each
// call of the tool; the short form calls the tool in this process, which takes a fifth of the time. With
// UPDATE=1, it writes the output into the scripts.
func TestScripts(t *testing.T) {
	update := os.Getenv("UPDATE") != ""
	params := testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "cutoff": cutOff,
			"replace": replaceText, "fetch": fetch, "here": runHere},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "raced":
				return tests.Raced, nil
			case "links":
				return tests.Links(""), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Setup: func(env *testscript.Env) error {
			samples, err := filepath.Abs("../../../samples")
			env.Setenv("SAMPLES", samples)
			env.Setenv("GORACE", os.Getenv("GORACE")) // see .ci/run
			return err
		},
	}
	if tests.Long(t) || update {
		delete(params.Cmds, "here") // changes the working directory, and these scripts run in parallel
		testscript.Run(t, params)
		return
	}
	params.Dir, params.Files = "", scriptsHere(t, params.Dir)
	testscript.RunT(oneByOne{t}, params)
}

// oneByOne runs scripts sequentially, because they share the working directory and the environment.
type oneByOne struct{ *testing.T }

func (oneByOne) Parallel()     {}
func (oneByOne) Verbose() bool { return testing.Verbose() }
func (t oneByOne) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(oneByOne{t}) })
}

// toolCall matches a line of a script that calls the tool.
var toolCall = regexp.MustCompile(`^(\[[^]]*\] )*(! )?(exec|exits \d+) (trowel|makebox|imginfo|list|edit) `)

// scriptsHere copies the scripts of a folder and inserts `here` before each call of the tool that neither reads
// standard input nor runs in the background.
func scriptsHere(t *testing.T, dir string) (files []string) {
	t.Helper()
	scripts, err := filepath.Glob(dir + "/*.txtar")
	if err != nil || scripts == nil {
		t.Fatal("no scripts", err)
	}
	to := t.TempDir()
	for _, script := range scripts {
		data := judge.Read(t, script)
		var copied strings.Builder
		inScript, input := true, false
		for line := range strings.Lines(string(data)) {
			inScript = inScript && !strings.HasPrefix(line, "-- ")
			if call := toolCall.FindStringSubmatchIndex(line); inScript && call != nil && !input &&
				!strings.HasSuffix(strings.TrimSpace(line), "&") {
				line = line[:call[6]] + "here " + line[call[6]:]
			}
			input = strings.HasPrefix(line, "stdin ")
			copied.WriteString(line)
		}
		file := filepath.Join(to, filepath.Base(script))
		judge.Write(t, file, []byte(copied.String()))
		files = append(files, file)
	}
	return files
}

// environment lists the variables that scripts set for the tool.
var environment = []string{"HOME", "TMPDIR", "PATH", "XDG_DATA_HOME", "SSH_CONNECTION", "TROWEL_STARTED_BY", "COLUMNS"}

// runHere implements the command here of scripts: it runs the command exec or exits for a program of this test
// in this process.
func runHere(ts *testscript.TestScript, neg bool, args []string) {
	want := ""
	if args[0] == "exits" {
		want, args = args[1], args[1:]
	}
	restore := enter(ts)
	defer restore()
	tests.AsProgram()
	defer func() { host.Replace(host.Nothing) }()
	in, out, errs := strings.NewReader(""), ts.Stdout(), ts.Stderr()
	defer func(before func(string, []string, []string) error) { takeOver = before }(takeOver)
	takeOver = func(path string, args, env []string) error {
		cmd := exec.Command(path, args[1:]...)
		cmd.Env, cmd.Stdout, cmd.Stderr = env, out, errs
		if err := cmd.Run(); cmd.ProcessState == nil {
			return err
		}
		return Exit(cmd.ProcessState.ExitCode())
	}
	code := 0
	switch name, args := args[1], args[2:]; name {
	case "trowel":
		before := tests.OpenFiles()
		code = run(withToys, args, in, out, errs)
		for _, path := range tests.OpenFiles() { // on Windows, no other program could replace or remove such a file
			if !slices.Contains(before, path) {
				ts.Fatalf("left open: %s", path)
			}
		}
	case "makebox":
		code = makeBox(args, errs)
	case "imginfo":
		code = imageInfo(args, out)
	case "list":
		code = list(args, out)
	case "edit":
		code = edit(args, errs)
	}
	switch {
	case want != "" && fmt.Sprint(code) != want:
		ts.Fatalf("exit code %d, expected %s", code, want)
	case want == "" && (code != 0) != neg:
		ts.Fatalf("exit code %d", code)
	}
}

// enter sets the working directory and the environment of this process to those of a script.
func enter(ts *testscript.TestScript) (restore func()) {
	before, err := os.Getwd()
	ts.Check(err)
	outside := os.Environ()
	ts.Check(os.Chdir(ts.MkAbs(".")))
	for _, name := range environment {
		if value := ts.Getenv(name); value != "" {
			os.Setenv(name, value)
		} else {
			os.Unsetenv(name)
		}
	}
	asked := host.Replace(func(q host.Question) (string, bool) {
		if q.Kind == host.Variable {
			value := ts.Getenv(q.Name)
			return value, value != ""
		}
		return host.System(q)
	})
	return func() {
		host.Replace(asked)
		ts.Check(os.Chdir(before))
		for _, name := range environment {
			os.Unsetenv(name)
		}
		for _, v := range outside {
			name, value, _ := strings.Cut(v, "=")
			if slices.Contains(environment, name) {
				os.Setenv(name, value)
			}
		}
	}
}
