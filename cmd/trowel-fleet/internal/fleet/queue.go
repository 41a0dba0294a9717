package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/stores/database"
	"trowel.example/internal/stores/server"
)

// queue is a schema of a database with the tables of River and the table of submitted works.
type queue struct {
	*address
	pool   *pgxpool.Pool
	schema string
}

// schemaName matches names that need no quotes and leave room for the prefixes and suffixes that River adds.
var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,39}$`)

var (
	errNoTables = errors.New("the queue is empty: run `trowel jobs submit` first")
	errTaken    = errors.New("the schema contains something other than a queue of this program")
)

// open connects to a queue.
func open(ctx context.Context, at *address, schema string) (*queue, error) {
	if !schemaName.MatchString(schema) || strings.HasPrefix(schema, "pg_") {
		return nil, fmt.Errorf("--schema: %.50q is not a valid name: expected at most 40 characters: a-z, 0-9 and _", schema)
	}
	pool, err := pgxpool.NewWithConfig(ctx, at.config)
	q := &queue{at, pool, schema}
	if err == nil {
		ping, cancel := context.WithTimeout(ctx, server.Timeout)
		defer cancel()
		err = whenUp(ping, false, func() error { return pool.Ping(ping) })
	}
	if err != nil {
		if pool != nil {
			pool.Close()
		}
		var pgErr *pgconn.PgError
		// Class 28: invalid_authorization_specification.
		if errors.As(err, &pgErr) && strings.HasPrefix(pgErr.Code, "28") {
			return nil, wording.Hint(q.wrap(err), "pass a password by PGPASSWORD, PGPASSFILE, %s or --queue-file", envQueue)
		}
		return nil, q.wrap(err)
	}
	return q, nil
}

// whenUp calls step again while PostgreSQL restarts, until ctx ends; with absent, also while nothing listens there.
func whenUp(ctx context.Context, absent bool, step func() error) error {
	for {
		err := step()
		if !isRestarting(err, absent) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// whenUpFor is whenUp for a worker that starts, for a limited time.
func whenUpFor(ctx context.Context, step func() error) error {
	ctx, cancel := context.WithTimeout(ctx, server.Timeout)
	defer cancel()
	return whenUp(ctx, true, step)
}

// isRestarting reports whether an error is that of a PostgreSQL that ends its connections, or that starts; with absent, also
// that of an address where nothing listens.
func isRestarting(err error, absent bool) bool {
	if hidden, ok := errors.AsType[*server.Error](err); ok {
		err = hidden.Err
	}
	if reply, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(reply.Code, "57P") // admin_shutdown, crash_shutdown, cannot_connect_now
	}
	if at, ok := errors.AsType[*net.OpError](err); ok && !at.Timeout() {
		if _, ok := errors.AsType[syscall.Errno](at); ok { // such as ECONNRESET, which has other values on Windows
			return at.Op != "dial" || absent
		}
	}
	closed, ok := errors.AsType[interface {
		error
		SafeToRetry() bool
	}](err) // pgconn has no public type for a connection that it has closed
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		ok && closed.SafeToRetry() && closed.Error() == "conn closed"
}

// wrap removes secrets from an error of PostgreSQL.
func (q *queue) wrap(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	return database.Wrap(q.name, err)
}

// sql replaces each $$ in a statement by the schema.
func (q *queue) sql(text string) string {
	return strings.ReplaceAll(text, "$$", pgx.Identifier{q.schema}.Sanitize())
}

// ready returns an error if the tables do not exist.
func (q *queue) ready(ctx context.Context) error {
	ok, err := q.has(ctx, "trowel_work")
	if err == nil && !ok {
		return fmt.Errorf("%s, schema %s: %w", q.name, q.schema, errNoTables)
	}
	return err
}

// has reports whether a table or index of that name exists in the schema.
func (q *queue) has(ctx context.Context, name string) (ok bool, err error) {
	err = q.pool.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, q.schema+"."+name).Scan(&ok)
	return ok, q.wrap(err)
}

// migrate creates the schema or updates it to the version that this program expects.
func (q *queue) migrate(ctx context.Context) error {
	conn, err := q.pool.Acquire(ctx)
	if err != nil {
		return q.wrap(err)
	}
	defer conn.Release()
	// Concurrent callers wait. The lock ends with the connection.
	lock := key("migrate", q.schema)
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, lock); err != nil {
		return q.wrap(err)
	}
	defer conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, lock)
	var ok bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, q.schema).Scan(&ok); err != nil {
		return q.wrap(err)
	}
	if !ok {
		if _, err := conn.Exec(ctx, q.sql(`CREATE SCHEMA $$`)); err != nil {
			return wording.Hint(q.wrap(err), "the owner of the database can create it: CREATE SCHEMA %s AUTHORIZATION the user of --queue", q.schema)
		}
	}
	// The table of works is created first: it marks the schema as ours, so that jobs of another program that
	// uses River are never removed.
	switch err := q.ready(ctx); {
	case errors.Is(err, errNoTables):
		if err := q.make(ctx, conn); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	m, err := rivermigrate.New(riverpgxv5.New(q.pool), &rivermigrate.Config{Schema: q.schema, Logger: silent})
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		return q.wrap(err)
	}
	_, err = conn.Exec(ctx, q.sql(`
CREATE TABLE IF NOT EXISTS $$.trowel_worker (name text PRIMARY KEY, seen timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX IF NOT EXISTS trowel_parts ON $$.river_job ((args->>'work'), state)`))
	return q.wrap(err)
}

// make creates the first table in an empty schema.
func (q *queue) make(ctx context.Context, conn *pgxpool.Conn) error {
	var ok bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace `+
		`WHERE n.nspname = $1)`, q.schema).Scan(&ok); err != nil {
		return q.wrap(err)
	}
	if ok {
		return wording.Hint(fmt.Errorf("%s, schema %s: %w", q.name, q.schema, errTaken),
			"choose another name with --schema; the schema is created")
	}
	_, err := conn.Exec(ctx, q.sql(`
CREATE TABLE $$.trowel_work (
	id text PRIMARY KEY,
	description jsonb NOT NULL,
	submitted timestamptz NOT NULL DEFAULT now(),
	parts bigint, -- once they are in the queue
	ended timestamptz,
	code int, -- the exit code of the verb
	cancelled timestamptz
)`))
	return q.wrap(err)
}

// maxSkew is the maximum clock error of a worker. River uses the clock to decide when jobs are retried and
// which jobs are lost.
const maxSkew = 30 * time.Second

// clock returns an error if the clock is wrong by more than maxSkew.
func (q *queue) clock(ctx context.Context, now func() time.Time) error {
	var there time.Time
	before := now()
	if err := q.pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&there); err != nil {
		return q.wrap(err)
	}
	if there.Before(before.Add(-maxSkew)) || there.After(now().Add(maxSkew)) {
		return wording.Hint(fmt.Errorf("the clocks of this machine and of %s differ by %v", q.name,
			there.Sub(before).Abs().Round(time.Second)), "set the wrong clock")
	}
	return nil
}

// key returns the number of an advisory lock.
func key(words ...string) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "trowel %q", words)
	return int64(h.Sum64())
}

// client returns a client of River that only inserts jobs.
func (q *queue) client() (*river.Client[pgx.Tx], error) {
	return river.NewClient(riverpgxv5.New(q.pool), &river.Config{Schema: q.schema, Logger: silent})
}

// mergeIfDone inserts the job that merges the results of a work, if no part is left. The job has precedence
// over all parts of other works.
func (q *queue) mergeIfDone(ctx context.Context, client *river.Client[pgx.Tx], tx pgx.Tx, id string) (inserted bool, err error) {
	var data []byte
	err = tx.QueryRow(ctx, q.sql(`
SELECT description FROM $$.trowel_work w WHERE id = $1 AND cancelled IS NULL AND ended IS NULL
AND NOT EXISTS (SELECT FROM $$.river_job WHERE args->>'work' = $1 AND state <> 'completed' AND kind IN ('trowel_part', 'trowel_merge'))`),
		id).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	var d description
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	if err == nil {
		opts := d.insertOpts()
		opts.Priority = 1
		var job *rivertype.JobInsertResult
		if job, err = client.InsertTx(ctx, tx, mergeJob{Work: id}, opts); err == nil {
			// Among jobs of equal priority, the oldest is first. A job inserted with a time would wait for River's scheduler.
			_, err = tx.Exec(ctx, q.sql(`UPDATE $$.river_job SET scheduled_at = to_timestamp(0) WHERE id = $1`), job.Job.ID)
		}
	}
	return err == nil, err
}

// row is the row of a work in the queue.
type row struct {
	ID        string
	Submitted time.Time
	Parts     *int64
	Ended     *time.Time
	Code      *int
	Cancelled *time.Time
	description
}

const columns = `id, description, submitted, parts, ended, code, cancelled`

func scanRow(r pgx.Row) (*row, error) {
	var w row
	var data []byte
	if err := r.Scan(&w.ID, &data, &w.Submitted, &w.Parts, &w.Ended, &w.Code, &w.Cancelled); err != nil {
		return nil, err
	}
	return &w, json.Unmarshal(data, &w.description)
}

// work returns a submitted work.
func (q *queue) work(ctx context.Context, id string) (*row, error) {
	if !validID(id) {
		return nil, wording.Hint(fmt.Errorf("%.50q is not the ID of a job", id), "`trowel jobs status` lists them")
	}
	w, err := scanRow(q.pool.QueryRow(ctx, q.sql(`SELECT `+columns+` FROM $$.trowel_work WHERE id = $1`), id))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, wording.Hint(fmt.Errorf("no job %s in the queue", id), "`trowel jobs status` lists them")
	}
	return w, q.wrap(err)
}

// works returns all works, the newest first.
func (q *queue) works(ctx context.Context) ([]*row, error) {
	rows, err := q.pool.Query(ctx, q.sql(`SELECT `+columns+` FROM $$.trowel_work ORDER BY submitted DESC, id`))
	if err != nil {
		return nil, q.wrap(err)
	}
	list, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (*row, error) { return scanRow(r) })
	return list, q.wrap(err)
}

// ping reports on stderr that the connection to the queue was lost or is restored. It returns whether the
// connection is lost.
func (q *queue) ping(ctx context.Context, t *verbs.Tool, lost bool) bool {
	ping, cancel := context.WithTimeout(ctx, server.Timeout)
	defer cancel()
	err := q.pool.Ping(ping)
	switch {
	case ctx.Err() != nil:
		return lost
	case err != nil && !lost:
		t.Warn("", q.wrap(err).Error()+"; reconnecting")
	case err == nil && lost:
		t.Warn("", q.name+" is back")
	}
	return err != nil
}

// states are the numbers of parts of a work in each state.
type states struct {
	Waiting   int64   `json:"waiting"`
	Running   int64   `json:"running"`
	Retrying  int64   `json:"retrying"` // failed and will be retried
	Failed    int64   `json:"failed"`   // failed too often, or refused
	Cancelled int64   `json:"cancelled"`
	Done      int64   `json:"done"`
	rate      float64 // parts per second in the last minute
}

// open returns the number of parts still to be done, lost the number of parts that will not be done.
func (s *states) open() int64 { return s.Waiting + s.Running + s.Retrying }
func (s *states) lost() int64 { return s.Failed + s.Cancelled }

// refused is the condition for jobs that a worker has refused, as opposed to jobs that the user cancelled.
const refused = `(state = 'cancelled' AND errors IS NOT NULL AND NOT metadata ? 'cancel_attempted_at')`

// states counts the parts of a work by state.
func (q *queue) states(ctx context.Context, r *row) (*states, error) {
	s := new(states)
	if r.Parts == nil {
		return s, nil
	}
	var recent int64
	var since float64
	err := q.pool.QueryRow(ctx, q.sql(`
SELECT count(*) FILTER (WHERE state IN ('available', 'pending', 'scheduled') AND errors IS NULL),
	count(*) FILTER (WHERE state = 'running'),
	count(*) FILTER (WHERE state = 'retryable' OR state IN ('available', 'scheduled') AND errors IS NOT NULL),
	count(*) FILTER (WHERE state = 'discarded' OR `+refused+`), count(*) FILTER (WHERE state = 'cancelled' AND NOT `+refused+`),
	count(*) FILTER (WHERE finalized_at > now() - interval '1 minute' AND state = 'completed'),
	greatest(1, least(60, coalesce(extract(epoch FROM now() - min(attempted_at)), 60)))::float8
FROM $$.river_job WHERE kind = 'trowel_part' AND args->>'work' = $1`), r.ID).Scan(
		&s.Waiting, &s.Running, &s.Retrying, &s.Failed, &s.Cancelled, &recent, &since)
	s.Done = *r.Parts - s.open() - s.lost() // done jobs are deleted from the queue after some time
	s.rate = float64(recent) / since
	return s, q.wrap(err)
}

// failure is the last error of a part, or of the job that splits the work or merges its results.
type failure struct {
	Part     string    `json:"part"` // "" for the work itself
	File     string    `json:"file,omitempty"`
	Attempts int       `json:"attempts"`
	State    string    `json:"state"`
	Error    string    `json:"error"`
	Hint     string    `json:"hint,omitempty" db:"-"`
	At       time.Time `json:"at"`
}

// failures returns the failures that are not resolved, at most the given number.
func (q *queue) failures(ctx context.Context, id string, most int) ([]failure, error) {
	rows, err := q.pool.Query(ctx, q.sql(`
SELECT coalesce(args->'part'->>'name', ''), coalesce(args->'part'->>'file', ''), attempt, state::text,
	errors[array_upper(errors, 1)]->>'error', (errors[array_upper(errors, 1)]->>'at')::timestamptz
FROM $$.river_job WHERE args->>'work' = $1 AND errors IS NOT NULL AND state <> 'completed' AND (state <> 'cancelled' OR `+refused+`)
ORDER BY state IN ('discarded', 'cancelled') DESC, id LIMIT $2`), id, most)
	if err != nil {
		return nil, q.wrap(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[failure])
	for i := range list {
		if list[i].Error == "Stuck job rescued by JobRescuer" {
			list[i].Error = goneText
		}
		list[i].Error = strings.TrimPrefix(list[i].Error, "JobCancelError: ")
		list[i].Error, list[i].Hint, _ = strings.Cut(list[i].Error, "\n"+hintMark)
	}
	return list, q.wrap(err)
}

// active is a running job.
type active struct {
	Step   string    `json:"step"` // split, part or merge
	Part   string    `json:"part,omitempty"`
	File   string    `json:"file,omitempty"`
	Worker string    `json:"worker"`
	Since  time.Time `json:"since"`
}

// describe returns the job for display.
func (a *active) describe() string {
	switch {
	case a.Part == "":
		return a.Step
	case a.File == "":
		return a.Part
	}
	return a.Part + " (" + a.File + ")"
}

// active returns the running jobs of a work, the oldest first, at most the given number.
func (q *queue) active(ctx context.Context, id string, most int) ([]active, error) {
	rows, err := q.pool.Query(ctx, q.sql(`
SELECT replace(kind, 'trowel_', ''), coalesce(args->'part'->>'name', ''), coalesce(args->'part'->>'file', ''),
	coalesce(attempted_by[array_upper(attempted_by, 1)], ''), attempted_at
FROM $$.river_job WHERE args->>'work' = $1 AND state = 'running' AND attempted_at IS NOT NULL ORDER BY attempted_at, id LIMIT $2`), id,
		most)
	if err != nil {
		return nil, q.wrap(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[active])
	return list, q.wrap(err)
}

// broken reports whether splitting or merging a work has failed permanently.
func (q *queue) broken(ctx context.Context, id string) (ok bool, err error) {
	err = q.pool.QueryRow(ctx, q.sql(`
SELECT EXISTS (SELECT FROM $$.river_job WHERE kind IN ('trowel_split', 'trowel_merge') AND args->>'work' = $1 AND
state IN ('discarded', 'cancelled'))`), id).Scan(&ok)
	return ok, q.wrap(err)
}
