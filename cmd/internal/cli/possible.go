package cli

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// possible reports whether an expression can match a line that has no other characters
// than these. It may say yes of one that cannot, but never no of one that can: so a
// file of which nothing else is known need not be made to know that it is not in there.
func possible(re *syntax.Regexp, characters string) bool {
	can := func(sub *syntax.Regexp) bool { return possible(sub, characters) }
	switch re.Op {
	case syntax.OpNoMatch:
		return false
	case syntax.OpLiteral:
		return !slices.ContainsFunc(re.Rune, func(r rune) bool {
			return !hasRune(characters, r, re.Flags&syntax.FoldCase != 0)
		})
	case syntax.OpCharClass:
		return strings.ContainsFunc(characters, func(r rune) bool {
			for i := 0; i+1 < len(re.Rune); i += 2 {
				if re.Rune[i] <= r && r <= re.Rune[i+1] {
					return true
				}
			}
			return false
		})
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !can(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, can)
	case syntax.OpCapture, syntax.OpPlus:
		return can(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || can(re.Sub[0])
	}
	return true // what is empty, or repeats no times, or stands for any character
}

// hasRune reports whether a character is among others, in any case if fold is set.
func hasRune(characters string, r rune, fold bool) bool {
	if strings.ContainsRune(characters, r) {
		return true
	}
	for f := unicode.SimpleFold(r); fold && f != r; f = unicode.SimpleFold(f) {
		if strings.ContainsRune(characters, f) {
			return true
		}
	}
	return false
}
