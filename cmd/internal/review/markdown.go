package review

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"trowel.example/internal/text/words"
)

// Limits of a report in Markdown, which fits into a comment of GitHub (65,536 characters).
const (
	markdownLines = 100
	markdownSize  = 60_000
)

// Markdown returns the report as Markdown. Pictures are the links to them, or none. All text of files is in code spans and code blocks:
// GitHub and GitLab find mentions, links, references and emoji everywhere else, also behind a backslash.
func (r *Report) Markdown(pictures bool) []byte {
	var b bytes.Buffer
	sides := side(r.Head)
	if r.Base.Name != "" {
		sides = side(r.Base) + " to " + sides
	}
	fmt.Fprintf(&b, "# Review\n\n%s\n\n**%s**\n", sides, r.Verdict())
	if refused := r.Refused(); len(r.Allowed) > 0 && refused != "" {
		fmt.Fprintf(&b, "\nNot allowed here: %s.\n", refused)
	}
	if pictures && r.marked() {
		red, blue := r.marks()
		fmt.Fprintf(&b, "\nIn the pictures, red marks %s, blue %s.\n", red, blue)
	}
	for i, f := range r.Files {
		one := f.markdown(pictures, markdownLines)
		if b.Len()+len(one) > markdownSize {
			one = f.markdown(pictures, 5)
		}
		if b.Len()+len(one) > markdownSize {
			fmt.Fprintf(&b, "\n%s not shown: the report is too long.\n", words.Count(len(r.Files)-i, "file"))
			break
		}
		b.Write(one)
	}
	return b.Bytes()
}

func side(s Side) string {
	text := span(s.Name)
	if s.Commit != "" && s.Commit != s.Name {
		text += fmt.Sprintf(" (%s)", span(s.Commit))
	}
	return text
}

// markdown returns the part of the report on a file.
func (f *File) markdown(pictures bool, lines int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n## %s\n\n%s\n", span(f.Path), f.head())
	if f.Was != "" {
		fmt.Fprintf(&b, "\nIt was %s.\n", span(f.Was))
	}
	if v := f.verdict(); v != "" {
		fmt.Fprintf(&b, "\n**%s.**\n", v)
	}
	for _, s := range f.sections(lines) {
		fmt.Fprintf(&b, "\n%s:\n", s.Title)
		if len(s.Lines) > 0 {
			fmt.Fprintf(&b, "\n%s", block(s.Lines))
		}
		if s.More > 0 {
			fmt.Fprintf(&b, "\nThere are %s more.\n", words.Thousands(int64(s.More)))
		}
	}
	for _, p := range f.Pictures {
		if !pictures {
			break
		}
		b.WriteString("\n")
		if p.Part != "" {
			fmt.Fprintf(&b, "%s\n\n", span(p.Part))
		}
		if p.About != "" {
			fmt.Fprintf(&b, "%s\n\n", span(p.About))
		}
		for _, one := range p.list() {
			fmt.Fprintf(&b, "![%s](%s)\n", one.title, one.name) // the program has made the name
		}
	}
	return b.Bytes()
}

// span returns text as a code span.
func span(text string) string {
	text = shortRuns(plain(text))
	if strings.Trim(text, " ") == "" {
		return "(no name)" // a code span cannot be empty
	}
	mark := strings.Repeat("`", longestRun(text)+1)
	if ends := text[:1] + text[len(text)-1:]; strings.Contains(ends, "`") || ends == "  " {
		text = " " + text + " " // readers remove one space at each end
	}
	return mark + text + mark
}

// longRuns are runs of backticks that are too long: cmark-gfm ignores those of more than 80 around a span, and ends a block that has
// more than 255 too early.
var longRuns = regexp.MustCompile("`{40,}")

func shortRuns(text string) string { return longRuns.ReplaceAllString(text, "``...``") }

// block returns lines without line breaks as a code block.
func block(lines []string) string {
	text := shortRuns(strings.Join(lines, "\n"))
	mark := strings.Repeat("`", max(3, longestRun(text)+1))
	return mark + "text\n" + text + "\n" + mark + "\n"
}

// longestRun returns the length of the longest run of backticks.
func longestRun(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
