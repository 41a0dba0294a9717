package worldfind

import (
	"fmt"
	"regexp"
	"strings"
)

// Names are patterns of names: * stands for any run of characters, ? for one. The zero value
// matches every name.
type Names struct {
	expr    *regexp.Regexp
	exact   string // the only name that matches; "" if there may be others
	literal string // is in every name that matches; may be ""
}

// ParseNames makes one of several patterns, of which a name has to match one. With none it
// matches every name. It fails for a pattern that is empty, or not in UTF-8.
func ParseNames(patterns ...string) (Names, error) {
	var n Names
	var all []string
	for _, pattern := range patterns {
		if pattern == "" {
			return n, fmt.Errorf("the pattern of a name is empty")
		}
		quoted := regexp.QuoteMeta(pattern)
		all = append(all, strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(quoted))
	}
	if len(all) == 0 {
		return n, nil
	}
	expr, err := regexp.Compile("(?s)^(?:" + strings.Join(all, "|") + ")$")
	if err != nil {
		return n, fmt.Errorf("%q is no pattern of names: it is not in UTF-8", strings.Join(patterns, " "))
	}
	n.expr = expr
	if len(patterns) == 1 {
		for _, part := range strings.FieldsFunc(patterns[0], func(r rune) bool { return r == '*' || r == '?' }) {
			if len(part) > len(n.literal) {
				n.literal = part
			}
		}
		if n.literal == patterns[0] {
			n.exact = n.literal
		}
	}
	return n, nil
}

// Match reports whether a name is one of them.
func (n Names) Match(name string) bool {
	if n.exact != "" {
		return name == n.exact
	}
	return n.expr == nil || n.expr.MatchString(name)
}
