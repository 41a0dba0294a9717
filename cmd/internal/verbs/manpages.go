package verbs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra/doc"

	"trowel.example/internal/format"
)

// writeCommandPages writes the manual pages of all operations and queries into a folder: trowel-edit-NAME.1 and
// trowel-find-NAME.1.
func writeCommandPages(formats format.Set, header *doc.GenManHeader, dir string) error {
	for _, verb := range []string{"edit", "find"} {
		for _, name := range commandNames(formats, verbCommands[verb]) {
			path := filepath.Join(dir, fmt.Sprintf("trowel-%s-%s.%s", verb, name, header.Section))
			if err := os.WriteFile(path, []byte(manPage(formats, header, verb, name)), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// manPage returns the manual page of the operations or queries of a name.
func manPage(formats format.Set, header *doc.GenManHeader, verb, name string) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		for i, arg := range args {
			args[i] = roffText(fmt.Sprint(arg))
		}
		fmt.Fprintf(&b, format+"\n", args...)
	}
	var same []*sameCommands
	var commands []*format.Command
	for _, s := range byCommands(formats, verbCommands[verb]) {
		if i := slices.IndexFunc(s.commands, func(c *format.Command) bool { return c.Name == name }); i >= 0 {
			same, commands = append(same, s), append(commands, s.commands[i])
		}
	}
	page := "trowel-" + verb + "-" + name
	line(`.TH "%s" "%s" "%s" "%s" "%s"`, strings.ToUpper(page), header.Section, header.Date.Format("Jan 2006"), header.Source, header.Manual)
	line(".SH NAME\n%s - %s", page, commands[0].Title)
	line(".SH SYNOPSIS")
	var usages []string
	for _, c := range commands {
		if usage := c.Usage(); !slices.Contains(usages, usage) {
			usages = append(usages, usage)
			line(".B trowel %s\n%s\n.br", verb, "FILE... -- "+usage)
		}
	}
	for i, c := range commands {
		line(".SH DESCRIPTION: %s\n%s.", strings.ToUpper(same[i].title()), strings.TrimSuffix(c.Title, "."))
		for paragraph := range strings.SplitSeq(c.Long, "\n\n") {
			if paragraph != "" {
				line(".PP\n%s", paragraph)
			}
		}
		for _, part := range commandParts(c) {
			line(".PP\n%s:", part.title)
			for _, r := range part.rows {
				line(".TP\n.B %s\n%s", r.name, r.help)
			}
		}
		line(".PP\nExample:\n.PP\n.nf\n.RS\ntrowel %s %s -- %s\n.RE\n.fi", verb, same[i].file(), c.Example)
	}
	line(".SH SEE ALSO\n.BR %s (1)", "trowel-"+verb)
	return b.String()
}

// roffText returns a text as it is written in a manual page.
func roffText(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
