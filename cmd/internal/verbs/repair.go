package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"trowel.example/check"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

func repairCommand(a *Tool) *cobra.Command {
	p := &repairing{writing: &writing{Tool: a, first: []string{"findings"}}}
	cmd := &cobra.Command{
		Use:   "repair FILE (-o NEW | --in-place | --dry-run | --restore BACKUP)",
		Short: "Repair damaged files",
		Long: `Repair saves the readable data of damaged parts of a game file, and leaves out the rest. It reports
everything that it repairs and everything that is lost, as check does. Undamaged parts keep their
bytes.

With -o it writes a repaired copy; for a world, the bytes of unreadable blocks are in the folder
lost-blocks of the copy. With --in-place it changes the file itself: a single file is kept as the
backup, and the data of a world that will change is first saved to a backup. --restore undoes
everything. Runs on one file wait for each other. Each database and each file of a world changes in
one step: a killed run leaves each old or repaired, and the next run completes the work. With
--dry-run it only reports. If something is lost or remains damaged, it is reported, and the exit code
is 1.

With --json it prints an array with one {file, format, output, dryRun, findings, made,
warnings, losses, error}: findings are those of check, made is an array of {path, size}
of the copy or the backup, warnings and losses are arrays of {path, message}, and error is present only
if the repair failed.`,
		Example: `  trowel repair world --dry-run
  trowel repair world -o world-mended
  trowel repair world --in-place --backup world.backup
  trowel repair world --restore world.backup
  trowel repair WOLVES.MOD -o MENDED.MOD
  trowel repair burrow.map -o mended.map`,
		Args: args(1, 1),
	}
	OptionFlags(a, cmd, func(f *format.Format) []format.Option {
		if f.Repair == nil {
			return nil
		}
		return append(f.OptionsFor(0), f.Repair.Options...)
	}, p)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := p.agree(); err != nil {
			return err
		}
		return p.each(cmd.Context(), args, func(name string, r *report) error { return p.repair(cmd.Context(), name, r) })
	}
	return needs(cmd, needOutput, needPlace)
}

// repairing is one run of repair.
type repairing struct {
	*writing
	Output  string `option:"output,o" help:"the repaired {copy}"`
	InPlace bool   `option:"in-place" help:"change the file itself"`
	Backup  string `option:"backup" help:"the {file} for the backup of --in-place (default: next to FILE)"`
	Restore string `option:"restore,input" help:"the same as {trowel undo FILE BACKUP}"`
	Force   bool   `option:"force,f" help:"replace an existing copy"`
}

// agree returns an error if the options contradict each other.
func (p *repairing) agree() error {
	ways := 0
	for _, given := range []bool{p.Output != "", p.InPlace, p.DryRun, p.Restore != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return wording.Hint(errors.New("expected one of -o NEW, --in-place, --dry-run and --restore BACKUP"), "--dry-run changes nothing")
	}
	if p.Backup != "" && !p.InPlace {
		return errors.New("--backup requires --in-place")
	}
	return nil
}

// repair repairs or restores one file.
func (p *repairing) repair(ctx context.Context, name string, r *report) error {
	if p.Restore != "" {
		return r.undo(ctx, name, p.Restore)
	}
	if p.InPlace {
		var err error
		if r.held, err = p.Hold(ctx, name); err != nil {
			return err
		}
		defer r.held.Release()
	}
	g, err := p.Find(ctx, name)
	if err != nil {
		return err
	}
	defer g.Close()
	r.format = g.Name
	if g.Repair == nil {
		return fmt.Errorf("%s: a %s cannot be repaired", g.Called, g.Title)
	}
	if err := p.Owned(g.Format, g.Repair.Options...); err != nil {
		return err
	}
	found := 0
	var failed error
	outcome, err := p.mend(ctx, g, r, &found, func(f check.Finding) {
		found++
		switch {
		case failed != nil:
		case r.AsJSON:
			failed = r.item("findings", f)
		default:
			p.talk.Clear()
			_, failed = fmt.Fprintln(p.out, p.screen.Wrapped(words.Printable(f.String()), 0, 4))
		}
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	_ = p.out.Flush()
	p.talk.Say("%s: %s", wording.Count(found, "finding"), outcome)
	if found > 0 && !p.DryRun {
		p.sayRestore(ctx, g, cmp.Or(p.Output, g.Called))
	}
	return nil
}

// sayRestore prints how parts of a repaired file that were lost are put back from a repository next to it.
func (p *repairing) sayRestore(ctx context.Context, g *service.File, repaired string) {
	if g.Backups == nil || g.Backups.Near == nil {
		return
	}
	if repo := g.Backups.Near(ctx, g.Source); repo != "" {
		p.talk.Say("`trowel restore %s --into %s --missing` puts back what is missing from the newest backup",
			words.Quoted(repo), words.Quoted(repaired))
	}
}

// mend does what the options ask for, and returns what was done. The sink counts in found.
func (p *repairing) mend(ctx context.Context, g *service.File, r *report, found *int, sink check.Sink) (outcome string, err error) {
	job := r.watch(p.Job(g.Format, g.Repair.Options...))
	switch {
	case r.DryRun:
		err = g.Repair.Plan(ctx, job, g.Source, sink)
		outcome = "nothing was changed"
	case p.InPlace:
		var kept string
		r.output = g.Called
		kept, err = r.repairInPlace(ctx, g, job, p.Backup, sink, found)
		if outcome = "there is nothing to repair"; kept != "" {
			outcome = fmt.Sprintf("repaired %s; %s", g.Called, undoing(g.Called, kept))
		}
	default:
		opts := p.WriteOptions(ctx, p.Force, g.Format, job, nil, "", g.Reads)
		err = r.write(ctx, p.Output, opts, func(out format.Output) error { return g.Repair.Copy(ctx, job, g.Source, out, sink) })
		outcome = fmt.Sprintf("repaired %s to %s", g.Called, p.Output)
	}
	return outcome, wording.Named(err, g.Called)
}

// repairInPlace repairs the file in place after a backup of the parts that will change. It returns the name of
// the backup, or "" if nothing has changed.
func (r *report) repairInPlace(ctx context.Context, g *service.File, job *format.Job, backup string, sink check.Sink,
	mended *int) (string, error) {
	if g.Repair.InPlace == nil {
		if g.Built != nil {
			return "", wording.Hint(errors.New("an extracted folder cannot be changed in place"), "-o NEW writes a repaired file")
		}
		opts := r.WriteOptions(ctx, false, g.Format, job, nil, "", g.Reads)
		return r.replaceInPlace(ctx, g, backup, opts, func(out format.Output) (bool, error) {
			err := g.Repair.Copy(ctx, job, g.Source, out, sink)
			return *mended > 0, err
		})
	}
	kept, err := g.Repair.InPlace(ctx, job, g.Source, backup, sink)
	if info, e := os.Stat(kept); e == nil && kept != "" {
		err = errors.Join(err, r.add(kept, info.Size()))
	}
	return kept, err
}
