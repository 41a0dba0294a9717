// Package fleet spreads the work of verbs over many machines. The queue is River, in a schema of a PostgreSQL
// database. The results of parts are in a folder or bucket that all machines can access.
//
// A submitted work is a row in the table trowel_work. One job splits the work, one job for each part does the
// part in a separate process, and one job merges the results when all exist. The queue only records who does
// what, and when: a part is done if and only if its result is in the store, where it appears completely or not
// at all. Therefore a job that is done twice does no harm, and so does a job that is lost track of.
package fleet

import (
	"context"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/trowel-fleet/internal/bucket"
)

// Verbs returns the verbs jobs and worker.
func Verbs(t *verbs.Tool) []*cobra.Command {
	t.Reads(new(bucket.Sources))
	// They connect to queues and buckets, and start processes. Those of parts are restricted.
	return []*cobra.Command{verbs.Unconfined(jobsCommand(t)), verbs.Unconfined(workerCommand(t)), verbs.Unconfined(childCommand(t))}
}

// where is the queue that the user chose.
type where struct {
	At string `option:"queue" help:"the {address} of the PostgreSQL with the queue, such as postgres://user@host/database; without a password"`

	File   string `option:"queue-file,input" help:"a {file} with the address, where a password may be"`
	Schema string `option:"schema" default:"trowel" help:"the {name} of the schema with the tables of the queue"`
}

// open connects to the queue. Unless make is set, the queue must already exist.
func (w *where) open(ctx context.Context, make bool) (*queue, error) {
	at, err := parseAddress(w.At, w.File)
	if err != nil {
		return nil, err
	}
	q, err := open(ctx, at, w.Schema)
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
a separate schema; nothing else in the database is touched. The password is taken from
PGPASSWORD, PGPASSFILE, TROWEL_QUEUE or --queue-file.`
