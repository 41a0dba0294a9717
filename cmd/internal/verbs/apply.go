package verbs

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

func applyCommand(a *Tool) *cobra.Command {
	e := &editing{writing: &writing{Tool: a, first: []string{"changes"}}}
	var prefer string
	var remove bool
	cmd := &cobra.Command{
		Use:   "apply FOLDER FILE [-o NEW | --in-place]",
		Short: "Put a piece back that extract took out and somebody edited",
		Long: `Apply puts into FILE what was changed in FOLDER since "trowel extract FILE PATTERN" or
"trowel extract FILE -o FOLDER --area ..." made it. All else in FILE stays as it is.

FOLDER knows what it took out. If FILE has changed since then in the same place, nothing
is put back: the places are told, and the exit code is 1, unless --prefer says which of
the two counts. What was removed from FOLDER stays in FILE, and is told, without --delete.

It is "trowel edit FILE -- apply FOLDER", and the output goes where edit puts it, with the
same reports.`,
		Example: `  trowel extract climb.map -o piece 'groups/Game/*'
  trowel apply piece climb.map -o new.map
  trowel apply piece climb.map --in-place --dry-run`,
		Args: args(2, 2),
	}
	e.placeFlags(cmd)
	cmd.Flags().StringVar(&prefer, "prefer", "", "what counts where both have changed: folder or file")
	_ = cmd.RegisterFlagCompletionFunc("prefer", cobra.FixedCompletions([]string{"folder", "file"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&remove, "delete", false, "remove from FILE what was removed from FOLDER")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		folder, file := args[0], args[1]
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			if other, err := os.Stat(file); err == nil && other.IsDir() && service.Exists(folder) {
				return wording.Hint(errors.New(folder+": is no folder"), "the folder comes first: `%s %s %s`", cmd.CommandPath(), file, folder)
			}
			if err == nil {
				return errors.New(folder + ": is no folder")
			}
			return service.NotThere(folder, err)
		}
		e.words = []string{format.ApplyCommand.Name}
		if prefer != "" {
			e.words = append(e.words, "--prefer="+prefer)
		}
		if remove {
			e.words = append(e.words, "--delete")
		}
		e.words = append(e.words, "--", folder)
		if err := e.agree(cmd, args[1:]); err != nil {
			return err
		}
		from := make(map[string]string)
		return e.each(cmd.Context(), args[1:], func(name string, r *report) error { return e.edit(cmd, name, from, r) })
	}
	return cmd
}
