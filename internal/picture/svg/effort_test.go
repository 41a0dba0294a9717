package svg_test

import (
	"errors"
	"strings"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/svg"
)

// TestEntities tests that the texts of entities have a budget, for all of their uses and whatever else declares entities.
func TestEntities(t *testing.T) {
	read := func(uses int, after string) error {
		_, err := svg.Read([]byte(`<!DOCTYPE svg [<!ENTITY a "`+strings.Repeat("M0 0 ", 4000)+`"> ]>`+after+
			`<svg width="9" height="9"><path d="`+strings.Repeat("&a;", uses)+`"/></svg>`), svg.Options{Scale: 1, Tolerance: 1})
		return err
	}
	if err := read(5, ""); err != nil {
		t.Error(err)
	}
	for _, after := range []string{"", "<!X>", `<!DOCTYPE svg [<!ENTITY b "">]>`} {
		err := read(400, after)
		if !errors.Is(err, effort.ErrMet) || !strings.HasPrefix(err.Error(), "entities: expected at most 4,3") {
			t.Errorf("%s: %v", after, err)
		}
	}
}
