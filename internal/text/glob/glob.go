// Package glob matches names with patterns of users: * matches any characters, or none, and ? matches one character.
// All other characters match themselves, including brackets, which occur in names of layers and nodes; so every text
// is a valid pattern. Invalid UTF-8 in a pattern matches any character.
package glob

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Text returns a function that reports whether a text matches one of the patterns.
func Text(patterns ...string) func(string) bool {
	if !slices.ContainsFunc(patterns, func(p string) bool { return strings.ContainsAny(p, "*?") }) {
		return func(s string) bool { return slices.Contains(patterns, s) }
	}
	return compile("(?s)", 0, patterns)
}

// Folded is Text ignoring case.
func Folded(patterns ...string) func(string) bool { return compile("(?is)", 0, patterns) }

// Path is Folded for names with separators: * and ? do not match a separator, ** does, and a pattern that ends with a
// separator matches everything below it.
func Path(separator byte, pattern string) func(string) bool {
	if strings.HasSuffix(pattern, string(separator)) {
		pattern += "**"
	}
	return compile("(?is)", separator, []string{pattern})
}

// Literal returns the longest text that every match of a [Text] pattern contains.
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
