package verbs

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/host"
	"trowel.example/internal/format"
)

// usualWidth is the width of help if neither the terminal nor COLUMNS states one.
const usualWidth = 100

// screenful is the number of lines of short help, which -h prints.
const screenful = 24

// helpPage prints help that is no wider than its screen.
type helpPage struct {
	*Tool
	io.Writer
	screen terminal.Screen
}

func newHelpPage(a *Tool, w io.Writer) *helpPage {
	p := &helpPage{a, w, terminal.Screen{Width: a.screen.Width}}
	if n, err := strconv.Atoi(host.Env("COLUMNS")); err == nil && n > 0 {
		p.screen.Width = n
	}
	if p.screen.Width == 0 {
		p.screen.Width = usualWidth
	}
	return p
}

// setHelp makes all verbs print their help in the way of the tool: -h prints a screenful, --help everything.
func setHelp(a *Tool, root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		files, name := filesAndCommand(a, cmd.Flags().Args())
		switch {
		case helpOfFiles(a, cmd, files, name):
		case slices.ContainsFunc(a.Args, asksShort) && !slices.Contains(a.Args, "--help"):
			shortHelp(a, cmd)
		default:
			newHelpPage(a, a.out).verb(cmd)
		}
	})
}

// asksShort reports whether an argument has the option -h.
func asksShort(arg string) bool {
	return strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.Contains(arg, "h")
}

// filesAndCommand returns the formats of the files among the arguments, and the first other word.
func filesAndCommand(a *Tool, args []string) (files format.Set, name string) {
	for _, arg := range args {
		switch f := formatOfName(a, arg); {
		case f == nil && name == "":
			name = arg
		case f != nil && !slices.Contains(files, f):
			files = append(files, f)
		}
	}
	return files, name
}

// helpOfFiles prints help of a verb that has commands, such as edit: the page of the command with the given name, or
// the list of the commands for files of the given formats. It reports whether there is such help.
func helpOfFiles(a *Tool, cmd *cobra.Command, files format.Set, name string) bool {
	verb := cmd.Name()
	of := verbCommands[verb]
	if of == nil || cmd.Parent() != cmd.Root() {
		return false
	}
	p := newHelpPage(a, a.out)
	if name != "" && (p.command(files, verb, name) || p.command(a.Formats, verb, name)) {
		return true
	}
	if len(byCommands(files, of)) == 0 {
		return false
	}
	p.commandList(files, of)
	fmt.Fprintf(p, "\n%s\n", p.reflowed(fmt.Sprintf("\"trowel help %s\" explains one of them, and \"trowel %s --help\" "+
		"how to use them.", strings.ToUpper(commandKinds[verb].one), verb)))
	return true
}

// helpAfterDash prints the help that --help asks for after the -- of a verb that has commands.
func helpAfterDash(a *Tool, cmd *cobra.Command, files, words []string) error {
	words = words[:slices.Index(words, "--help")]
	words = lastStep(words)
	set, _ := filesAndCommand(a, files)
	name := ""
	if len(words) > 0 {
		name = words[0]
	}
	verb := cmd.Name()
	names := commandNames(a.Formats, verbCommands[verb])
	switch {
	case name != "" && !slices.Contains(names, name):
		return wording.CommandHint(fmt.Errorf("no %s is called %s", commandKinds[verb].one, name), name, allCommands(set,
			verbCommands[verb]),
			"`%s --help` lists the %s", cmd.CommandPath(), commandKinds[verb].many)
	case !helpOfFiles(a, cmd, set, name):
		newHelpPage(a, a.out).verb(cmd)
	}
	return nil
}

// commandKinds are the words for the commands of each verb that has commands.
var commandKinds = map[string]struct{ one, many string }{"edit": {"operation", "operations"}, "find": {"query", "queries"}}

// formatOfName returns the format of the file of a name, or of a file that has this extension if there is no such
// file; nil if it has none.
func formatOfName(a *Tool, name string) *format.Format {
	if src, err := format.OpenSource(name); err == nil {
		defer src.Close()
		if f, err := a.Formats.Find(src); err == nil {
			return f
		}
		if src.IsDir() {
			if fsys, closer, err := service.OpenFolder(name, func(string, error) {}); err == nil {
				defer closer.Close()
				if f, err := a.Formats.FindTree(fsys); err == nil {
					return f
				}
			}
		}
		return nil
	}
	for _, f := range a.Formats {
		for _, ext := range f.Extensions {
			if _, has := service.CutSuffixFold(name, ext); has {
				return f
			}
		}
	}
	return nil
}

// reflowed breaks the paragraphs of a text into lines that fit the page. Indented lines stay separate lines; if such
// a line has two columns, its second column stays one.
func (p *helpPage) reflowed(text string) string {
	var lines []string
	joins := false // the next line continues the paragraph
	for _, line := range strings.Split(text, "\n") {
		plain := line != "" && line[0] != ' '
		if plain && joins {
			lines[len(lines)-1] += " " + line
		} else {
			lines = append(lines, line)
		}
		joins = plain
	}
	for i, line := range lines {
		rest := strings.TrimLeft(line, " ")
		column := len(line) - len(rest)
		if gap := strings.LastIndex(rest, "  "); gap >= 0 && column > 0 && column+gap+2 < p.screen.Width/2 {
			column += gap + 2
		}
		lines[i] = line[:column] + p.screen.Wrapped(line[column:], column, column)
	}
	return strings.Join(lines, "\n")
}

// example breaks a command line so that it fits the page and can still be pasted into a shell.
func (p *helpPage) example(line string) string {
	rest := strings.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	var quote rune
	rest = strings.Map(func(r rune) rune { // blanks in quotes are no places to break the line
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote != 0 && r == ' ':
			return 0
		}
		return r
	}, rest)
	narrow := terminal.Screen{Width: p.screen.Width - len(" \\")}
	rest = strings.ReplaceAll(narrow.Wrapped(rest, indent, indent+4), "\n", " \\\n")
	return line[:indent] + strings.ReplaceAll(rest, "\x00", " ")
}

// row is a name with its description.
type row struct{ name, help string }

// rows prints names and descriptions as a table. A description continues below its beginning.
func (p *helpPage) rows(rows []row) {
	column := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r.name) + 4; n <= p.screen.Width*2/5 {
			column = max(column, n)
		}
	}
	column = max(column, 8)
	for _, r := range rows {
		line := "  " + r.name
		if n := utf8.RuneCountInString(line); n+2 <= column {
			line += strings.Repeat(" ", column-n)
		} else {
			line = p.screen.Wrapped(line, 0, 6) + "\n" + strings.Repeat(" ", column)
		}
		fmt.Fprintln(p, strings.TrimRight(line+p.screen.Wrapped(r.help, column, column), " "))
	}
}

// flagRows returns the names and descriptions of options.
func flagRows(flags *pflag.FlagSet) []row {
	var rows []row
	letters := false
	flags.VisitAll(func(flag *pflag.Flag) { letters = letters || flag.Shorthand != "" })
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		r := row{name: "--" + flag.Name}
		switch {
		case flag.Shorthand != "":
			r.name = "-" + flag.Shorthand + ", " + r.name
		case letters:
			r.name = "    " + r.name
		}
		value, help := pflag.UnquoteUsage(flag)
		if value != "" {
			r.name += " " + value
		}
		if !slices.Contains([]string{"", "0", "false", "[]", "0s"}, flag.DefValue) {
			help += " (default " + flag.DefValue + ")"
		}
		r.help = help
		rows = append(rows, r)
	})
	return rows
}

// verb prints the full help of a verb, or of the tool.
func (p *helpPage) verb(cmd *cobra.Command) {
	fmt.Fprintf(p, "%s\n", p.reflowed(cmp.Or(cmd.Long, cmd.Short)))
	if of := verbCommands[cmd.Name()]; of != nil {
		fmt.Fprintln(p)
		p.commandList(p.Formats, of)
	}
	p.usage(cmd)
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(p, "\nOther names: %s\n", strings.Join(cmd.Aliases, ", "))
	}
	p.examples(cmd)
	if cmd.HasParent() {
		p.verbRows("Verbs", cmd.Commands())
	} else {
		for _, g := range verbGroups(p.Tool, cmd) {
			p.verbRows(g.title, g.verbs)
		}
	}
	groups := flagGroups(p.Tool, cmd.LocalFlags())
	p.flags("Options", groups[0].flags)
	if cmd.HasParent() { // the options of formats that the tool itself has are those of info
		for _, g := range groups[1:] {
			p.flags("Options for "+g.games, g.flags)
		}
	}
	p.flags("Options of all verbs", cmd.InheritedFlags())
	if !cmd.HasParent() {
		fmt.Fprintf(p, "\n%s\n", p.reflowed(fmt.Sprintf("\"%s VERB --help\" explains a verb.", cmd.CommandPath())))
	}
}

func (p *helpPage) usage(cmd *cobra.Command) {
	line := useLine(cmd)
	if cmd.HasAvailableSubCommands() && cmd.HasParent() {
		line = cmd.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(p, "\nUsage:\n  %s\n", p.screen.Wrapped(line, 2, 6))
	if !cmd.HasParent() {
		fmt.Fprintf(p, "  %s VERB ...\n", cmd.CommandPath())
	}
}

func (p *helpPage) examples(cmd *cobra.Command) {
	if !cmd.HasExample() {
		return
	}
	fmt.Fprint(p, "\nExamples:\n")
	for line := range strings.SplitSeq(cmd.Example, "\n") {
		fmt.Fprintln(p, p.example(line))
	}
}

// verbRows prints the names of verbs and what they do.
func (p *helpPage) verbRows(title string, verbs []*cobra.Command) {
	var rows []row
	for _, verb := range verbs {
		if isShown(verb) {
			rows = append(rows, row{verb.Name(), verb.Short})
		}
	}
	if len(rows) > 0 {
		fmt.Fprintf(p, "\n%s:\n", title)
		p.rows(rows)
	}
}

// unlisted are the verbs that help does not list.
var unlisted = []string{"man", "version"}

// isShown reports whether help lists a verb.
func isShown(verb *cobra.Command) bool {
	return (verb.IsAvailableCommand() || verb.Name() == "help") && !slices.Contains(unlisted, verb.Name())
}

func (p *helpPage) flags(title string, flags *pflag.FlagSet) {
	if flags.HasAvailableFlags() {
		fmt.Fprintf(p, "\n%s:\n", title)
		p.rows(flagRows(flags))
	}
}

// shortHelp prints the help of a verb, or of the tool, that fits a screen.
func shortHelp(a *Tool, cmd *cobra.Command) {
	var b strings.Builder
	for less := range 5 {
		b.Reset()
		newHelpPage(a, &b).short(cmd, less)
		if strings.Count(b.String(), "\n") <= screenful {
			break
		}
	}
	fmt.Fprint(a.out, b.String())
}

// short prints short help. With less 0 it has everything; with 1 no options that only some files have; with 2 all
// options, but only by name; with 3 no examples either; and with 4 neither examples nor options that only some files have.
func (p *helpPage) short(cmd *cobra.Command, less int) {
	fmt.Fprintf(p, "%s.\n", p.reflowed(strings.TrimSuffix(cmd.Short, ".")))
	p.usage(cmd)
	if !cmd.HasParent() {
		fmt.Fprintln(p)
		var rows []row
		for _, g := range verbGroups(p.Tool, cmd) {
			var names []string
			for _, verb := range g.verbs {
				names = append(names, verb.Name())
			}
			rows = append(rows, row{g.title, strings.Join(names, " ")})
		}
		p.rows(rows)
		fmt.Fprintf(p, "\n%s\n", p.reflowed(fmt.Sprintf("\"%s VERB -h\" explains a verb in short, \"%[1]s --help\" and "+
			"\"%[1]s VERB --help\" explain everything.", cmd.CommandPath())))
		return
	}
	if less < 3 {
		p.examples(cmd)
	}
	p.verbRows("Verbs", cmd.Commands())
	for i, g := range flagGroups(p.Tool, cmd.LocalFlags()) {
		title := strings.TrimSuffix("Options for "+g.games, " for ")
		var names []string
		g.flags.VisitAll(func(flag *pflag.Flag) {
			if !flag.Hidden {
				names = append(names, optionName(flag))
			}
		})
		switch {
		case i == 0 && less < 2:
			p.flags(title, g.flags)
		case i == 0 || less != 1 && less < 4:
			fmt.Fprintf(p, "\n%s:\n  %s\n", title, p.screen.Wrapped(strings.Join(names, ", "), 2, 2))
		}
	}
	more := fmt.Sprintf("\"%s --help\" explains everything.", cmd.CommandPath())
	if less == 4 {
		more = "Each game has more options. " + more
	}
	if verbCommands[cmd.Name()] != nil {
		more = fmt.Sprintf("\"%s FILE --help\" lists the %s. ", cmd.CommandPath(), commandKinds[cmd.Name()].many) + more
	}
	fmt.Fprintf(p, "\n%s\n", p.reflowed(more))
}

// verbGroup is a group of verbs in the help of the tool.
type verbGroup struct {
	title string
	verbs []*cobra.Command
}

// The groups of verbs in help. Verbs that formats and games declare are in the group worldVerbs, all other verbs in
// the last one.
var (
	verbTitles = []string{"Look", "Take apart and build", "Change", "Compare and merge", worldVerbs, "Many machines", "Help and editors"}
	groupVerbs = map[string][]string{
		"Look": {"info", "view", "site", "codex", "ls", "cat", "search", "find", "render", "check", "explain", "dump", "hash",
			"formats"},
		"Take apart and build": {"extract", "pack", "convert"},
		"Change":               {"edit", "apply", "repair", "undo"},
		"Compare and merge":    {"diff", "review", "merge", "git"},
		worldVerbs:             {"backup", "restore", "forget"},
		"Many machines":        {"census", "jobs", "worker"},
		"Help and editors":     {"help", "completion", "lsp"},
	}
)

const worldVerbs = "Worlds and backups"

// verbGroups returns the verbs of the tool in their groups.
func verbGroups(a *Tool, root *cobra.Command) []verbGroup {
	groups := make([]verbGroup, len(verbTitles))
	for _, cmd := range root.Commands() {
		if !isShown(cmd) {
			continue
		}
		at := slices.IndexFunc(verbTitles, func(title string) bool { return slices.Contains(groupVerbs[title], cmd.Name()) })
		if at < 0 {
			at = slices.Index(verbTitles, worldVerbs)
		}
		groups[at].verbs = append(groups[at].verbs, cmd)
	}
	for i, title := range verbTitles {
		groups[i].title = title
		order := func(cmd *cobra.Command) int {
			if i := slices.Index(groupVerbs[title], cmd.Name()); i >= 0 {
				return i
			}
			return len(groupVerbs[title])
		}
		slices.SortStableFunc(groups[i].verbs, func(x, y *cobra.Command) int { return order(x) - order(y) })
	}
	return groups
}

// commandList lists the commands of formats, one on each line, in the groups of the reference pages.
func (p *helpPage) commandList(formats format.Set, of commandsOf) {
	for i, s := range byCommands(formats, of) {
		if i > 0 {
			fmt.Fprintln(p)
		}
		fmt.Fprintf(p, "%s\n", p.screen.Wrapped(s.title()+":", 0, 2))
		width := 0
		for _, c := range s.commands {
			width = max(width, len(c.Name))
		}
		heading := ""
		for _, c := range s.commands {
			if c.Heading != heading {
				heading = c.Heading
				fmt.Fprintf(p, "  %s\n", heading)
			}
			fmt.Fprintf(p, "    %-*s  %s\n", width, c.Name, cutTo(c.Title, p.screen.Width-width-6))
		}
	}
}

// cutTo cuts a text to a number of letters, at the end of a word.
func cutTo(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	short := string([]rune(text)[:max(width-len(" ..."), 0)+1])
	if i := strings.LastIndexByte(short, ' '); i > 0 {
		short = short[:i]
	}
	return strings.TrimRight(short, " ,;:") + " ..."
}

// command prints the pages of the commands of a verb that have a name. It reports whether there are any.
func (p *helpPage) command(formats format.Set, verb, name string) bool {
	found := false
	for _, s := range byCommands(formats, verbCommands[verb]) {
		for _, c := range s.commands {
			if c.Name != name {
				continue
			}
			if found {
				fmt.Fprintln(p)
			}
			found = true
			fmt.Fprintf(p, "%s\n\nUsage:\n  %s\n", p.screen.Wrapped(s.title()+": "+c.Title, 0, 2),
				p.screen.Wrapped(fmt.Sprintf("trowel %s FILE... -- %s", verb, c.Usage()), 2, 6))
			if c.Long != "" {
				fmt.Fprintf(p, "\n%s\n", p.reflowed(c.Long))
			}
			fmt.Fprintf(p, "\nExample:\n%s\n", p.example(fmt.Sprintf("  trowel %s %s -- %s", verb, s.file(), c.Example)))
			for _, part := range commandParts(c) {
				fmt.Fprintf(p, "\n%s:\n", part.title)
				p.rows(part.rows)
			}
		}
	}
	return found
}

// commands prints the pages of the operations and queries that have a name. It reports whether there are any.
func (p *helpPage) commands(name string) bool {
	found := false
	for _, verb := range []string{"edit", "find"} {
		if slices.Contains(commandNames(p.Formats, verbCommands[verb]), name) {
			if found {
				fmt.Fprintln(p)
			}
			found = p.command(p.Formats, verb, name)
		}
	}
	return found
}

// commandPart is the arguments or the options of a command, as help shows them.
type commandPart struct {
	title string
	rows  []row
}

func commandParts(c *format.Command) []commandPart {
	var parts []commandPart
	for _, part := range []struct {
		title   string
		options []format.Option
		usage   func(*format.Option) (name, help string)
	}{{"Arguments", c.Args, argumentUsage}, {"Options", c.Options, optionUsage}} {
		var rows []row
		for _, o := range part.options {
			name, help := part.usage(&o)
			rows = append(rows, row{name, help})
		}
		if len(rows) > 0 {
			parts = append(parts, commandPart{part.title, rows})
		}
	}
	return parts
}
