package verbs

import (
	"fmt"
	"io/fs"
	"strconv"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/treediff"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// patternHelp explains patterns. Several verbs use it.
const patternHelp = `A PATTERN with a slash matches whole paths, one without a slash matches the name of any file or
folder: *.png, images, groups/*/quads*, **/layer.json. A folder includes all of its contents.`

func lsCommand(a *Tool) *cobra.Command {
	var long, asJSON bool
	cmd := &cobra.Command{
		Use:     "ls FILE [PATTERN...]",
		Aliases: []string{"list"},
		Short:   "List the contents of a file",
		Long: `Ls lists the files inside a game file, one path on each line. It does not read their contents, and
walks folders of a million files page by page.

` + patternHelp + `

With -l each line has the number of bytes in the game file ("-" if unknown), the path, and a note.
With --json it prints an array of {path, stored, note}; stored is omitted if unknown.`,
		Example: `  trowel ls climb.map
  trowel ls -l climb.map images
  trowel ls climb.map '*.png' '*.opus'`,
		Args:              args(1, -1),
		ValidArgsFunction: completing(a, completePaths),
	}
	cmd.Flags().BoolVarP(&long, "long", "l", false, "with stored sizes and notes")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	OptionFlags(a, cmd, optionsFor(format.ForTree))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		startPager(a)
		chosen, err := selectPaths(args[1:])
		if err != nil {
			return err
		}
		fsys, closer, err := a.Tree(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer closer.Close()
		list := terminal.Array{W: a.out}
		err = treediff.Walk(cmd.Context(), fsys, ".", func(name string, e fs.DirEntry) error {
			if e.IsDir() || !chosen.has(name) {
				return nil
			}
			switch meta := treediff.Meta(e.Info()); {
			case asJSON:
				return list.Add(listed(name, meta))
			case long:
				stored := "-"
				if meta.Stored >= 0 {
					stored = strconv.FormatInt(meta.Stored, 10)
				}
				note := ""
				if meta.Note != "" {
					note = "  (" + words.Printable(meta.Note) + ")"
				}
				_, err := fmt.Fprintf(a.out, "%10s  %s%s\n", stored, words.Printable(name), note)
				return err
			}
			_, err := fmt.Fprintln(a.out, words.Printable(name))
			return err
		})
		if err != nil {
			return wording.Named(err, args[0])
		}
		if asJSON {
			if err := list.End(); err != nil {
				return err
			}
		}
		return chosen.unused(args[0])
	}
	return needs(cmd, needPager)
}

func listed(name string, meta tree.Meta) terminal.Object {
	o := terminal.Object{{"path", name}}
	if meta.Stored >= 0 {
		o = append(o, terminal.Member{"stored", meta.Stored})
	}
	return append(o, terminal.Member{"note", meta.Note})
}
