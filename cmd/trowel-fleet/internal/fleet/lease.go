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

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/files/host"
)

// Each worker has a lease: a row in trowel_worker that the worker renews. When a lease has expired, the first
// worker that detects this puts the jobs of its holder back into the queue. A killed worker is therefore
// detected within seconds, whatever the limit of its parts. The work of a worker that was only slow may be
// wasted.
const (
	renewal = 1500 * time.Millisecond
	lease   = 5 * time.Second
)

// goneText is the error of a part whose worker is gone.
const goneText = "the worker that ran it is gone"

// workerName returns a unique name of a worker: the host name, the process ID and a random number.
func workerName() string {
	machine := strings.ToValidUTF8(strings.ReplaceAll(host.MachineName(), "/", "_"), "_")
	return fmt.Sprintf("%.60s/%d/%08x", machine, os.Getpid(), rand.Uint32())
}

// shownWorker returns the name of a worker for display.
func shownWorker(name string) string {
	parts := strings.Split(name, "/")
	if len(parts) != 3 {
		return name
	}
	return parts[0] + ", process " + parts[1]
}

// hold renews the lease of the worker until the context ends, and rescues the jobs of other workers. A worker
// that recently failed to renew its own lease rescues no jobs: the server may have been unavailable to all
// workers.
func (w *worker) hold(ctx context.Context) {
	tick := time.NewTicker(renewal)
	defer tick.Stop()
	var last, since time.Time // the lease was renewed continuously since then
	for {
		if err := w.renew(ctx); err != nil || time.Since(last) > lease {
			since = time.Now()
		} else if time.Since(since) > lease {
			_ = w.rescue(ctx) // an error is ignored: the next tick tries again
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
	_, err := w.pool.Exec(ctx, w.sql(`INSERT INTO $$.trowel_worker (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET `+
		`seen = clock_timestamp()`), w.name)
	if err == nil {
		w.renewed.Store(time.Now().UnixNano())
	}
	return err
}

// release ends the lease of the worker. Jobs that it could not give back are put back by other workers.
func (w *worker) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease)
	defer cancel()
	_, _ = w.pool.Exec(ctx, w.sql(`DELETE FROM $$.trowel_worker WHERE name = $1`), w.name)
}

// rescue puts the jobs of workers of this version without a valid lease back into the queue. Jobs that have
// failed too often or were cancelled end.
func (q *queue) rescue(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	entry, err := json.Marshal(rivertype.AttemptError{At: time.Now().UTC(), Error: goneText})
	if err != nil {
		return err
	}
	if _, err := q.pool.Exec(ctx, q.sql(`
UPDATE $$.river_job j SET errors = array_append(j.errors, $2::jsonb || jsonb_build_object('attempt', j.attempt)),
	state = (CASE WHEN j.metadata ? 'cancel_attempted_at' THEN 'cancelled' WHEN j.attempt >= j.max_attempts THEN
	'discarded' ELSE 'available' END)::$$.river_job_state,
	finalized_at = CASE WHEN j.metadata ? 'cancel_attempted_at' OR j.attempt >= j.max_attempts THEN now() END,
	scheduled_at = CASE WHEN j.metadata ? 'cancel_attempted_at' OR j.attempt >= j.max_attempts THEN j.scheduled_at ELSE now() END
WHERE j.state = 'running' AND j.queue = $3 AND NOT EXISTS (SELECT FROM $$.trowel_worker w
	WHERE w.name = j.attempted_by[array_upper(j.attempted_by, 1)] AND w.seen > clock_timestamp() - make_interval(secs => $1))`),
		lease.Seconds(), entry, queueName(service.Program())); err != nil {
		return err
	}
	_, err = q.pool.Exec(ctx, q.sql(`DELETE FROM $$.trowel_worker WHERE seen < clock_timestamp() - make_interval(secs `+
		`=> $1)`), lease.Seconds())
	return err
}
