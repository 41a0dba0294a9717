package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"trowel.example/check"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// rewritten is a record of a conversion in place: a warning, a loss or a change.
type rewritten struct {
	Warned, Missed *message
	What, Unit     string
	Count          int64
}

// rewriting converts a file in place.
type rewriting struct {
	*report
	game      *service.File
	backups   string
	reporting *format.Job // reports to the user
	changes   []check.Change
}

// partJob returns a job for a part. The job reports nothing to the user.
func (c *rewriting) partJob() *format.Job {
	job := c.Job(c.game.Format, c.game.Rewriting.Options...)
	job.OnWarn, job.OnMiss, job.OnDone = nil, nil, nil
	return job
}

// Split yields the parts that several processes may change at the same time, or the whole file.
func (c *rewriting) Split(ctx context.Context, fine bool, yield func(work.Part) error) error {
	if !fine {
		return yield(work.Part{Name: "all", File: c.game.Called})
	}
	return c.game.Rewriting.Split(ctx, c.partJob(), c.game.Source, func(s format.Shard) error {
		name := string(s)
		if s == "" {
			name = "all"
		}
		return yield(work.Part{Name: name, File: c.game.Called, Shard: s})
	})
}

// Do converts a part.
func (c *rewriting) Do(ctx context.Context, p work.Part, put func(rewritten) error) error {
	var mu sync.Mutex
	var failed error
	record := func(r rewritten) {
		mu.Lock()
		defer mu.Unlock()
		if failed == nil {
			failed = put(r)
		}
	}
	job := c.partJob()
	job.Shard = p.Shard
	job.OnWarn = func(path, text string) { record(rewritten{Warned: &message{path, text}}) }
	job.OnMiss = func(path, text string) { record(rewritten{Missed: &message{path, text}}) }
	changes, err := c.game.Rewriting.Rewrite(ctx, job, c.game.Source, c.backups)
	for _, ch := range changes {
		record(rewritten{What: ch.What, Unit: ch.Unit, Count: ch.Count})
	}
	return errors.Join(wording.Named(err, c.game.Called), failed)
}

// Take reports the warnings and losses of a part and adds up its changes.
func (c *rewriting) Take(_ context.Context, _ work.Part, r rewritten) error {
	switch {
	case r.Warned != nil:
		c.reporting.Warn(r.Warned.Path, "%s", r.Warned.Message)
		return nil
	case r.Missed != nil:
		c.reporting.Miss(r.Missed.Path, "%s", r.Missed.Message)
		return nil
	}
	for i := range c.changes {
		if ch := &c.changes[i]; ch.What == r.What && ch.Unit == r.Unit {
			ch.Count += r.Count
			return nil
		}
	}
	c.changes = append(c.changes, check.Change{What: r.What, Unit: r.Unit, Count: r.Count})
	return nil
}

// convertInPlace converts a file in place, after its previous content is saved in a folder of backups.
func convertInPlace(ctx context.Context, name, backups string, r *report) error {
	if !r.InParts() { // several parts at the same time
		held, err := r.Hold(ctx, name)
		if err != nil {
			return err
		}
		defer held.Release()
	}
	g, err := r.Find(ctx, name)
	if err != nil {
		return err
	}
	defer g.Close()
	switch {
	case g.Rewriting == nil:
		return wording.Hint(fmt.Errorf("%s: a %s cannot be converted in place", g.Called, g.Title), "-o names the new file")
	case g.Built != nil:
		return wording.Hint(errors.New("an extracted folder cannot be changed in place"), "-o NEW writes a converted file")
	}
	if err := r.Owned(g.Format, g.Rewriting.Options...); err != nil {
		return err
	}
	job := r.Job(g.Format, g.Rewriting.Options...)
	if err := g.Rewriting.Accept(job); err != nil {
		return err
	}
	if err := r.MayChange(); err != nil {
		return err
	}
	switch {
	case backups != "":
		if err := r.MayLookAt(backups); err != nil {
			return err
		}
	case r.InParts():
		return wording.Hint(errors.New("all workers need one folder for the backups"), "--backup names it")
	default:
		backups = filepath.Clean(g.Called) + output.BackupSuffix()
	}
	r.format, r.output = g.Name, g.Called
	c := &rewriting{report: r, game: g, backups: backups, reporting: r.watch(job)}
	err = r.Perform(ctx, work.Of(c))
	if errors.Is(err, service.ErrPart) {
		return err
	}
	if err == nil {
		err = g.Rewriting.Finish(backups)
	}
	kept, size := backupsIn(backups)
	if err != nil && kept {
		return wording.Hint(err, "the same command with --backup %s resumes from here; %s", words.Quoted(backups), undoing(g.Called, backups))
	}
	if err != nil {
		return err
	}
	for _, ch := range c.changes {
		switch {
		case ch.Count == 0:
		case r.AsJSON:
			err = r.item("changes", ch)
		case r.talk.Quiet:
		default:
			_, err = fmt.Fprintln(r.out, r.screen.Wrapped(words.Printable(ch.String()), 0, 4))
		}
		if err != nil {
			return err
		}
	}
	summary := "there is nothing to convert"
	if kept {
		if summary = undoing(g.Called, backups); r.AsJSON {
			if err := r.add(backups, size); err != nil {
				return err
			}
		}
	}
	_ = r.out.Flush()
	r.talk.Say("%s: %s", g.Called, summary)
	return nil
}

// backupsIn reports whether a folder contains backups, and their size in bytes.
func backupsIn(folder string) (some bool, size int64) {
	list, _ := os.ReadDir(folder)
	for _, e := range list {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".zip" {
			some, size = true, size+info.Size()
		}
	}
	return some, size
}
