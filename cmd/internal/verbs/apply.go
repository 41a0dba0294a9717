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
	e := &editing{writing: &writing{Tool: a, strict: true, first: []string{"changes"}}}
	var o struct {
		Prefer string `option:"prefer" choices:"folder|file" help:"the side to use where both have changed: folder or file"`
		Delete bool   `option:"delete" help:"remove parts from FILE that were removed from FOLDER"`
	}
	cmd := &cobra.Command{
		Use:   "apply FOLDER FILE [-o NEW | --in-place]",
		Short: "Put an edited extract back into its file",
		Long: `Apply writes the changes made in FOLDER since "trowel extract FILE PATTERN" or
"trowel extract FILE -o FOLDER --area ..." into FILE. Everything else in FILE is unchanged.

FOLDER records the extracted content. If FILE has changed in the same place since then, apply
writes nothing, reports the places and exits with code 1, unless --prefer chooses a side. Without
--delete, parts removed from FOLDER stay in FILE and are reported.

Apply is the same as "trowel edit FILE -- apply FOLDER", with the same output and reports.`,
		Example: `  trowel extract climb.map -o piece 'groups/Game/*'
  trowel apply piece climb.map -o new.map
  trowel apply piece climb.map --in-place --dry-run`,
		Args: args(2, 2),
	}
	e.placeFlags(cmd)
	Bind(a, cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		folder, file := args[0], args[1]
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			if other, err := os.Stat(file); err == nil && other.IsDir() && service.Exists(folder) {
				return wording.Hint(errors.New(folder+": is not a folder"), "the folder comes first: `%s %s %s`", cmd.CommandPath(), file, folder)
			}
			if err == nil {
				return errors.New(folder + ": is not a folder")
			}
			return service.NotThere(folder, err)
		}
		e.words = []string{format.ApplyName}
		if o.Prefer != "" {
			e.words = append(e.words, "--prefer="+o.Prefer)
		}
		if o.Delete {
			e.words = append(e.words, "--delete")
		}
		e.words = append(e.words, "--", folder)
		if err := e.agree(cmd, args[1:]); err != nil {
			return err
		}
		from := make(map[string]string)
		return e.each(cmd.Context(), args[1:], func(name string, r *report) error { return e.edit(cmd.Context(), name, from, r) })
	}
	return needs(cmd, needOutput, needPlace)
}
