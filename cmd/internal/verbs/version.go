package verbs

import (
	"cmp"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
)

func versionCommand(a *Tool) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Version prints the number of the version, the commit that it was built from, if
that is known, and its date.

With --json it prints {version, revision, changed, date, go, system}.`,
		Example: `  trowel version`,
		Args:    args(0, 0),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = func(*cobra.Command, []string) error {
		b := service.Built()
		if !asJSON {
			_, err := fmt.Fprintf(a.out, "trowel version %s\n", b)
			return err
		}
		data, err := terminal.Compact(terminal.Object{{"version", b.Version}, {"revision", b.Revision},
			{"changed", b.Changed}, {"date", b.Date.Format(time.DateOnly)},
			{"go", runtime.Version()}, {"system", runtime.GOOS + "/" + runtime.GOARCH}})
		_, printed := fmt.Fprintf(a.out, "%s\n", data)
		return cmp.Or(err, printed)
	}
	return cmd
}
