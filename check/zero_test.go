package check_test

import (
	"fmt"
	"testing"

	"trowel.example/check"
)

// TestZeroValues tests that methods of zero values do not panic.
func TestZeroValues(t *testing.T) {
	for _, v := range []any{check.Finding{}, check.Change{}, check.Conflict{}, check.Line{}, check.Span{}, check.File(""), check.Severity(9)} {
		if s, ok := v.(fmt.Stringer); ok {
			_ = s.String()
		}
	}
	_ = check.Finding{}.Verbose()
	var none check.Sink
	none.Report(check.Finding{})
	none.In("path").AddAt(new(check.Kind), nil, "", -1, "text")
	if kinds := new(check.Catalog).Kinds(); len(kinds) != 0 {
		t.Error(kinds)
	}
}
