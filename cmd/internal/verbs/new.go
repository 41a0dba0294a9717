package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// newCommands returns the verb that starts files and adds things to folders, if a format declares any.
func newCommands(a *Tool) []*cobra.Command {
	var kinds []*cobra.Command
	add := func(cmd *cobra.Command, kind string) {
		if !slices.ContainsFunc(kinds, func(k *cobra.Command) bool { return k.Name() == kind }) {
			kinds = append(kinds, cmd)
		}
	}
	for _, f := range a.Formats {
		if f.New != nil {
			add(newFileCommand(a, f), f.New.Name)
		}
		for _, c := range editCommands(f) {
			if c.Adds != "" {
				add(newThingCommand(a, f, c), c.Adds)
			}
		}
	}
	if kinds == nil {
		return nil
	}
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name())
	}
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Make a new " + strings.Join(names, ", "),
		Long: `New makes the folder of a small new file that the game loads, or adds things to an existing one.
Its files are texts and pictures for any editor, and "trowel pack" builds the file from them.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return wording.DidYouMean(fmt.Errorf("%s: unknown kind %q", cmd.CommandPath(), args[0]), args[0], names,
				"expected one of %s", strings.Join(names, ", "))
		},
	}
	cmd.AddCommand(kinds...)
	return []*cobra.Command{cmd}
}

// newUse returns the usage of a kind of new things.
func newUse(kind string, c *format.Command) string {
	return kind + strings.TrimPrefix(c.Usage(), c.Name)
}

// stepWords returns the words of a step: the options of the command that the user gave, then its arguments.
func stepWords(a *Tool, c *format.Command, args []string) []string {
	list := []string{c.Name}
	for _, given := range a.Options.Given {
		for _, o := range c.Options {
			if o.Name != given.Name {
				continue
			}
			for _, value := range strings.Split(given.Value, "\n") {
				list = append(list, "--"+o.Name+"="+value)
			}
		}
	}
	return append(append(list, "--"), args...)
}

// newFileCommand returns the command that starts a file of a format.
func newFileCommand(a *Tool, f *format.Format) *cobra.Command {
	w := &writing{Tool: a}
	var o struct {
		Output string `option:"output,o" help:"the new {folder} (default: NAME)"`
	}
	cmd := &cobra.Command{
		Use:   newUse(f.New.Name, f.New) + " [-o FOLDER]",
		Short: f.New.Title,
		Long: f.New.Title + ": a folder NAME in the current folder, or the folder of -o. A folder that is not empty is refused.\n\n" +
			f.New.Long,
		Example: "  trowel new " + f.New.Example,
		Args:    args(1, 1),
	}
	OptionFlags(a, cmd, func(of *format.Format) []format.Option {
		if of != f {
			return nil
		}
		return f.New.Options
	}, w, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir := cmp.Or(o.Output, args[0])
		name := filepath.Base(filepath.Clean(args[0]))
		return w.each(cmd.Context(), []string{dir}, func(dir string, r *report) error {
			r.format = f.Name
			steps, err := format.ParseSteps(r.watch(a.Job(f)), []*format.Command{f.New}, stepWords(a, f.New, []string{name}))
			if err != nil {
				return err
			}
			made, err := f.New.Do.(format.NewTree)(steps[0].Job)
			if err != nil {
				return err
			}
			write := r.write
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				write = r.merge // it may be empty
			}
			err = write(cmd.Context(), dir, output.Options{}, func(out format.Output) error {
				at, err := out.Dir()
				if err != nil {
					return err
				}
				return os.CopyFS(at, made)
			})
			if exists, ok := errors.AsType[*output.ExistsError](err); ok {
				return wording.Hint(exists, "choose another name, or another folder with -o")
			}
			if err == nil {
				r.sayMade("made", "make", dir, true)
				if !r.DryRun {
					r.talk.Say("hint: `trowel pack %s` builds the %s", words.Quoted(dir), f.New.Name)
				}
			}
			return err
		})
	}
	return needs(cmd, needChanges)
}

// newThingCommand returns the command that adds a kind of thing to a folder by an operation.
func newThingCommand(a *Tool, f *format.Format, c *format.Command) *cobra.Command {
	e := &editing{writing: &writing{Tool: a, first: []string{"changes"}}}
	usage := newUse(c.Adds, c)
	cmd := &cobra.Command{
		Use:   strings.Replace(usage, c.Adds, c.Adds+" FOLDER", 1),
		Short: c.Title,
		Long: fmt.Sprintf("%s, in the FOLDER of a %s. It is the same as \"trowel edit FOLDER -o NEW -- %s\", but adds to FOLDER itself: only "+
			"files that change are written.\n\n%s", c.Title, f.Title, c.Name, c.Long),
		Example: "  trowel new " + c.Adds + " FOLDER" + strings.TrimPrefix(c.Example, c.Name),
		Args:    args(2, -1),
	}
	e.own = cmd.Flags()
	OptionFlags(a, cmd, func(of *format.Format) []format.Option {
		if of != f {
			return nil
		}
		return slices.Concat(c.Options, f.Editing.Options)
	}, e.writing)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		e.words = stepWords(a, c, args[1:])
		a.Options.Given = slices.DeleteFunc(a.Options.Given, func(g service.Given) bool {
			return slices.ContainsFunc(c.Options, func(o format.Option) bool { return o.Name == g.Name })
		})
		return e.each(cmd.Context(), args[:1], func(name string, r *report) error {
			return asLacking(e.addTo(cmd.Context(), name, c, r))
		})
	}
	return needs(cmd, needChanges)
}

// addTo adds a thing to a folder in tree form.
func (e *editing) addTo(ctx context.Context, name string, c *format.Command, r *report) error {
	g, err := e.FindTarget(ctx, e.asTarget(name))
	if err != nil {
		return err
	}
	defer g.Close()
	if !slices.Contains(editCommands(g.Format), c) {
		return fmt.Errorf("%s: a %s has no %s", name, g.Title, c.Adds)
	}
	if g.Tree == nil {
		return wording.Hint(fmt.Errorf("%s: is not a folder made by `trowel new` or `trowel extract`", name),
			"`trowel edit %s -- %s` makes a changed file", words.Quoted(name), c.Name)
	}
	if err := e.Owned(g.Format, g.Editing.Options...); err != nil {
		return err
	}
	r.format = g.Name
	f := &fileEdit{editing: e, report: r, game: g, job: r.watch(e.Job(g.Format, g.Editing.Options...))}
	f.job.OnlyChanged = true
	if f.steps, err = e.steps(ctx, f.job, g.Format); err != nil {
		return err
	}
	e.decideLacks(f.steps, g.Called, f.job)
	opts := output.Options{Replace: true, Reads: func() []string { return append(e.Inputs(), inputsOf(f.steps)...) }}
	if err := r.merge(ctx, name, opts, func(out format.Output) error { return f.apply(ctx, out) }); err != nil {
		return wording.Named(err, name)
	}
	r.printDone("added the "+c.Adds+" to", "add the "+c.Adds+" to", "%s%c", filepath.Clean(name), filepath.Separator)
	return nil
}
