// Package translation reads the lists of translations of the Torchlight games: data files with a text of the game and its
// translation in each node. It reads and writes them as PO files of gettext, which translators edit.
package translation

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/text"
)

// The names of the root and of the nodes of a list, and of their keys.
const (
	Root        = "TRANSLATIONS"
	Node        = "TRANSLATION"
	Original    = "ORIGINAL"
	Translation = "TRANSLATION"
)

// File is the key of a file in MEDIA/TRANSLATIONS that names the list of its language.
const File = "TRANSLATIONFILE"

// Is reports whether the tree of a data file is a list of translations.
func Is(root *text.Node) bool { return strings.EqualFold(root.Name, Root) }

// Pair is a text with its translation, as in the file: a line feed is \n.
type Pair struct {
	Place                 string // of the original in the file
	Original, Translation string
}

// Pairs yields the texts of a list that have a translation.
func Pairs(root *text.Node) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		times := make(map[string]int)
		for n := range root.Children() {
			place := root.Name + "." + n.Name
			if times[place]++; times[place] > 1 {
				place += fmt.Sprintf("[%d]", times[place])
			}
			from, _ := n.Get(Original)
			to, _ := n.Get(Translation)
			if from != "" && to != "" && !yield(Pair{place + "." + Original, from, to}) {
				return
			}
		}
	}
}

// Catalog lists the findings that [Check] can report.
var Catalog check.Catalog

var foundPlaceholder = Catalog.Add("tl-translation-placeholder", check.Warning,
	"A translation has other placeholders ([VALUE]) or colors (|c and |u) than its text, so the game shows a word in place of a number, "+
		"or the wrong part in color.",
	"Give the translation the placeholders of the text, and as many |c and |u.")

// placeholder is a part of a text that the game replaces.
var placeholder = regexp.MustCompile(`(?i)\[[A-Z][A-Z0-9_]*\]|\|c[0-9A-F]{6,8}|\|u`)

// Placeholders returns the sorted placeholders of a text. The color of |c does not matter.
func Placeholders(s string) []string {
	list := placeholder.FindAllString(s, -1)
	for i, p := range list {
		if list[i] = strings.ToUpper(p); p[0] == '|' {
			list[i] = strings.ToLower(p[:2])
		}
	}
	slices.Sort(list)
	return list
}

// Check reports translations whose placeholders differ from those of their texts.
func Check(root *text.Node, sink check.Sink) {
	if !Is(root) {
		return
	}
	for p := range Pairs(root) {
		want, got := Placeholders(p.Original), Placeholders(p.Translation)
		if !slices.Equal(want, got) {
			sink.AddAt(foundPlaceholder, []check.Place{text.Place{Node: p.Place}}, p.Place, -1, "the text has %s, and its translation %s",
				listed(want), listed(got))
		}
	}
}

func listed(placeholders []string) string {
	if len(placeholders) == 0 {
		return "no placeholders"
	}
	return strings.Join(placeholders, " ")
}
