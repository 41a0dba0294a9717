package verbs

import (
	"cmp"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/sandbox"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
)

func versionCommand(a *Tool) *cobra.Command {
	var asJSON, verbose bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Version prints the number of the version, the commit that it was built from, if
that is known, and its date.

With -v it also prints how the system protects the rest of your files from this program: see
docs/sandbox.md.

With --json it prints {version, revision, changed, date, go, system, sandbox, landlock, seccomp}.`,
		Example: `  trowel version
  trowel version -v`,
		Args: args(0, 0),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print how the system limits the program, too")
	cmd.RunE = func(*cobra.Command, []string) error {
		b := service.Built()
		if !asJSON {
			_, err := fmt.Fprintf(a.out, "trowel version %s\n", b)
			if verbose {
				fmt.Fprint(a.out, protection())
			}
			return err
		}
		s := sandbox.Supported()
		data, err := terminal.Compact(terminal.Object{{"version", b.Version}, {"revision", b.Revision},
			{"changed", b.Changed}, {"date", b.Date.Format(time.DateOnly)},
			{"go", runtime.Version()}, {"system", runtime.GOOS + "/" + runtime.GOARCH},
			{"sandbox", offered(s)}, {"landlock", s.Landlock}, {"seccomp", s.Seccomp}})
		_, printed := fmt.Fprintf(a.out, "%s\n", data)
		return cmp.Or(err, printed)
	}
	return needs(cmd, needNothing)
}

// offered reports whether the verbs that read files enter a sandbox. Version itself needs none.
func offered(s sandbox.Support) bool {
	return confined.on && !sandbox.Off() && (s.Landlock >= sandbox.LeastLandlock || s.Seccomp)
}

// protection describes what the system denies to this program.
func protection() string {
	s := sandbox.Supported()
	state, files := "on", "not protected: this system has no Landlock of version 2 or later"
	calls, changes := "not denied: this system has no seccomp", "not denied: this system has no seccomp"
	if s.Landlock >= sandbox.LeastLandlock {
		files = fmt.Sprintf("other files cannot be opened or changed (Landlock, version %d)", s.Landlock)
	}
	if s.Seccomp {
		calls = "denied, unless the verb needs them (seccomp)"
		changes = "denied by name (seccomp); of files that may be opened, permissions can be changed"
	}
	if !offered(s) {
		state = "off"
		if sandbox.Off() {
			state += ", by " + sandbox.Variable + "=off; this system offers:"
		}
	}
	return fmt.Sprintf("sandbox:               %s\n  files:               %s\n  owners, permissions: %s\n  programs, sockets:   %s\n"+
		"  other processes:     %[4]s\n", state, files, changes, calls)
}
