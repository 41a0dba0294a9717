package viewer

import (
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/format"
)

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                  nil,
		"  tele  5 ":        {"tele", "5"},
		`a 'b c' "d \" e"`:  {"a", "b c", `d " e`},
		`a\ b '\' ""`:       {"a b", `\`, ""},
		"pre'fix'\"ed\" to": {"prefixed", "to"},
	} {
		if got, err := splitWords(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"'", `"a`, `a\`} {
		if got, err := splitWords(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// FuzzSplitWords tests that quoted words are restored.
func FuzzSplitWords(f *testing.F) {
	for _, text := range []string{"tele 5", `a 'b c' "d \" e"`, `\`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, err := splitWords(text)
		if err != nil || !strings.ContainsFunc(text, func(r rune) bool { return r != '\uFFFD' }) {
			return
		}
		var quoted []string
		for _, word := range words {
			quoted = append(quoted, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
		}
		if again, err := splitWords(strings.Join(quoted, " ")); err != nil || !slices.Equal(again, words) {
			t.Errorf("%q is %q, and then %q, %v", text, words, again, err)
		}
	})
}

// TestNoFiles tests that a query cannot name a file of the disk.
func TestNoFiles(t *testing.T) {
	c := &format.Command{Name: "like", Args: []format.Option{{Name: "file", Access: format.Access{Input: true}}},
		Options: []format.Option{{Name: "rules", Access: format.Access{Input: true}}, {Name: "n", Default: "1"}}}
	for words, ok := range map[string]bool{"like x": false, "like '' --n 2": true, "like '' --rules x": false} {
		list, err := splitWords(words)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := format.ParseSteps(&format.Job{}, []*format.Command{c}, list)
		if err != nil {
			t.Fatal(err)
		}
		if err := noFiles(steps[0]); (err == nil) != ok {
			t.Errorf("%s: %v", words, err)
		}
	}
}
