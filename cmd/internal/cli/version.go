package cli

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/limits/parallel"
)

// The version as which this source is or will be released, and the date of the release. Both change together with
// CHANGELOG.md.
const (
	release     = "0.2.0"
	releaseDate = "2026-11-21"
)

// built describes the source that the tool was built from. It does not depend on the date or the machine of the
// build.
type built struct {
	version, revision string
	changed           bool // the source was changed after that revision
	date              time.Time
}

func readBuilt() built {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return builtFrom(nil)
	}
	return builtFrom(build.Settings)
}

func builtFrom(settings []debug.BuildSetting) built {
	b := built{version: release}
	b.date, _ = time.Parse(time.DateOnly, releaseDate)
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			b.revision = s.Value[:min(12, len(s.Value))]
		case "vcs.time":
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				b.date = t.UTC()
			}
		case "vcs.modified":
			b.changed = s.Value == "true"
		}
	}
	return b
}

func (b built) String() string {
	text := b.version + " ("
	if b.revision != "" {
		text += b.revision
		if b.changed {
			text += " with changes"
		}
		text += ", "
	}
	return text + b.date.Format(time.DateOnly) + ")"
}

func version() string { return readBuilt().String() }

// program identifies the program that made a result: by its version and, if no commit identifies the source, by
// a hash of the program.
var program = sync.OnceValue(func() string {
	b := readBuilt()
	if b.revision != "" && !b.changed {
		return b.String()
	}
	sum, err := hashOfSelf()
	if err != nil {
		return b.String()
	}
	return fmt.Sprintf("%s, program %x", b, sum[:6])
})

func hashOfSelf() ([]byte, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return sum.Sum(nil), err
}

// program is [program], or that of the process for which this process does a part.
func (a *app) program() string {
	if a.call != nil && a.call.Program != "" {
		return a.call.Program
	}
	return program()
}

func (a *app) versionCommand() *cobra.Command {
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
		b := readBuilt()
		if !asJSON {
			_, err := fmt.Fprintf(a.out, "trowel version %s\n", b)
			return err
		}
		data, err := terminal.Compact(terminal.Object{{"version", b.version}, {"revision", b.revision}, {"changed", b.changed}, {"date", b.date.Format(time.DateOnly)},
			{"go", runtime.Version()}, {"system", runtime.GOOS + "/" + runtime.GOARCH}})
		_, printed := fmt.Fprintf(a.out, "%s\n", data)
		return cmp.Or(err, printed)
	}
	return cmd
}

// defect converts a panic into an error.
func defect(p *parallel.Panic) error {
	return wording.Hint(fmt.Errorf("a defect of trowel %s: %w", version(), p), "please report it, with this message and, if you can, the file: the fault is not yours")
}
