package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

func extractCommand(a *Tool) *cobra.Command {
	var o struct {
		Output string `option:"output,o" help:"the new {folder} (default: named after FILE), or the parent folder for several files"`
		Force  bool   `option:"force,f" help:"write into a folder that is not empty"`
	}
	w := &writing{Tool: a, strict: true}
	cmd := &cobra.Command{
		Use:     "extract FILE... [-o FOLDER] [PATTERN...]",
		Aliases: []string{"x", "unpack"},
		Short:   "Extract a file to a folder",
		Long: `Extract writes the contents of a game file to a folder: climb.map becomes climb/ in the current
folder. "trowel pack" builds the file again. Several files get a folder each, inside the folder
of -o.

` + patternHelp + `
An argument that is a game file in the current folder, and not a path in the first FILE, is another
FILE.

` + keepHelp + `

A folder that is not empty is refused unless -f is given: then files of the same names are
replaced, and all others are kept. Names that are not allowed on all systems, or that lead
out of the folder, are changed to safe names; .trowel.json records the original names, and
pack restores them. If PATTERN or an option such as --area selects a part of a file,
.trowel.json also records that part, for "trowel apply".

` + reportHelp,
		Example: `  trowel extract climb.map
  trowel extract climb.map -o /tmp/climb '*.png'
  trowel extract *.map -o trees
  trowel extract - -o climb < climb.map`,
		Args:              args(1, -1),
		ValidArgsFunction: completing(a, completePaths),
	}
	OptionFlags(a, cmd, optionsFor(format.ForTree), w, &w.keep, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		files, patterns := filesAndPatterns(cmd.Context(), a, Expand(args))
		if o.Output == "-" {
			return wording.Hint(errors.New("standard output cannot receive a folder"),
				"`trowel cat %s PATH` prints one of its files", words.Quoted(files[0]))
		}
		from := make(map[string]string) // source file of each folder
		return w.each(cmd.Context(), files, func(name string, r *report) error {
			chosen, err := selectPaths(patterns)
			if err != nil {
				return err
			}
			g, err := openGame(cmd.Context(), a, name)
			if err != nil {
				return err
			}
			defer g.Close()
			to := o.Output
			if to == "" || len(files) > 1 {
				folder := folderName(g)
				if folder == "" {
					return wording.Hint(errors.New("no name given for the folder: standard input has none"), "give one with -o")
				}
				to = filepath.Join(o.Output, folder)
			}
			if other, twice := from[to]; twice {
				return wording.Hint(fmt.Errorf("%s: the output would be %s, as for %s", name, to, other),
					"extract one of them separately, with another -o")
			}
			from[to] = name
			r.format, r.output = g.Name, filepath.Clean(to)
			x := &extraction{Tool: a, report: r, patterns: patterns, file: name, chosen: chosen}
			opts := output.Options{Replace: o.Force, Reads: func() []string { return append(a.Inputs(), g.Reads()...) }}
			return x.extract(cmd.Context(), to, g, opts)
		})
	}
	return needs(cmd, needOutput)
}

// openGame opens the file that the user named. It must be a game file, not a tree form.
func openGame(ctx context.Context, a *Tool, name string) (*service.File, error) {
	src, err := a.Source(ctx, name)
	if err != nil {
		return nil, err
	}
	f, err := a.FormatOf(src, service.Target{})
	if err == nil {
		err = a.Owned(f)
	} else if src.IsDir() {
		if err = fmt.Errorf("%s: %w", name, format.ErrNoTree); a.IsGame(name) {
			err = wording.Hint(fmt.Errorf("%s: is already a folder", name), "`trowel pack %s` builds a file from a folder", words.Quoted(name))
		}
		err = cmp.Or(service.Foreign(name, err), err)
	}
	if err != nil {
		src.Close()
		return nil, err
	}
	return &service.File{Format: f, Called: name, Source: src}, nil
}

// filesAndPatterns splits the arguments of a verb into files and patterns for paths inside them.
func filesAndPatterns(ctx context.Context, a *Tool, args []string) (files, patterns []string) {
	for _, name := range args[1:] {
		src, err := format.OpenSource(name)
		if err == nil {
			_, err = a.Formats.Find(src)
			src.Close()
		}
		if err != nil {
			return args[:1], args[1:]
		}
	}
	if len(args) > 1 {
		if fsys, closer, err := a.Tree(ctx, args[0]); err == nil {
			defer closer.Close()
			for _, name := range args[1:] {
				if _, err := fs.Stat(fsys, path.Clean(filepath.ToSlash(name))); err == nil {
					return args[:1], args[1:]
				}
			}
		}
	}
	return args, nil
}

// folderName returns the name of the folder for an extracted game file: the file name without its extension.
func folderName(g *service.File) string {
	if g.Source.Name == "-" {
		return ""
	}
	name := g.Source.Name
	for _, ext := range g.Extensions {
		if len(name) > len(ext) && strings.EqualFold(name[len(name)-len(ext):], ext) {
			return name[:len(name)-len(ext)]
		}
	}
	if short := strings.TrimSuffix(name, filepath.Ext(name)); short != "" && short != name && !g.Source.IsDir() {
		return short
	}
	return name + ".tree"
}
