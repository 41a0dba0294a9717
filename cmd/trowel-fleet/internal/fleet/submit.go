package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/internal/stores/server"
)

// submitCommand returns the verb that puts a work into the queue.
func submitCommand(t *verbs.Tool) *cobra.Command {
	var at where
	var limit time.Duration
	var again bool
	d := description{Version: service.Program()}
	cmd := &cobra.Command{
		Use:   "submit VERB ... --queue ADDRESS --results DIR",
		Short: "Run a verb on workers",
		Long: `Submit puts the work of a verb into the queue, and prints its ID. The verb is check, find,
manifest, census, render --tiles or convert --in-place, with its usual command line. Options of
submit may be before the verb and, unless the verb has an option of that name, after it, up to
a --. docs/scale.md shows a complete example.

The same command in the same folder is the same job: submitting it twice runs it once, and
prints the same ID. --again repeats it.

The parts and results of the job are kept in a folder that all workers see, or in a bucket,
s3://BUCKET/FOLDER. "trowel jobs results ID" prints them.
` + aboutQueue,
		Example: `  trowel jobs submit check /srv/worlds/main --queue postgres://trowel@db.example/jobs --results /srv/results
  trowel jobs submit --results 's3://results/tiles?region=eu-west-1' render /srv/worlds/main --tiles www`,
		DisableFlagParsing: true,
	}
	verbs.Bind(t, cmd, &at)
	flags := cmd.Flags()
	flags.StringVar(&d.Results, "results", "", "store results in the `folder`, or in a bucket s3://...")
	flags.IntVar(&d.Priority, "priority", 2, "a `number` from 1 to 4: 1 runs first")
	flags.DurationVar(&limit, "limit", 10*time.Minute, "end and retry a part that takes longer: a `time` such as 90s or 5m")
	flags.IntVar(&d.Attempts, "attempts", 5, "give up a part that failed `N` times")
	flags.BoolVar(&again, "again", false, "repeat the job even if it was submitted before")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		verb, err := ownFlags(cmd, flags, words)
		if help, _ := flags.GetBool("help"); help && err == nil {
			return cmd.Help()
		}
		if of := askedHelp(cmd.Root(), verb); of != nil && err == nil {
			return of.Help()
		}
		switch {
		case err != nil:
			return wording.Hint(err, "see `%s --help`", cmd.CommandPath())
		case len(verb) == 0:
			return wording.Hint(errors.New("expected a verb to submit"), "such as `%s check world`", cmd.CommandPath())
		case d.Results == "":
			return wording.Hint(errors.New("no --results given: the folder for results"), "all workers must see it")
		case d.Priority < 1 || d.Priority > 4:
			return errors.New("--priority: expected 1 to 4")
		case checkLimit(limit) != nil:
			return checkLimit(limit)
		case d.Attempts < 1 || d.Attempts > maxAttempts:
			return fmt.Errorf("--attempts: expected 1 to %d", maxAttempts)
		}
		if i := slices.IndexFunc(verb, func(w string) bool { return strings.Contains(w, "://") && hasPassword(w) }); i >= 0 {
			return wording.Hint(fmt.Errorf("word %d contains a password, which would be stored in the queue", i+1),
				"give it to the workers by their environment or their files")
		}
		d.Limit, d.Args = int(limit/time.Second), verb
		if d.Dir, err = os.Getwd(); err != nil {
			return err
		}
		if i := slices.IndexFunc(append([]string{d.Dir}, verb...), func(w string) bool { return !utf8.ValidString(w) }); i >= 0 {
			return wording.Hint(fmt.Errorf("%+q is not valid UTF-8 and cannot be queued", append([]string{d.Dir}, verb...)[i]),
				"name its folder instead")
		}
		if err := d.place(cmd.Context()); err != nil {
			return err
		}
		// Report errors in the arguments now instead of in a worker.
		if err := d.tryArgs(cmd.Context(), t, cmd.ErrOrStderr()); err != nil {
			return err
		}
		q, err := at.open(cmd.Context(), true)
		if err != nil {
			return err
		}
		defer q.pool.Close()
		return q.submit(cmd.Context(), t, &d, again)
	}
	return cmd
}

// askedHelp returns the verb if its words ask for its help, otherwise nil.
func askedHelp(root *cobra.Command, words []string) *cobra.Command {
	if i := slices.Index(words, "--"); i >= 0 {
		words = words[:i]
	}
	if !slices.Contains(words, "--help") && !slices.Contains(words, "-h") {
		return nil
	}
	verb, _, err := root.Find(words[:1])
	if err != nil || verb == root {
		return nil
	}
	return verb
}

// tryArgs reports errors in the arguments of a work, up to the point where its parts begin.
func (d *description) tryArgs(ctx context.Context, t *verbs.Tool, stderr io.Writer) error {
	return verbs.Exit(t.Run(ctx, verbs.Call{Args: d.Args, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: stderr,
		Handover: service.Handover{Work: func(context.Context, work.Work) error { return service.ErrPart }, Kept: d.kept}}))
}

// kept returns the path of an output folder that stays, if it is below the place for results.
func (d *description) kept(name string) string { return root{d.Results, d.Results}.kept(d.Dir, name) }

func checkLimit(limit time.Duration) error {
	if limit < time.Second || limit > maxLimit {
		return errors.New("--limit: expected a time from 1s to 24h")
	}
	return nil
}

// place makes the name of the folder for results valid on all workers.
func (d *description) place(ctx context.Context) (err error) {
	if bucket.IsURL(d.Results) {
		b, err := bucket.Open(ctx, d.Results) // checks the name
		if err != nil {
			return err
		}
		return b.Close()
	}
	if strings.Contains(d.Results, "://") {
		return fmt.Errorf("--results: %.50q is neither a folder nor a bucket", d.Results)
	}
	d.Results, err = filepath.Abs(d.Results)
	return err
}

// ownFlags parses the flags of submit, and returns the verb with its arguments.
func ownFlags(cmd *cobra.Command, flags *pflag.FlagSet, words []string) (verb []string, err error) {
	of := new(pflag.FlagSet) // flags of the verb
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			return append(verb, words[i:]...), nil
		}
		name, value, has := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if len(verb) == 0 && (word == "-q" || word == "-h") {
			name = map[string]string{"-q": "quiet", "-h": "help"}[word]
		}
		flag := flags.Lookup(name)
		if flag == nil && len(verb) == 0 {
			flag = cmd.InheritedFlags().Lookup(name)
		}
		switch {
		case !strings.HasPrefix(word, "-") || len(verb) > 0 &&
			(flag == nil || !strings.HasPrefix(word, "--") || of.Lookup(name) != nil || name == "help"):
			if len(verb) == 0 {
				if c, _, err := cmd.Root().Find([]string{word}); err == nil {
					of = c.Flags()
				}
			}
			verb = append(verb, word)
			continue
		case flag == nil:
			return nil, fmt.Errorf("no option %s", word)
		case has:
		case flag.NoOptDefVal != "":
			value = flag.NoOptDefVal
		case i+1 == len(words):
			return nil, fmt.Errorf("%s needs a value", word)
		default:
			i++
			value = words[i]
		}
		if err := flag.Value.Set(value); err != nil {
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
		flag.Changed = true
	}
	return verb, nil
}

// left reports whether the store of a work exists, as far as this machine can access it.
func (d *description) left(ctx context.Context, id string) bool {
	ctx, cancel := context.WithTimeout(ctx, server.Timeout)
	defer cancel()
	store, end, err := openStore(ctx, in(d.Results, id))
	if err != nil {
		return false
	}
	defer end()
	ok, err := store.Has(ctx, work.PlanName)
	return ok && err == nil
}

// submit puts a work into the queue, unless it is already there.
func (q *queue) submit(ctx context.Context, t *verbs.Tool, d *description, again bool) error {
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	client, err := q.client()
	if err != nil {
		return err
	}
	tx, err := q.pool.Begin(ctx)
	if err != nil {
		return q.wrap(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	id, resumed, left := d.id(), false, false
	for n := 2; ; n++ {
		if left = d.left(ctx, id); left && again {
			id = fmt.Sprintf("%s-%d", d.id(), n)
			continue
		}
		tag, err := tx.Exec(ctx, q.sql(`INSERT INTO $$.trowel_work (id, description) VALUES ($1, $2) ON CONFLICT DO NOTHING`), id, data)
		if err != nil {
			return q.wrap(err)
		}
		if resumed = tag.RowsAffected() == 1; resumed || !again {
			break
		}
		id = fmt.Sprintf("%s-%d", d.id(), n)
	}
	if !resumed {
		if err := tx.Rollback(ctx); err != nil {
			return q.wrap(err)
		}
		r, err := q.work(ctx, id)
		if err != nil {
			return err
		}
		t.Say("already submitted at %s, with results in %s; --again repeats it", r.Submitted.Local().Format(time.DateTime), r.Results)
		if r.Cancelled != nil {
			t.Warn("", "the job was cancelled: `trowel jobs retry "+id+"` resumes it")
		}
	} else {
		if _, err := client.InsertTx(ctx, tx, splitJob{Work: id}, d.insertOpts()); err != nil {
			return q.wrap(err)
		}
		if err := tx.Commit(ctx); err != nil {
			return q.wrap(err)
		}
		if left {
			t.Warn("", "parts of an earlier queue in "+in(d.Results, id)+" count as done; --again repeats them")
		}
		t.Say("submitted: `trowel jobs wait %s` waits for it", id)
	}
	_, err = fmt.Fprintln(t.Out(), id)
	return err
}
