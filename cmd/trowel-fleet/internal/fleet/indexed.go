package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/text/words"
)

// share is the share of a work that one of several workers without a queue does: the parts whose numbers have the remainder
// n when divided by of.
type share struct{ n, of int }

func (s *share) String() string { return "" }
func (s *share) Type() string   { return "N/M" }

// Set parses N/M.
func (s *share) Set(text string) (err error) {
	s.n, s.of, err = words.Share(text, 0)
	return err
}

// start completes the description of the work that words describe, and opens the store of its results.
func (d *description) start(ctx context.Context, words []string) (store work.Store, end func() error, err error) {
	if d.Results == "" {
		return nil, nil, wording.Hint(errors.New("no --results given: the folder for results"), "all workers must see it")
	}
	d.Version, d.Args = service.Program(), words
	if d.Dir, err = os.Getwd(); err != nil {
		return nil, nil, err
	}
	if err := d.place(ctx); err != nil {
		return nil, nil, err
	}
	return openStore(ctx, in(d.Results, d.id()))
}

// indexed does a share of a work without a queue.
type indexed struct {
	*worker
	description
	Share   share         `option:"part" help:"without a queue: do the share {N/M} of the work of a verb"`
	Longest time.Duration `option:"limit" default:"10m0s" help:"with --part: end a part that takes longer: a {time} such as 90s or 5m"`

	mu     sync.Mutex
	failed []string // names of parts
}

func (x *indexed) run(ctx context.Context, words []string) error {
	store, end, err := x.start(ctx, words)
	if err != nil {
		return err
	}
	defer end()
	x.Limit = int(x.Longest / time.Second)
	dir, remove, err := filelock.TempDir("trowel-worker-")
	if err != nil {
		return err
	}
	defer remove()
	x.scratch = dir
	if err := x.tryArgs(ctx, x.tool, os.Stderr); err != nil { // once, and not for each part
		return err
	}
	plan, err := x.planned(ctx, store, x.order(stepSplit), x.Dir)
	if err != nil {
		return err
	}
	var own []work.Part
	for i := x.Share.n; i < len(plan.Parts); i += x.Share.of {
		own = append(own, plan.Parts[i])
	}
	unobserve, err := x.observer.open(x.tool.Out(), func() error { return nil })
	if err != nil {
		return err
	}
	defer unobserve()
	x.tool.Say("%s of %d, with results in %s", wording.Count(len(own), "part"), len(plan.Parts), in(x.Results, x.id()))
	next := make(chan work.Part)
	var all sync.WaitGroup
	for range min(x.Max, len(own)) {
		all.Go(func() {
			for p := range next {
				x.part(ctx, store, p)
			}
		})
	}
	for _, p := range own {
		if ctx.Err() != nil {
			break
		}
		next <- p
	}
	close(next)
	all.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(x.failed) > 0 {
		slices.Sort(x.failed)
		return wording.Hint(fmt.Errorf("%s failed, first %s", wording.Count(len(x.failed), "part"), x.failed[0]),
			"the same command does only the parts without results")
	}
	return nil
}

// part does a part, unless it has a result.
func (x *indexed) part(ctx context.Context, store work.Store, p work.Part) {
	ctx, cancel := context.WithTimeoutCause(ctx, x.Longest, fmt.Errorf("%w of %v", errLimit, x.Longest))
	defer cancel()
	o := x.order(stepPart)
	o.Part = p
	if err := x.do(ctx, store, x.id(), o, x.Dir); err != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.failed = append(x.failed, p.Name)
		x.tool.Warn("", "part "+p.Name+": "+err.Error())
	}
}

// order returns an order for a child, which may do what the user may do.
func (x *indexed) order(s step) *order {
	return &order{Step: s, Plan: x.plan(), Store: in(x.Results, x.id()), Place: root{x.Results, x.Results}, Memory: x.Memory,
		tool: x.tool, scratch: x.scratch}
}

// mergeCommand returns the verb that merges the results of workers without a queue.
func mergeCommand(t *verbs.Tool) *cobra.Command {
	var d description
	cmd := &cobra.Command{
		Use:   "merge --results DIR VERB ...",
		Short: "Merge the results of workers without a queue",
		Long: `Merge takes the results that "trowel worker --part" left in a folder or a bucket, and prints what the
verb prints, writes what it writes, and exits with its exit code: byte-identical to one process.

The command after --results is that of the workers, in the same folder and with the same version of
trowel. If parts have no results, merge names them and does nothing.`,
		Example: `  trowel jobs merge --results /srv/results check /srv/maps`,
		Args:    verbs.Number(1, -1),
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.StringVar(&d.Results, "results", "", "the `folder` of the results, or a bucket s3://...")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		store, end, err := d.start(cmd.Context(), words)
		if err != nil {
			return err
		}
		defer end()
		if err := d.complete(cmd.Context(), store); err != nil {
			return err
		}
		if bucket.IsURL(d.Results) {
			store = &work.Early{Store: store}
		}
		var left work.Left
		code := t.Run(cmd.Context(), verbs.Call{Args: words, Stdin: strings.NewReader(""), Stdout: t.Out(),
			Stderr: cmd.ErrOrStderr(),
			Handover: service.Handover{Program: d.Version, Kept: d.kept, Files: &work.Files{Store: store},
				Output: func(name string) string { return name },
				Work: func(ctx context.Context, w work.Work) (err error) {
					left, err = finish(ctx, w, d.plan(), store)
					return err
				}}})
		reportLeft(t, left)
		if f, ok := store.(work.Folder); ok {
			f.Sweep(time.Now().Add(-maxLimit)) // no worker can still be writing them
		}
		return verbs.Exit(code)
	}
	return cmd
}

// complete returns an error if a part has no result.
func (d *description) complete(ctx context.Context, store work.Store) error {
	has, err := store.Has(ctx, work.PlanName)
	if err != nil {
		return err
	}
	if !has {
		return wording.Hint(fmt.Errorf("%s: no results of this command, in this folder, by version %s", d.Results, d.Version),
			"`trowel worker --part 0/1 --results %s %s` makes them", d.Results, words.Quoted(d.Args...))
	}
	plan, err := work.Open(ctx, d.plan(), store)
	if err != nil {
		return err
	}
	var first []string
	lacking := 0
	all, err := work.Missing(ctx, plan, func(i int, p work.Part) {
		if lacking++; len(first) < 5 {
			first = append(first, fmt.Sprintf("%s (number %d)", p.Name, i))
		}
	})
	if err != nil {
		return err
	}
	if lacking > 0 {
		return wording.Hint(fmt.Errorf("%s of %d without results: %s", wording.Count(lacking, "part"), all, strings.Join(first, ", ")),
			"worker --part N/M does those whose numbers have the remainder N when divided by M")
	}
	return nil
}

// reportLeft reports the files of killed workers that were removed.
func reportLeft(t *verbs.Tool, left work.Left) {
	if left.Files > 0 {
		t.Say("removed %s, %.1f MB, that killed workers have left", wording.Count(left.Files, "file"), float64(left.Bytes)/1e6)
	}
}
