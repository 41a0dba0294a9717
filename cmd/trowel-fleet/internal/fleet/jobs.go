package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/stores/server"
)

// jobsCommand returns the verbs for users who submit work.
func jobsCommand(t *verbs.Tool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "jobs",
		Short: "Spread work over many machines",
		Long: `Jobs puts the work of verbs into a queue for workers ("trowel worker"), reports its progress,
and fetches the results. They are byte-identical to those of one process.
` + aboutQueue,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				if err := verbs.GoneError("jobs " + args[0]); err != nil {
					return err
				}
				return wording.Hint(fmt.Errorf("jobs has no verb %.50q", args[0]), "see `%s --help`", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(submitCommand(t), statusCommand(t), waitCommand(t), cancelCommand(t), retryCommand(t), resultsCommand(t),
		mergeCommand(t))
	return cmd
}

// idCommand returns a verb that takes the ID of a work.
func idCommand(t *verbs.Tool, use, short, long, example string, do func(cmd *cobra.Command, q *queue, id string) error) *cobra.Command {
	var at where
	cmd := &cobra.Command{
		Use: use + " ID --queue ADDRESS", Short: short, Long: long + "\n" + aboutQueue, Example: example,
		Args:              verbs.Number(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	verbs.Bind(t, cmd, &at)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		q, err := at.open(cmd.Context(), false)
		if err != nil {
			return err
		}
		defer q.pool.Close()
		return do(cmd, q, args[0])
	}
	return cmd
}

func waitCommand(t *verbs.Tool) *cobra.Command {
	return idCommand(t, "wait", "Wait until a job ends",
		`Wait waits until a job ends, and exits with the exit code of its verb. It exits with code
2 if parts failed too often, or if the job was cancelled.

If the connection is lost, it reconnects.`, `  trowel jobs wait 1f2e3d4c5b6a7988`, func(cmd *cobra.Command, q *queue, id string) error {
			ctx := cmd.Context()
			lost := false
			reported := make(map[string]bool)
			for {
				one, stop := context.WithTimeout(ctx, 3*server.Timeout)
				r, s, err := q.look(one, id)
				stop()
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case server.Failed(err):
					lost = q.ping(ctx, t, lost)
				case err != nil:
					return err
				case r.Ended != nil:
					return verbs.Exit(*r.Code)
				case s.state == stateFailed:
					return wording.Hint(fmt.Errorf("%s: %s failed: %s", id, cmp.Or(plural(s.Failed, "part"), "it"), s.first()),
						"%s`trowel jobs status %s` shows the errors, `trowel jobs retry %s` tries again", s.hint(), id, id)
				case s.state == stateCancelled:
					return fmt.Errorf("%s was cancelled", id)
				case r.Parts != nil:
					lost = lost && q.ping(ctx, t, lost)
					t.Progress("parts", int(s.Done), int(*r.Parts))
				}
				if err == nil && len(s.failures) > 0 && !reported[s.first()] && len(reported) < 10 {
					reported[s.first()] = true
					t.Warn("", fmt.Sprintf("%s: retrying after: %s", id, s.first()))
				}
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(500 * time.Millisecond):
				}
			}
		})
}

// plural returns a count with its unit, or "" for 0.
func plural(n int64, one string) string {
	if n == 0 {
		return ""
	}
	return wording.Count(int(n), one)
}

func cancelCommand(t *verbs.Tool) *cobra.Command {
	return idCommand(t, "cancel", "End a job", `Cancel stops a job: running parts are ended, and no others start. Finished parts are kept, and
"trowel jobs retry ID" resumes from there.`, `  trowel jobs cancel 1f2e3d4c5b6a7988`, func(cmd *cobra.Command, q *queue, id string) error {
		ctx := cmd.Context()
		r, err := q.work(ctx, id)
		if err != nil {
			return err
		}
		if r.Ended != nil {
			return fmt.Errorf("%s is done", id)
		}
		n, err := q.cancel(ctx, id)
		if err == nil {
			t.Say("cancelled: %s", wording.Count(n, "job"))
		}
		return err
	})
}

// cancel cancels all jobs of a work and returns their number.
func (q *queue) cancel(ctx context.Context, id string) (n int, err error) {
	client, err := q.client()
	if err != nil {
		return 0, err
	}
	if _, err := q.pool.Exec(ctx, q.sql(`UPDATE $$.trowel_work SET cancelled = now() WHERE id = $1`), id); err != nil {
		return 0, q.wrap(err)
	}
	for {
		// Cancel waiting jobs directly; for running jobs, River notifies the workers.
		tag, err := q.pool.Exec(ctx, q.sql(`
UPDATE $$.river_job SET state = 'cancelled', finalized_at = now()
WHERE args->>'work' = $1 AND state IN ('available', 'pending', 'scheduled', 'retryable')`), id)
		if err != nil {
			return n, q.wrap(err)
		}
		n += int(tag.RowsAffected())
		rows, err := q.pool.Query(ctx, q.sql(`
SELECT id FROM $$.river_job WHERE args->>'work' = $1 AND state = 'running' AND NOT metadata ? 'cancel_attempted_at'`), id)
		if err != nil {
			return n, q.wrap(err)
		}
		running, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return n, q.wrap(err)
		}
		for _, job := range running {
			if _, err := client.JobCancel(ctx, job); err != nil {
				return n, q.wrap(err)
			}
			n++
		}
		if tag.RowsAffected() == 0 && len(running) == 0 {
			return n, nil
		}
	}
}

func retryCommand(t *verbs.Tool) *cobra.Command {
	var limit time.Duration
	cmd := idCommand(t, "retry", "Retry failed parts",
		`Retry puts failed and cancelled parts back into the queue. Finished parts are kept. If merging the
results failed, they are merged again. With --limit, unfinished parts get a new time limit, for
parts that exceeded theirs.`, `  trowel jobs retry 1f2e3d4c5b6a7988
  trowel jobs retry 1f2e3d4c5b6a7988 --limit 30m`, func(cmd *cobra.Command, q *queue, id string) error {
			ctx := cmd.Context()
			r, err := q.work(ctx, id)
			if err != nil {
				return err
			}
			if r.Ended != nil && *r.Code < 2 {
				return fmt.Errorf("%s is done; `trowel jobs submit --again` repeats it", id)
			}
			if cmd.Flags().Changed("limit") {
				if err := checkLimit(limit); err != nil {
					return err
				}
			}
			if err := q.settle(ctx, id); err != nil {
				return err
			}
			n, err := q.retry(ctx, r, limit)
			if err == nil {
				t.Say("put back into the queue: %s", wording.Count(n, "job"))
			}
			return err
		})
	cmd.Flags().DurationVar(&limit, "limit", 0, "set a new limit for parts: a `time` such as 90s or 5m")
	return cmd
}

// settle waits until workers have ended the cancelled jobs, so that a retry is not cancelled again. Workers
// that do not end them within some seconds are gone.
func (q *queue) settle(ctx context.Context, id string) error {
	for range 150 {
		var open bool
		err := q.pool.QueryRow(ctx, q.sql(`
SELECT EXISTS (SELECT FROM $$.river_job WHERE args->>'work' = $1 AND state = 'running' AND metadata ? 'cancel_attempted_at')`),
			id).Scan(&open)
		if err != nil || !open {
			return q.wrap(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	_, err := q.pool.Exec(ctx, q.sql(`UPDATE $$.river_job SET metadata = metadata - 'cancel_attempted_at' WHERE `+
		`args->>'work' = $1 AND state = 'running'`), id)
	return q.wrap(err)
}

// retry puts the failed and cancelled jobs of a work back into the queue.
func (q *queue) retry(ctx context.Context, r *row, limit time.Duration) (int, error) {
	tx, err := q.pool.Begin(ctx)
	if err != nil {
		return 0, q.wrap(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, q.sql(`UPDATE $$.trowel_work SET cancelled = NULL, ended = NULL, code = NULL WHERE id = $1`), r.ID); err != nil {
		return 0, q.wrap(err)
	}
	// If the merge could not be done, a result may be lost: then all parts check whether their results exist.
	tag, err := tx.Exec(ctx, q.sql(`
UPDATE $$.river_job SET state = 'available', scheduled_at = now(), finalized_at = NULL, max_attempts = least(attempt + $2, 32767),
	metadata = metadata - 'cancel_attempted_at'
WHERE args->>'work' = $1 AND kind <> 'trowel_merge' AND (state IN ('discarded', 'cancelled', 'retryable')
	OR kind = 'trowel_part' AND state = 'completed' AND EXISTS (SELECT FROM $$.river_job m WHERE m.kind =
	'trowel_merge' AND m.args->>'work' = $1 AND m.state = 'discarded'))`), r.ID, min(max(r.Attempts, 1), maxAttempts))
	if err != nil {
		return 0, q.wrap(err)
	}
	n := int(tag.RowsAffected())
	if limit > 0 {
		seconds := int(limit / time.Second)
		if _, err := tx.Exec(ctx, q.sql(`UPDATE $$.trowel_work SET description = jsonb_set(description, '{limit}', `+
			`to_jsonb($2::int)) WHERE id = $1`), r.ID, seconds); err != nil {
			return 0, q.wrap(err)
		}
		if _, err := tx.Exec(ctx, q.sql(`UPDATE $$.river_job SET args = jsonb_set(args, '{limit}', to_jsonb($2::int)) `+
			`WHERE args->>'work' = $1 AND kind = 'trowel_part' AND state <> 'completed'`), r.ID, seconds); err != nil {
			return 0, q.wrap(err)
		}
	}
	// A failed merge is repeated after the last part is done.
	if _, err := tx.Exec(ctx, q.sql(`DELETE FROM $$.river_job WHERE args->>'work' = $1 AND kind = 'trowel_merge' AND `+
		`state <> 'running'`), r.ID); err != nil {
		return 0, q.wrap(err)
	}
	if r.Parts != nil {
		client, err := q.client()
		if err != nil {
			return 0, err
		}
		merges, err := q.mergeIfDone(ctx, client, tx, r.ID)
		if err != nil {
			return 0, q.wrap(err)
		}
		if merges {
			n++
		}
	}
	return n, q.wrap(tx.Commit(ctx))
}

func resultsCommand(t *verbs.Tool) *cobra.Command {
	var path string
	var replace bool
	cmd := idCommand(t, "results", "Fetch the output of a job",
		`Results prints the output and the messages of the verb, and exits with its exit code. With -o it
writes the file or the folder that the verb wrote, complete or not at all.`, `  trowel jobs results 1f2e3d4c5b6a7988
  trowel jobs results 1f2e3d4c5b6a7988 -o tiles`, func(cmd *cobra.Command, q *queue, id string) error {
			ctx := cmd.Context()
			r, s, err := q.look(ctx, id)
			switch {
			case err != nil:
				return err
			case s.state == stateFailed || s.state == stateCancelled:
				return wording.Hint(fmt.Errorf("%s has no results: it %s", id,
					map[string]string{stateFailed: "failed", stateCancelled: "was cancelled"}[s.state]),
					"`trowel jobs status %s` shows the errors, `trowel jobs retry %s` tries again", id, id)
			case r.Ended == nil:
				return wording.Hint(fmt.Errorf("%s is not done", id), "`trowel jobs wait %s` waits for it", id)
			}
			store, end, err := openStore(ctx, in(r.Results, id))
			if err != nil {
				return err
			}
			defer end()
			e, err := readEnd(ctx, store)
			if errors.Is(err, fs.ErrNotExist) {
				return wording.Hint(fmt.Errorf("%s: no results in %s", id, r.Results), "give the folder that the workers see")
			}
			if err != nil {
				return err
			}
			if err := e.show(ctx, t, store, cmd.ErrOrStderr(), path, replace); err != nil {
				return err
			}
			return verbs.Exit(e.Code)
		})
	cmd.Flags().StringVarP(&path, "output", "o", "", "write the output of the verb to the `path`")
	cmd.Flags().BoolVarP(&replace, "force", "f", false, "replace a file or folder that exists")
	return cmd
}

func statusCommand(t *verbs.Tool) *cobra.Command {
	var at where
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status [ID] --queue ADDRESS",
		Short: "Show the progress of jobs",
		Long: `Status lists all jobs, newest first, or describes one: how many parts are in which state, their
rate and the remaining time, which worker runs which part since when, and the errors of failed parts.

With --json it prints an object of id, verb, folder, results, submitted, ended, code, state (waiting, running,
failed, cancelled, done), parts, states, rate in parts a second, left in seconds, running (step, part, file, worker,
since) and failures (part, file, attempts, state, error, hint, at), or an array of such objects without the last two fields.
` + aboutQueue,
		Example: `  trowel jobs status
  trowel jobs status 1f2e3d4c5b6a7988 --json`,
		Args:              verbs.Number(0, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	verbs.Bind(t, cmd, &at)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		q, err := at.open(ctx, false)
		if err != nil {
			return err
		}
		defer q.pool.Close()
		if len(args) == 1 {
			r, s, err := q.look(ctx, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return t.PrintJSON(s.object(r))
			}
			return q.printDetails(ctx, t, r, s)
		}
		list, err := q.works(ctx)
		if err != nil {
			return err
		}
		all := make([]any, 0, len(list))
		for _, r := range list {
			s, err := q.stateOf(ctx, r, 0)
			if err != nil {
				return err
			}
			if all = append(all, s.object(r)); !asJSON {
				fmt.Fprintf(t.Out(), "%s  %-9s  %s  %s\n", r.ID, s.state, s.parts(r), printable(r.title()))
			}
		}
		if asJSON {
			return t.PrintJSON(all)
		}
		return nil
	}
	return cmd
}
