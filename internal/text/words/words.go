// Package words formats amounts as text, and makes text from files safe to display.
package words

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count returns an amount with its unit: "1 point", "0 entries", "1,200 points".
func Count[N ~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](n N, one string) string {
	return Thousands(int64(n)) + " " + Plural(int64(n), one)
}

// Plural returns the plural of a unit if n is not 1.
func Plural(n int64, one string) string {
	if n == 1 {
		return one
	}
	if stem, is := strings.CutSuffix(one, "y"); is && !strings.HasSuffix(stem, "e") { // not key
		return stem + "ies"
	}
	return one + "s"
}

// OneLine puts a text of several lines, such as that of an error that joins several, into one.
func OneLine(text string) string { return strings.ReplaceAll(text, "\n", "; ") }

// Thousands formats a number with commas.
func Thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Cut shortens text that is longer than most bytes, at a character boundary, and appends its length.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most
	for end > max(0, most-utf8.UTFMax) && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s... (%d bytes)", s[:end], len(s))
}

// Printable makes text from a game file safe for a terminal.
func Printable(s string) string {
	if !strings.ContainsFunc(s, notPrintable) && strings.ToValidUTF8(s, "") == s {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == unicode.ReplacementChar && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case notPrintable(r):
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func notPrintable(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }
