package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"trowel/format"
	"trowel/internal/bin"
)

func TestMain(m *testing.M) {
	formats := append(format.Set{toyBox, toyShelf}, format.All()...)
	testscript.Main(m, map[string]func(){
		"trowel":  func() { os.Exit(run(formats, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"edit":    func() { os.Exit(edit(os.Args[1:], os.Stderr)) },
		"makebox": func() { os.Exit(makeBox(os.Args[1:], os.Stderr)) },
	})
}

// TestScripts runs testdata/script: the verbs as a user calls them. Run with
// UPDATE=1 to take the output as it is for what is wanted.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			samples, err := filepath.Abs("../../samples")
			env.Setenv("SAMPLES", samples)
			return err
		},
	})
}

// edit replaces a text in a file in UTF-16, as an editor does.
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
