package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/internal/files/host"
	"trowel.example/internal/stores/server"
)

const (
	// grace is the time after a part's limit when its worker is assumed to hang and another worker takes the
	// part.
	grace = time.Minute
	// snooze is the time that a job waits for another process with the same job.
	snooze = time.Second
	// kept is the time that completed jobs stay in the queue.
	kept = 30 * 24 * time.Hour
)

// envGrace sets a shorter grace for tests.
const envGrace = "TROWEL_TEST_GRACE"

// worker takes jobs from a queue and does them.
type worker struct {
	*queue
	observer
	Max    int            `option:"max" help:"run at most {N} parts at once; each has its share of the cores"`
	Memory service.Memory `option:"memory" help:"end a part that needs more memory: a {size} such as 512M or 2G"`

	tool    *verbs.Tool
	program []string // program to start for each part
	roots   []root
	access  service.Access
	grace   time.Duration
	name    string // name of its lease
	scratch string
	renewed atomic.Int64 // time of the last renewal of the lease, in nanoseconds since 1970

	river *river.Client[pgx.Tx]
	hard  context.Context // ends when all work must stop
	known sync.Map        // works by ID: *row
	count atomic.Int64    // number of works in known
	done  atomic.Int64    // number of parts done
}

// run does jobs until the context ends. It then completes the running jobs or gives them back.
func (w *worker) run(ctx context.Context) error {
	if s := host.Env(envGrace); s != "" {
		w.grace, _ = time.ParseDuration(s)
	}
	w.grace = cmp.Or(w.grace, grace)
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	w.hard = hard

	w.name = workerName()
	workers := river.NewWorkers()
	river.AddWorker(workers, &sole[splitJob]{worker: w, do: w.split})
	river.AddWorker(workers, &doer{worker: w})
	river.AddWorker(workers, &sole[mergeJob]{worker: w, do: w.merge})
	start, stop := context.WithTimeout(ctx, server.Timeout)
	defer stop()
	if err := whenUp(start, true, func() error { return w.clock(ctx, time.Now) }); err != nil {
		return err
	}
	var err error
	w.river, err = river.NewClient(riverpgxv5.New(w.pool), &river.Config{
		ID:                w.name,
		Schema:            w.schema,
		Queues:            map[string]river.QueueConfig{queueName(service.Program()): {MaxWorkers: w.Max, FetchCooldown: 20 * time.Millisecond}},
		Workers:           workers,
		Logger:            slog.New(&complaints{w: w}),
		FetchPollInterval: time.Second,
		// Each job has its own limit. River treats a job as lost after the limit and the grace.
		JobTimeout:           w.grace / 2,
		RescueStuckJobsAfter: w.grace,
		// The jobs that split and merge may take longer and control their time themselves.
		JobStuckThreshold:           365 * 24 * time.Hour,
		CompletedJobRetentionPeriod: kept,
		DiscardedJobRetentionPeriod: -1,
		CancelledJobRetentionPeriod: -1,
	})
	if err != nil {
		return err
	}
	if err := whenUp(start, true, func() error { return w.renew(ctx) }); err != nil { // before it takes a job
		return w.wrap(err)
	}
	go w.hold(hard)
	defer w.release(hard)
	unobserve, err := w.observer.open(w.tool.Out(), w.healthy)
	if err != nil {
		return err
	}
	defer unobserve()
	if err := whenUp(start, true, func() error { return w.river.Start(context.WithoutCancel(ctx)) }); err != nil {
		return w.wrap(err)
	}
	w.tool.Say("running up to %s at once for %s, as version %s", wording.Count(w.Max, "part"), w.name, service.Program())
	w.watch(ctx)
	soft := w.grace / 6
	w.tool.Say("ending: parts unfinished after %v are returned to the queue", soft)
	end, stop := context.WithTimeout(hard, soft)
	defer stop()
	if err := w.river.Stop(end); err == nil {
		return nil
	}
	defer time.AfterFunc(time.Second, cancel).Stop() // cancels jobs that River no longer waits for
	end, stop = context.WithTimeout(hard, soft)
	defer stop()
	return w.wrap(w.river.StopAndCancel(end))
}

// silent discards the log of River: this package reports everything that users need.
var silent = slog.New(slog.DiscardHandler)

// complaints reports the errors of PostgreSQL for which River retries forever, such as a full disk or damaged
// tables.
type complaints struct {
	w        *worker
	mu       sync.Mutex
	last     string
	reported time.Time
}

func (c *complaints) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }
func (c *complaints) WithAttrs([]slog.Attr) slog.Handler           { return c }
func (c *complaints) WithGroup(string) slog.Handler                { return c }

// Handle reports each error at most once per minute. A lost connection is reported by ping.
func (c *complaints) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		_, text, ok := strings.Cut(a.Value.String(), "ERROR: ")
		if !ok || !strings.Contains(text, "(SQLSTATE ") {
			return true
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if text != c.last || r.Time.Sub(c.reported) > time.Minute {
			c.last, c.reported = text, r.Time
			c.w.tool.Warn("", c.w.name+": the server reports: "+text)
		}
		return false
	})
	return nil
}

// watch waits until the context ends and reports when the connection is lost or restored. River reconnects by
// itself.
func (w *worker) watch(ctx context.Context) {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	lost := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		lost = w.ping(ctx, w.tool, lost)
	}
}

// errNot is the error of works that this worker will never do.
type errNot struct{ error }

// description returns the work with an ID, and its local folders.
func (w *worker) description(ctx context.Context, id string) (r *row, dir, results string, err error) {
	if !validID(id) {
		return nil, "", "", errNot{fmt.Errorf("%w: %.50q is not a valid ID of a job", errHostile, id)}
	}
	if known, ok := w.known.Load(id); ok {
		r = known.(*row)
	} else if r, err = w.work(ctx, id); err != nil {
		return nil, "", "", err
	} else {
		if w.count.Add(1) > 16 { // the arguments of a work may be large
			w.known.Clear()
			w.count.Store(1)
		}
		w.known.Store(id, r)
	}
	if err := r.check(); err != nil {
		return nil, "", "", errNot{err}
	}
	if dir, err = local(w.roots, r.Dir); err == nil {
		results, err = local(w.roots, r.Results)
	}
	if err == nil {
		err = w.access.Inside(dir)
	}
	if err == nil && !bucket.IsURL(results) {
		err = w.access.Inside(results)
	}
	if err != nil {
		return nil, "", "", errNot{err}
	}
	return r, dir, in(results, id), nil
}

func (w *worker) order(r *row, s step) *order {
	place := root{There: r.Results}
	place.Here, _ = local(w.roots, r.Results) // description has checked this before
	if bucket.IsURL(place.Here) {
		place.There = place.Here
	}
	return &order{Step: s, Plan: r.plan(), Place: place, Access: &w.access, Memory: w.Memory, tool: w.tool, scratch: w.scratch}
}

// threads returns the number of threads of each child.
func (w *worker) threads() int { return max(1, runtime.NumCPU()/w.Max) }

// end converts the error of a job into the action for River.
func (w *worker) end(ctx context.Context, what string, err error) error {
	var not errNot
	var wait *rivertype.JobSnoozeError
	switch {
	case err == nil || errors.As(err, &wait):
		return err
	case errors.Is(err, river.ErrJobCancelledRemotely):
		return river.JobCancel(err)
	case context.Cause(ctx) != nil && errors.Is(err, context.Cause(ctx)):
		return err // the job was cancelled, or the worker ends
	}
	w.tool.Warn("", what+": "+err.Error())
	var child *childError
	if errors.As(err, &not) || errors.As(err, &child) && child.code == exitRefused {
		return river.JobCancel(err)
	}
	return err
}

// doer does parts.
type doer struct {
	river.WorkerDefaults[partJob]
	*worker
}

// Timeout is the time after which another worker does the part. The part's own worker ends it earlier.
func (d *doer) Timeout(job *river.Job[partJob]) time.Duration {
	return job.Args.limit() + d.grace
}

// NextRetry returns earlier times than River's default, which can wait for days.
func (d *doer) NextRetry(job *river.Job[partJob]) time.Time { return nextRetry(job.JobRow, d.grace) }

func nextRetry(job *rivertype.JobRow, grace time.Duration) time.Time {
	wait := time.Second << min(2*max(job.Attempt-1, 0), 10) // 1 s, 4 s, 16 s ... 17 minutes
	return time.Now().Add(time.Duration(float64(wait) * grace.Minutes()))
}

func (d *doer) Work(ctx context.Context, job *river.Job[partJob]) error {
	err := d.part(ctx, &job.Args)
	if err == nil {
		err = d.complete(ctx, job)
	}
	return d.end(ctx, "part "+strconv.QuoteToASCII(job.Args.Part.Name), err)
}

var errLimit = errors.New("exceeded its limit")

func (d *doer) part(ctx context.Context, p *partJob) error {
	if err := p.check(); err != nil {
		return errNot{err}
	}
	r, dir, results, err := d.description(ctx, p.Work)
	if err != nil {
		return err
	}
	limit := p.limit()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w of %v", errLimit, limit))
	defer cancel()
	store, end, err := openStore(ctx, results)
	if err != nil {
		return err
	}
	defer end()
	o := d.order(r, stepPart)
	o.Part, o.Store = p.Part, results
	return d.do(ctx, store, p.Work, o, dir)
}

// do does the part of an order in a child, unless it has a result, and reports it.
func (w *worker) do(ctx context.Context, store work.Store, id string, o *order, dir string) error {
	existed, ended := true, w.begin(id, o.Part)
	err := store.Add(ctx, work.ResultName(o.Part), func(to io.Writer) error {
		existed = false
		return o.run(ctx, w.program, dir, w.threads(), to, nil)
	})
	ended(o.used, existed, err)
	if err == nil {
		w.tool.Progress("parts", int(w.done.Add(1)), 0)
	}
	return err
}

// planned returns the plan of a work, which a child splits unless the store has it.
func (w *worker) planned(ctx context.Context, store work.Store, o *order, dir string) (*work.Plan, error) {
	plan, err := work.Begin(ctx, split{run: func(ctx context.Context, out io.Writer) error {
		return o.run(ctx, w.program, dir, runtime.NumCPU(), out, nil)
	}}, o.Plan, store)
	if f, ok := store.(work.Folder); ok && err == nil {
		err = f.Guard(plan, dir)
	}
	return plan, err
}

// alone runs do with a connection and a lock that only one process can hold. The lock of a killed process ends
// with its connection. do continues when River treats the job as lost, and ends when the work is cancelled or
// the worker must stop.
func (w *worker) alone(ctx context.Context, id string, do func(ctx context.Context, conn *pgxpool.Conn) error) error {
	conn, err := w.pool.Acquire(ctx)
	if err != nil {
		return w.wrap(err)
	}
	defer conn.Release()
	own, cancel := context.WithCancelCause(w.hard)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		if cause := context.Cause(ctx); !errors.Is(cause, context.DeadlineExceeded) {
			cancel(cause)
		}
	})()
	lock := key("work", w.schema, id)
	var mine bool
	if err := conn.QueryRow(own, `SELECT pg_try_advisory_lock($1)`, lock).Scan(&mine); err != nil {
		return w.wrap(err)
	}
	if !mine {
		return river.JobSnooze(snooze)
	}
	defer func() {
		if _, err := conn.Exec(context.WithoutCancel(own), `SELECT pg_advisory_unlock($1)`, lock); err != nil {
			_ = conn.Conn().Close(context.Background()) // this unlocks, too
		}
	}()
	go w.whenCancelled(own, id, cancel)
	return do(own, conn)
}

// whenCancelled calls cancel when the work is cancelled.
func (w *worker) whenCancelled(ctx context.Context, id string, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if r, err := w.work(ctx, id); err == nil && r.Cancelled != nil {
			cancel(river.ErrJobCancelledRemotely)
		}
	}
}

// sole does the jobs of which a work has only one: splitting the work and merging the results.
type sole[T interface {
	river.JobArgs
	work() string
}] struct {
	river.WorkerDefaults[T]
	*worker
	do func(ctx context.Context, id string) error
}

func (s *sole[T]) Timeout(*river.Job[T]) time.Duration   { return s.grace }
func (s *sole[T]) NextRetry(job *river.Job[T]) time.Time { return nextRetry(job.JobRow, s.grace) }
func (s *sole[T]) Work(ctx context.Context, job *river.Job[T]) error {
	id := job.Args.work()
	return s.end(ctx, "work "+strconv.QuoteToASCII(id), s.do(ctx, id))
}

// split splits a work into parts.
func (w *worker) split(ctx context.Context, id string) error {
	r, dir, results, err := w.description(ctx, id)
	if err != nil {
		return err
	}
	return w.alone(ctx, id, func(ctx context.Context, conn *pgxpool.Conn) error {
		if r, err := w.work(ctx, id); err != nil || r.Parts != nil {
			return err
		}
		store, end, err := openStore(ctx, results)
		if err != nil {
			return err
		}
		defer end()
		plan, err := w.planned(ctx, store, w.order(r, stepSplit), dir)
		if err != nil {
			return err
		}
		if err = w.insert(ctx, conn, r, plan); errors.Is(err, river.ErrJobCancelledRemotely) {
			return err
		}
		return w.wrap(err)
	})
}

// insert puts all parts into the queue in one transaction, so that a killed worker has inserted nothing.
func (w *worker) insert(ctx context.Context, conn *pgxpool.Conn, r *row, plan *work.Plan) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	// A concurrent cancel waits for this transaction and then finds all parts, or it was earlier.
	tag, err := tx.Exec(ctx, w.sql(`UPDATE $$.trowel_work SET parts = $2 WHERE id = $1 AND cancelled IS NULL`), r.ID, len(plan.Parts))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return river.ErrJobCancelledRemotely
	}
	opts := r.insertOpts()
	for some := range slices.Chunk(plan.Parts, 1000) {
		jobs := make([]river.InsertManyParams, len(some))
		for i, p := range some {
			jobs[i] = river.InsertManyParams{Args: partJob{Work: r.ID, Limit: r.Limit, Part: p}, InsertOpts: opts}
		}
		if _, err := w.river.InsertManyFastTx(ctx, tx, jobs); err != nil {
			return err
		}
	}
	if _, err := w.mergeIfDone(ctx, w.river, tx, r.ID); err != nil { // the work may have no parts
		return err
	}
	return tx.Commit(ctx)
}

// complete marks a part as done. For the last part of a work, it inserts the merge.
func (w *worker) complete(ctx context.Context, job *river.Job[partJob]) error {
	tx, err := w.pool.Begin(ctx)
	if err != nil {
		return w.wrap(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	// The last two parts may be completed concurrently: because of this lock, the second one sees the first.
	if _, err := tx.Exec(ctx, w.sql(`SELECT FROM $$.trowel_work WHERE id = $1 FOR UPDATE`), job.Args.Work); err != nil {
		return w.wrap(err)
	}
	// The result exists, even if another worker has the job by now.
	if _, err := tx.Exec(ctx, w.sql(`UPDATE $$.river_job SET state = 'completed', finalized_at = now() WHERE id = $1 `+
		`AND state IN ('running', 'available', 'retryable', 'scheduled')`), job.ID); err != nil {
		return w.wrap(err)
	}
	if _, err := w.mergeIfDone(ctx, w.river, tx, job.Args.Work); err != nil {
		return w.wrap(err)
	}
	return w.wrap(tx.Commit(ctx))
}

// insertOpts returns the options of all jobs of a work.
func (d *description) insertOpts() *river.InsertOpts {
	return &river.InsertOpts{Queue: queueName(d.Version), Priority: min(max(d.Priority, 1), 4),
		MaxAttempts: min(max(d.Attempts, 1), maxAttempts)}
}

// tooSoon ends a merge if parts were put back into the queue: completing the last one of these inserts another
// merge, unless there is one.
func (w *worker) tooSoon(ctx context.Context, id string) error {
	tx, err := w.pool.Begin(ctx)
	if err != nil {
		return w.wrap(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	for _, text := range []string{
		`SELECT FROM $$.trowel_work WHERE id = $1 FOR UPDATE`,
		`UPDATE $$.river_job SET state = 'completed', finalized_at = now() WHERE args->>'work' = $1 AND kind = ` +
			`'trowel_merge' AND state = 'running'`,
	} {
		if _, err := tx.Exec(ctx, w.sql(text), id); err != nil {
			return w.wrap(err)
		}
	}
	if _, err := w.mergeIfDone(ctx, w.river, tx, id); err != nil {
		return w.wrap(err)
	}
	return w.wrap(tx.Commit(ctx))
}

// merge merges the results of all parts of a work.
func (w *worker) merge(ctx context.Context, id string) error {
	_, dir, results, err := w.description(ctx, id)
	if err != nil {
		return err
	}
	r, err := w.work(ctx, id)
	if err != nil || r.Ended != nil {
		return err
	}
	if left, err := w.states(ctx, r); err != nil {
		return err
	} else if left.open()+left.lost() > 0 {
		return w.tooSoon(ctx, id)
	}
	return w.alone(ctx, id, func(ctx context.Context, _ *pgxpool.Conn) error {
		if r, err := w.work(ctx, id); err != nil || r.Ended != nil {
			return err
		}
		temp, err := os.MkdirTemp(w.scratch, "")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		o := w.order(r, stepMerge)
		o.Store, o.Output = results, filepath.Join(temp, outputName)
		code, err := w.output(ctx, results, temp, func(out, talk io.Writer) error {
			return o.run(ctx, w.program, dir, runtime.NumCPU(), out, talk)
		})
		if err != nil {
			return err
		}
		left, err := readLeft(o.Output)
		if err != nil {
			return err
		}
		reportLeft(w.tool, left)
		if !bucket.IsURL(results) { // files of killed workers
			work.Folder(results).Sweep(time.Now())
		}
		_, err = w.pool.Exec(ctx, w.sql(`UPDATE $$.trowel_work SET ended = now(), code = $2 WHERE id = $1`), id, code)
		return w.wrap(err)
	})
}
