// Package review describes what a contribution changes, as Markdown, HTML and JSON: for each file the differences, those that decide the
// game, new and gone findings, and pictures. Contributions come from strangers: no text of a file becomes a link, a mention, an
// element or a picture of a report.
package review

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
)

// Kind is a kind of change that a reviewer may allow.
type Kind string

// Kinds of changes.
const (
	Design  Kind = "design"  // of a file in which nothing that affects gameplay changed
	Physics Kind = "physics" // what affects gameplay; this includes Design
	Other   Kind = "other"   // of formats that do not distinguish the two, and of files that are not game files
	Files   Kind = "files"   // files were added, removed or renamed
	Rules   Kind = "rules"   // a written rule that binds is broken
	Errors  Kind = "errors"  // new findings are errors
)

// Kinds are all kinds.
var Kinds = []Kind{Design, Physics, Other, Files, Errors, Rules}

// titles describe the kinds for people.
var titles = map[Kind]string{Design: "design", Physics: "changes of gameplay", Other: "changes of other files",
	Files: "added, removed or renamed files", Errors: "new errors", Rules: "broken rules"}

// Report is the report on a contribution.
type Report struct {
	Base    Side    `json:"base"`
	Head    Side    `json:"head"`
	Allowed []Kind  `json:"allowed"`
	Passed  bool    `json:"passed"` // all changes are allowed, and everything could be read
	Files   []*File `json:"files"`  // that changed
}

// Side is one of the two states that are compared.
type Side struct {
	Name   string `json:"name"` // as the user gave it
	Commit string `json:"commit,omitempty"`
}

// File is a file that changed.
type File struct {
	Path    string `json:"path"`
	Was     string `json:"was,omitempty"` // its earlier path, if it was renamed
	Change  string `json:"change"`        // added, removed, changed or renamed
	Format  string `json:"format"`        // the name of the format; "" if it is unknown
	Title   string `json:"-"`             // of the format, for people
	OldSize *int64 `json:"oldSize,omitempty"`
	NewSize *int64 `json:"newSize,omitempty"`
	Kinds   []Kind `json:"kinds"`

	Decided bool            `json:"decided"` // whether the format distinguishes what affects gameplay, and both files could be read
	Decides []check.Change  `json:"decides"` // changes that affect gameplay
	Changes []any           `json:"changes"` // all changes, as diff --json prints them
	Left    int             `json:"left"`    // number of further changes
	Lines   []string        `json:"-"`       // the changes for people
	New     []check.Finding `json:"new"`
	Gone    []check.Finding `json:"gone"`
	Rules   []check.Finding `json:"rules,omitempty"` // all findings about written rules, also those that are not new

	Pictures   []Picture `json:"pictures"`
	Notes      []string  `json:"notes"`      // messages
	Incomplete bool      `json:"incomplete"` // something could not be read or compared; a note gives the reason
}

// Picture is a pair of pictures of the same area. Before or After is "" if the file, or the part, is not there.
type Picture struct {
	Part   string `json:"part,omitempty"` // the drawn file inside the file
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Decide string `json:"decide,omitempty"` // what affects gameplay in the area
	About  string `json:"about,omitempty"`  // the message of the finding that the pictures show
	Marks  int    `json:"marks"`            // number of marked rectangles
}

// shot is a picture with its title.
type shot struct{ title, name string }

// list returns the pictures that there are.
func (p *Picture) list() (list []shot) {
	titles := [3]string{"before", "after", "gameplay"}
	if p.About != "" {
		titles = [3]string{"before", "what players see", "what they touch"}
	}
	for i, name := range [3]string{p.Before, p.After, p.Decide} {
		if name != "" {
			list = append(list, shot{titles[i], name})
		}
	}
	return list
}

// End completes the report when all files are known.
func (r *Report) End() {
	r.Passed = true
	r.Allowed = append([]Kind{}, r.Allowed...) // JSON has empty arrays
	r.Files = append([]*File{}, r.Files...)
	for _, f := range r.Files {
		f.classify()
		f.Kinds = append([]Kind{}, f.Kinds...)
		f.Decides, f.Changes = append([]check.Change{}, f.Decides...), append([]any{}, f.Changes...)
		f.New, f.Gone = append([]check.Finding{}, f.New...), append([]check.Finding{}, f.Gone...)
		f.Pictures, f.Notes = append([]Picture{}, f.Pictures...), append([]string{}, f.Notes...)
		r.Passed = r.Passed && !f.Incomplete && !slices.ContainsFunc(f.Kinds, func(k Kind) bool { return !r.allows(k) })
	}
}

func (r *Report) allows(k Kind) bool {
	return slices.Contains(r.Allowed, k) || k == Design && slices.Contains(r.Allowed, Physics)
}

// classify sets the kinds of the changes of a file.
func (f *File) classify() {
	switch {
	case f.Change == Alone: // nothing to compare with
	case f.Change == "added" || f.Change == "removed":
		f.Kinds = append(f.Kinds, Files)
	case len(f.Decides) > 0:
		f.Kinds = append(f.Kinds, Physics)
	case f.Decided:
		f.Kinds = append(f.Kinds, Design)
	case f.Change != "renamed" || len(f.Changes) > 0:
		f.Kinds = append(f.Kinds, Other)
	}
	if f.Change == "renamed" {
		f.Kinds = append(f.Kinds, Files)
	}
	if slices.ContainsFunc(f.New, func(n check.Finding) bool { return n.Severity == check.Error }) {
		f.Kinds = append(f.Kinds, Errors)
	}
	if slices.ContainsFunc(f.Rules, check.Finding.Breaks) {
		f.Kinds = append(f.Kinds, Rules)
	}
}

// count returns the number of files with a kind of change.
func (r *Report) count(match func(*File) bool) int {
	n := 0
	for _, f := range r.Files {
		if match(f) {
			n++
		}
	}
	return n
}

func has(k Kind) func(*File) bool { return func(f *File) bool { return slices.Contains(f.Kinds, k) } }

func incomplete(f *File) bool { return f.Incomplete }

// Verdict returns the result in a few sentences, which contain no text of a file.
func (r *Report) Verdict() string {
	if len(r.Files) == 0 {
		return "Nothing changed."
	}
	if rules := r.ruled(); rules != "" && r.Base.Name == "" {
		return rules
	}
	text := fmt.Sprintf("%s changed. ", words.Count(len(r.Files), "file"))
	decided := r.count(func(f *File) bool { return f.Decided })
	switch physics, unread := r.count(has(Physics)), r.count(incomplete); {
	case physics > 0:
		text += fmt.Sprintf("Gameplay changed in %s.", words.Count(physics, "file"))
	case unread == 0 && decided == len(r.Files):
		text += "Gameplay did not change."
	case decided > 0:
		text += fmt.Sprintf("Gameplay did not change in %s.", words.Count(decided, "map"))
	default:
		text = strings.TrimSpace(text)
	}
	if n := r.count(incomplete); n > 0 {
		text += fmt.Sprintf(" %s could not be compared completely.", words.Count(n, "file"))
	}
	return strings.TrimSpace(text + " " + r.ruled())
}

// ruled returns the result about written rules in a sentence, or "". It never promises a release.
func (r *Report) ruled() string {
	rules, broken := 0, 0
	for _, f := range r.Files {
		rules += len(f.Rules)
		for _, one := range f.Rules {
			if one.Breaks() {
				broken++
			}
		}
	}
	switch {
	case rules == 0:
		return ""
	case broken == 0:
		return "As far as a program can see, no binding rule is broken; a person must still check the map."
	}
	return fmt.Sprintf("%s against a binding rule.", words.Count(broken, "finding"))
}

// Alone is the change of a file that is compared with nothing.
const Alone = "alone"

// Refused returns what is not allowed, in words, or "".
func (r *Report) Refused() string {
	var list []string
	for _, k := range Kinds {
		if n := r.count(has(k)); n > 0 && !r.allows(k) {
			list = append(list, fmt.Sprintf("%s (%s)", titles[k], words.Count(n, "file")))
		}
	}
	if n := r.count(incomplete); n > 0 {
		list = append(list, fmt.Sprintf("data that could not be read (%s)", words.Count(n, "file")))
	}
	return strings.Join(list, ", ")
}

// head describes a file for people, without its name. It contains no text of a file.
func (f *File) head() string {
	var list []string
	if f.Change != Alone {
		list = append(list, f.Change)
	}
	if f.Title != "" {
		list = append(list, f.Title)
	} else {
		list = append(list, "not a game file")
	}
	switch old, new := f.OldSize, f.NewSize; {
	case old != nil && new != nil && *old == *new:
		list = append(list, words.Thousands(*old)+" bytes before and after")
	case old != nil && new != nil:
		list = append(list, words.Thousands(*old)+" to "+words.Thousands(*new)+" bytes")
	case old != nil:
		list = append(list, words.Thousands(*old)+" bytes")
	case new != nil:
		list = append(list, words.Thousands(*new)+" bytes")
	}
	return strings.Join(list, ", ")
}

// verdict describes the changes of a file with respect to the game, or "".
func (f *File) verdict() string {
	switch {
	case len(f.Decides) > 0:
		return "Gameplay changed"
	case f.Decided:
		return "Gameplay did not change"
	}
	return ""
}

// section is a list of lines in the report on a file. Its title contains no text of a file.
type section struct {
	Title string
	Lines []string
	More  int // number of further lines
}

// sections returns the lists in the report on a file, each with at most some lines.
func (f *File) sections(most int) []section {
	var list []section
	add := func(title string, more int, lines []string) {
		if len(lines) == 0 && more == 0 {
			return
		}
		n := min(len(lines), most)
		shown := make([]string, n)
		for i, line := range lines[:n] {
			shown[i] = plain(line)
		}
		list = append(list, section{title, shown, more + len(lines) - n})
	}
	var decides []string
	for _, c := range f.Decides {
		at := c.At
		c.At = nil
		decides = append(decides, c.String())
		for places := range slices.Chunk(at, placesInLine) {
			line := "   "
			for _, p := range places {
				line += " " + p.String()
			}
			decides = append(decides, line)
		}
	}
	add("Gameplay", 0, decides)
	var binds, advice, others []check.Finding
	for _, one := range f.Rules {
		switch {
		case one.Rule.Name == "":
			others = append(others, one)
		case one.Rule.Binds:
			binds = append(binds, one)
		default:
			advice = append(advice, one)
		}
	}
	add("Against binding rules", 0, texts(binds))
	add("Against advice", 0, texts(advice))
	var persons []string
	for _, one := range others {
		_, list, _ := strings.Cut(one.Message, ": ")
		persons = append(persons, strings.Split(list, "; ")...)
	}
	add("For a person to check", 0, persons)
	title := "New findings"
	if f.Change == Alone {
		title = "Other findings"
	}
	add(title, 0, texts(f.New))
	add("Gone findings", 0, texts(f.Gone))
	add("Changes", f.Left, f.Lines)
	add("Messages", 0, f.Notes)
	return list
}

const (
	maxLine      = 1000 // bytes
	placesInLine = 16
)

// plain returns text of a file without control characters and not too long.
func plain(text string) string {
	return words.Cut(words.Printable(words.Cut(text, maxLine)), maxLine)
}

func texts(findings []check.Finding) (list []string) {
	for _, f := range findings {
		list = append(list, f.String())
	}
	return list
}

// CompareFindings returns the findings that only the new file, or only the old file, has. A finding of a part that has another number
// in its list, but is otherwise the same, is in both.
func CompareFindings(old, new []check.Finding) (fresh, gone []check.Finding) {
	gone, fresh = without(old, new, check.Finding.String), without(new, old, check.Finding.String)
	unnumbered := func(f check.Finding) string {
		f.Path = index.ReplaceAllString(f.Path, "[]")
		return f.String()
	}
	return without(fresh, gone, unnumbered), without(gone, fresh, unnumbered)
}

var index = regexp.MustCompile(`\[\d+\]`)

// without returns the findings of a list that another list does not have as often.
func without(list, others []check.Finding, key func(check.Finding) string) []check.Finding {
	known := make(map[string]int)
	for _, f := range others {
		known[key(f)]++
	}
	rest := []check.Finding{}
	for _, f := range list {
		if known[key(f)]--; known[key(f)] < 0 {
			rest = append(rest, f)
		}
	}
	return rest
}
