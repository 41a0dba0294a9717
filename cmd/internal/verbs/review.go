package verbs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/history"
	"trowel.example/cmd/internal/review"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
)

func reviewCommand(a *Tool) *cobra.Command {
	r := &reviewRun{Tool: a}
	cmd := &cobra.Command{
		Use:   "review [BASE] HEAD",
		Short: "Report what a contribution changes",
		Long: `Review reports what differs between two files, two folders of files, or two commits of the git repository
in the current folder: for each file the changes, as "trowel diff" prints them, the findings of
"trowel check" that are new or gone, the sizes, and for maps whether anything changed that decides
the game ("trowel diff --physics"). If one of BASE and HEAD is a file or folder and the other one is
not, the other one is a commit, and the file is compared with its state in that commit.
` + commitsHelp + `

The report is Markdown for a comment or a summary. With -o it is also written to a folder, as
review.md, review.html and review.json, with pictures before and after: red marks what decides the
game, blue other changes. review.html contains its pictures. If the name after -o ends in .html or .md, only this page is written.

With --release the report is about what is against the release of maps by the rules of a community
(--rules), with a picture of each place: what players see beside what they touch. Such
a report needs no BASE; with the previous version as BASE it also compares the two. It never promises
a release: it ends with what a person must check.

--allow names the changes that are fine, separated by commas:
  design   changes of maps that do not affect gameplay
  physics  all changes of maps
  other    changes of other files, such as mods, worlds, and files that are not game files
  files    added, removed and renamed files
  errors   new findings that are errors
  rules    broken rules that bind, with --release
The exit code is 0 if all changes are allowed, and 1 if one is not, or if data could not be read.

In Markdown and HTML, text of files is neither a link, a mention, a picture nor an element.

With --json it prints {base, head, allowed, passed, files}, each file with {path, was, change,
format, oldSize, newSize, kinds, decided, decides, changes, left, new, gone, rules, pictures,
notes, incomplete}; docs/json.md describes them.`,
		Example: `  trowel review climb.map climb2.map
  trowel review main HEAD --allow design
  trowel review HEAD maps/climb.map -o review
  trowel review --release climb.map -o report.html
  trowel review main:maps/climb.map ann/corner:maps/climb.map`,
		Args: args(1, 2),
	}
	OptionFlags(a, cmd, optionsFor(format.ForTree|format.ForCheck|format.ForScene), r)
	var kinds []string
	for _, k := range review.Kinds {
		kinds = append(kinds, string(k))
	}
	a.Completes(cmd, "allow", cobra.FixedCompletions(kinds, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range r.Allow {
			if !slices.Contains(kinds, name) {
				return wording.DidYouMean(fmt.Errorf("--allow: unknown kind of changes %q", name), name, kinds, "--allow can be %s",
					strings.Join(kinds, ", "))
			}
			r.report.Allowed = append(r.report.Allowed, review.Kind(name))
		}
		if r.Output == "-" {
			return errors.New("standard output cannot receive a folder")
		}
		if ruled := cmd.Flags().Changed(optionRules); r.Release && !ruled {
			a.Options.Given = append(a.Options.Given, usualRules(a)...)
		} else if len(args) == 1 && !ruled {
			return wording.Hint(errors.New("nothing to compare with: give BASE and HEAD"), "--release reports on one map")
		}
		if len(args) == 1 {
			args = []string{"", args[0]}
		}
		defer r.close()
		if err := r.run(cmd.Context(), [2]string(args)); err != nil {
			return err
		}
		if err := r.print(); err != nil {
			return err
		}
		if r.Output != "" {
			_ = a.out.Flush()
			dir := filepath.Clean(r.Output)
			if r.page == "" {
				dir += string(filepath.Separator)
			}
			a.talk.Say("wrote %s", dir)
		}
		if !r.report.Passed {
			return errFound
		}
		return nil
	}
	return needs(cmd, needOutput, needPrograms)
}

// optionRules is the option of formats that selects written rules.
const optionRules = "rules"

// usualRules returns the first rules of each format that has some.
func usualRules(a *Tool) (list []service.Given) {
	for _, f := range a.Formats {
		for _, o := range f.OptionsFor(format.ForCheck) {
			if o.Name == optionRules && o.Choices != nil {
				list = append(list, service.Given{Name: o.Name, Value: o.Choices[0], Of: f.Title})
			}
		}
	}
	return list
}

// reviewRun is one run of review.
type reviewRun struct {
	*Tool
	jsonOption
	Allow   []string `option:"allow,commas" help:"the {kinds} of changes that are allowed: design, physics, other, files, errors"`
	Output  string   `option:"output,o" help:"the new {folder} for the report and its pictures"`
	Force   bool     `option:"force,f" help:"replace an existing report"`
	Release bool     `option:"release" help:"report what is against the release of a map, by --rules"`

	report review.Report
	pairs  []reviewPair
	closes []func()

	page     string // the only page of the report to be written; "": all files
	dir      string // folder for the report and its pictures; "" for none
	pictures int    // number of pairs of pictures
}

// reviewPair is a file in one or both states.
type reviewPair struct {
	path, was string            // in the report
	files     [2]service.Target // before and after; no name: it is not there
	unread    bool              // it is, or was, a link or a submodule
}

func (r *reviewRun) close() {
	for _, f := range slices.Backward(r.closes) {
		f()
	}
}

func (r *reviewRun) run(ctx context.Context, names [2]string) error {
	r.report.Base.Name, r.report.Head.Name = names[0], names[1]
	if r.Output == "" {
		return r.review(ctx, names)
	}
	r.page = reportPage(r.Output)
	given := slices.DeleteFunc(slices.Clone(names[:]), func(name string) bool { return name == "" })
	opts := output.Options{
		Replace: r.Force,
		Replaces: func(path string) error {
			list, err := os.ReadDir(path)
			for _, e := range list {
				if err == nil && !slices.Contains(reportFiles, e.Name()) {
					err = fmt.Errorf("%w: not a report of review", output.ErrKind)
				}
			}
			return err
		},
		Reads:  func() []string { return append(r.Inputs(), given...) },
		Others: func() fs.FileMode { return service.OthersOf(given) },
	}
	if r.page != "" {
		opts.Replaces = nil
	}
	out, err := output.New(r.Output, opts)
	if err != nil {
		return err
	}
	defer out.Discard()
	if r.page == "" {
		r.dir, err = out.Dir()
	} else {
		var remove func()
		if r.dir, remove, err = output.Scratch(); err == nil {
			defer remove()
		}
	}
	if err != nil {
		return err
	}
	if err := r.review(ctx, names); err != nil {
		return err
	}
	if r.page == "" {
		err = r.write()
	} else {
		var page bytes.Buffer
		if err = r.render(r.page, &page); err == nil {
			err = format.Write(out, page.Bytes())
		}
	}
	if err != nil {
		return err
	}
	return cmp.Or(ctx.Err(), out.Commit())
}

// reportPage returns the page of a report that an output is, or "" for a folder with all of them.
func reportPage(output string) string {
	switch strings.ToLower(filepath.Ext(output)) {
	case ".html":
		return reportHTML
	case ".md":
		return reportMarkdown
	}
	return ""
}

// The names of files and folders of a report.
const (
	reportMarkdown = "review.md"
	reportHTML     = "review.html"
	reportJSON     = "review.json"
	reportPictures = "pictures"
)

var reportFiles = []string{reportMarkdown, reportHTML, reportJSON, reportPictures}

// write writes the report to its folder, which has the pictures already.
func (r *reviewRun) write() error {
	for _, name := range []string{reportJSON, reportMarkdown, reportHTML} {
		f, err := os.Create(filepath.Join(r.dir, name))
		if err != nil {
			return err
		}
		if err := errors.Join(r.render(name, f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// render writes a file of the report. Pictures are in its folder.
func (r *reviewRun) render(name string, w io.Writer) error {
	var data []byte
	switch name {
	case reportHTML:
		return r.report.HTML(w, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name))) })
	case reportMarkdown:
		data = r.report.Markdown(r.page == "") // a page alone has no files beside it
	default:
		var err error
		if data, err = terminal.Compact(r.report); err != nil {
			return err
		}
		data = append(data, '\n')
	}
	_, err := w.Write(data)
	return err
}

// print prints the report.
func (r *reviewRun) print() error {
	if r.AsJSON {
		return r.render(reportJSON, r.out)
	}
	_, err := r.out.Write(r.report.Markdown(false))
	return err
}

// review fills the report.
func (r *reviewRun) review(ctx context.Context, names [2]string) error {
	if err := r.collect(ctx, names); err != nil {
		return err
	}
	for i, p := range r.pairs {
		r.Progress("reviewed files", i, len(r.pairs))
		if err := r.reviewPair(ctx, p); err != nil {
			return err
		}
	}
	if err := r.Unfit(); err != nil {
		return err
	}
	r.report.End()
	return nil
}

// collect finds the files to compare.
func (r *reviewRun) collect(ctx context.Context, names [2]string) error {
	if names[0] == "" {
		return r.collectAlone(ctx, names[1])
	}
	for i, name := range names {
		if name == "-" {
			return errors.New("standard input cannot be reviewed: give two files, folders or commits")
		}
		if other := names[1-i]; isCommitted(name) && !isCommitted(other) && !service.Exists(other) {
			_, at, _ := strings.Cut(name, ":")
			names[1-i] = other + ":" + at
		}
	}
	files, hashes, remove, err := r.checkOut(ctx, names[:])
	if err != nil {
		return err
	}
	r.closes = append(r.closes, remove)
	names, commits := [2]string(files), [2]string(hashes)
	var here [2]bool // a file or folder
	for i, name := range names {
		here[i] = service.Exists(name) || strings.Contains(name, "://")
	}
	r.report.Base.Commit, r.report.Head.Commit = commits[0], commits[1]
	if here[0] && here[1] {
		return r.collectFiles(ctx, names, service.BaseName(names[1]))
	}
	dir := ""
	for i, name := range names {
		if here[i] {
			dir = name
			if info, err := os.Stat(name); err == nil && !info.IsDir() {
				dir = filepath.Dir(name)
			}
		}
	}
	repo, err := history.OpenRepository(ctx, dir)
	for i, name := range names {
		if here[i] {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: no such file, and no commit: %w", name, err)
		}
		if commits[i], err = repo.Commit(ctx, name); err != nil {
			return err
		}
	}
	r.report.Base.Commit, r.report.Head.Commit = commits[0], commits[1]
	if !here[0] && !here[1] {
		return r.collectCommits(ctx, repo, names, commits)
	}
	path := ""
	for i := range names {
		if here[i] {
			continue
		}
		at, err := repo.PathOf(names[1-i])
		if err != nil {
			return err
		}
		o, err := repo.CheckOut(ctx, commits[i], at)
		if err != nil {
			return err
		}
		r.closes = append(r.closes, func() { _ = o.Close() })
		r.hide(filepath.Dir(o.Path))
		for _, note := range o.Notes {
			r.talk.Miss(names[i], note)
		}
		path, names[i] = service.BaseName(names[1-i]), o.Path
	}
	return r.collectFiles(ctx, names, path)
}

// collectAlone adds a file, or the files of a folder, to be compared with nothing.
func (r *reviewRun) collectAlone(ctx context.Context, name string) error {
	return r.Targets(ctx, name, func(t service.Target) error {
		p := reviewPair{path: service.NameBelow(name, t.Name)}
		if !t.Found {
			p.path = service.BaseName(name)
		}
		p.files[1] = t
		r.pairs = append(r.pairs, p)
		return t.Err
	})
}

// hide makes messages name the files in a temporary folder by their paths below it.
func (r *reviewRun) hide(dir string) {
	r.talk.Hide(dir+string(filepath.Separator), "")
	r.talk.Hide(dir, ".")
}

// collectFiles pairs two files, or the files of two folders by their paths. Path is the path of a file in the report.
func (r *reviewRun) collectFiles(ctx context.Context, names [2]string, path string) error {
	var folder [2]bool
	for i, name := range names {
		info, err := os.Stat(name)
		folder[i] = err == nil && info.IsDir() && !r.IsGame(name)
	}
	if folder[0] != folder[1] {
		return fmt.Errorf("%s and %s: one is a folder of files, the other one is not", r.talk.Plain(names[0]), r.talk.Plain(names[1]))
	}
	if !folder[0] {
		p := reviewPair{path: path}
		for i, name := range names {
			p.files[i] = service.Target{Name: name, From: name}
		}
		r.pairs = append(r.pairs, p)
		return nil
	}
	pairs := make(map[string]*reviewPair)
	for i, name := range names {
		err := r.Targets(ctx, name, func(t service.Target) error {
			at := service.NameBelow(name, t.Name)
			if pairs[at] == nil {
				pairs[at] = &reviewPair{path: at}
			}
			pairs[at].files[i] = t
			return t.Err
		})
		if err != nil {
			return err
		}
	}
	for _, at := range slices.Sorted(maps.Keys(pairs)) {
		r.pairs = append(r.pairs, *pairs[at])
	}
	return nil
}

// collectCommits pairs the files that differ between two commits.
func (r *reviewRun) collectCommits(ctx context.Context, repo *history.Repository, names, commits [2]string) error {
	var dirs [2]string
	for i := range dirs {
		dir, remove, err := output.Scratch()
		if err != nil {
			return err
		}
		r.closes = append(r.closes, remove)
		r.hide(dir)
		dirs[i] = dir
	}
	changes, err := repo.Changes(ctx, commits, dirs, r.IsGame)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return nil
	}
	if err := r.collectFiles(ctx, dirs, "."); err != nil {
		return err
	}
	at := make(map[string]int) // index of the pair with a path
	for i, p := range r.pairs {
		at[p.path] = i
	}
	covered := func(path string) bool {
		for dir := path; ; dir = filepath.ToSlash(filepath.Dir(dir)) {
			if i, ok := at[dir]; ok && (dir == path || r.pairs[i].isFolder()) {
				return true
			}
			if dir == "." {
				return false
			}
		}
	}
	gone := make(map[string]bool) // the earlier paths of renamed files
	for _, c := range changes {
		i, ok := at[c.Path]
		switch {
		case c.Was != c.Path && ok && !r.pairs[i].isFolder():
			was, known := at[c.Was]
			if known && r.pairs[i].files[0].Name == "" {
				r.pairs[i].was, r.pairs[i].files[0] = c.Was, r.pairs[was].files[0]
				gone[c.Was] = r.pairs[was].files[1].Name == ""
			}
		case !covered(c.Path) || c.Unread:
			p := reviewPair{path: c.Path, unread: c.Unread}
			for k, has := range []bool{c.Old, c.New} {
				if path := []string{c.Was, c.Path}[k]; has {
					p.files[k] = service.Target{Name: filepath.Join(dirs[k], filepath.FromSlash(path)), Found: true}
				}
			}
			if p.was = c.Was; p.was == p.path {
				p.was = ""
			}
			r.pairs = append(r.pairs, p)
		}
	}
	r.pairs = slices.DeleteFunc(r.pairs, func(p reviewPair) bool { return gone[p.path] && p.was == "" && p.files[1].Name == "" })
	slices.SortStableFunc(r.pairs, func(a, b reviewPair) int { return cmp.Compare(a.path, b.path) })
	return nil
}

// isFolder reports whether one of the files is a folder.
func (p *reviewPair) isFolder() bool {
	return slices.ContainsFunc(p.files[:], func(t service.Target) bool {
		info, err := os.Stat(t.Name)
		return t.Name != "" && err == nil && info.IsDir()
	})
}
