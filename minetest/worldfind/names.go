package worldfind

import (
	"errors"

	"trowel.example/internal/glob"
)

// Names are patterns of names: * stands for any run of characters, ? for one. The zero value
// matches every name.
type Names struct {
	match   func(name string) bool // nil: all
	literal string                 // is in every name that matches; may be ""
}

// ParseNames makes one of several patterns, of which a name has to match one. With none it
// matches every name. It fails for a pattern that is empty.
func ParseNames(patterns ...string) (n Names, err error) {
	for _, pattern := range patterns {
		if pattern == "" {
			return n, errors.New("the pattern of a name is empty")
		}
	}
	if len(patterns) > 0 {
		n.match = glob.Text(patterns...)
	}
	if len(patterns) == 1 {
		n.literal = glob.Literal(patterns[0])
	}
	return n, nil
}

// Match reports whether a name is one of them.
func (n Names) Match(name string) bool { return n.match == nil || n.match(name) }
