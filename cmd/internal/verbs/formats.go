package verbs

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/terminal"
	"trowel.example/internal/format"
)

func formatsCommand(a *Tool) *cobra.Command {
	var o jsonOption
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "List the supported formats",
		Long: `Formats lists the supported formats, and what trowel can do with each.

With --json it prints an array of {name, title, extensions, folder, can,
convertsTo, doc}.`,
		Example: `  trowel formats
  trowel formats --json`,
		Args: args(0, 0),
	}
	Bind(a, cmd, &o)
	cmd.RunE = func(*cobra.Command, []string) error {
		startPager(a)
		if o.AsJSON {
			list := terminal.Array{W: a.out}
			for _, f := range a.Formats {
				if err := list.Add(terminal.Object{
					{"name", f.Name}, {"title", f.Title}, {"extensions", append([]string{}, f.Extensions...)},
					{"folder", f.Folder}, {"can", abilities(f)}, {"convertsTo", targets(f)}, {"doc", f.Doc},
				}); err != nil {
					return err
				}
			}
			return list.End()
		}
		return printFormats(a)
	}
	return needs(cmd, needNothing)
}

// printFormats prints a table. If the table is wider than the screen, its last column continues on the next
// lines.
func printFormats(a *Tool) error {
	rows := [][]string{{"NAME", "FORMAT", "EXTENSIONS", "CAN"}}
	for _, f := range a.Formats {
		can := strings.Join(abilities(f), ", ")
		if to := targets(f); len(to) > 0 {
			can += ", convert to " + strings.Join(to, " or ")
		}
		rows = append(rows, []string{f.Name, f.Title, strings.Join(f.Extensions, " "), can})
	}
	widths := make([]int, len(rows[0])-1)
	indent := 0
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i])+2)
		}
		indent += widths[i]
	}
	narrow := a.screen.Width > 0 && a.screen.Width < indent+len("convert to ")+20
	for i, row := range rows {
		line := ""
		last := len(row) - 1
		for j, cell := range row[:last] {
			line += cell + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell))
		}
		switch {
		case !narrow:
			line += a.screen.Wrapped(row[last], indent, indent)
		case i == 0:
			line = "NAME: FORMAT (EXTENSIONS)\n    CAN"
		default: // too narrow for a table
			line = row[0] + ": " + row[1]
			if row[2] != "" {
				line += " (" + row[2] + ")"
			}
			line = a.screen.Wrapped(line, 0, 4) + "\n    " + a.screen.Wrapped(row[last], 4, 4)
		}
		if _, err := fmt.Fprintln(a.out, line); err != nil {
			return err
		}
	}
	return nil
}

// abilities returns the operations that a format supports.
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
	if f.Repair != nil {
		can = append(can, "repair")
	}
	if f.Scene != nil {
		can = append(can, "render")
	}
	if f.Finder != nil {
		can = append(can, "find")
	}
	if f.Editing != nil {
		can = append(can, "edit")
	}
	if f.Merging != nil {
		can = append(can, "merge")
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
