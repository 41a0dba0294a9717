package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"trowel/format"
)

func (a *app) formatsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "List the formats that are known",
		Long: `Formats lists the formats that trowel knows, and what it can do with each.

With --json it prints an array of {name, title, extensions, folder, can,
convertsTo, doc}.`,
		Example: `  trowel formats
  trowel formats --json`,
		Args: args(0, 0),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = func(*cobra.Command, []string) error {
		if asJSON {
			list := jsonArray{w: a.out}
			for _, f := range a.formats {
				if err := list.add(object{
					{"name", f.Name}, {"title", f.Title}, {"extensions", append([]string{}, f.Extensions...)},
					{"folder", f.Folder}, {"can", abilities(f)}, {"convertsTo", targets(f)}, {"doc", f.Doc},
				}); err != nil {
					return err
				}
			}
			return list.end()
		}
		w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "NAME\tFORMAT\tEXTENSIONS\tCAN")
		for _, f := range a.formats {
			can := strings.Join(abilities(f), ", ")
			if to := targets(f); len(to) > 0 {
				can += ", convert to " + strings.Join(to, " or ")
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.Name, f.Title, strings.Join(f.Extensions, " "), can)
		}
		return w.Flush()
	}
	return cmd
}

// abilities returns what can be done with files of a format.
func abilities(f *format.Format) []string {
	can := []string{"open"}
	if f.Build != nil {
		can = append(can, "build")
	}
	if len(f.Kinds) > 0 {
		can = append(can, "check")
	}
	if f.Dump != nil {
		can = append(can, "dump")
	}
	return can
}

func targets(f *format.Format) []string {
	to := []string{}
	for _, c := range f.Conversions {
		to = append(to, c.To)
	}
	return to
}
