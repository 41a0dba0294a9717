package verbs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"trowel.example/check"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/treediff"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/host"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/merge3"
)

func gitCommand(a *Tool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "git",
		Short: "Let git show, compare, merge and check game files",
		Long: `After "trowel git install", git calls the commands below: git diff shows the changes of a map, git
merge merges two versions of a map, and commits of broken files are refused. docs/git.md is a guide
for teams.`,
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) == 0 {
				return cmd.Help()
			}
			var names []string
			for _, sub := range cmd.Commands() {
				names = append(names, sub.Name())
			}
			return wording.DidYouMean(fmt.Errorf("%s: unknown command %q", cmd.CommandPath(), words[0]), words[0], names,
				"expected one of %s", strings.Join(names, ", "))
		},
	}
	cmd.AddCommand(gitInstallCommand(a), verbatim(gitTextCommand(a)), verbatim(gitDiffCommand(a)),
		verbatim(gitMergeCommand(a)), gitCheckCommand(a))
	return cmd
}

// verbatim makes a command that git calls treat each argument as a name, even if it begins with a dash: the
// files of a project may be named -rf.map or --output=x.map.
func verbatim(cmd *cobra.Command) *cobra.Command {
	cmd.DisableFlagParsing = true
	allowed, run := cmd.Args, cmd.RunE
	helps := func(args []string) bool {
		return len(args) == 1 && (args[0] == "--help" || args[0] == "-h") && !service.Exists(args[0])
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if helps(args) {
			return nil
		}
		return allowed(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if helps(args) {
			return cmd.Help()
		}
		args = slices.Clone(args)
		for i, name := range args {
			if strings.HasPrefix(name, "-") {
				args[i] = "./" + name
			}
		}
		return run(cmd, args)
	}
	return cmd
}

// git runs git in a folder and returns its output.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := host.Command(ctx, "git", args...)
	cmd.Dir = dir
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		if line, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n"); line != "" {
			err = errors.New(line)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.String(), nil
}

func gitTextCommand(a *Tool) *cobra.Command {
	return &cobra.Command{
		Use:   "textconv FILE",
		Short: "Print a game file as one text",
		Long: `Textconv prints the contents of a game file as one text, file by file of its tree; for binary files
it prints the size and the SHA-256. Git uses it for git show, git log -p and git blame. For a file
that cannot be opened it prints one line with the reason.`,
		Example: `  trowel git textconv climb.map | less`,
		Args:    args(1, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return printText(cmd.Context(), a, args[0]) },
	}
}

// printText prints a file as one text.
func printText(ctx context.Context, a *Tool, name string) error {
	fsys, closer, err := a.Tree(ctx, name)
	if err != nil {
		data, e := regular.ReadFile(name, effort.WholeFile)
		if e != nil {
			return err
		}
		fmt.Fprintf(a.out, "not a readable game file (%s, %x): %v\n", words.Count(len(data), "byte"), sha256.Sum256(data), err)
		return nil
	}
	defer closer.Close()
	return treediff.Walk(ctx, fsys, ".", func(at string, e fs.DirEntry) error {
		if e.IsDir() || at == tree.Sidecar {
			return nil
		}
		f, err := fsys.Open(at)
		if err != nil {
			_, err = fmt.Fprintf(a.out, "==== %s\ncannot be read: %v\n", words.Printable(at), err)
			return err
		}
		defer f.Close()
		return printPart(a.out, at, f)
	})
}

// printPart prints a file of a tree. Text is printed unchanged.
func printPart(w io.Writer, at string, f io.Reader) error {
	head := make([]byte, 8<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		_, err = fmt.Fprintf(w, "==== %s\ncannot be read: %v\n", words.Printable(at), err)
		return err
	}
	head = head[:n]
	sample := head
	for i := 0; i < utf8.UTFMax && len(sample) > 0 && !utf8.Valid(sample); i++ {
		sample = sample[:len(sample)-1] // the sample may end within a character
	}
	rest := io.MultiReader(bytes.NewReader(head), f)
	if utf8.Valid(sample) && bytes.IndexByte(head, 0) < 0 {
		if _, err := fmt.Fprintf(w, "==== %s\n", words.Printable(at)); err != nil {
			return err
		}
		ends := &lastByte{w: w, last: '\n'}
		if _, err := io.Copy(ends, rest); err != nil {
			return err
		}
		if ends.last == '\n' {
			return nil
		}
		_, err := fmt.Fprintln(w)
		return err
	}
	hash := sha256.New()
	size, err := io.Copy(hash, rest)
	if err == nil {
		_, err = fmt.Fprintf(w, "==== %s\n%s, sha256 %x\n", words.Printable(at), words.Count(size, "byte"), hash.Sum(nil))
	}
	return err
}

// lastByte records the last byte written to it.
type lastByte struct {
	w    io.Writer
	last byte
}

func (l *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.last = p[len(p)-1]
	}
	return l.w.Write(p)
}

func gitDiffCommand(a *Tool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff PATH OLD OLD-HEX OLD-MODE NEW NEW-HEX NEW-MODE",
		Short: "Show how two versions of a file differ (called by git)",
		Long: `Diff prints the output of "trowel diff" for the arguments that git passes to an external diff. The
exit code is 0 even if the versions differ.`,
		Example: `  GIT_EXTERNAL_DIFF='trowel git diff' git diff`,
		Args:    args(1, 9),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 { // the file is not merged yet
			_, err := fmt.Fprintf(a.out, "%s: is not merged\n", words.Printable(args[0]))
			return err
		}
		if len(args) < 7 {
			return errors.New("expected the seven arguments of an external diff of git")
		}
		path, old, new := args[0], args[1], args[4]
		fmt.Fprintf(a.out, "trowel diff %s\n", words.Printable(path))
		for _, side := range []struct{ file, other, what string }{{old, new, "is new"}, {new, old, "was removed"}} {
			if side.file == os.DevNull || side.file == "nul" {
				size := int64(0)
				if info, err := os.Stat(side.other); err == nil {
					size = info.Size()
				}
				_, err := fmt.Fprintf(a.out, "it %s, %s bytes\n", side.what, words.Thousands(size))
				return err
			}
		}
		c := &comparison{Tool: a}
		if _, err := c.run(cmd.Context(), old, new); err != nil {
			_, err = fmt.Fprintf(a.out, "the versions cannot be compared: %s\n",
				words.Printable(strings.NewReplacer(old, path, new, path).Replace(err.Error())))
			return err
		}
		return nil
	}
	return cmd
}

func gitMergeCommand(a *Tool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge BASE OURS THEIRS [PATH]",
		Short: "Merge two versions of a file into OURS (called by git)",
		Long: `Merge runs "trowel merge" and replaces OURS by the result. If there are conflicts, it exits with code
1, and git reports that PATH must be finished manually: the conflicting parts are those of OURS.`,
		Example: `  trowel git merge %O %A %B %P`,
		Args:    args(3, 4),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path := args[1]
		if len(args) == 4 {
			path = args[3]
		}
		held, err := a.Hold(cmd.Context(), args[1])
		if err != nil {
			return err
		}
		defer held.Release()
		dir, remove, err := output.Scratch()
		if err != nil {
			return err
		}
		defer remove()
		var games [3]*service.File
		for i, name := range args[:3] {
			// Git's temporary names carry no meaning.
			called := filepath.Join(dir, []string{"base", "ours", "theirs"}[i], filepath.Base(path))
			if err := os.MkdirAll(filepath.Dir(called), 0o700); err != nil {
				return err
			}
			if _, err := copyFile(called, name); err != nil {
				return err
			}
			a.talk.Hide(called, path)
			g, err := a.Find(cmd.Context(), called)
			if err != nil {
				a.talk.Say("%s: cannot be merged: %v", path, err)
				return errFound // git keeps ours and reports a conflict
			}
			defer g.Close()
			games[i] = g
		}
		f := games[1].Format
		if f.Merging == nil || f.Merging.Merge == nil || games[0].Format != f || games[2].Format != f {
			a.talk.Say("%s: cannot be merged: the versions are a %s, a %s and a %s", path, games[0].Title, f.Title, games[2].Title)
			return errFound
		}
		out, err := output.New(args[1], output.Options{Replace: true, Held: held})
		if err != nil {
			return err
		}
		defer out.Discard()
		job, before := a.Job(f, f.Merging.Options...), a.Lost.Load()
		conflicts, err := f.Merging.Merge(cmd.Context(), job, games[0].Source, games[1].Source, games[2].Source, out, merge3.Options{})
		for _, c := range conflicts {
			a.talk.Say("%s: conflict: %s", path, check.Change{Path: c.Path, What: c.What, At: c.At}.String())
		}
		if err != nil {
			return wording.Named(err, path)
		}
		if a.Lost.Load() > before {
			return wording.Hint(fmt.Errorf("%s: a version is incomplete or damaged: nothing was merged", path),
				"`trowel merge -k` merges the readable data")
		}
		if err := out.Commit(); err != nil {
			return err
		}
		if len(conflicts) > 0 {
			a.talk.Say("%s: %s: our side was kept. To finish manually:", path, wording.Count(len(conflicts), "conflict"))
			a.talk.Say("  git show %s > base; git show %s > ours; git show %s > theirs", words.Quoted(":1:"+path),
				words.Quoted(":2:"+path), words.Quoted(":3:"+path))
			a.talk.Say("  trowel merge base ours theirs -o FOLDER")
			return errFound
		}
		return nil
	}
	return needs(cmd, needChanges)
}

func gitCheckCommand(a *Tool) *cobra.Command {
	return needs(&cobra.Command{
		Use:   "check",
		Short: "Check the staged game files",
		Long: `Check reports errors in the staged game files, and in folders in tree form with changed files. The
exit code is 1 if there are errors: as a hook before commits it refuses them.`,
		Example: `  trowel git check`,
		Args:    args(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return gitCheck(cmd.Context(), a) },
	}, needPrograms)
}

func gitCheck(ctx context.Context, a *Tool) error {
	top, err := git(ctx, "", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	top = strings.TrimSpace(top)
	staged, err := git(ctx, top, "diff", "--cached", "--raw", "--no-renames", "-z", "--diff-filter=AMT")
	if err != nil {
		return err
	}
	dir, remove, err := output.Scratch()
	if err != nil {
		return err
	}
	defer remove()
	var names []string
	fields := strings.Split(staged, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		modes, path := strings.Fields(fields[i]), fields[i+1]
		if len(modes) < 2 || !strings.HasPrefix(modes[1], "100") {
			continue // a link or a submodule
		}
		if folder := treeOf(a, top, path); folder != "" {
			if !slices.Contains(names, folder) {
				names = append(names, folder)
			}
			continue
		}
		if !slices.ContainsFunc(a.Formats, func(f *format.Format) bool {
			return slices.ContainsFunc(f.Extensions, func(ext string) bool { _, has := service.CutSuffixFold(path, ext); return has })
		}) {
			continue
		}
		name := filepath.Join(dir, fmt.Sprint(len(names)), filepath.Base(path))
		content, err := git(ctx, top, "show", ":"+path)
		if err == nil && regular.IsPointer([]byte(content)) { // git has only the pointer
			if work := filepath.Join(top, path); service.Exists(work) && regular.CheckPointer(work) == nil {
				names = append(names, work)
			}
			continue
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(name), 0o777)
		}
		if err == nil {
			err = os.WriteFile(name, []byte(content), 0o600)
		}
		if err != nil {
			return err
		}
		a.talk.Hide(name, path)
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil
	}
	c := &checkRun{Tool: a, Files: a.NewFiles(names), min: check.Error, list: terminal.Array{W: a.out},
		known: make(map[string]bool), called: a.talk.Plain}
	return c.run(ctx)
}

// treeOf returns the folder in tree form that contains a file of a clone, or "".
func treeOf(a *Tool, top, path string) string {
	found := ""
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "." && dir != string(filepath.Separator); dir = filepath.Dir(dir) {
		if full := filepath.Join(top, dir); a.IsGame(full) {
			found = full
		}
	}
	return found
}
