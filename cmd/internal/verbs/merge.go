package verbs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"trowel.example/check"
	"trowel.example/cmd/internal/review"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/merge3"
)

// merging is one run of merge.
type merging struct {
	*writing
	Output string `option:"output,o" help:"the new {file} or folder"`
	Prefer string `option:"prefer" help:"the {side} to use where both changed a part: ours or theirs (default ours)"`
	HTML   string `option:"html" help:"write the report as a page to a {file}, also with --dry-run"`
	Force  bool   `option:"force,f" help:"replace an existing file"`

	side      merge3.Side // that Prefer names
	conflicts []check.Conflict
	changes   []check.Change      // for the page
	files     []format.MergedFile // of a merge of many files
}

func mergeCommand(a *Tool) *cobra.Command {
	m := &merging{writing: &writing{Tool: a, strict: true, first: []string{"changes", "conflicts"}}}
	cmd := &cobra.Command{
		Use:   "merge BASE OURS THEIRS -o NEW",
		Short: "Merge two versions of a file",
		Long: `Merge combines the work of two people on one file: BASE is the version that both began with. It
merges parts instead of lines: layers, tiles, quads, settings; files, units, keys; blocks, nodes,
inventories. Any of the three may be a folder made by extract.

A part that only one side changed is taken from that side, and a part that both changed in the same
way is taken once. A part that both changed differently is a conflict: merge reports its place and
uses the part of OURS, or of THEIRS with --prefer theirs, and the exit code is 1. The new file is
always complete.

` + keepHelp + `

` + commitsHelp + `

If -o names a folder, the result is a folder as extract makes it. If there are conflicts, its folder
.trowel-merge has both versions of each part, so that you can finish the merge and pack it.

--html writes the report as one page without scripts: for many files a table of the parts that
differ, with the use of each file's version, and all conflicts and changes.

With --json it prints an array with one {file, format, output, dryRun, changes, conflicts,
made, files, warnings, losses, error}: changes are the changes taken from THEIRS, an array of {path,
what, count, unit, at}, conflicts is an array of {path, at, what, base, ours, theirs, took}. Many
files have files, an array of {path, uses}.`,
		Example: `  trowel merge climb.map mine.map yours.map -o climb-both.map
  trowel merge base ours theirs -o both --prefer theirs --json
  trowel merge --mods wolves.mod bears.mod -o pack.mod --title "Beasts" --html report.html`,
		Args: args(1, -1),
	}
	OptionFlags(a, cmd, func(f *format.Format) []format.Option {
		if f.Merging == nil {
			return nil
		}
		return append(f.OptionsFor(0), f.Merging.Options...)
	}, m, &m.keep)
	for _, f := range a.Formats {
		if f.Merging != nil && f.Merging.Many != nil && cmd.Flags().Lookup(f.Merging.Many.Flag) == nil {
			cmd.Flags().Bool(f.Merging.Many.Flag, false, f.Merging.Many.Help)
		}
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		many, err := m.many(cmd)
		switch {
		case err != nil:
			return err
		case many != nil && len(args) < 2:
			return fmt.Errorf("expected at least two files: trowel merge --%s FILE FILE... -o NEW", many.Flag)
		case many == nil && len(args) != 3:
			return wording.Hint(fmt.Errorf("expected three files: %s", useLine(cmd)), "BASE is the version that OURS and THEIRS began with")
		case m.HTML == "-":
			return errors.New("--html: expected the name of a file")
		case m.HTML != "" && m.HTML == m.Output:
			return fmt.Errorf("--html and -o name the same file, %s", m.HTML)
		case m.Output == "" && !m.DryRun:
			return wording.Hint(errors.New("no name given for the new file"), "give it with -o, or use --dry-run")
		}
		if m.side, err = merge3.ParseSide(m.Prefer); err != nil && many == nil {
			return fmt.Errorf("--prefer: %w", err)
		}
		ours := args[min(1, len(args)-1)]
		return m.each(cmd.Context(), []string{ours}, func(_ string, r *report) error {
			return m.merge(cmd.Context(), Expand(args), many, r)
		})
	}
	return needs(cmd, needOutput, needCommits)
}

// many returns the merging of many files into one, if the user asks for it.
func (m *merging) many(cmd *cobra.Command) (*format.MergingMany, error) {
	var many *format.MergingMany
	for _, f := range m.Formats {
		if f.Merging == nil || f.Merging.Many == nil || many == f.Merging.Many {
			continue
		}
		if on, err := cmd.Flags().GetBool(f.Merging.Many.Flag); err != nil || !on {
			continue
		}
		if many != nil && many.Flag != f.Merging.Many.Flag {
			return nil, fmt.Errorf("--%s and --%s cannot be combined", many.Flag, f.Merging.Many.Flag)
		}
		many = f.Merging.Many
	}
	return many, nil
}

// merge merges the files that args name.
func (m *merging) merge(ctx context.Context, args []string, many *format.MergingMany, r *report) error {
	files, _, remove, err := m.checkOut(ctx, args)
	if err != nil {
		return err
	}
	defer remove()
	var games []*service.File
	defer func() {
		for _, g := range games {
			g.Close()
		}
	}()
	r.merged = args
	var sources []*format.Source
	for _, name := range files {
		before := m.Lost.Load()
		g, err := m.Find(ctx, name)
		if m.Lost.Load() > before {
			r.damaged(name)
		}
		if err != nil {
			return err
		}
		games, sources = append(games, g), append(sources, g.Source)
	}
	ours := games[min(1, len(games)-1)]
	for _, g := range games {
		switch {
		case g.Merging == nil || many == nil && g.Merging.Merge == nil || many != nil &&
			(g.Merging.Many == nil || g.Merging.Many.Flag != many.Flag):
			return fmt.Errorf("%s: this merge does not support a %s", g.Called, g.Title)
		case many == nil && g.Format != ours.Format:
			return fmt.Errorf("%s is a %s, and %s is a %s", ours.Called, ours.Title, g.Called, g.Title)
		}
		if err := m.Owned(g.Format, g.Merging.Options...); err != nil {
			return err
		}
	}
	r.format = ours.Name
	job := r.watch(m.Job(ours.Format, ours.Merging.Options...))
	reads := func() []string {
		var list []string
		for _, g := range games {
			list = append(list, g.Reads()...)
		}
		return list
	}
	run := func(out format.Output) (err error) {
		if many != nil {
			m.conflicts, err = ours.Merging.Many.Merge(ctx, job, sources, out, m.Prefer, format.MergeReport{Took: m.took(r),
				File: func(f format.MergedFile) { m.files = append(m.files, f) }})
			if r.AsJSON {
				r.extra = terminal.Object{{"files", append([]format.MergedFile{}, m.files...)}}
			}
		} else {
			m.conflicts, err = ours.Merging.Merge(ctx, job, sources[0], sources[1], sources[2], out,
				merge3.Options{Prefer: m.side, OnTook: m.took(r)})
		}
		return err
	}
	opts := m.WriteOptions(ctx, m.Force, ours.Format, job, nil, filepath.Ext(ours.Source.Name), reads)
	page := output.Stream(io.Discard)
	if m.HTML != "" {
		page, err = output.New(m.HTML, output.Options{Replace: m.Force, Reads: opts.Reads, Others: opts.Others})
		if err != nil {
			return fmt.Errorf("--html: %w", err)
		}
		defer page.Discard()
	}
	switch {
	case m.DryRun:
		err = run(nil)
	case !ours.Folder && m.Output != "-" && filepath.Ext(m.Output) == "":
		err = m.toTree(ctx, games, run, opts, r)
	default:
		err = r.write(ctx, m.Output, opts, func(out format.Output) error {
			if err := run(out); err != nil {
				return err
			}
			return m.reportConflicts(r)
		})
	}
	if m.DryRun && err == nil {
		err = m.reportConflicts(r)
	}
	if err != nil {
		return err
	}
	if err := m.writePage(ctx, args, page); err != nil {
		return err
	}
	_ = m.Tool.out.Flush()
	wrote := "wrote " + m.Output
	if m.DryRun {
		wrote = "nothing was written"
	}
	for _, line := range summarize(m.conflicts) {
		m.talk.Say("%s", line)
	}
	m.talk.Say("%s: %s", wording.Count(len(m.conflicts), "conflict"), wrote)
	if len(m.conflicts) > 0 {
		return errFound
	}
	return nil
}

// writePage writes the page of the report.
func (m *merging) writePage(ctx context.Context, args []string, page *output.Output) error {
	if m.HTML == "" {
		return nil
	}
	defer context.AfterFunc(ctx, page.Interrupt)()
	report := review.Merged{Inputs: args, Output: m.Output, Files: m.files, Conflicts: m.conflicts, Changes: m.changes}
	if m.DryRun {
		report.Output = ""
	}
	var b bytes.Buffer
	err := report.HTML(&b)
	if err == nil {
		err = format.Write(page, b.Bytes())
	}
	if err != nil {
		return err
	}
	return cmp.Or(ctx.Err(), page.Commit())
}

// maxPageChanges is the number of changes that are kept for the page.
const maxPageChanges = 10_000

// took returns the function that prints the changes taken from theirs.
func (m *merging) took(r *report) func(check.Change) error {
	return func(c check.Change) error {
		if m.HTML != "" && len(m.changes) < maxPageChanges {
			m.changes = append(m.changes, c)
		}
		switch {
		case r.AsJSON:
			return r.item("changes", c)
		case m.Output == "-", m.talk.Quiet && !m.DryRun:
			return nil
		}
		m.talk.Clear()
		_, err := fmt.Fprintln(m.Tool.out, m.screen.Wrapped(words.Printable(c.String()), 0, 4))
		return err
	}
}

func (m *merging) reportConflicts(r *report) error {
	for _, c := range m.conflicts {
		if r.AsJSON {
			if err := r.item("conflicts", c); err != nil {
				return err
			}
			continue
		}
		line := check.Change{Path: c.Path, What: c.What, At: c.At}.String()
		if c.Took != "" {
			line += ": took " + c.Took
		}
		if m.Output == "-" {
			m.talk.Say("conflict: %s", line)
			continue
		}
		m.talk.Clear()
		if _, err := fmt.Fprintln(m.Tool.out, m.screen.Wrapped(words.Printable("conflict: "+line), 0, 4)); err != nil {
			return err
		}
	}
	if m.Output == "-" || r.AsJSON {
		return nil
	}
	return m.printTable()
}

// printTable prints the parts of which several files have different versions, with the use of each.
func (m *merging) printTable() error {
	if len(m.files) == 0 || m.talk.Quiet && !m.DryRun {
		return nil
	}
	const longest = 120 // bytes of a name
	m.talk.Clear()
	names, rows := review.MergeTable(m.files)
	w := tabwriter.NewWriter(m.Tool.out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{append([]string{"FILE"}, names...)}, rows...) {
		for i := range row {
			row[i] = words.Printable(words.Cut(row[i], longest))
		}
		if _, err := fmt.Fprintln(w, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// maxSummary is the maximum number of lines in a summary of conflicts.
const maxSummary = 20

var numbers = regexp.MustCompile(`[0-9]+`)

// summarize counts conflicts by the kind of their file and by their key, the most frequent first. It returns
// nothing if all conflicts differ.
func summarize(conflicts []check.Conflict) (lines []string) {
	type group struct {
		kind, key string
	}
	counts, files := make(map[group]int), make(map[group]map[string]bool)
	for _, c := range conflicts {
		g := group{path.Ext(c.Path), c.What}
		if key, values, ok := strings.Cut(c.What, ": "); ok && strings.Contains(values, " became ") {
			g.key = key // the values differ between files
		}
		g.key = numbers.ReplaceAllString(g.key, "N")
		if counts[g]++; files[g] == nil {
			files[g] = make(map[string]bool)
		}
		files[g][c.Path] = true
	}
	groups := slices.SortedFunc(maps.Keys(counts), func(a, b group) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a.kind, b.kind), strings.Compare(a.key, b.key))
	})
	if len(groups) == len(conflicts) {
		return nil
	}
	lines = append(lines, "conflicts by kind and key:")
	left := len(conflicts)
	for _, g := range groups[:min(len(groups), maxSummary)] {
		kind := "part"
		if g.kind != "" {
			kind = g.kind + " file"
		}
		lines = append(lines, fmt.Sprintf("  %s in %s: %s", wording.Count(counts[g], "conflict"), wording.Count(len(files[g]), kind), g.key))
		left -= counts[g]
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("  %s of %s", wording.Count(left, "conflict"), wording.Count(len(groups)-maxSummary, "other key")))
	}
	return lines
}

// mergeFolder is the folder with both sides of the conflicts, inside a merged folder.
const mergeFolder = ".trowel-merge"

// toTree writes the merged tree to a folder, with both sides of the conflicts.
func (m *merging) toTree(ctx context.Context, games []*service.File, run func(format.Output) error, opts output.Options, r *report) error {
	ours, theirs := games[min(1, len(games)-1)], games[len(games)-1]
	merged, err := m.Scratch(ours.Format, ours.Source.Name, ours.Called, run)
	if err != nil {
		return err
	}
	defer merged.Close()
	if err := m.reportConflicts(r); err != nil {
		return err
	}
	r.output = filepath.Clean(m.Output)
	chosen, err := selectPaths(nil)
	if err != nil {
		return err
	}
	x := &extraction{Tool: m.Tool, report: r, file: ours.Called, chosen: chosen}
	if ours.Built != nil {
		names, closer, err := m.OpenFolder(ours.Called)
		if err != nil {
			return err
		}
		defer closer.Close()
		x.like = names
	}
	opts.Replaces = nil
	x.putExtra = func(put func(name string, data []byte) error) error {
		if len(m.conflicts) == 0 {
			return nil
		}
		list, err := json.MarshalIndent(m.conflicts, "", "  ")
		if err == nil {
			err = put("conflicts.json", append(list, '\n'))
		}
		for _, side := range []struct {
			name string
			of   *service.File
		}{{merge3.Ours.String(), ours}, {merge3.Theirs.String(), theirs}} {
			if err == nil {
				err = m.putSide(ctx, side.name, side.of, put)
			}
		}
		return err
	}
	return x.extract(ctx, m.Output, merged, opts)
}

// putSide writes one side of the conflicts next to the merged files.
func (m *merging) putSide(ctx context.Context, side string, g *service.File, put func(string, []byte) error) error {
	fsys, closer, err := m.Tree(ctx, g.Called)
	if err != nil {
		return err
	}
	defer closer.Close()
	done := make(map[string]bool)
	return fs.WalkDir(fsys, ".", func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		for _, c := range m.conflicts {
			stem := strings.TrimSuffix(at, path.Ext(at))
			if c.Path == "" || done[at] || c.Path != at && c.Path != stem {
				continue
			}
			done[at] = true
			f, err := fsys.Open(at)
			if err != nil {
				return err
			}
			data, err := regular.ReadAll(f, at, 0, effort.WholeFile)
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
			return put(path.Join(side, at), data)
		}
		return nil
	})
}
