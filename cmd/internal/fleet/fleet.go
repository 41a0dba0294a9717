// Package fleet spreads the work of verbs over many machines: River is the queue, in a schema of a
// PostgreSQL, and the results of parts are in a folder or a bucket that all of them see.
//
// A work that was submitted is a row in the table trowel_work. One job takes it apart, one job for
// each part does that, in a process of its own, and one merges the results when all are there. What
// is in the queue says only who does what, and when: a part is done if, and only if, its result is
// in the store, where it comes to be as a whole. So a job that is done twice does no harm, and a
// job that nobody knows of does nothing.
package fleet

import (
	"context"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/bucket"
	"trowel.example/cmd/internal/cli"
)

// Verbs are jobs and worker.
func Verbs(t *cli.Tool) []*cobra.Command {
	t.Reads(new(bucket.Sources))
	return []*cobra.Command{jobsCommand(t), workerCommand(t), childCommand(t)}
}

// where is which queue the user means.
type where struct{ queue, file, schema string }

// flags gives a verb the flags that say that.
func (w *where) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&w.queue, "queue", "", "the `address` of the PostgreSQL with the queue, such as postgres://user@host/database; without a password")
	flags.StringVar(&w.file, "queue-file", "", "a `file` with the address, where a password may be")
	cli.Input(cmd, "queue-file")
	flags.StringVar(&w.schema, "schema", "trowel", "the `name` of the schema with the tables of the queue")
}

// open connects to it. Unless it is to be made, there must be something in it.
func (w *where) open(ctx context.Context, make bool) (*queue, error) {
	at, err := parseAddress(w.queue, w.file)
	if err != nil {
		return nil, err
	}
	q, err := open(ctx, at, w.schema)
	if err != nil {
		return nil, err
	}
	if make {
		err = q.migrate(ctx)
	} else {
		err = q.ready(ctx)
	}
	if err != nil {
		q.pool.Close()
		return nil, err
	}
	return q, nil
}

const aboutQueue = `
The queue is in the database that --queue names, --queue-file or TROWEL_QUEUE, in the tables of
a schema of its own; nothing else in the database is touched. A password comes from
PGPASSWORD, PGPASSFILE, TROWEL_QUEUE or --queue-file.`
