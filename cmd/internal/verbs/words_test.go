package verbs

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"trowel.example/internal/text/words"
)

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                        nil,
		"  # a comment":           nil,
		"info --author Ann":       {"info", "--author", "Ann"},
		`a 'b c' "d 'e'" f\ g #h`: {"a", "b c", "d 'e'", "f g"},
		`'' "\"" a#b`:             {"", `"`, "a#b"},
		"set x=1\r":               {"set", "x=1"},
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
	for _, line := range []string{"'a", `"a`, `a\`} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// FuzzSplitWords tests that all quoted words are restored.
func FuzzSplitWords(f *testing.F) {
	f.Add("it's", `a "b" \`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.ContainsAny(a+b, "\n") || !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		got, err := splitWords(words.QuotedFor("unix", a, b))
		if err != nil || !slices.Equal(got, []string{a, b}) {
			t.Errorf("%q %q: %q, %v", a, b, got, err)
		}
	})
}
