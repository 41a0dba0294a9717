package check_test

import (
	"fmt"
	"testing"

	"trowel.example/check"
)

// TestZeroValues tests that methods of zero values do not panic.
func TestZeroValues(t *testing.T) {
	for _, v := range []any{check.Finding{}, check.Change{}, check.Conflict{}, check.Line{}, check.Span{}, check.File(""), check.Severity(9)} {
		if s, is := v.(fmt.Stringer); is {
			_ = s.String()
		}
	}
	_ = check.Finding{}.Verbose()
	if kinds := new(check.Catalog).Kinds(); len(kinds) != 0 {
		t.Error(kinds)
	}
}
