package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// Other words that users try for verbs, besides names and aliases. A value with blanks is a verb with its
// option.
var otherVerbs = map[string]string{
	"build": "pack", "create": "pack", "compress": "pack", "zip": "pack", "compile": "pack", "init": "new", "start": "new",
	"decompress": "extract", "unzip": "extract", "decompile": "extract", "export": "extract",
	"lint": "check", "validate": "check", "verify": "check", "test": "check",
	"grep": "search", "query": "find", "compare": "diff", "show": "cat", "print": "cat", "view": "cat",
	"fix": "repair", "mend": "repair", "recover": "repair", "hex": "dump", "inspect": "dump",
	"stat": "info", "file": "info", "upgrade": "convert", "migrate": "convert",
	"revert": "undo", "rollback": "undo",
	"tree": "ls -R", "dir": "ls",
	"rm": "edit", "remove": "edit", "delete": "edit", "mv": "edit", "rename": "edit", "set": "edit", "replace": "edit",
	"cp": "convert", "copy": "convert", "save": "backup", "snapshot": "backup", "snapshots": "ls", "history": "ls",
	"list": "ls", "layers": "render --list", "views": "render --list",
	"draw": "render", "screenshot": "render", "thumbnail": "render --thumbnail", "image": "render", "gui": "view",
	"serve": "view", "browse": "view", "publish": "site", "web": "site", "gallery": "site",
}

// verbFor returns the verb that a word probably means, or "".
func verbFor(root *cobra.Command, word string) string {
	var names []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() || cmd.Name() == "help" {
			names = append(append(names, cmd.Name()), cmd.Aliases...)
		}
	}
	if verb := otherVerbs[strings.ToLower(word)]; verb != "" {
		return verb
	}
	for _, name := range names {
		if len(word) > 1 && strings.HasPrefix(name, strings.ToLower(word)) {
			return name
		}
	}
	return wording.Near(word, names)
}

// flagError explains the error of a wrong option.
func flagError(a *Tool, root, cmd *cobra.Command, err error) error {
	plain := optionError(cmd, err)
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return wording.Hint(plain, "see `%s --help`", cmd.CommandPath())
	}
	if cmd == root {
		// Maybe the verb is wrong, and not the option.
		word := slices.IndexFunc(a.Args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
		if word >= 0 {
			if err := notVerb(a, root, a.Args[word], slices.Delete(slices.Clone(a.Args), word, word+1)); err != nil {
				return err
			}
		}
	}
	name, short := unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames() != ""
	if err := GoneError(cmd.Name() + " --" + name); err != nil {
		return err
	}
	var names, verbs []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, "--"+flag.Name) })
	for _, verb := range root.Commands() {
		flag := verb.LocalFlags().Lookup(name)
		if short {
			flag = verb.LocalFlags().ShorthandLookup(name)
		}
		if flag != nil && verb != cmd {
			verbs = append(verbs, "`"+verb.CommandPath()+"`")
		}
	}
	if short {
		// pflag parses -json as -j -s -o -n.
		if name = strings.TrimLeft(unknown.GetSpecifiedShortnames(), "-"); len(name) > 1 && slices.Contains(names, "--"+name) {
			return wording.Hint(plain, "did you mean --%s?", name)
		}
		names = nil
	}
	if i := slices.IndexFunc(names, func(known string) bool { return len(name) > 2 && strings.HasPrefix(known, "--"+name) }); i >= 0 {
		return wording.Hint(plain, "did you mean %s?", names[i])
	}
	if other := otherOptions[cmd.Name()+" --"+name]; other != "" {
		return wording.Hint(plain, "%s", other)
	}
	if known := otherName(name, names); known != "" {
		return wording.Hint(plain, "did you mean %s?", known)
	}
	if len(verbs) > 0 && len(verbs) < 12 {
		return wording.Hint(plain, "this is an option of %s", strings.Join(verbs, ", "))
	}
	return wording.DidYouMean(plain, "--"+name, names, "see `%s --help`", cmd.CommandPath())
}

// optionError rewrites an error of package pflag in the wording of the tool.
func optionError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var lacks *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return fmt.Errorf("`%s` has no option -%s", cmd.CommandPath(), strings.TrimLeft(unknown.GetSpecifiedShortnames(), "-"))
	case errors.As(err, &unknown):
		return fmt.Errorf("`%s` has no option --%s", cmd.CommandPath(), unknown.GetSpecifiedName())
	case errors.As(err, &lacks):
		value, _ := pflag.UnquoteUsage(lacks.GetFlag())
		return fmt.Errorf("%s needs a value: --%s %s", optionName(lacks.GetFlag()), lacks.GetFlag().Name, strings.ToUpper(value))
	case errors.As(err, &wrong):
		cause := wrong.Unwrap()
		if want := wantedOf[wrong.GetFlag().Value.Type()]; want != "" {
			cause = fmt.Errorf("expected %s, not %q", want, wrong.GetValue())
		}
		return fmt.Errorf("%s: %w", optionName(wrong.GetFlag()), cause)
	case errors.As(err, &syntax):
		return fmt.Errorf("%q: expected --NAME or --NAME=VALUE", syntax.GetSpecifiedFlag())
	}
	return err
}

// optionName returns the name of an option for messages: --output, or -o if it has a letter.
func optionName(flag *pflag.Flag) string {
	if flag.Shorthand != "" {
		return "-" + flag.Shorthand
	}
	return "--" + flag.Name
}

// Descriptions of valid values for the option types of pflag.
var wantedOf = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint": "a whole number, at least 0",
	"uint64": "a whole number, at least 0", "float64": "a number",
	"bool": "true or false", "duration": "a time such as 90s, 5m or 2h",
}

// fileFirst lists the verbs whose first argument is a FILE and whose other arguments are paths in it.
var fileFirst = []string{"cat", "ls", "dump", "extract", "render"}

// swapped returns an error about arguments in the wrong order. Its hint has them in the right order.
func swapped(a *Tool, cmd *cobra.Command, args []string) error {
	last := len(args) - 1
	if a.Handover != nil || last < 1 {
		return nil
	}
	is := func(file, other string) bool {
		return !service.Exists(other) && !strings.EqualFold(filepath.Ext(file), filepath.Ext(other)) && service.Exists(file) && a.IsGame(file)
	}
	line, rest := "", slices.Concat(args[last:], args[1:last])
	switch dash := cmd.ArgsLenAtDash(); {
	case cmd.Name() == "edit" && dash <= 0 && slices.Contains(commandNames(a.Formats, editCommands), args[0]) && is(args[last], args[0]):
		line = words.Quoted(args[last]) + " -- " + words.Quoted(args[:last]...)
	case cmd.Name() == "convert" && last == 1 && is(args[1], args[0]) && !cmd.Flags().Changed("to") && isTarget(a, args[0]):
		line = words.Quoted(args[1]) + " --to " + words.Quoted(args[0])
	case cmd.Name() == "render" && is(args[last], args[0]) && !cmd.Flags().Changed("output") &&
		slices.Contains(pictureKinds, strings.ToLower(strings.TrimPrefix(filepath.Ext(args[0]), "."))):
		line = words.Quoted(rest...) + " -o " + words.Quoted(args[0])
	case cmd.Name() == "backup" && last == 1 && service.Exists(args[1]) && isRepository(cmd.Context(), a, args[0]) &&
		!isRepository(cmd.Context(), a, args[1]):
		line = words.Quoted(args[1], args[0])
	case slices.Contains(fileFirst, cmd.Name()) && dash < 0 && is(args[last], args[0]) && !strings.Contains(args[0], "://"):
		line = words.Quoted(slices.Concat(args[last:], args[:last])...)
	case cmd.Name() == "search" && last == 1 && is(args[0], args[1]):
		line = words.Quoted(args[1], args[0])
	case verbCommands[cmd.Name()] != nil && dash > 0 && dash <= last &&
		slices.Contains(commandNames(a.Formats, verbCommands[cmd.Name()]), args[0]) && is(args[dash], args[0]):
		line = words.Quoted(args[dash]) + " -- " + words.Quoted(slices.Concat(args[:dash], args[dash+1:])...)
	default:
		return nil
	}
	return wording.Hint(errors.New("the arguments are in the wrong order: "+useLine(cmd)), "did you mean `%s %s`?", cmd.CommandPath(), line)
}

// isTarget reports whether a word means a target of a conversion.
func isTarget(a *Tool, word string) bool {
	for _, f := range a.Formats {
		if slices.ContainsFunc(f.Conversions, func(c format.Conversion) bool { return c.To == word }) || len(targetsLike(f, word)) > 0 {
			return true
		}
	}
	return false
}

// isRepository reports whether a path is that of a repository of backups.
func isRepository(ctx context.Context, a *Tool, path string) bool {
	g, err := a.Find(ctx, path)
	if err != nil {
		return false
	}
	defer g.Close()
	return needRepository(g) == nil
}

// otherOptions are the options that users mean by an option that a verb does not have.
var otherOptions = map[string]string{
	"check --format": "--sarif prints SARIF, --json prints JSON",
	"restore --at":   "--moment TIME restores the snapshot of a moment",
}

// otherNames are other words that users try for options.
var otherNames = map[string][]string{"width": {"size"}, "height": {"size"}, "bottom": {"down", "area"}, "top": {"up", "area"},
	"at": {"area", "to", "x"}}

// otherName returns which of the options of a verb or an operation a word probably means, or "".
func otherName(word string, names []string) string {
	for _, name := range otherNames[word] {
		if slices.Contains(names, "--"+name) {
			return "--" + name
		}
	}
	return ""
}

// noFiles returns the error for a folder that contains no files of a kind.
func noFiles(name, kind string) error {
	err := fmt.Errorf("%s: contains no %s", name, kind)
	entries, _ := os.ReadDir(name)
	switch {
	case len(entries) > 0 && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Type()&os.ModeSymlink == 0 }):
		return wording.Hint(fmt.Errorf("%s: contains only links, and links in folders are not followed", name), "name their targets")
	case kind == "files":
		return err
	}
	return cmp.Or(service.Foreign(name, err), wording.Hint(err, "`trowel formats` lists the supported formats"))
}

// notVerb returns an error about a first word that is neither a file nor a verb, but means one. Its hint is the line to
// type.
func notVerb(a *Tool, root *cobra.Command, word string, rest []string) error {
	if word == "-" || service.Exists(word) || strings.ContainsAny(word, `./\`) {
		return nil
	}
	if err := GoneError(word); err != nil {
		return err
	}
	if line, others := commandLine(a, root, word, rest); line != "" {
		also := ""
		if len(others) > 0 {
			also = " There are also " + strings.Join(others, ", ")
		}
		return wording.Hint(fmt.Errorf("%s: neither a verb nor a file", word), "did you mean `%s`?%s", line, also)
	}
	switch verb := verbFor(root, word); verb {
	case "":
		if line, _ := commandLine(a, root, word, nil); line != "" {
			return wording.Hint(fmt.Errorf("%s: neither a verb nor a file", word), "`%s` is for files of another kind", line)
		}
		return nil
	case "edit":
		return wording.Hint(fmt.Errorf("%s: neither a verb nor a file", word), "`trowel edit %s --help` lists the operations",
			cmp.Or(words.Quoted(rest...), "FILE"))
	default:
		return wording.Hint(fmt.Errorf("%s: neither a verb nor a file", word), "did you mean `%s`?", verbLine(verb, rest))
	}
}

// verbLine returns the line that runs a verb, which may have an option, with arguments.
func verbLine(verb string, args []string) string {
	verb, option, _ := strings.Cut(verb, " ")
	line := []string{"trowel", verb}
	if len(args) > 0 {
		line = append(line, words.Quoted(args...))
	}
	if option != "" {
		line = append(line, option)
	}
	return strings.Join(line, " ")
}

// commandLine returns the line that runs an operation or query that the user gave as a verb, and the names of others
// that the word could mean; "" if it means none which the files among the other words have.
func commandLine(a *Tool, root *cobra.Command, word string, rest []string) (line string, others []string) {
	var files, given, options []string
	var formats format.Set
	for _, arg := range rest {
		if f := formatOfName(a, arg); f != nil && service.Exists(arg) {
			files, formats = append(files, arg), append(formats, f)
		} else {
			given = append(given, arg)
		}
	}
	if len(files) == 0 {
		files, formats = []string{"FILE"}, a.Formats
	}
	for _, verb := range []string{"find", "edit"} {
		like := commandsLike(formats, verbCommands[verb], word)
		calls := wording.LikeCommands(word, allCommands(formats, editCommands))
		if len(like) == 0 && verb == "edit" && strings.Contains(word, "-") && len(calls) > 0 {
			call := calls[0]
			if len(given) > 0 && !strings.Contains(call, " ") {
				call += " " + words.Quoted(given...)
			}
			return fmt.Sprintf("trowel edit %s -- %s", words.Quoted(files...), call), calls[1:]
		}
		if len(like) == 0 || verb == "find" && like[0].Name != word {
			continue
		}
		if cmd, _, err := root.Find([]string{verb}); err == nil { // options of the verb are before --
			given = slices.DeleteFunc(given, func(word string) bool {
				flag := cmd.Flags().Lookup(strings.TrimLeft(word, "-"))
				own := strings.HasPrefix(word, "--") && flag != nil && flag.NoOptDefVal != ""
				if own {
					options = append(options, word)
				}
				return own
			})
		}
		call := like[0].Usage()
		if len(given) > 0 || len(like[0].Args) == 0 {
			call = words.Quoted(append([]string{like[0].Name}, given...)...)
		}
		for _, c := range like[1:] {
			others = append(others, c.Name)
		}
		return fmt.Sprintf("trowel %s %s -- %s", verb, words.Quoted(append(files, options...)...), call), others
	}
	return "", nil
}

// Words that users try for the first word of the names of operations.
var otherWords = map[string]string{"delete": "remove", "rm": "remove", "mv": "rename", "change": "set"}

// commandsLike returns the command of some formats that a word names or, if none has this name, those whose names begin
// with the word, or with another word for it.
func commandsLike(formats format.Set, of commandsOf, word string) (like []*format.Command) {
	word = strings.ToLower(word)
	for _, f := range formats {
		for _, c := range of(f) {
			if c.Name == word {
				return []*format.Command{c}
			}
			starts := strings.HasPrefix(c.Name, word+"-") || otherWords[word] != "" && strings.HasPrefix(c.Name+"-", otherWords[word]+"-")
			if starts && !slices.Contains(like, c) {
				like = append(like, c)
			}
		}
	}
	return like
}

// helpCommand returns cobra's help command, changed to know operations and queries, and to return an error for other
// words.
func helpCommand(a *Tool, root *cobra.Command) *cobra.Command {
	return needs(&cobra.Command{
		Use:   "help [VERB | OPERATION | QUERY]",
		Short: "Show how to use a verb or an operation",
		Long:  `Help explains trowel, one of its verbs, an operation of edit or a query of find.`,
		Example: `  trowel help extract
  trowel help replace-tiles
  trowel help edit info`,
		Args: args(0, -1),
		ValidArgsFunction: func(_ *cobra.Command, words []string, start string) (offers, cobra.ShellCompDirective) {
			var names []string
			switch of := verbCommands[strings.Join(words, " ")]; {
			case len(words) == 0:
				for _, cmd := range root.Commands() {
					if cmd.IsAvailableCommand() {
						names = append(names, cmd.Name()+"\t"+cmd.Short)
					}
				}
				for _, verb := range []string{"edit", "find"} {
					names = append(names, titledCommands(a.Formats, verbCommands[verb])...)
				}
			case of != nil:
				names = titledCommands(a.Formats, of)
			}
			return startingWith(start, names), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, words []string) error {
			cmd, rest, err := root.Find(words)
			if a.more == nil && err == nil && isSecond(cmd.Name()) {
				if err := startSecond(a, cmd.Name()); !errors.Is(err, errNoSecond) {
					return err
				}
				return cmd.Help()
			}
			if err == nil && len(rest) == 0 {
				cmd.InitDefaultHelpFlag()
				cmd.InitDefaultVersionFlag()
				return cmd.Help()
			}
			p := newHelpPage(a, a.out)
			if err == nil && len(rest) == 1 && verbCommands[cmd.Name()] != nil && p.command(a.Formats, cmd.Name(), rest[0]) {
				return nil
			}
			if cmd == root && len(words) == 1 && p.commands(words[0]) {
				return nil
			}
			if err := GoneError(strings.Join(words, " ")); err != nil {
				return err
			}
			if verb := verbFor(root, words[0]); cmd == root && verb != "" {
				return wording.Hint(fmt.Errorf("%q is not a verb", words[0]), "did you mean `trowel help %s`?", verb)
			}
			all := slices.Concat(allCommands(a.Formats, editCommands), allCommands(a.Formats, queriesOf))
			return wording.CommandHint(fmt.Errorf("%q is not a verb, an operation or a query", words[len(words)-1]),
				words[len(words)-1], all, "`trowel help` lists the verbs, and `trowel edit --help` the operations")
		},
	}, needAll) // trowel-fleet explains its verbs
}

// completionCommand changes cobra's completion command to return an error for a word that is not a shell.
func completionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd, _, err := root.Find([]string{"completion"})
	if err != nil || cmd == root {
		return
	}
	cmd.Short = "Write the script that completes commands in a shell"
	cmd.Long = "Completion prints the script with which a shell completes verbs, options and the paths\nin files. " +
		"\"trowel completion SHELL --help\" shows how to load it."
	cmd.Args = cobra.ArbitraryArgs
	for _, shell := range cmd.Commands() {
		needs(shell, needNothing)
	}
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if len(words) == 0 {
			return cmd.Help()
		}
		var shells []string
		for _, sub := range cmd.Commands() {
			shells = append(shells, sub.Name())
		}
		return wording.DidYouMean(fmt.Errorf("unknown shell %q", words[0]), words[0], shells, "there are %s", strings.Join(shells, ", "))
	}
}

// Expand replaces patterns by the files that they match, on systems whose shells do not expand patterns.
func Expand(names []string) []string {
	if runtime.GOOS != "windows" {
		return names
	}
	return expanded(names)
}

func expanded(names []string) []string {
	var all []string
	for _, name := range names {
		found := []string{name}
		if !service.Exists(name) {
			if found = service.MatchingFiles(name); len(found) == 0 {
				found = []string{name}
			}
		}
		all = append(all, found...)
	}
	return all
}
