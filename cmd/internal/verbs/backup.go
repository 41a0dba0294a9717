package verbs

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/text/words"
)

func backupCommand(a *Tool) *cobra.Command {
	var o struct {
		jsonOption
		Rekey bool `option:"rekey" help:"replace the readers of an encrypted repository by those of --recipient and --passphrase"`
	}
	cmd := &cobra.Command{
		Use:   "backup FILE REPO | --rekey REPO | stats REPO",
		Short: "Store a snapshot of a world in a repository",
		Long: `Backup adds a snapshot to a repository, a folder that stores each content once: after the first
backup only changes are stored. The folder is created, with its parents, if it does not exist. Only
its owner may read it.

An interrupted backup changes nothing, and the next one reuses what it had stored.
"trowel check REPO" reads a whole repository, "trowel restore REPO -o WORLD" restores a snapshot,
"trowel forget REPO" removes snapshots.

Databases that a server has open are copied first, so that all blocks are of one moment.

REPO can be in object storage, s3://BUCKET/FOLDER?SETTINGS, through ` + second + `,
which must be installed. Credentials come from the environment (AWS_ACCESS_KEY_ID and so on), never
from the name. Restore, check, ls and forget accept names of this form, too.

With --recipient or --passphrase, a new repository is encrypted: a person who can read the disk learns
only the number, sizes and times of snapshots and contents. Everything that reads the
repository, the next backup included, needs a key: TROWEL_KEY_FILE names a file with an identity of
age (age-keygen makes one), TROWEL_PASSPHRASE contains the passphrase, or a terminal asks for it.
A passphrase costs a second and 256 MiB of memory in each run: for backups by cron prefer --recipient.
--rekey replaces all readers. A former reader who kept a copy of the key can still read everything.

With --sign the snapshot is signed: "trowel check REPO --trust KEY" then finds what others have changed,
replaced or removed. A backup prints its root; kept elsewhere, the root lets check find out whether
newer snapshots have disappeared, too.

With --json it prints an object of snapshot, blocks, changed, removed, stored, bytes and root.`,
		Example: `  trowel backup world /mnt/backups/world
  trowel backup world "s3://backups/world?region=eu-central-1"
  trowel backup world /mnt/rented/world --recipient age1...
  trowel backup --rekey /mnt/rented/world --recipient readers.txt --passphrase`,
		Args: func(cmd *cobra.Command, given []string) error {
			if o.Rekey {
				return args(1, 1)(cmd, given)
			}
			return args(2, 2)(cmd, given)
		},
	}
	cmd.AddCommand(backupStatsCommand(a))
	OptionFlags(a, cmd, snapshotOptions, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		g, err := a.Find(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer g.Close()
		if o.Rekey {
			if err := needRepository(g); err != nil {
				return err
			}
			err := g.Backups.Rekey(cmd.Context(), a.Job(g.Format, g.Backups.Options...), g.Source)
			if err == nil {
				a.talk.Say("%s: replaced the readers", g.Called)
			}
			return wording.Named(err, g.Called)
		}
		if g.Backups == nil || g.Build == nil {
			return fmt.Errorf("%s: backups do not support a %s", g.Called, g.Title)
		}
		if err := a.Owned(g.Format, g.Backups.Options...); err != nil {
			return err
		}
		repo, err := a.Folder(args[1])
		if err != nil {
			return err
		}
		if dir, ok := repo.Files().(storage.Folder); ok {
			if err := (&output.Options{Reads: g.Reads}).NotRead(string(dir)); errors.Is(err, output.ErrRead) {
				return wording.Hint(fmt.Errorf("%s: a repository cannot be inside the world that it stores", repo.Path),
					"choose a folder on another disk")
			}
		}
		info, err := g.Backups.Add(cmd.Context(), a.Job(g.Format, g.Backups.Options...), g.Source, repo)
		if err != nil {
			return wording.Named(err, g.Called)
		}
		if o.AsJSON {
			return a.PrintJSON(fieldsObject(info.Fields))
		}
		if a.talk.Quiet {
			return nil
		}
		return a.printFields("", info.Fields)
	}
	return needs(cmd, needChanges)
}

// snapshotOptions returns the options of snapshots of files of a format.
func snapshotOptions(f *format.Format) []format.Option {
	if f.Backups == nil || f.Build == nil {
		return nil
	}
	return append(f.OptionsFor(0), f.Backups.Options...)
}

func backupStatsCommand(a *Tool) *cobra.Command {
	var o jsonOption
	cmd := &cobra.Command{
		Use:   "stats REPO",
		Short: "Print how a repository of backups has grown",
		Long: `Stats prints for each snapshot the contents that no earlier snapshot has: their number, their size in
the world and in the repository. A second table has the parts of the world that need the most; all
of them are printed with --json, as an object of snapshots, parts and files.`,
		Example: "  trowel backup stats /mnt/backups/world",
		Args:    args(1, 1),
	}
	Bind(a, cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		g, err := a.Find(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer g.Close()
		if err := needRepository(g); err != nil {
			return err
		}
		stats, err := g.Backups.Stats(cmd.Context(), a.Job(g.Format), g.Source)
		if err != nil {
			return wording.Named(err, g.Called)
		}
		if o.AsJSON {
			return a.PrintJSON(newGrown(stats))
		}
		return printStats(a.out, stats)
	}
	return cmd
}

// grown is the JSON result of backup stats.
type grown struct {
	Snapshots []grownPart `json:"snapshots"`
	Parts     []grownPart `json:"parts"`
	Files     int64       `json:"files"`
}

type grownPart struct {
	Snapshot string `json:"snapshot,omitempty"`
	Of       string `json:"of,omitempty"`
	Box      string `json:"box,omitempty"`
	Contents int64  `json:"contents"`
	Bytes    int64  `json:"bytes"`
	Stored   int64  `json:"stored"`
}

func newGrown(stats format.BackupStats) grown {
	g := grown{[]grownPart{}, []grownPart{}, stats.Files}
	for _, s := range stats.Snapshots {
		g.Snapshots = append(g.Snapshots, grownPart{s.Name, s.Of, "", s.Contents, s.Bytes, s.Stored})
	}
	for _, p := range stats.Parts {
		g.Parts = append(g.Parts, grownPart{"", "", p.Name, p.Contents, p.Bytes, p.Stored})
	}
	return g
}

// maxParts is the number of parts that stats prints.
const maxParts = 20

// printStats prints the growth of a repository as two tables.
func printStats(out io.Writer, stats format.BackupStats) error {
	table := func(head string, rows []format.BackupSize) {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(w, "contents\tbytes\tstored\t  %s\n", head)
		for _, r := range rows {
			fmt.Fprintf(w, "%d\t%d\t%d\t  %s\n", r.Contents, r.Bytes, r.Stored, strings.TrimSpace(words.Printable(r.Name+" "+r.Of)))
		}
		w.Flush() // out reports its errors below
	}
	all := format.BackupSize{Name: "all"}
	for _, s := range stats.Snapshots {
		all.Contents, all.Bytes, all.Stored = all.Contents+s.Contents, all.Bytes+s.Bytes, all.Stored+s.Stored
	}
	table("new in the snapshot", append(slices.Clone(stats.Snapshots), all))
	fmt.Fprintln(out)
	table("in the box", stats.Parts[:min(maxParts, len(stats.Parts))])
	_, err := fmt.Fprintf(out, "\n%d bytes in files, %d of them tables and unused contents\n", stats.Files, max(stats.Files-all.Stored, 0))
	return err
}

// needRepository returns an error unless a file is a repository of backups.
func needRepository(f *service.File) error {
	if f.IsRepository() && f.Source.IsDir() {
		return nil
	}
	return fmt.Errorf("%s: expected a repository of backups, found a %s", f.Called, f.Title)
}

// forgotten is the JSON result of forget.
type forgotten struct {
	Removed []string `json:"removed"`
	Kept    int      `json:"kept"`
	Packs   *int     `json:"packs,omitempty"` // nil: unused packs were not searched
	Bytes   *int64   `json:"bytes,omitempty"`
	Copied  *int64   `json:"copied,omitempty"`
	DryRun  bool     `json:"dryRun"`
}

// keeping holds the rules of forget: numbers of snapshots, and the time within which all are kept.
type keeping struct {
	Last    int    `option:"keep-last" help:"keep the newest {N}"`
	Hourly  int    `option:"keep-hourly" help:"keep the newest of each of the last {N} hours with a snapshot"`
	Daily   int    `option:"keep-daily" help:"keep the newest of each of the last {N} days with a snapshot"`
	Weekly  int    `option:"keep-weekly" help:"keep the newest of each of the last {N} weeks with a snapshot"`
	Monthly int    `option:"keep-monthly" help:"keep the newest of each of the last {N} months with a snapshot"`
	Yearly  int    `option:"keep-yearly" help:"keep the newest of each of the last {N} years with a snapshot"`
	Within  Period `option:"keep-within" help:"keep all within this {time} before the newest, such as 14d or 1y6m (y, m, d, h)"`
}

func (k *keeping) negative() bool {
	return min(k.Last, k.Hourly, k.Daily, k.Weekly, k.Monthly, k.Yearly) < 0
}

var errKeep = errors.New("--keep options must be at least 1")

// Period is a length of time in the calendar.
type Period struct{ years, months, days, hours int }

func (p *Period) String() string { return "" }
func (p *Period) Type() string   { return "time" }

// Set parses a period such as 1y6m or 14d.
func (p *Period) Set(text string) error {
	units := map[byte]*int{'y': &p.years, 'm': &p.months, 'd': &p.days, 'h': &p.hours}
	for rest := text; ; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n > 10_000 || digits == len(rest) || units[rest[digits]] == nil {
			return fmt.Errorf("expected years, months, days or hours, such as 1y6m or 14d, not %q", text)
		}
		*units[rest[digits]] += n
		if rest = rest[digits+1:]; rest == "" {
			return nil
		}
	}
}

// repackSize is a number of bytes to copy: 0 is the default, -1 none.
type repackSize int64

func (s *repackSize) String() string { return "" }
func (s *repackSize) Type() string   { return "size" }

// Set parses a size such as 500M.
func (s *repackSize) Set(text string) error {
	number := strings.TrimRight(text, "KMGT")
	shift, ok := map[string]int{"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[text[len(number):]]
	n, err := strconv.ParseUint(number, 10, 63-shift)
	if !ok || err != nil {
		return fmt.Errorf("expected a size, such as 500M or 2G (K, M, G, T), not %q", text)
	}
	if *s = repackSize(n << shift); n == 0 {
		*s = -1
	}
	return nil
}

// Before returns the time that is a period before t.
func (p Period) Before(t time.Time) time.Time {
	month := t.AddDate(-p.years, -p.months, 0)
	if month.Day() != t.Day() { // the month is shorter: its last day, not the first days of the next one
		month = month.AddDate(0, 0, -month.Day())
	}
	return month.AddDate(0, 0, -p.days).Add(-time.Duration(p.hours) * time.Hour)
}

func forgetCommand(a *Tool) *cobra.Command {
	var o struct {
		jsonOption
		keeping
		Prune  bool   `option:"prune" help:"remove data that no snapshot needs"`
		Sign   string `option:"sign" help:"sign a record of what is removed with the secret key of minisign in this {file}, as backup does"`
		DryRun bool   `option:"dry-run" help:"print what would be removed, and remove nothing"`
	}
	most := repackSize(0)
	cmd := &cobra.Command{
		Use:   "forget REPO [SNAPSHOT...]",
		Short: "Remove snapshots from a repository of backups",
		Long: `Forget removes the named snapshots, or all except those that the --keep options select: the newest
N of each world, the newest of each of the last N hours, days, weeks, months and years with a
snapshot, and all within a time before the newest snapshot of the world. Their data stays in the repository until --prune removes it.

Snapshots that are signed are only removed with --sign, and a signed record states their removal. With
--dry-run it prints the snapshots that would be removed. --prune alone removes data that no
snapshot needs: it deletes unused files, and rewrites files that are at least half unused, at most a
tenth of the repository at once, or as much as --repack permits. In repositories of the versions 1
and 2 of their format it only deletes files.

With --json it prints an object of removed, kept, packs, bytes, copied and dryRun.`,
		Example: `  trowel forget backups --keep-last 3 --keep-daily 7 --keep-weekly 4 --dry-run
  trowel forget backups --keep-daily 30 --prune
  trowel forget backups 20261122T101500.000Z-1f2e3d`,
		Args: args(1, -1),
	}
	Bind(a, cmd, &o)
	cmd.Flags().Var(&most, "repack", "with --prune, copy at most this `size` from half-empty files, such as 500M (K, M, G, T), or 0 for none")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		rules, zero := o.keeping != keeping{}, false
		cmd.Flags().Visit(func(f *pflag.Flag) { zero = zero || strings.HasPrefix(f.Name, "keep-") && f.Value.String() == "0" })
		if zero && !rules {
			return wording.Hint(errKeep, "`trowel forget %s SNAPSHOT` removes a snapshot by name",
				words.Quoted(args[0]))
		}
		if o.negative() {
			return errKeep
		}
		if named := len(args) > 1; named && rules || !named && !rules && !o.Prune {
			return wording.Hint(errors.New("expected names of snapshots, or --keep options"), "`trowel ls %s` lists the snapshots", args[0])
		}
		g, err := a.Find(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer g.Close()
		if err := needRepository(g); err != nil {
			return err
		}
		ctx := cmd.Context()
		list, err := g.Backups.List(ctx, a.Job(g.Format), g.Source)
		if err != nil {
			return wording.Named(err, g.Called)
		}
		ids, err := o.chosen(g.Called, list, args[1:], o.Prune)
		if err != nil {
			return err
		}
		if !o.AsJSON && !a.talk.Quiet {
			for _, id := range ids {
				fmt.Fprintln(a.out, id)
			}
		}
		if len(ids) > 0 && !o.DryRun {
			if err := g.Backups.Forget(ctx, g.Source, ids, o.Sign); err != nil {
				return wording.Named(err, g.Called)
			}
		}
		done := map[bool]string{true: "would be removed", false: "removed"}[o.DryRun]
		a.talk.Say("%s %s, %d kept", wording.Count(len(ids), "snapshot"), done, len(list)-len(ids))
		did := forgotten{Removed: append([]string{}, ids...), Kept: len(list) - len(ids), DryRun: o.DryRun}
		switch {
		case o.Prune && o.DryRun && len(ids) > 0:
			a.talk.Say("the data that only they need is determined after their removal")
		case o.Prune:
			p, err := g.Backups.Prune(ctx, a.Job(g.Format), g.Source, format.Prune{Dry: o.DryRun, Repack: int64(most)})
			if err != nil {
				return wording.Named(err, g.Called)
			}
			did.Packs, did.Bytes, did.Copied = &p.Files, &p.Bytes, &p.Copied
			a.talk.Say("%s, %s %s", wording.Count(p.Files, "file"), wording.Count(int(p.Bytes), "byte"), done)
			if p.Copied > 0 {
				a.talk.Say("%s of them copied to new files, which snapshots need", wording.Count(int(p.Copied), "byte"))
			}
		}
		if o.AsJSON {
			return a.PrintJSON(did)
		}
		return nil
	}
	return needs(cmd, needChanges)
}

// chosen returns the IDs of the snapshots to remove from a repository: those that no rule keeps, and those that the user
// named.
func (k keeping) chosen(repo string, list []format.Snapshot, named []string, prune bool) (ids []string, err error) {
	for i, id := range named {
		named[i] = strings.TrimSuffix(id, ".txt") // the name as ls prints it
	}
	rules := k != keeping{}
	for _, s := range list {
		if s.Err != nil && !slices.Contains(named, s.ID) && (rules || prune) {
			return nil, wording.Hint(wording.Named(s.Err, repo), "nothing is removed while a snapshot is unreadable; `trowel "+
				"forget %s %s` removes that snapshot", repo, s.ID)
		}
	}
	if rules {
		ids = k.expired(list)
	}
	for _, id := range named {
		if !slices.ContainsFunc(list, func(s format.Snapshot) bool { return s.ID == id }) {
			return nil, wording.Hint(fmt.Errorf("%s: no snapshot %s", repo, id), "`trowel ls %s` lists the snapshots", repo)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// expired returns the IDs of the snapshots that no rule keeps. The rules apply to each world separately.
func (k keeping) expired(list []format.Snapshot) (ids []string) {
	type rule struct {
		left int
		name func(time.Time) string // names the period of which one snapshot is kept; nil: each snapshot counts
	}
	worlds := make(map[string][]format.Snapshot)
	for _, s := range list {
		worlds[s.Of] = append(worlds[s.Of], s)
	}
	keep := make(map[string]bool)
	for _, all := range worlds {
		for _, r := range []rule{
			{k.Last, nil},
			{k.Hourly, func(t time.Time) string { return t.Format("2006-01-02 15 -0700") }},
			{k.Daily, func(t time.Time) string { return t.Format(time.DateOnly) }},
			{k.Weekly, func(t time.Time) string { y, w := t.ISOWeek(); return fmt.Sprint(y, w) }},
			{k.Monthly, func(t time.Time) string { return t.Format("2006-01") }},
			{k.Yearly, func(t time.Time) string { return t.Format("2006") }},
		} {
			seen := ""
			for _, s := range slices.Backward(all) {
				name := s.ID
				if r.name != nil {
					name = r.name(s.Time.Local())
				}
				if r.left > 0 && name != seen {
					keep[s.ID], seen = true, name
					r.left--
				}
			}
		}
	}
	if k.Within != (Period{}) {
		for _, all := range worlds {
			since := k.Within.Before(all[len(all)-1].Time.Local())
			for _, s := range all {
				keep[s.ID] = keep[s.ID] || !s.Time.Before(since)
			}
		}
	}
	for _, s := range list {
		if !keep[s.ID] {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
