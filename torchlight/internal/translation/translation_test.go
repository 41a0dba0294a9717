package translation_test

import (
	"fmt"
	"testing"

	"trowel.example/check"
	_ "trowel.example/internal/testing/tests" // an empty machine
	"trowel.example/torchlight/internal/translation"
	"trowel.example/torchlight/text"
)

// TestCheck tests that translations with other placeholders than their texts are reported.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"[VALUE] to [STAT]", "[STAT]: [value]", ""},
		{"|cFF00FF00Wolf|u [A]", "|cFFFFFFFFLoup|u [A]", ""},
		{"Array[1] is [not one]", "Array[2]", ""},
		{"", "[VALUE]", ""},
		{"[VALUE]", "", ""},
		{"[VALUE] [VALUE]", "[VALUE]", "the text has [VALUE] [VALUE], and its translation [VALUE]"},
		{"[VALUE1]", "[VALUE]", "the text has [VALUE1], and its translation [VALUE]"},
		{"|cFF00FF00Wolf|u", "Loup", "the text has |c |u, and its translation no placeholders"},
		{"Wolf", "Loup|u", "the text has no placeholders, and its translation |u"},
	} {
		root := &text.Node{Name: "Translations"}
		root.AddNode("TRANSLATION").Add(text.String, "ORIGINAL", "x")
		n := root.AddNode("TRANSLATION")
		n.Add(text.String, "ORIGINAL", c.from)
		n.Add(text.Translate, "TRANSLATION", c.to)
		found := check.Collect(func(sink check.Sink) { translation.Check(root, sink) })
		want := "[]"
		if c.want != "" {
			want = "[warning: Translations.TRANSLATION[2].ORIGINAL: " + c.want + " [tl-translation-placeholder]]"
		}
		if got := fmt.Sprint(found); got != want {
			t.Errorf("%s, %s: %s, want %s", c.from, c.to, got, want)
		}
	}
}
