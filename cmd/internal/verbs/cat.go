package verbs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/treediff"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

func catCommand(a *Tool) *cobra.Command {
	var exact bool
	cmd := &cobra.Command{
		Use:   "cat FILE [PATH...]",
		Short: "Print a file from inside a game file",
		Long: `Cat prints files from inside a game file, one after the other. PATH may be omitted if there is
only one.

A PATH may be in any case, if only one file matches, and may have backslashes. Text in UTF-16 is
printed in UTF-8; --exact prints exactly the bytes that "trowel extract" would write.`,
		Example: `  trowel cat climb.map map.json
  trowel cat climb.map images/grass.png > grass.png
  trowel cat better.mod media/skills/leap.dat`,
		Args:              args(1, -1),
		ValidArgsFunction: completing(a, completePaths),
	}
	cmd.Flags().BoolVar(&exact, "exact", false, "print text in its stored encoding")
	OptionFlags(a, cmd, optionsFor(format.ForTree))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		fsys, closer, err := a.Tree(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer closer.Close()
		names := args[1:]
		if len(names) == 0 {
			if names, err = onlyFile(cmd.Context(), fsys, args[0]); err != nil {
				return err
			}
		}
		for _, wanted := range names {
			name, err := lookUp(cmd.Context(), fsys, args[0], wanted)
			if err != nil {
				return err
			}
			data, err := fs.ReadFile(fsys, name)
			if err != nil {
				return wording.Named(err, args[0])
			}
			if text, ok := treediff.Text(data); ok && !exact {
				data = text
			}
			if _, err := a.out.Write(data); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// onlyFile returns the path of the only file of a tree, not counting its sidecar.
func onlyFile(ctx context.Context, fsys fs.FS, file string) ([]string, error) {
	var names []string
	err := treediff.Walk(ctx, fsys, ".", func(name string, e fs.DirEntry) error {
		if !e.IsDir() && name != tree.Sidecar {
			names = append(names, name)
		}
		if len(names) > 1 {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil && err != fs.SkipAll {
		return nil, wording.Named(err, file)
	}
	if len(names) != 1 {
		return nil, wording.Hint(fmt.Errorf("%s: contains several files: name one of them", file),
			"`trowel ls %s` lists them", words.Quoted(file))
	}
	return names, nil
}

// lookUp finds the path of the file that the user asked for.
func lookUp(ctx context.Context, fsys fs.FS, file, wanted string) (string, error) {
	for _, name := range []string{wanted, path.Clean(strings.ReplaceAll(wanted, `\`, "/"))} {
		if !fs.ValidPath(name) {
			continue
		}
		info, err := fs.Stat(fsys, name)
		if err == nil && info.IsDir() {
			return "", wording.Hint(fmt.Errorf("%s: %s is a folder", file, name), "`trowel ls %s` lists it", words.Quoted(file, name))
		}
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", wording.Named(err, file)
		}
	}
	return guess(ctx, fsys, file, path.Clean(strings.ReplaceAll(wanted, `\`, "/")))
}

// guess searches for a path that is similar to the wanted one or differs from it only in case.
func guess(ctx context.Context, fsys fs.FS, file, wanted string) (string, error) {
	const enough = 100_000 // in a larger tree, the best path so far is good enough
	var same []string
	near, least, seen := "", 1+len(wanted)/3, 0
	err := treediff.Walk(ctx, fsys, ".", func(name string, e fs.DirEntry) error {
		if seen++; seen > enough {
			return fs.SkipAll
		}
		if e.IsDir() {
			return nil
		}
		if strings.EqualFold(name, wanted) {
			same = append(same, name)
		}
		if d := wording.Distance(name, wanted, least); d < least {
			near, least = name, d
		} else if path.Base(name) == path.Base(wanted) && near == "" {
			near = name
		}
		return nil
	})
	switch {
	case err != nil && err != fs.SkipAll:
		return "", wording.Named(err, file)
	case len(same) == 1:
		return same[0], nil
	case len(same) > 1:
		return "", wording.Hint(fmt.Errorf("%s: %s is the name of %s in different case", file, wanted,
			wording.Count(len(same), "file")), "%s", strings.Join(same, ", "))
	}
	err = fmt.Errorf("%s: contains no %s", file, wanted)
	if near != "" {
		return "", wording.Hint(err, "did you mean %s?", near)
	}
	return "", wording.Hint(err, "`trowel ls %s` lists the contents", words.Quoted(file))
}

// completePaths is the shell completion of the FILE argument and of the paths inside that file.
func completePaths(a *Tool, cmd *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	none := cobra.ShellCompDirectiveNoFileComp
	if cmd.Name() == "extract" { // extract accepts several files
		none = cobra.ShellCompDirectiveDefault
	}
	if args[0] == "-" {
		return nil, none
	}
	// Complete one level at a time, as the shell does for files.
	dir := path.Dir(start + "x")
	found := gather(cmd.Context(), func(ctx context.Context, add func(string)) {
		fsys, closer, err := a.Tree(cmd.Context(), args[0])
		if err != nil {
			return
		}
		defer closer.Close()
		n := 0
		_ = treediff.Walk(ctx, fsys, dir, func(name string, e fs.DirEntry) error {
			if strings.HasPrefix(name, start) {
				if n++; e.IsDir() {
					add(name + "/")
				} else {
					add(name)
				}
			}
			switch {
			case n == treediff.PageSize:
				return fs.SkipAll
			case e.IsDir():
				return fs.SkipDir
			}
			return nil
		})
	})
	directive := cobra.ShellCompDirectiveNoFileComp
	switch {
	case len(found) == 0:
		return nil, none
	case slices.ContainsFunc(found, func(name string) bool { return strings.HasSuffix(name, "/") }):
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return found, directive
}
