package fleet

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/internal/files/filelock"
)

// workerCommand returns the verb that does submitted work.
func workerCommand(t *verbs.Tool) *cobra.Command {
	var at where
	var o struct {
		Results string   `option:"results" help:"with --part: store results in the {folder}, or in a bucket s3://..."`
		Roots   []string `option:"root" help:"allow files and results below the {folder}; may be given several times"`
	}
	w := &worker{tool: t, Max: runtime.NumCPU()}
	x := &indexed{worker: w}
	cmd := &cobra.Command{
		Use:   "worker --queue ADDRESS --root DIR... | --part N/M --results DIR VERB ...",
		Short: "Run jobs from the queue",
		Long: `Worker takes parts of jobs from a queue and runs each in a separate process, until Ctrl-C or
SIGTERM: then it finishes its parts, or returns them to the queue after ten seconds. A second
Ctrl-C ends it at once, and other workers run its parts.

It opens files only below the folders of --root, also through links, and stores results only
there. --root DIR=HERE maps the folder DIR of the submitting machine to HERE on this machine, so
that relative names are found. --root s3://BUCKET/FOLDER is for files and results in a bucket.
Settings after a ? apply to the whole bucket, such as region and endpoint; credentials come from
the environment, as with other programs for S3.

It runs only jobs submitted by the same version of trowel, connects to database servers on other
machines only with --remote, and changes databases in place only with --allow-changes.
` + aboutQueue + `

With --part N/M it needs no queue: it does its share of the work of a verb, the parts whose numbers
have the remainder N when divided by M (N from 0, such as JOB_COMPLETION_INDEX of Kubernetes), and
ends. "trowel jobs merge" makes the output of all. The same command in the same folder is the same
job, and parts with results are not repeated. It may do what the user may do.

With --json it prints a line for each part: work, part, file, begin, end, cpu in seconds, memory in
bytes, error, and existed if the part had a result. --listen serves metrics for Prometheus, and the
state of the worker: /healthz answers 503 while the queue is unreachable.`,
		Example: `  trowel worker --queue postgres://trowel@db.example/jobs --root /srv/worlds --root /srv/results --max 4
  trowel worker --part $JOB_COMPLETION_INDEX/20 --results s3://results/tour check /srv/maps`,
		Args: func(cmd *cobra.Command, words []string) error {
			if x.Share.of > 0 {
				return verbs.Number(1, -1)(cmd, words)
			}
			return verbs.Number(0, 0)(cmd, words)
		},
	}
	cmd.Flags().SetInterspersed(false)
	verbs.Bind(t, cmd, &at, x, &w.access, &o)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if w.Max < 1 || w.Max > 1000 {
			return errors.New("--max: expected a number from 1 to 1000")
		}
		wrong, of := []string{"results", "limit"}, "with"
		if x.Share.of > 0 {
			wrong, of = []string{"queue", "queue-file", "schema", "root", "remote", "allow-changes"}, "without"
		}
		if i := slices.IndexFunc(wrong, cmd.Flags().Changed); i >= 0 {
			return fmt.Errorf("--%s is only for a worker %s --part", wrong[i], of)
		}
		if len(o.Roots) == 0 && x.Share.of == 0 {
			return wording.Hint(errors.New("no --root given: a worker opens no other files"),
				"name the folders with the files and the results of jobs: --root /srv/worlds --root /srv/results")
		}
		for _, text := range o.Roots {
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
		if x.Share.of > 0 {
			x.Results = o.Results
			if err := checkLimit(x.Longest); err != nil {
				return err
			}
			return x.run(cmd.Context(), words)
		}
		if err := whenUpFor(cmd.Context(), func() (err error) { w.queue, err = at.open(cmd.Context(), true); return err }); err != nil {
			return err
		}
		defer w.pool.Close()
		dir, end, err := filelock.TempDir("trowel-worker-")
		if err != nil {
			return err
		}
		defer end()
		w.scratch = dir
		return w.run(cmd.Context())
	}
	return cmd
}
