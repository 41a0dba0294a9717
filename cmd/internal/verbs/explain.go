package verbs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/check"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

func explainCommand(a *Tool) *cobra.Command {
	var o jsonOption
	cmd := &cobra.Command{
		Use:   "explain [ID...]",
		Short: "Explain findings of check",
		Long: `Explain prints the meaning of a kind of finding, what to do, and an example of its message. The ID of a
finding is in brackets at its end. Without an ID it prints all kinds, without examples.

With --json it prints an array of {format, id, severity, meaning, remedy, example}; format is empty for kinds that
belong to no format.`,
		Example: `  trowel explain tw-map-tile-unused
  trowel explain mt-block-cut-off --json`,
		Args: args(0, -1),
		ValidArgsFunction: func(_ *cobra.Command, _ []string, start string) (offers, cobra.ShellCompDirective) {
			var ids offers
			for _, k := range ownedKinds(a) {
				ids = append(ids, k.ID+"\t"+k.Meaning)
			}
			return startingWith(start, ids), cobra.ShellCompDirectiveNoFileComp
		},
	}
	Bind(a, cmd, &o)
	colorFlag(a, cmd)
	cmd.RunE = func(_ *cobra.Command, ids []string) error {
		if len(ids) == 0 {
			startPager(a)
			return printKinds(a, o.AsJSON)
		}
		kinds := ownedKinds(a)
		var named []ownedKind
		for _, id := range ids {
			i := slices.IndexFunc(kinds, func(k ownedKind) bool { return k.ID == strings.ToLower(strings.Trim(id, "[]")) })
			if i < 0 {
				var all []string
				for _, k := range kinds {
					all = append(all, k.ID)
				}
				return wording.DidYouMean(fmt.Errorf("no finding has the ID %s", id), id, all, "`trowel explain` prints all kinds")
			}
			named = append(named, kinds[i])
		}
		if o.AsJSON {
			list := terminal.Array{W: a.out}
			for _, k := range named {
				if err := list.Add(append(k.object(), terminal.Member{"example", k.example})); err != nil {
					return err
				}
			}
			return list.End()
		}
		p := newHelpPage(a, a.out)
		for i, k := range named {
			if i > 0 {
				fmt.Fprintln(p)
			}
			fmt.Fprintf(p, "%s (%s, %s)\n\n%s\n\nWhat to do:\n  %s\n", a.screen.Paint(terminal.ColorHead, k.ID),
				a.screen.Paint(severityColors[k.Severity], k.Severity.String()),
				k.title, p.screen.Wrapped(k.Meaning, 0, 0), p.screen.Wrapped(k.Remedy, 2, 2))
			if k.example != "" {
				fmt.Fprintf(p, "\nExample:\n  %s\n", p.screen.Wrapped(k.example, 2, 4))
			}
		}
		return nil
	}
	return needs(cmd, needNothing)
}

// printKinds prints an explanation of each kind of finding.
func printKinds(a *Tool, asJSON bool) error {
	list := terminal.Array{W: a.out}
	for _, k := range ownedKinds(a) {
		var err error
		if asJSON {
			err = list.Add(k.object())
		} else {
			_, err = fmt.Fprintf(a.out, "%s: %s (%s)\n    %s\n    %s\n", a.screen.Paint(terminal.ColorHead, k.ID),
				a.screen.Paint(severityColors[k.Severity], k.Severity.String()),
				cmp.Or(k.owner, "any format"), a.screen.Wrapped(k.Meaning, 4, 4), a.screen.Wrapped(k.Remedy, 4, 4))
		}
		if err != nil {
			return err
		}
	}
	if asJSON {
		return list.End()
	}
	return nil
}

// ownedKind is a kind of finding, the format that reports it, and an example of its message.
type ownedKind struct {
	*check.Kind
	owner, title string // name and title of the first format that has it; "" and "any file" if none does
	example      string
}

// object returns the kind as data, without the example.
func (k ownedKind) object() terminal.Object {
	return terminal.Object{{"format", k.owner}, {"id", k.ID}, {"severity", k.Severity}, {"meaning", k.Meaning}, {"remedy", k.Remedy}}
}

// ownedKinds returns all kinds of findings without duplicates.
func ownedKinds(a *Tool) []ownedKind {
	var all []ownedKind
	seen := make(map[string]bool)
	add := func(owner, title, findings string, kinds []*check.Kind) {
		examples := examplesOf(findings)
		for _, k := range kinds {
			if !seen[k.ID] {
				seen[k.ID] = true
				all = append(all, ownedKind{k, owner, title, examples[k.ID]})
			}
		}
	}
	add("", "any file", format.Findings, format.CheckKinds())
	for _, f := range a.Formats {
		add(f.Name, f.Title, a.Games.Of(f).Findings, f.Kinds)
	}
	return all
}

// examplesOf returns the examples of messages by ID. A line of text has both.
func examplesOf(text string) map[string]string {
	examples := make(map[string]string)
	for line := range strings.Lines(text) {
		id, example, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		examples[id] = example
	}
	return examples
}
