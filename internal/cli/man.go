package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) manCommand(root *cobra.Command) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man [-o FOLDER]",
		Short: "Write the manual pages",
		Long: `Man writes the manual pages, one for each verb, into a folder. Without -o it
prints the first one.`,
		Example: `  trowel man -o /usr/local/share/man/man1
  trowel man | man -l -`,
		Args: args(0, 0),
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "the `folder` to write to")
	cmd.RunE = func(*cobra.Command, []string) error {
		// No date: the pages of one version are the same whenever they are made.
		header := &doc.GenManHeader{Section: "1", Source: "Trowel", Manual: "Trowel", Date: new(time.Time)}
		if dir == "" {
			return doc.GenMan(root, header, a.out)
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := doc.GenManTree(root, header, dir); err != nil {
			return err
		}
		a.talk.say("wrote the manual pages to %s", dir)
		return nil
	}
	return cmd
}
