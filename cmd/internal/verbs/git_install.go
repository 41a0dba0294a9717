package verbs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/host"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// gitConfig returns the git settings for the tool.
func gitConfig(program string) [][2]string {
	return [][2]string{
		{"diff.trowel.textconv", program + " git textconv"},
		{"diff.trowel.cachetextconv", "false"},
		{"diff.trowel.command", program + " git diff"},
		{"diff.trowel.binary", "true"},
		{"merge.trowel.name", "parts of game files"},
		{"merge.trowel.driver", program + " git merge %O %A %B %P"},
		{"difftool.trowel.cmd", program + ` diff "$LOCAL" "$REMOTE"`},
	}
}

// gitAttributes returns the lines of .gitattributes for the files that the tool handles. The patterns match
// their extensions in any case.
func gitAttributes(a *Tool) []string {
	var lines []string
	for _, f := range a.Formats {
		if f.Folder || f.Common {
			continue
		}
		for _, ext := range f.Extensions {
			pattern := "*"
			for _, r := range ext {
				if unicode.IsLetter(r) {
					pattern += "[" + string(unicode.ToLower(r)) + string(unicode.ToUpper(r)) + "]"
				} else {
					pattern += string(r)
				}
			}
			line := pattern + " -text diff=trowel"
			if slices.ContainsFunc(a.Formats, func(other *format.Format) bool {
				return other.Merging != nil && other.Merging.Merge != nil && slices.Contains(other.Extensions, ext)
			}) {
				line += " merge=trowel"
			}
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

const gitMark = "# game files, by trowel git install"

// hook is the script that runs before each commit.
const hook = `#!/bin/sh
# Refuses to commit game files that are broken. Made by trowel git install --hook.
exec %s git check
`

func gitInstallCommand(a *Tool) *cobra.Command {
	var onlyPrint, withHook bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Configure git for game files",
		Long: `Install adds lines to .gitattributes, which all members of the project share, and settings to the
configuration of this clone, which is not shared; so every member runs it once. With --hook,
"trowel git check" runs before each commit. Backups of changes in place are ignored in this clone.
Existing lines and hooks are kept, and a second run changes nothing. With --print nothing is written.`,
		Example: `  trowel git install
  trowel git install --hook
  trowel git install --print`,
		Args: args(0, 0),
	}
	cmd.Flags().BoolVar(&onlyPrint, "print", false, "print what would be written, and write nothing")
	cmd.Flags().BoolVar(&withHook, "hook", false, "check files before each commit")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx := cmd.Context()
		program := "trowel"
		if _, err := host.FindProgram(program); err != nil {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			program = words.QuotedFor("unix", filepath.ToSlash(self)) // git runs the hook in its own shell
		}
		attributes := gitMark + "\n" + strings.Join(gitAttributes(a), "\n") + "\n"
		if onlyPrint {
			fmt.Fprintf(a.out, "# .gitattributes\n%s\n# configuration\n", attributes)
			for _, c := range gitConfig(program) {
				fmt.Fprintf(a.out, "git config %s %s\n", c[0], words.Quoted(c[1]))
			}
			if withHook {
				fmt.Fprintf(a.out, "\n# .git/hooks/pre-commit\n"+hook, program)
			}
			return nil
		}
		top, err := git(ctx, "", "rev-parse", "--show-toplevel")
		if err != nil {
			return wording.Hint(fmt.Errorf("not a git repository: %w", err), "run it in the folder of the project, or with --print")
		}
		top = strings.TrimSpace(top)
		if err := addAttributes(a, filepath.Join(top, ".gitattributes"), attributes); err != nil {
			return err
		}
		for _, c := range gitConfig(program) {
			if _, err := git(ctx, top, "config", "--local", c[0], c[1]); err != nil {
				return err
			}
		}
		if err := excludeBackups(ctx, top); err != nil {
			return err
		}
		a.talk.Say("configured this clone: git calls %s for game files", program)
		if withHook {
			return addHook(a, ctx, top, fmt.Sprintf(hook, program))
		}
		return nil
	}
	return needs(cmd, needAll)
}

// backupPattern matches the backups next to files.
const backupPattern = "*.backup-[0-9]*"

// excludeBackups makes git ignore backups in this clone.
func excludeBackups(ctx context.Context, top string) error {
	path, err := gitPath(ctx, top, "info/exclude")
	if err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if slices.Contains(strings.Fields(string(old)), backupPattern) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	text := string(old)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return writeWhole(path, text+backupPattern+"\n")
}

// gitPath returns the path of a file or folder of a clone.
func gitPath(ctx context.Context, top, name string) (string, error) {
	path, err := git(ctx, top, "rev-parse", "--git-path", name)
	if path = filepath.FromSlash(strings.TrimSpace(path)); !filepath.IsAbs(path) {
		path = filepath.Join(top, path)
	}
	return path, err
}

// writeWhole writes a text to a file, or replaces the file, as a whole.
func writeWhole(path, text string) error {
	out, err := output.New(path, output.Options{Replace: true})
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := format.Write(out, []byte(text)); err != nil {
		return err
	}
	return out.Commit()
}

// addAttributes writes lines to .gitattributes. They replace the lines of an earlier run or are added at the
// end.
func addAttributes(a *Tool, path, lines string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := string(old)
	if strings.Contains(text, "\r\n") {
		lines = strings.ReplaceAll(lines, "\n", "\r\n")
	}
	before, rest, found := strings.Cut(text, gitMark)
	if found {
		_, rest, _ = strings.Cut(rest, "\n")
		for rest != "" && strings.HasPrefix(rest, "*.") {
			line, after, _ := strings.Cut(rest, "\n")
			if !strings.Contains(line, "=trowel") {
				break
			}
			rest = after
		}
	} else if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	if text == before+lines+rest {
		a.talk.Say("%s already has the lines for game files", path)
		return nil
	}
	if err := writeWhole(path, before+lines+rest); err != nil {
		return err
	}
	a.talk.Say("wrote %s: commit it to share it", path)
	return nil
}

// addHook writes the hook, unless a hook exists.
func addHook(a *Tool, ctx context.Context, top, text string) error {
	dir, err := gitPath(ctx, top, "hooks")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	path := filepath.Join(dir, "pre-commit")
	if old, err := os.ReadFile(path); err == nil {
		if string(old) == text {
			return nil
		}
		return wording.Hint(fmt.Errorf("%s: keeping the existing hook", path), "add the line `trowel git check` to it")
	}
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		return err
	}
	a.talk.Say("wrote %s", path)
	return nil
}
