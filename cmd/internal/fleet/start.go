package fleet

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/bucket"
	"trowel.example/cmd/internal/cli"
	"trowel.example/internal/files/scratch"
)

// workerCommand returns the verb that does submitted work.
func workerCommand(t *cli.Tool) *cobra.Command {
	var at where
	var roots []string
	w := &worker{tool: t}
	cmd := &cobra.Command{
		Use:   "worker --queue ADDRESS --root DIR...",
		Short: "Do work that others submitted",
		Long: `Worker takes parts of works from a queue and does each in a process of its own, until
it is told to end (Ctrl-C, SIGTERM): then it finishes its parts, or gives them back after
ten seconds. A second Ctrl-C ends it at once, and its parts are done by others.

It opens only what is below the folders of --root, wherever links lead, and keeps results
only there. --root DIR=HERE is for a folder that is called DIR where works are submitted, and
HERE on this machine; relative names are then found. --root s3://BUCKET/FOLDER is for files and
results in a bucket, with the settings behind a ? that count for all of it, such as
region and endpoint; the environment says who you are.

It does only what this very version of trowel submitted, calls database servers on other
machines only with --remote, and changes databases in place only with --allow-changes.
` + aboutQueue,
		Example: `  trowel worker --queue postgres://trowel@db.example/jobs --root /srv/worlds --root /srv/results --max 4`,
		Args:    cli.Number(0, 0),
	}
	at.flags(cmd)
	flags := cmd.Flags()
	flags.IntVar(&w.max, "max", runtime.NumCPU(), "do at most `N` parts at once; each has its share of the cores")
	flags.StringArrayVar(&roots, "root", nil, "open what is below the `folder`; may be given several times")
	flags.BoolVar(&w.access.Remote, "remote", false, "works may call database servers on other machines")
	flags.BoolVar(&w.access.Changes, "allow-changes", false, "works may change databases in place")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if w.max < 1 || w.max > 1000 {
			return errors.New("--max: expected a number from 1 to 1000")
		}
		if len(roots) == 0 {
			return cli.Hint(errors.New("a worker opens nothing without --root"), "name the folders with the files and the results of works: --root /srv/worlds --root /srv/results")
		}
		for _, text := range roots {
			r, err := parseRoot(text)
			if err != nil {
				return err
			}
			if !bucket.IsURL(r.Here) {
				if info, err := os.Stat(r.Here); err != nil {
					return err
				} else if !info.IsDir() {
					return fmt.Errorf("--root: %s is no folder", r.Here)
				}
			}
			w.access.Roots = append(w.access.Roots, r.Here)
			w.roots = append(w.roots, r)
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		w.program = []string{self}
		if w.queue, err = at.open(cmd.Context(), true); err != nil {
			return err
		}
		defer w.pool.Close()
		dir, end, err := scratch.Make("trowel-worker-")
		if err != nil {
			return err
		}
		defer end()
		w.scratch = dir
		return w.run(cmd.Context())
	}
	return cmd
}
