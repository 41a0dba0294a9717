package raw_test

import (
	"strings"
	"testing"

	"trowel.example/torchlight/raw"
)

func FuzzLineOf(f *testing.F) {
	f.Add(raw.Format(&raw.UI{Menus: []raw.Menu{{Name: "a"}, {Name: "b"}}}), "menus[1].game_state")
	f.Add([]byte(strings.Repeat("[", 1000)), strings.Repeat("[0]", 1000))
	f.Add([]byte(`{"a":[1,`), "a[1]")
	f.Fuzz(func(t *testing.T, form []byte, place string) {
		if line := raw.LineOf(form, place); line < 0 || line > 1+strings.Count(string(form), "\n") {
			t.Errorf("line %d", line)
		}
	})
}

// TestLineOf tests that LineOf returns the line of the name of each field of each record.
func TestLineOf(t *testing.T) {
	form := raw.Format(&raw.UI{Menus: []raw.Menu{{Name: "a"}, {Name: "b"}}})
	lines := strings.Split(string(form), "\n")
	seen := make(map[int]bool)
	for _, place := range []string{"menus[0].name", "menus[0].game_state", "menus[1].name", "menus[1].key_binding"} {
		line := raw.LineOf(form, place)
		field := strings.ReplaceAll(place[len("menus[0]."):], "_", "")
		if line < 1 || seen[line] || !strings.Contains(strings.ToLower(lines[line-1]), field) {
			t.Errorf("%s is at line %d", place, line)
		}
		seen[line] = true
	}
	if line := raw.LineOf(form, "other"); line != 1 {
		t.Errorf("what is not there is at line %d", line)
	}
}
