// Package pattern implements the patterns of search: regular expressions, with a check whether an expression can match
// a line made from known words. So files that cannot match need not be created for a search.
package pattern

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// Pattern is a regular expression that matches lines.
type Pattern struct {
	re     *regexp.Regexp
	parsed *syntax.Regexp
}

// Hit is a line that matches.
type Hit struct {
	Line int // counted from 1
	Text string
}

// New compiles an expression, in which ^ and $ match the ends of a line.
func New(expr string) (*Pattern, error) {
	if _, err := regexp.Compile(expr); err != nil {
		return nil, err // quotes the user's expression
	}
	re, err := regexp.Compile("(?m)" + expr)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return nil, err
	}
	return &Pattern{re, parsed.Simplify()}, nil
}

// In reports whether any part of a text matches.
func (p *Pattern) In(text []byte) bool { return p.re.Match(text) }

// Lines returns the matching lines of a text, without their line ends.
func (p *Pattern) Lines(text []byte) (hits []Hit) {
	if !p.In(text) {
		return nil
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimRight(line, "\r\n"); p.re.Match(line) {
			hits = append(hits, Hit{n, string(line)})
		}
	}
	return hits
}

// Words describes lines that consist of words and of any text spelled with some characters. A word has separators on
// both sides.
type Words struct {
	Characters string
	Words      []string
}

// separators are the characters between words, as far as they are in Characters.
const separators = " *="

// Possible reports whether a line of these words can match. It may report true if none can, but never false if one
// can.
func (p *Pattern) Possible(w Words) bool { return w.possible(p.parsed) }

func (w Words) possible(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpNoMatch:
		return false
	case syntax.OpLiteral:
		return w.has(string(re.Rune), re.Flags&syntax.FoldCase != 0)
	case syntax.OpCharClass:
		return w.any(func(r rune) bool {
			for i := 0; i+1 < len(re.Rune); i += 2 {
				if re.Rune[i] <= r && r <= re.Rune[i+1] {
					return true
				}
			}
			return false
		})
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !w.possible(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, w.possible)
	case syntax.OpCapture, syntax.OpPlus:
		return w.possible(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || w.possible(re.Sub[0])
	}
	return true // empty expressions, zero repetitions, and expressions for any character
}

// any reports whether a line can contain a character of some kind.
func (w Words) any(kind func(rune) bool) bool {
	return strings.ContainsFunc(w.Characters, kind) ||
		slices.ContainsFunc(w.Words, func(word string) bool { return strings.ContainsFunc(word, kind) })
}

// has reports whether a line can contain a text, ignoring case if fold is set. Each part of the text between
// separators must be within one word, or spelled.
func (w Words) has(text string, fold bool) bool {
	in := strings.Contains
	if fold {
		text = folded(text)
		in = func(s, piece string) bool { return strings.Contains(folded(s), piece) }
	}
	holds := func(piece string) bool {
		return !strings.ContainsFunc(piece, func(r rune) bool { return !in(w.Characters, string(r)) }) ||
			slices.ContainsFunc(w.Words, func(word string) bool { return in(word, piece) })
	}
	isSeparator := func(r rune) bool { return strings.ContainsRune(separators, r) }
	for piece := range strings.FieldsFuncSeq(text, isSeparator) {
		if !holds(piece) {
			return false
		}
	}
	for _, s := range separators {
		if strings.ContainsRune(text, s) && !holds(string(s)) {
			return false
		}
	}
	return true
}

// folded returns the text with letters that differ only in case replaced by the same letter.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, text)
}
