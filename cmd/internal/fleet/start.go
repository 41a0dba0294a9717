package fleet

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/bucket"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/scratch"
)

// workerCommand returns the verb that does submitted work.
func workerCommand(t *verbs.Tool) *cobra.Command {
	var at where
	var roots []string
	w := &worker{tool: t}
	cmd := &cobra.Command{
		Use:   "worker --queue ADDRESS --root DIR...",
		Short: "Run jobs from the queue",
		Long: `Worker takes parts of works from a queue and runs each in a separate process, until Ctrl-C or
SIGTERM: then it finishes its parts, or returns them to the queue after ten seconds. A second
Ctrl-C ends it at once, and other workers run its parts.

It opens files only below the folders of --root, also through links, and stores results only
there. --root DIR=HERE maps the folder DIR of the submitting machine to HERE on this machine, so
that relative names are found. --root s3://BUCKET/FOLDER is for files and results in a bucket.
Settings after a ? apply to the whole bucket, such as region and endpoint; credentials come from
the environment, as with other programs for S3.

It runs only works submitted by the same version of trowel, connects to database servers on other
machines only with --remote, and changes databases in place only with --allow-changes.
` + aboutQueue,
		Example: `  trowel worker --queue postgres://trowel@db.example/jobs --root /srv/worlds --root /srv/results --max 4`,
		Args:    verbs.Number(0, 0),
	}
	at.flags(cmd)
	flags := cmd.Flags()
	flags.IntVar(&w.max, "max", runtime.NumCPU(), "run at most `N` parts at once; each has its share of the cores")
	flags.StringArrayVar(&roots, "root", nil, "allow files and results below the `folder`; may be given several times")
	flags.BoolVar(&w.access.Remote, "remote", false, "allow connections to database servers on other machines")
	flags.BoolVar(&w.access.Changes, "allow-changes", false, "allow works to change databases in place")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if w.max < 1 || w.max > 1000 {
			return errors.New("--max: expected a number from 1 to 1000")
		}
		if len(roots) == 0 {
			return wording.Hint(errors.New("--root is missing: a worker opens no other files"),
				"name the folders with the files and the results of works: --root /srv/worlds --root /srv/results")
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
					return fmt.Errorf("--root: %s is not a folder", r.Here)
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
