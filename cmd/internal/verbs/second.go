package verbs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/host"
)

// Some verbs, and object storage, need far more code than all others together. They are in a second program,
// which has all verbs. The tool starts that program when it is needed.
const (
	second     = "trowel-fleet"
	secondFrom = second + " is in the release archive of trowel: put it next to trowel, or into a folder of PATH"
)

// secondVerbs are the verbs of the second program, with their short help.
var secondVerbs = [][2]string{
	{"census", "Write the contents of files as tables"},
	{"jobs", "Spread work over many machines"},
	{"worker", "Run jobs from the queue"},
}

// envStarted passes the version of the tool to the second program.
const envStarted = "TROWEL_STARTED_BY"

// errNoSecond means that the second program is not installed.
var errNoSecond = errors.New("is in the program " + second + ", which is not installed")

// secondCommands makes the verbs that start the second program.
func secondCommands(a *Tool) []*cobra.Command {
	var all []*cobra.Command
	for _, verb := range secondVerbs {
		name := verb[0]
		all = append(all, needs(&cobra.Command{
			Use:   name + " ...",
			Short: verb[1],
			Long: strings.ToUpper(name[:1]) + name[1:] + " is a verb of " + second +
				`, a larger program that has all verbs of this one and is in the same
release archive. This program starts it from its own folder or from PATH.

In a clone of the sources, "go install ./cmd/trowel" and "go -C cmd/trowel-fleet install"
build both.`,
			DisableFlagParsing: true,
			ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return completeSecond(a)
			},
			RunE: func(*cobra.Command, []string) error { return startSecond(a, name) },
		}, needAll))
	}
	return all
}

// isSecond reports whether a verb belongs to the second program.
func isSecond(name string) bool {
	for _, verb := range secondVerbs {
		if verb[0] == name {
			return true
		}
	}
	return false
}

// needsSecond reports whether an argument is in object storage and this program cannot open it.
func needsSecond(a *Tool, cmd *cobra.Command, args []string) bool {
	if a.more != nil || a.Handover != nil || isSecond(cmd.Name()) {
		return false
	}
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		args = args[:n] // a query or steps follow
	}
	if cmd.Name() == "search" && len(args) > 0 {
		args = args[1:] // after the pattern
	}
	if f := cmd.Flags().Lookup(flagBackups); f != nil {
		args = append(args[:len(args):len(args)], f.Value.String())
	}
	return slices.ContainsFunc(args, func(name string) bool {
		return strings.HasPrefix(name, "s3://") || strings.HasPrefix(name, "file://")
	})
}

// findSecond returns the path of the second program: in the folder of this program, otherwise in PATH.
func findSecond() (string, error) {
	if self, err := os.Executable(); err == nil {
		real, err := filepath.EvalSymlinks(self)
		if err != nil {
			real = self
		}
		for _, path := range []string{self, real} {
			if path, err := host.FindProgram(filepath.Join(filepath.Dir(path), second)); err == nil {
				return path, nil
			}
		}
	}
	return host.FindProgram(second)
}

// secondEnv returns the environment of the second program.
func secondEnv() []string { return append(os.Environ(), envStarted+"="+service.Version()) }

// takeOver is become, except in tests, whose process runs further tests.
var takeOver = become

// startSecond runs the whole command line in the second program. On systems that support it, the second program
// replaces this process. what is the feature that only the second program has.
func startSecond(a *Tool, what string) error {
	path, err := findSecond()
	if err != nil {
		return wording.Hint(fmt.Errorf("%s: %w", what, errNoSecond), secondFrom)
	}
	if err := a.out.Flush(); err != nil {
		return err
	}
	return takeOver(path, append([]string{second}, a.Args...), secondEnv())
}

// completeSecond asks the second program for completions.
func completeSecond(a *Tool) ([]string, cobra.ShellCompDirective) {
	path, err := findSecond()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	cmd := exec.Command(path, a.Args...)
	cmd.Env = secondEnv()
	output, err := cmd.Output()
	words, end, ok := bytes.Cut(output, []byte("\n:"))
	if !ok {
		words, end, ok = nil, bytes.TrimPrefix(output, []byte(":")), bytes.HasPrefix(output, []byte(":"))
	}
	directive, wrong := strconv.Atoi(strings.TrimSpace(string(end)))
	if err != nil || wrong != nil || !ok {
		return nil, cobra.ShellCompDirectiveError
	}
	if len(words) == 0 {
		return nil, cobra.ShellCompDirective(directive)
	}
	return strings.Split(string(words), "\n"), cobra.ShellCompDirective(directive)
}

// startedBy returns an error if the tool that started this program has another version: the arguments may have
// another meaning there.
func startedBy(version string) error {
	by := host.Env(envStarted)
	_ = os.Unsetenv(envStarted) // not for programs that this program starts
	if by == "" || by == version {
		return nil
	}
	return wording.Hint(fmt.Errorf("%s has version %s, but trowel, which started it, has version %s", second, version, by), secondFrom)
}
