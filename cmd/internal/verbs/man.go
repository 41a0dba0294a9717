package verbs

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
)

func manCommand(a *Tool, root *cobra.Command) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man [-o FOLDER]",
		Short: "Write the manual pages",
		Long: `Man writes the manual pages into a folder: one for each verb, operation and query. Without -o it
prints the page of trowel.`,
		Example: `  trowel man -o /usr/local/share/man/man1
  trowel man | man -l -`,
		Args: args(0, 0),
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "the `folder` to write to")
	cmd.RunE = func(*cobra.Command, []string) error {
		// The date is that of the version, so the pages of a version are always identical.
		b := service.Built()
		header := &doc.GenManHeader{Section: "1", Source: "Trowel " + b.Version, Manual: "Trowel", Date: &b.Date}
		forEach(root, func(cmd *cobra.Command) {
			cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) { // man pages do not group flags
				if games := flag.Annotations[gameNote]; games != nil {
					flag.Usage += " (" + strings.Join(games, ", ") + ")"
					delete(flag.Annotations, gameNote) // flags are shared between verbs
				}
			})
		})
		for verb, of := range verbCommands {
			if cmd, _, err := root.Find([]string{verb}); err == nil {
				var list strings.Builder
				p := &helpPage{a, &list, terminal.Screen{Width: usualWidth}}
				p.commandList(a.Formats, of)
				cmd.Long += "\n\nEach " + commandKinds[verb].one + " has a page: trowel-" + verb + "-NAME(1).\n\n" + indented(list.String())
			}
		}
		if dir == "" {
			return doc.GenMan(root, header, a.out)
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := doc.GenManTree(root, header, dir); err != nil {
			return err
		}
		if err := writeCommandPages(a.Formats, header, dir); err != nil {
			return err
		}
		a.talk.Say("wrote the manual pages to %s", dir)
		return nil
	}
	return needs(cmd, needOutput)
}

// indented returns a text as a block that Markdown keeps line by line.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ")
}

// forEach calls visit for all verbs.
func forEach(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		forEach(sub, visit)
	}
}
