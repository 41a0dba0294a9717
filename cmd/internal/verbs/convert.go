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
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

func convertCommand(a *Tool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "convert FILE... [-o FILE | --in-place] [--to FORMAT]",
		Short: "Convert a file to another format",
		Long: `Convert writes a game file in another format. "trowel formats" lists the possible conversions; --to
may be omitted if there is only one. FILE is unchanged. The new file is in the current folder
unless -o names it; for several files, -o names their folder.

With --in-place a world keeps its database, and its blocks are converted to the version --blocks,
part by part, without space for a copy. The old blocks of a part are first saved to a zip file in
the new folder --backup. Blocks with data that the version cannot store are unchanged, unless --drop
discards that data. The same command with the same --backup resumes an interrupted run, and
"trowel undo FILE FOLDER" undoes the conversion. A world that a server has open is
refused. It prints the changes, with --json as {what, count, unit}.

A world can be converted to another database while its server runs (SQLite, PostgreSQL). With --update
the next run copies to the new world what has changed since, and removes what is gone; the last run
is for the stopped server. --follow repeats it. A new world that was changed meanwhile is refused.

` + keepHelp + `

` + reportHelp,
		Example: `  trowel convert climb.map -o climb7.map --to teeworlds-0.7 --drop
  trowel convert - -o - --to ddnet < old.map > new.map
  trowel convert WOLF.DAT.BINDAT
  trowel convert *.map -o ddnet/ --to ddnet
  trowel convert world -o moved --to postgresql --postgres "host=/run/postgresql dbname=world"
  trowel convert world -o moved --update
  trowel convert world --in-place --blocks 29 --backup world.before`,
	}
	AsWork(cmd)
	conversionCommand(a, cmd, "")
	a.Completes(cmd, "to", completing(a, completeTargets))
	return needs(cmd, needOutput, needPlace)
}

// conversionUse returns the usage hint of a verb that a conversion declares.
func conversionUse(a *Tool, verb string) string {
	for _, f := range a.Formats {
		if slices.ContainsFunc(f.Conversions, func(c format.Conversion) bool { return c.Verb == verb }) {
			return fmt.Sprintf("give a %s first, and the name of the new file with -o: `trowel %s FILE -o NEW`", f.Title, verb)
		}
	}
	return ""
}

// conversionVerbs returns the verbs that conversions declare.
func conversionVerbs(a *Tool) (verbs []*cobra.Command) {
	for _, f := range a.Formats {
		for _, c := range f.Conversions {
			if c.Verb == "" {
				continue
			}
			cmd := &cobra.Command{
				Use:   c.Verb + " FILE... [-o FILE]",
				Short: "Make " + c.Title,
				Long: fmt.Sprintf("%s converts a %s to\n%s. It is the same as convert --to %s.\n\n%s\n\n%s",
					strings.ToUpper(c.Verb[:1])+c.Verb[1:], f.Title, c.Title, c.To, c.Long, reportHelp),
				Example: c.Example,
			}
			v := conversionCommand(a, cmd, c.To)
			if c.Into != "" {
				intoFlags(v, cmd, f, &c)
			}
			if c.Pieces != nil {
				resumeFlag(a, cmd)
				cmd.Long += "\n\n" + resumeHelp
			}
			verbs = append(verbs, needs(cmd, needOutput, needPlace))
		}
	}
	return verbs
}

// conversions is one run of a verb that converts files.
type conversions struct {
	*writing
	Output string `option:"output,o" help:"the new {file} (- for standard output), or the folder for several"`
	Force  bool   `option:"force,f" help:"replace an existing file"`

	verb string   // the verb of only one conversion; "" is convert
	own  struct { // options of convert only
		To      string `option:"to" help:"the {format} of the new file"`
		InPlace bool   `option:"in-place" help:"change the file itself"`
		Backup  string `option:"backup" help:"the {folder} for the backup of --in-place (default: next to FILE)"`
	}
}

// conversionCommand turns cmd into a verb that converts files to a format; "" is the one that the user names.
func conversionCommand(a *Tool, cmd *cobra.Command, to string) *conversions {
	v := &conversions{writing: &writing{Tool: a, strict: true}}
	cmd.Args = args(1, -1)
	if v.own.To = to; to == "" {
		Bind(a, cmd, &v.own)
	} else {
		v.verb = cmd.Name()
	}
	OptionFlags(a, cmd, func(f *format.Format) []format.Option {
		var options []format.Option
		can := false
		for _, c := range f.Conversions {
			if v.verb == "" || c.Verb == v.verb {
				options, can = append(options, c.Options...), true
			}
		}
		if !can {
			return nil
		}
		return append(f.OptionsFor(0), options...)
	}, v, &v.keep)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		files := Expand(args)
		switch {
		case !v.own.InPlace && v.own.Backup != "":
			return errors.New("--backup requires --in-place")
		case v.own.InPlace && len(files) > 1:
			return errors.New("--in-place accepts only one FILE")
		case v.own.InPlace && (v.Output != "" || v.own.To != "" || v.Force || v.DryRun):
			return errors.New("--in-place cannot be combined with -o, --to, -f or --dry-run")
		case v.own.InPlace:
			v.first = []string{"changes"}
			return v.each(cmd.Context(), files, func(name string, r *report) error { return convertInPlace(cmd.Context(), name, v.own.Backup, r) })
		}
		if a.InParts() && len(files) > 1 {
			return wording.Hint(errors.New("only one file at a time can be divided"), "run the others separately")
		}
		from := make(map[string]string)
		return v.each(cmd.Context(), files, func(name string, r *report) error { return v.convert(cmd.Context(), name, from, r) })
	}
	return v
}

// convert converts one file to a new file. from has the source of each new file.
func (v *conversions) convert(ctx context.Context, name string, from map[string]string, r *report) error {
	asTree := func(f *format.Format) bool {
		return slices.ContainsFunc(f.Conversions, func(c format.Conversion) bool { return c.To == v.own.To && c.Tree != nil })
	}
	g, err := v.FindTarget(ctx, service.Target{Name: name, AsTree: asTree})
	if err != nil {
		_, hinted := errors.AsType[*wording.Hinted](err)
		if v.verb != "" && !hinted && (errors.Is(err, format.ErrUnknown) || errors.Is(err, format.ErrNoTree)) {
			err = wording.Hint(err, "%s", conversionUse(v.Tool, v.verb))
		}
		return err
	}
	defer g.Close()
	c, err := v.conversionOf(g)
	if err != nil {
		return err
	}
	if c.Tree != nil && g.Tree == nil {
		return wording.Hint(fmt.Errorf("%s: only a folder can be converted to %s", g.Called, c.To), "`trowel extract %s` makes a folder",
			words.Quoted(g.Called))
	}
	if v.InParts() && c.Pieces == nil {
		return fmt.Errorf("%s: a conversion to %s cannot be divided", g.Called, c.To)
	}
	if err := v.Owned(g.Format, c.Options...); err != nil {
		return err
	}
	made, err := converted(g, c, v.Output, v.several)
	if err != nil {
		return err
	}
	if other, twice := from[made]; twice {
		return wording.Hint(fmt.Errorf("%s: the output would be %s, as for %s", name, made, other),
			"convert one of them separately, with another -o")
	}
	from[made] = name
	if err := v.MayBeCalled(made, g.Format, c.Extension, true); err != nil {
		return err
	}
	if c.Folder {
		switch ext := filepath.Ext(made); {
		case made == "-":
			return errors.New("standard output cannot receive a folder")
		case slices.Contains(pictureKinds, strings.ToLower(strings.TrimPrefix(ext, "."))):
			return wording.Hint(fmt.Errorf("%s: the result is a folder, but %s is the name of a file", g.Called, made),
				"-o %s makes a folder", strings.TrimSuffix(made, ext))
		}
	}
	if c.Resumes && v.Force {
		return wording.Hint(fmt.Errorf("%s: a copy of a %s never replaces an existing one", g.Called, g.Title),
			"without -f it continues where an earlier run stopped")
	}
	if v.several && v.Output != "" && !r.DryRun {
		if err := wholefile.MkdirAll(v.Output, 0o777); err != nil {
			return err
		}
	}
	r.format = g.Name
	job := r.watch(v.Job(g.Format, c.Options...))
	opts := v.WriteOptions(ctx, v.Force, g.Format, job, nil, c.Extension, g.Reads)
	write := r.write
	if c.Resumes {
		write = r.resume
	} else {
		opts.Others = func() fs.FileMode { return service.OthersOf(g.ShownPaths()) }
	}
	err = write(ctx, made, opts, func(w format.Output) error {
		if c.Tree != nil {
			return wording.Named(c.Tree(ctx, job, g.Tree, w), g.Called)
		}
		return wording.Named(convertFile(ctx, v.Tool, g, c, job, w), g.Called)
	})
	if c.Resumes && errors.Is(err, fs.ErrExist) {
		return wording.Hint(err, "name a new folder with -o, or add --update if convert has made this one")
	}
	if err != nil {
		return err
	}
	done, would := "converted", "convert"
	if c.Did != "" && v.verb != "" {
		done, would = c.Did, v.verb
	}
	r.sayMade(done+" "+g.Called+" to", would+" "+g.Called+" to", made, c.Resumes || c.Folder)
	if !c.Resumes && !c.Folder {
		r.hintRedirected(v.Output != "")
	}
	return nil
}

// conversionOf returns the requested conversion of a file.
func (v *conversions) conversionOf(g *service.File) (*format.Conversion, error) {
	c, err := conversion(g, v.own.To, v.Output)
	if v.verb != "" && (err != nil || c.Verb != v.verb) {
		err = wording.Hint(fmt.Errorf("%s: `trowel %s` does not read a %s", g.Called, v.verb, g.Title), "%s", conversionUse(v.Tool, v.verb))
	}
	return c, err
}

// converted returns the name of the file that a conversion creates. If there are several files, out is the
// folder for them.
func converted(g *service.File, c *format.Conversion, out string, several bool) (string, error) {
	if out != "" && !several {
		return out, nil
	}
	if c.Rename != nil && g.Source.Name != "-" {
		return filepath.Join(out, c.Rename(g.Source.Name)), nil
	}
	if name := folderName(g); several && name != "" && (out != "" || name+c.Extension != g.Source.Name) {
		if g.Source.IsDir() {
			name = g.Source.Name // the original name, not the name of the built tree
		}
		return filepath.Join(out, name+c.Extension), nil
	}
	if several {
		return "", wording.Hint(fmt.Errorf("%s: no folder given for the new files", g.Called), "give it with -o")
	}
	name := folderName(g) + c.Extension
	if name == g.Source.Name || c.Extension == "" {
		name = "new" + c.Extension
	}
	return "", wording.Hint(errors.New("no name given for the new file"), "give it with -o, such as -o %s", name)
}

// otherTargets are other words that users have for the targets of conversions.
var otherTargets = map[string]string{"0.6": "ddnet", "teeworlds": "ddnet", "teeworlds-0.6": "ddnet"}

// targetsLike returns the conversions that a word or an extension means although it is not one of their names: by a part of
// their names, such as 0.7, or by their extension.
func targetsLike(f *format.Format, word string) (like []int) {
	word = strings.ToLower(strings.TrimPrefix(word, "."))
	for i, c := range f.Conversions {
		if word != "" && (slices.Contains(strings.Split(c.To, "-"), word) || strings.EqualFold(c.Extension, "."+word) ||
			c.To == otherTargets[word]) {
			like = append(like, i)
		}
	}
	return like
}

// conversion finds the requested conversion of a file: by name, otherwise by the extension of the output file.
func conversion(g *service.File, to, out string) (*format.Conversion, error) {
	ext := strings.ToLower(filepath.Ext(out))
	asked := cmp.Or(strings.ToLower(to), strings.TrimPrefix(ext, "."))
	if slices.Contains(pictureKinds, asked) && len(targetsLike(g.Format, asked)) == 0 {
		err := fmt.Errorf("%s: a %s cannot be converted to a picture", g.Called, g.Title)
		if !g.Shows("") {
			return nil, err
		}
		return nil, wording.Hint(err, "`trowel render %s -o %s` draws one", words.Quoted(g.Called), words.Quoted(cmp.Or(out, "new."+asked)))
	}
	if usual := slices.IndexFunc(g.Conversions, func(c format.Conversion) bool { return c.Usual }); usual >= 0 && to == "" {
		isTarget := func(c format.Conversion) bool { return strings.EqualFold(c.Extension, filepath.Ext(out)) }
		if i := slices.IndexFunc(g.Conversions, isTarget); i >= 0 {
			usual = i
		}
		return &g.Conversions[usual], nil
	}
	var targets []string
	for i, c := range g.Conversions {
		if c.To == to {
			return &g.Conversions[i], nil
		}
		targets = append(targets, c.To)
	}
	if len(targets) == 1 && to == "" {
		return &g.Conversions[0], nil
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("%s: no conversion exists for a %s", g.Called, g.Title)
	}
	like := targetsLike(g.Format, cmp.Or(to, ext))
	if len(like) == 1 {
		return &g.Conversions[like[0]], nil
	}
	err := fmt.Errorf("%s: a %s cannot be converted to %q", g.Called, g.Title, to)
	if to == "" {
		err = errors.New("choose the format with --to")
	}
	if len(like) > 1 {
		targets = targets[:0]
		for _, i := range like {
			targets = append(targets, g.Conversions[i].To)
		}
		return nil, wording.Hint(err, "--to can be %s", strings.Join(targets, ", "))
	}
	return nil, wording.DidYouMean(err, to, targets, "--to can be %s", strings.Join(targets, ", "))
}

// completeTargets is the shell completion of the formats that a file can be converted to.
func completeTargets(a *Tool, _ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, f := range a.Formats {
		for _, c := range f.Conversions {
			names = append(names, c.To+"\t"+c.Title)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
