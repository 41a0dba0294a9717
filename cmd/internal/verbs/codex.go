package verbs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
)

// codexCommand returns the verb that describes mods of a game for players.
func codexCommand(a *Tool, game *format.Game) *cobra.Command {
	m := &codexMaker{writing: &writing{Tool: a}, game: game}
	cmd := &cobra.Command{
		Use:   "codex MOD... -o FOLDER",
		Short: "Make a site of every item, monster and drop of mods",
		Long: `Codex makes a static site for players of ` + game.Codex.Title + `: the items, monsters, sets, affixes, skills,
recipes and places of mods, with their values at any level, and what drops what with which chance.
Any web server shows it, without a program. Guessed values have a footnote.

Several mods are read in the order of the launcher: the later wins. Each is a mod, an archive or a
folder. --base names the game's own files, a folder or an archive; without it, and with only a part
of the game's files, what is missing is listed on the page of holes, with file and line, and never
shown as a chance of 0 %.

Pages of items and monsters show their model, which turns; --no-models omits it.

--public omits internal names, paths of files and the page of holes. --language adds the texts of a
folder of MEDIA/TRANSLATIONS; it can be given several times.

A folder is replaced only with -f, and only if codex made it. With --json the data is printed, and no
site is made: docs/codex.md describes it.`,
		Example: `  trowel codex WOLVES.MOD --base DATA.PAK -o www
  trowel codex FIRST.MOD SECOND.MOD --language DE --public -o www
  trowel codex WOLVES.MOD --json
  python3 -m http.server -d www`,
		Args: args(1, -1),
	}
	Bind(a, cmd, m)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case m.Data && m.Output != "":
			return errors.New("--json prints the data, -o makes a site: give one of them")
		case !m.Data && m.Output == "":
			return wording.Hint(errors.New("no name given for the new folder"), "give it with -o, or print the data with --json")
		case m.Output == "-":
			return errors.New("standard output cannot receive a folder")
		}
		args = Expand(args)
		m.Program = service.Program()
		return m.each(cmd.Context(), args[:1], func(_ string, r *report) error {
			r.merged, r.format = args, "codex"
			return m.make(cmd.Context(), r, args)
		})
	}
	return needs(cmd, needOutput)
}

// codexMaker makes the codex of mods.
type codexMaker struct {
	Output string `option:"output,o" help:"the new {folder}"`
	Force  bool   `option:"force,f" help:"replace an existing folder that this verb made"`
	Data   bool   `option:"json" help:"print the data as JSON, and make no site"`

	format.CodexOptions
	*writing
	game *format.Game
}

func (m *codexMaker) make(ctx context.Context, r *report, mods []string) error {
	job := r.watch(m.Job(m.game.Formats[0]))
	codex, err := m.game.Codex.Open(ctx, job, mods, m.CodexOptions)
	if err != nil {
		return err
	}
	defer codex.Close()
	if m.Data {
		return codex.JSON(ctx, m.out)
	}
	if m.Force {
		if earlier, closer, err := service.OpenFolder(m.Output, nil); err == nil {
			defer closer.Close()
			job.Over = earlier
		}
	}
	opts := output.Options{
		Replace: m.Force,
		Replaces: func(path string) error {
			if err := m.game.Codex.Owns(path); err != nil {
				return fmt.Errorf("%w: %w", output.ErrKind, err)
			}
			return nil
		},
		Reads: func() []string {
			if m.Base != "" {
				return append(slices.Clone(mods), m.Base)
			}
			return mods
		},
	}
	err = r.write(ctx, m.Output, opts, func(out format.Output) error {
		to, err := out.Dir()
		if err != nil {
			return err
		}
		return codex.Write(ctx, job, to)
	})
	if err == nil {
		r.sayMade("wrote", "write", filepath.Clean(m.Output), true)
	}
	return err
}
