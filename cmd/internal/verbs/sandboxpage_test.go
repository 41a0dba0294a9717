package verbs

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"trowel.example/internal/testing/judge"
)

// TestSandboxPage tests that the table in docs/sandbox.md is that of the declarations.
func TestSandboxPage(t *testing.T) {
	const name, begin, end = "../../../docs/sandbox.md", "<!-- table -->\n", "<!-- end -->\n"
	page := judge.Read(t, name)
	before, rest, ok := strings.Cut(string(page), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("the page has no place for the table")
	}
	if table := sandboxTable(t); old != table && *update {
		judge.Write(t, name, []byte(before+begin+table+end+after))
	} else if old != table {
		t.Errorf("%s is out of date: run this test with -update", name)
	}
}

// sandboxTable returns the needs of all verbs, in Markdown.
func sandboxTable(t *testing.T) string {
	rows := make(map[string][]string) // verbs by what they keep
	var order []string
	root := rootCommand(newTool(games, strings.NewReader(""), io.Discard, io.Discard))
	forEach(root, func(cmd *cobra.Command) {
		if cmd == root || cmd.Hidden || cmd.HasSubCommands() {
			return
		}
		for n := range strings.SplitSeq(cmd.Annotations[needsNote], ",") {
			if _, ok := needTexts[need(n)]; n != "" && !ok {
				t.Errorf("%s: no text for the need %q", cmd.Name(), n)
			}
		}
		key := cmd.Annotations[needsNote]
		if rows[key] == nil {
			order = append(order, key)
		}
		rows[key] = append(rows[key], "`"+strings.TrimPrefix(cmd.CommandPath(), "trowel ")+"`")
	})
	slices.Sort(order)
	var b strings.Builder
	b.WriteString("| verbs | keep, in addition |\n| --- | --- |\n")
	for _, key := range order {
		var keeps []string
		for n := range strings.SplitSeq(key, ",") {
			if text := needTexts[need(n)]; text != "" {
				keeps = append(keeps, text)
			}
		}
		slices.Sort(rows[key])
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(rows[key], ", "), orNothing(strings.Join(keeps, "; ")))
	}
	return b.String()
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}
