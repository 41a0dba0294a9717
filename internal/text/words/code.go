package words

import "strings"

// Code quotes a text of a file as code in Markdown, on one line, cut to 200 characters.
func Code(s string) string {
	s = Printable(Cut(s, 200))
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 || s == "" {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}
