package cli

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"trowel/format"
)

func TestMain(m *testing.M) {
	formats := append(format.Set{toyBox, toyShelf}, format.All()...)
	testscript.Main(m, map[string]func(){
		"trowel":  func() { os.Exit(run(formats, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
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
	})
}
