package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
)

// intoHelp explains --into.
const intoHelp = `With --into an existing file changes in place: "trowel %[1]s FILE --into OLD --box ..." is the same as
"trowel edit OLD --in-place -- %[2]s FILE --box ...", with its backup and its report, and
"trowel help %[2]s" explains it.`

// putting is one run of a verb with --into: a command of edit changes an existing file.
type putting struct {
	*editing
	verb    *conversions
	command *format.Command
	into    string
	only    []string // names of the options that require --into
	never   []string // names of the options of the conversion that --into excludes

	asPlan  bool
	planned *format.Plan // nil: the conversion has no plans
	direct  []string     // names of the options that --plan excludes
}

// intoFlags adds --into to the verb of a conversion of format f that has a command for it. The options of the command
// become flags of the verb.
func intoFlags(v *conversions, cmd *cobra.Command, f *format.Format, c *format.Conversion) {
	target := v.Formats[slices.IndexFunc(v.Formats, func(f *format.Format) bool { return f.Name == c.To })].Editing
	p := &putting{editing: &editing{writing: v.writing, InPlace: true, own: cmd.Flags()}, verb: v}
	p.command = target.Commands[slices.IndexFunc(target.Commands, func(k *format.Command) bool { return k.Name == c.Into })]
	options := slices.Concat(p.command.Options, target.Options)
	for _, o := range options {
		if cmd.Flags().Lookup(o.Name) == nil {
			p.only = append(p.only, o.Name)
		}
	}
	for _, o := range c.Options {
		if !slices.ContainsFunc(p.command.Options, func(x format.Option) bool { return x.Name == o.Name }) {
			p.never = append(p.never, o.Name)
		}
	}
	cmd.Use = strings.Replace(cmd.Use, "[-o FILE]", "[-o FILE | --into OLD]", 1)
	if p.planned = c.Plan; p.planned != nil {
		for _, o := range target.Options {
			p.direct = append(p.direct, o.Name)
		}
		cmd.Use = strings.Replace(cmd.Use, "--into OLD]", "--into OLD [--plan [-o FILE]]]", 1)
		cmd.Flags().BoolVar(&p.asPlan, "plan", false, "instead of changing the file of --into, write a plan for the program that has it open")
	}
	cmd.Flags().StringVar(&p.into, "into", "", "the existing `file` to change in place")
	cmd.Flags().StringVar(&p.Backup, "backup", "", "the `file` for the backup of --into (default: next to it)")
	OptionFlags(v.Tool, cmd, func(of *format.Format) []format.Option {
		if of != f {
			return nil
		}
		return options
	})
	cmd.Long += "\n\n" + fmt.Sprintf(intoHelp, v.verb, p.command.Name)
	if p.planned != nil {
		cmd.Long += "\n\n" + p.planned.Help
	}
	convert := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := p.agree(args); err != nil {
			return err
		}
		if p.into == "" {
			return convert(cmd, args)
		}
		if p.asPlan {
			return p.each(cmd.Context(), args, func(name string, r *report) error { return p.plan(cmd.Context(), name, r) })
		}
		return p.put(cmd.Context(), args[0])
	}
}

// agree returns an error if the options contradict each other.
func (p *putting) agree(files []string) error {
	switch {
	case p.into == "" && p.Backup != "":
		return errors.New("--backup requires --into")
	case p.asPlan && (p.into == "" || p.Backup != ""):
		return errors.New("--plan requires --into, and cannot be combined with --backup")
	case p.into != "" && !p.asPlan && (p.verb.Output != "" || p.verb.Force):
		return errors.New("--into cannot be combined with -o or -f")
	case p.into != "" && len(files) > 1:
		return errors.New("--into accepts only one FILE")
	}
	for _, given := range p.Options.Given {
		switch {
		case p.into == "" && slices.Contains(p.only, given.Name):
			return fmt.Errorf("--%s requires --into", given.Name)
		case p.into != "" && slices.Contains(p.never, given.Name):
			return fmt.Errorf("--into cannot be combined with --%s", given.Name)
		case p.asPlan && slices.Contains(p.direct, given.Name):
			return fmt.Errorf("--plan cannot be combined with --%s", given.Name)
		}
	}
	return nil
}

// put performs the command on the existing file, with the options that the user gave to the verb.
func (p *putting) put(ctx context.Context, file string) error {
	g, err := p.Find(ctx, file) // an error about the file names it, not the command
	if err != nil {
		return err
	}
	_, err = p.verb.conversionOf(g)
	if err = errors.Join(err, g.Close()); err != nil {
		return err
	}
	words := []string{p.command.Name}
	var rest []service.Given // options of the editing
	for _, given := range p.Options.Given {
		if slices.ContainsFunc(p.command.Options, func(o format.Option) bool { return o.Name == given.Name }) {
			words = append(words, "--"+given.Name+"="+given.Value)
		} else {
			rest = append(rest, given)
		}
	}
	p.Options.Given, p.words, p.first = rest, append(words, "--", file), []string{"changes"}
	return p.each(ctx, []string{p.into}, func(name string, r *report) error {
		err := asLacking(p.edit(ctx, name, make(map[string]string), r))
		if errors.Is(err, filelock.ErrInUse) && p.planned != nil {
			err = wording.Hint(err, "with --plan the running program makes the change (see `trowel %s --help`)", p.verb.verb)
		}
		return err
	})
}

// plan writes the plan for a program that has the existing file open.
func (p *putting) plan(ctx context.Context, name string, r *report) error {
	g, err := p.Find(ctx, name)
	if err != nil {
		return err
	}
	defer g.Close()
	r.format = g.Name
	c, err := p.verb.conversionOf(g)
	if err != nil {
		return err
	}
	existing, err := p.Find(ctx, p.into)
	if err != nil {
		return err
	}
	defer existing.Close()
	if existing.Name != c.To || existing.Built != nil {
		return fmt.Errorf("%s: no program applies plans to a %s", existing.Called, existing.Title)
	}
	usual := filepath.Join(p.into, p.planned.Name)
	made := cmp.Or(p.verb.Output, usual)
	if err := p.MayBeCalled(made, g.Format, filepath.Ext(p.planned.Name), false); err != nil {
		return err
	}
	opts := output.Options{Replace: p.verb.Force, Reads: g.Reads, Others: func() fs.FileMode { return service.OthersOf(g.ShownPaths()) }}
	if filepath.Clean(made) != usual { // of the existing file, only the plan may be replaced
		opts.Reads = func() []string { return append(g.Reads(), existing.Reads()...) }
	}
	job := r.watch(p.Job(g.Format, p.command.Options...))
	err = r.write(ctx, made, opts, func(out format.Output) error {
		return wording.Named(p.planned.Write(ctx, job, g.Source, existing.Source, out), g.Called)
	})
	if err != nil {
		return err
	}
	r.sayMade("wrote the plan", "write the plan", made, false)
	return nil
}
