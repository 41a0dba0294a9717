package worldquery

import (
	"errors"
	"slices"

	"trowel.example/internal/text/glob"
)

// Names are patterns of names: * matches any text and ? one character. The zero value matches every name.
type Names struct {
	match   func(name string) bool // nil: all
	literal string                 // occurs in every matching name; may be ""
}

// ParseNames returns Names that match if any of the patterns matches. Without patterns it matches every name. An
// empty pattern is an error.
func ParseNames(patterns ...string) (n Names, err error) {
	if slices.Contains(patterns, "") {
		return n, errors.New("the pattern of a name is empty")
	}
	if len(patterns) > 0 {
		n.match = glob.Text(patterns...)
	}
	if len(patterns) == 1 {
		n.literal = glob.Literal(patterns[0])
	}
	return n, nil
}

// Match reports whether a pattern matches a name.
func (n Names) Match(name string) bool { return n.match == nil || n.match(name) }
