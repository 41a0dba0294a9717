package verbs

import (
	"slices"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/lsp"
	"trowel.example/cmd/internal/service"
	"trowel.example/internal/format"
)

func lspCommand(a *Tool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Help a text editor with game files in folders",
		Long: `Lsp is a language server: a text editor starts it and asks it, over standard input and output, about
the texts of folders that extract made, or that the game's editor works on. It finds problems while
you type, completes keys and values, describes what the cursor is on, and finds where a thing is
defined.

docs/lsp.md shows how to set up editors. --base adds the game's own files.`,
		Example: `  trowel lsp
  trowel lsp --base ~/torchlight2/PAKS/DATA.PAK`,
		Args: args(0, 0),
	}
	OptionFlags(a, cmd, func(f *format.Format) []format.Option {
		if f.Authoring == nil {
			return nil
		}
		return slices.DeleteFunc(f.OptionsFor(format.ForCheck), func(o format.Option) bool { return o.Secret })
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		for _, f := range a.Formats { // an editor shows errors at the start, and those of a folder only in a log
			for _, o := range f.Options {
				name, given := a.Options.Value(o.Name)
				if !given || !o.Input || f.Authoring == nil {
					continue
				}
				src, err := format.OpenSource(name)
				if err != nil {
					return service.NotThere(name, err)
				}
				src.Close()
			}
		}
		return lsp.Serve(cmd.Context(), a.Service, a.In, a.stdout)
	}
	return needs(cmd, needAnyFile)
}
