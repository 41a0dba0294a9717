package terminal

import (
	"regexp"
	"strings"
)

// oldAndNew matches the last word or quoted text before an arrow, or all after a colon, and what follows the arrow.
var oldAndNew = regexp.MustCompile(`(: [^:;]*?|"(?:[^"\\]|\\.)*"|[^\s()]+) -> ("(?:[^"\\]|\\.)*"|[^:;()]*[^:;()\s])`)

// Change paints the description of a change: what was added or removed as a whole, or the old and the new value. The text must not contain
// escape sequences.
func (s *Screen) Change(text string) string {
	switch word, _, _ := strings.Cut(text, " "); strings.TrimRight(word, ":,;") {
	case "added", "placed":
		return s.Paint(ColorAdded, text)
	case "removed":
		return s.Paint(ColorRemoved, text)
	}
	var b strings.Builder
	end := 0
	for _, m := range oldAndNew.FindAllStringSubmatchIndex(text, -1) {
		old := text[m[2]:m[3]]
		rest, isValue := strings.CutPrefix(old, ": ")
		b.WriteString(text[end:m[2]])
		if isValue {
			b.WriteString(": ")
			old = rest
		}
		b.WriteString(s.Paint(ColorRemoved, old) + " -> " + s.Paint(ColorAdded, text[m[4]:m[5]]))
		end = m[5]
	}
	return b.String() + text[end:]
}
