package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/riverqueue/river/rivertype"

	"trowel.example/cmd/internal/cli"
	"trowel.example/internal/host"
)

// Each worker has a lease, a row in trowel_worker that it renews. The jobs of a worker whose lease has
// run out are given to others, by whichever worker sees it first: a worker that was killed is known
// within seconds, whatever the limit of its parts. One that was only slow does its parts for nothing.
const (
	renewal = 1500 * time.Millisecond
	lease   = 5 * time.Second
)

// goneText is the error of a part whose worker is gone.
const goneText = "the worker that did it is gone"

// workerName returns a name that no other worker has: the host, the number of the process and chance.
func workerName() string {
	machine := strings.ToValidUTF8(strings.ReplaceAll(host.MachineName(), "/", "_"), "_")
	return fmt.Sprintf("%.60s/%d/%08x", machine, os.Getpid(), rand.Uint32())
}

// shownWorker is the name of a worker for people.
func shownWorker(name string) string {
	parts := strings.Split(name, "/")
	if len(parts) != 3 {
		return name
	}
	return parts[0] + ", process " + parts[1]
}

// hold renews the lease of the worker until the context ends, and rescues the jobs of others. A worker
// that could not renew its own lease does not judge those of others: the server may have been away for
// all of them.
func (w *worker) hold(ctx context.Context) {
	tick := time.NewTicker(renewal)
	defer tick.Stop()
	var last, since time.Time // since then without a gap
	for {
		if err := w.renew(ctx); err != nil || time.Since(last) > lease {
			since = time.Now()
		} else if time.Since(since) > lease {
			_ = w.rescue(ctx) // or with the next tick
		}
		last = time.Now()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (w *worker) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	_, err := w.pool.Exec(ctx, w.sql(`INSERT INTO $$.trowel_worker (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET seen = clock_timestamp()`), w.name)
	return err
}

// release ends the lease of the worker. Jobs that it could not give back are given to others.
func (w *worker) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease)
	defer cancel()
	_, _ = w.pool.Exec(ctx, w.sql(`DELETE FROM $$.trowel_worker WHERE name = $1`), w.name)
}

// rescue puts the jobs of workers of this version that have no lease, or whose lease has run out, back
// into the queue. Jobs that have failed too often, and those that were cancelled, end.
func (q *queue) rescue(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	told, err := json.Marshal(rivertype.AttemptError{At: time.Now().UTC(), Error: goneText})
	if err != nil {
		return err
	}
	if _, err := q.pool.Exec(ctx, q.sql(`
UPDATE $$.river_job j SET errors = array_append(j.errors, $2::jsonb || jsonb_build_object('attempt', j.attempt)),
	state = (CASE WHEN j.metadata ? 'cancel_attempted_at' THEN 'cancelled' WHEN j.attempt >= j.max_attempts THEN 'discarded' ELSE 'available' END)::$$.river_job_state,
	finalized_at = CASE WHEN j.metadata ? 'cancel_attempted_at' OR j.attempt >= j.max_attempts THEN now() END,
	scheduled_at = CASE WHEN j.metadata ? 'cancel_attempted_at' OR j.attempt >= j.max_attempts THEN j.scheduled_at ELSE now() END
WHERE j.state = 'running' AND j.queue = $3 AND NOT EXISTS (SELECT FROM $$.trowel_worker w
	WHERE w.name = j.attempted_by[array_upper(j.attempted_by, 1)] AND w.seen > clock_timestamp() - make_interval(secs => $1))`),
		lease.Seconds(), told, queueName(cli.Version())); err != nil {
		return err
	}
	_, err = q.pool.Exec(ctx, q.sql(`DELETE FROM $$.trowel_worker WHERE seen < clock_timestamp() - make_interval(secs => $1)`), lease.Seconds())
	return err
}
