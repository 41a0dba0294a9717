package verbs

import (
	"fmt"
	"slices"
	"strings"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/format"
)

// This file handles the commands that formats declare: operations for edit, queries for find. It generates
// their help, completion and reference pages from the declarations.

// commandsOf returns the commands of one kind that a format declares.
type commandsOf func(*format.Format) []*format.Command

// verbCommands maps each verb that takes commands to the function that returns them.
var verbCommands = map[string]commandsOf{"find": queriesOf, "edit": editCommands}

// commandNames returns the names of the commands of some formats without duplicates.
func commandNames(formats format.Set, of commandsOf) []string {
	var names []string
	for _, f := range formats {
		for _, c := range of(f) {
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// allCommands returns the commands of some formats.
func allCommands(formats format.Set, of commandsOf) (all []*format.Command) {
	for _, f := range formats {
		all = append(all, of(f)...)
	}
	return all
}

// titledCommands returns the names of the commands of some formats without duplicates, with titles for completion.
func titledCommands(formats format.Set, of commandsOf) []string {
	var names []string
	for _, f := range formats {
		for _, c := range of(f) {
			if name := c.Name + "\t" + c.Title; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// withOptions returns copies of the commands with additional options.
func withOptions(commands []*format.Command, more []format.Option) []*format.Command {
	var all []*format.Command
	for _, c := range commands {
		with := *c
		with.Options = slices.Concat(c.Options, more)
		all = append(all, &with)
	}
	return all
}

// isCommandOption reports whether any command has an option of that name.
func isCommandOption(formats format.Set, of commandsOf, name string) bool {
	for _, f := range formats {
		for _, c := range of(f) {
			if slices.ContainsFunc(c.Options, func(o format.Option) bool { return o.Name == name }) {
				return true
			}
		}
	}
	return false
}

// sameCommands is a group of formats with identical commands.
type sameCommands struct {
	formats  []*format.Format
	commands []*format.Command
}

func (s *sameCommands) title() string {
	var titles []string
	for _, f := range s.formats {
		titles = append(titles, f.Title)
	}
	return strings.Join(titles, ", ")
}

// file returns the file name that examples of the commands use.
func (s *sameCommands) file() string {
	if f := s.formats[0]; !f.Folder {
		return "file" + service.Extension(f)
	}
	return "world"
}

// byCommands groups formats that have identical commands.
func byCommands(formats format.Set, of commandsOf) []*sameCommands {
	var all []*sameCommands
	for _, f := range formats {
		commands := of(f)
		if len(commands) == 0 {
			continue
		}
		i := slices.IndexFunc(all, func(s *sameCommands) bool { return slices.Equal(s.commands, commands) })
		if i < 0 {
			i = len(all)
			all = append(all, &sameCommands{commands: commands})
		}
		all[i].formats = append(all[i].formats, f)
	}
	for _, s := range all {
		s.commands = byHeading(s.commands)
	}
	return all
}

// byHeading groups commands that share a heading.
func byHeading(commands []*format.Command) []*format.Command {
	first := make(map[string]int)
	for i, c := range commands {
		if _, ok := first[c.Heading]; !ok {
			first[c.Heading] = i
		}
	}
	return slices.SortedStableFunc(slices.Values(commands), func(a, b *format.Command) int { return first[a.Heading] - first[b.Heading] })
}

// optionUsage returns how an option is written in help, and its description.
func optionUsage(o *format.Option) (name, help string) {
	value, help := unquoted(o)
	if name = "--" + o.Name; o.Type != format.Bool {
		name += " " + value
	}
	return name, help
}

// argumentUsage is optionUsage for an argument.
func argumentUsage(o *format.Option) (name, help string) {
	one := *o
	one.List = false // the usage of the argument shows that it repeats
	_, help = unquoted(&one)
	return strings.ToUpper(o.Name), help
}

// unquoted returns the name of an option's value and the help text without the quotes around that name,
// followed by the accepted values.
func unquoted(o *format.Option) (value, help string) {
	value, help = (&optionValue{option: *o}).Type(), o.Help
	if before, rest, ok := strings.Cut(help, "`"); ok {
		if called, after, ok := strings.Cut(rest, "`"); ok {
			value, help = called, before+called+after
		}
	}
	if o.Choices != nil {
		help += ": " + strings.Join(o.Choices, ", ")
	}
	if o.Default != "" && o.Type != format.Bool {
		help += fmt.Sprintf(" (default %s)", o.Default)
	}
	if o.List {
		help += "; may be given several times"
	}
	return value, help
}

// lastStep returns the words of the last of several operations, which the word then separates.
func lastStep(words []string) []string {
	for i, word := range slices.Backward(words) {
		if word == "then" {
			return words[i+1:]
		}
	}
	return words
}
