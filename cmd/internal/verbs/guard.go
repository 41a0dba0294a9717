package verbs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/check"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// guard is one run of guard.
type guard struct {
	*Tool
	keeping
	Every  time.Duration `option:"every" default:"30m0s" help:"the {time} between snapshots, such as 30m or 2h"`
	Prune  bool          `option:"prune" help:"once a day, remove data that no snapshot needs"`
	Listen string        `option:"listen" help:"serve /healthz and /metrics at this {address}, such as 127.0.0.1:9150"`
	Most   int           `option:"most-nodes" default:"2097152" help:"the largest box that a request may name, in {N} nodes"`

	world, repo string

	asks *asks // nil: the game asks nothing

	mu    sync.Mutex
	state guardState
}

// guardState is what guard reports to others.
type guardState struct {
	snapshots, failures int
	last                time.Time // of the newest snapshot
	took                time.Duration
	failed              bool // the newest snapshot failed
	findings            int  // errors of the newest check of the repository
	checked             time.Time
	answered, refused   int
}

func guardCommand(a *Tool) *cobra.Command {
	g := &guard{Tool: a}
	cmd := &cobra.Command{
		Use:   "guard WORLD REPO",
		Short: "Store snapshots while a server runs, and answer requests from the game",
		Long: `Guard runs beside the server of a world until it is stopped. It stores a snapshot in the repository
at intervals, the first one at once, as "trowel backup" does, removes old ones by the --keep options, as
"trowel forget" does, and once a day reads the whole repository, as "trowel check" does. A snapshot
that fails, as on a full disk, is reported and tried again; it is never stored in part.

With the mod contrib/minetest/trowel_rewind, players put back what they are allowed to with "/rewind 2h".
The mod asks through files in the folder trowel_rewind of the world; guard checks each request and
writes the plan that the mod applies. --most-nodes limits what a request may name.

--listen ADDRESS serves /healthz, which fails if the newest snapshot is older than it should be, and
/metrics. Nothing else is served, and nobody can ask for anything there.

A world has one guard at a time. WORLD must be a world that can be read while its server runs: SQLite or
PostgreSQL. For an encrypted repository, TROWEL_KEY_FILE or TROWEL_PASSPHRASE has the key.`,
		Example: `  trowel guard world /mnt/backups/world --every 30m --keep-hourly 48 --keep-daily 30
  trowel guard world /mnt/backups/world --listen 127.0.0.1:9150`,
		Args: args(2, 2),
	}
	OptionFlags(a, cmd, snapshotOptions, g)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		g.world, g.repo = args[0], args[1]
		switch {
		case g.Every < 10*time.Second:
			return errors.New("--every must be at least 10s")
		case g.negative():
			return errKeep
		}
		return g.run(cmd.Context())
	}
	return needs(cmd, needChanges, needSocket)
}

// Times of guard. A test makes them shorter.
var (
	guardPoll  = 500 * time.Millisecond
	guardRetry = time.Minute
	guardDay   = 24 * time.Hour
)

func (g *guard) run(ctx context.Context) error {
	if err := g.fits(ctx); err != nil {
		return err
	}
	held, err := filelock.TryHold(filepath.Join(g.world, ".guard"))
	if errors.Is(err, filelock.ErrTaken) {
		return fmt.Errorf("%s: another guard runs for this world", g.world)
	}
	if err != nil {
		return err
	}
	defer held.Release()
	if g.Listen != "" {
		end, err := g.serve(ctx)
		if err != nil {
			return err
		}
		defer end()
	}
	if a := g.Tool; a.settle != nil {
		a.settle()
	}
	g.talk.Say("guarding %s: a snapshot every %v in %s", g.world, g.Every, g.repo)
	poll := time.NewTicker(guardPoll)
	defer poll.Stop()
	next, daily := g.first(ctx), time.Now().Add(guardDay)
	for {
		if !time.Now().Before(next) {
			began := time.Now()
			if _, err := g.snapshot(ctx); err == nil {
				next = began.Add(g.Every)
				g.forget(ctx)
			} else if next = time.Now().Add(min(guardRetry, g.Every)); ctx.Err() == nil {
				g.talk.Fail(fmt.Errorf("no snapshot: %w; the next attempt is at %s", err, next.Format(time.TimeOnly)))
			}
		}
		if time.Now().After(daily) && ctx.Err() == nil {
			g.daily(ctx)
			daily = time.Now().Add(guardDay)
		}
		if g.asks != nil && ctx.Err() == nil {
			g.asks.answer(ctx)
		}
		select {
		case <-ctx.Done():
			g.talk.Say("stopped: %s of %s", words.Count(g.now().snapshots, "snapshot"), g.world)
			return nil
		case <-poll.C:
		}
	}
}

// fits returns an error if the world cannot be guarded.
func (g *guard) fits(ctx context.Context) error {
	w, err := g.Find(ctx, g.world)
	if err != nil {
		return err
	}
	defer w.Close()
	if w.Backups == nil || w.Build == nil || w.Backups.Running == nil || !w.Source.IsDir() {
		return fmt.Errorf("%s: no server runs a %s", w.Called, w.Title)
	}
	if err := g.Owned(w.Format, w.Backups.Options...); err != nil {
		return err
	}
	if err := w.Backups.Running(w.Source); err != nil {
		return wording.Named(err, w.Called)
	}
	for _, f := range g.Formats {
		for i := range f.Conversions {
			if c := &f.Conversions[i]; c.To == w.Name && c.Plan != nil && c.Plan.Asks != "" {
				into := slices.IndexFunc(w.Editing.Commands, func(k *format.Command) bool { return k.Name == c.Into })
				g.asks = &asks{guard: g, plan: c.Plan, options: w.Editing.Commands[into].Options, dir: filepath.Join(g.world, c.Plan.Asks)}
			}
		}
	}
	return nil
}

// first returns when the first snapshot is due: at once, unless the repository has one that is young enough.
func (g *guard) first(ctx context.Context) time.Time {
	if !service.Exists(g.repo) && !g.IsElsewhere(g.repo) {
		return time.Now()
	}
	var last time.Time
	err := g.withRepo(ctx, func(r *service.File) error {
		list, err := r.Backups.List(ctx, g.Job(r.Format), r.Source)
		for _, s := range list {
			if s.Of == filepath.Base(g.world) && s.Err == nil && s.Time.Before(time.Now()) {
				last = s.Time
			}
		}
		return err
	})
	if err != nil || last.IsZero() {
		return time.Now() // the first snapshot reports the error
	}
	g.mu.Lock()
	g.state.last = last
	g.mu.Unlock()
	return last.Add(g.Every)
}

// snapshot stores a snapshot and returns its name.
func (g *guard) snapshot(ctx context.Context) (id string, err error) {
	began := time.Now()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		s := &g.state
		if err != nil {
			s.failures++
			s.failed = true
			return
		}
		s.snapshots++
		s.last, s.took, s.failed = time.Now(), time.Since(began), false
	}()
	w, err := g.Find(ctx, g.world)
	if err != nil {
		return "", err
	}
	defer w.Close()
	repo, err := g.Folder(g.repo)
	if err != nil {
		return "", err
	}
	info, err := w.Backups.Add(ctx, g.Job(w.Format, w.Backups.Options...), w.Source, repo)
	if err != nil {
		return "", err
	}
	for _, f := range info.Fields {
		if f.Key == "snapshot" {
			id = fmt.Sprint(f.Value)
		}
	}
	return id, nil
}

// withRepo calls do with the repository.
func (g *guard) withRepo(ctx context.Context, do func(r *service.File) error) error {
	r, err := g.Find(ctx, g.repo)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := needRepository(r); err != nil {
		return err
	}
	return wording.Named(do(r), r.Called)
}

// forget removes old snapshots. It is not done after the snapshot before a rewind, which still needs an older one.
func (g *guard) forget(ctx context.Context) {
	if g.keeping == (keeping{}) {
		return
	}
	err := g.withRepo(ctx, func(r *service.File) error {
		list, err := r.Backups.List(ctx, g.Job(r.Format), r.Source)
		if err != nil {
			return err
		}
		ids, err := g.chosen(r.Called, list, nil, false)
		if err != nil || len(ids) == 0 {
			return err
		}
		return r.Backups.Forget(ctx, r.Source, ids, "")
	})
	if err != nil && ctx.Err() == nil {
		g.talk.Fail(fmt.Errorf("old snapshots are not removed: %w", err))
	}
}

// daily checks the repository, removes what it does not need, and reports what the day was like.
func (g *guard) daily(ctx context.Context) {
	if g.Prune {
		err := g.withRepo(ctx, func(r *service.File) error {
			_, err := r.Backups.Prune(ctx, g.Job(r.Format), r.Source, format.Prune{})
			return err
		})
		if err != nil && ctx.Err() == nil {
			g.talk.Fail(fmt.Errorf("unused data is not removed: %w", err))
		}
	}
	var r service.Checked
	g.CheckSafely(ctx, service.Target{Name: g.repo}, "", &r)
	if ctx.Err() != nil {
		return
	}
	errs := 0
	for _, f := range r.Findings {
		if f.Severity == check.Error {
			errs++
			g.talk.Fail(fmt.Errorf("%s: %s", g.repo, f))
		}
	}
	if r.Err != nil {
		errs++
		g.talk.Fail(r.Err)
	}
	g.mu.Lock()
	g.state.findings, g.state.checked = errs, time.Now()
	s := g.state
	g.mu.Unlock()
	g.talk.Say("%s: %s, %s; the repository has %s; %s answered, %d refused", g.world, words.Count(s.snapshots, "snapshot"),
		words.Count(s.failures, "failure"), words.Count(errs, "error"), words.Count(s.answered, "request"), s.refused)
}

func (g *guard) now() guardState {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state
}

// health returns why the world is not guarded as it should be, or "".
func (g *guard) health(now time.Time) string {
	s := g.now()
	switch {
	case s.failed:
		return "the newest snapshot failed: see the log"
	case s.last.IsZero():
		return "there is no snapshot yet"
	case now.Sub(s.last) > 2*g.Every+time.Hour:
		return "the newest snapshot is of " + s.last.Format(time.RFC3339)
	case s.findings > 0:
		return fmt.Sprintf("the repository has %s", words.Count(s.findings, "error"))
	}
	return ""
}

// serve answers /healthz and /metrics until end is called.
func (g *guard) serve(ctx context.Context) (end func(), err error) {
	l, err := net.Listen("tcp", g.Listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if why := g.health(time.Now()); why != "" {
			http.Error(w, why, http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		fmt.Fprint(w, g.metrics())
	})
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	go func() { _ = s.Serve(l) }() // it ends with an error when it is closed
	g.talk.Say("listening at http://%s", l.Addr())
	return func() { stop(); s.Close() }, nil
}

func (g *guard) metrics() string {
	s := g.now()
	var b strings.Builder
	add := func(name, kind, help string, value any) {
		fmt.Fprintf(&b, "# HELP trowel_guard_%[1]s %[3]s\n# TYPE trowel_guard_%[1]s %[2]s\ntrowel_guard_%[1]s %[4]v\n", name, kind, help, value)
	}
	seconds := func(t time.Time) int64 {
		if t.IsZero() {
			return 0
		}
		return t.Unix()
	}
	add("snapshots_total", "counter", "Snapshots stored.", s.snapshots)
	add("failures_total", "counter", "Snapshots that failed.", s.failures)
	add("last_snapshot_timestamp_seconds", "gauge", "When the newest snapshot was complete.", seconds(s.last))
	add("last_snapshot_seconds", "gauge", "How long the newest snapshot took.", s.took.Seconds())
	add("last_check_timestamp_seconds", "gauge", "When the repository was read.", seconds(s.checked))
	add("repository_errors", "gauge", "Errors found in the repository.", s.findings)
	add("requests_total", "counter", "Requests of the game that were answered.", s.answered)
	add("refused_total", "counter", "Requests of the game that were refused.", s.refused)
	return b.String()
}
