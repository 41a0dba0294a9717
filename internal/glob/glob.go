// Package glob matches names with the patterns that people type: * stands for any characters,
// or none, and ? for one. Everything else stands for itself, brackets too, which names of
// layers and nodes may have; so every text is a pattern. Bytes that are not UTF-8 stand for any
// character.
package glob

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Text returns a function that reports whether a text is what one of the patterns means.
func Text(patterns ...string) func(string) bool {
	if !slices.ContainsFunc(patterns, func(p string) bool { return strings.ContainsAny(p, "*?") }) {
		return func(s string) bool { return slices.Contains(patterns, s) }
	}
	return compile("(?s)", 0, patterns)
}

// Folded is Text without regard to capitals.
func Folded(patterns ...string) func(string) bool { return compile("(?is)", 0, patterns) }

// Path is Folded for names with a separator between them: * and ? stay between two separators,
// ** does not, and a separator at the end stands for all that comes behind it.
func Path(separator byte, pattern string) func(string) bool {
	if strings.HasSuffix(pattern, string(separator)) {
		pattern += "**"
	}
	return compile("(?is)", separator, []string{pattern})
}

// Literal returns the longest text that is in everything that a pattern of [Text] means.
func Literal(pattern string) (longest string) {
	for _, part := range strings.FieldsFunc(pattern, func(c rune) bool { return c == '*' || c == '?' || c == utf8.RuneError }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

func compile(flags string, separator byte, patterns []string) func(string) bool {
	all := make([]string, len(patterns))
	for i, p := range patterns {
		all[i] = expression(p, separator)
	}
	return regexp.MustCompile(flags + "^(?:" + strings.Join(all, "|") + ")$").MatchString
}

func expression(pattern string, separator byte) string {
	part, sep := ".", ""
	if separator != 0 {
		sep = regexp.QuoteMeta(string(separator))
		part = "[^" + sep + "]"
	}
	var b strings.Builder
	for len(pattern) > 0 {
		r, n := utf8.DecodeRuneInString(pattern)
		switch {
		case separator != 0 && strings.HasPrefix(pattern, "**"+string(separator)):
			b.WriteString("(?:.*" + sep + ")?")
			n = 3
		case separator != 0 && strings.HasPrefix(pattern, "**"):
			b.WriteString(".*")
			n = 2
		case r == '*':
			b.WriteString(part + "*")
		case r == '?', r == utf8.RuneError:
			b.WriteString(part)
		default:
			b.WriteString(regexp.QuoteMeta(pattern[:n]))
		}
		pattern = pattern[n:]
	}
	return b.String()
}
