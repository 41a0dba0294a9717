package check_test

import (
	"fmt"
	"testing"

	"trowel.example/check"
)

func TestChange(t *testing.T) {
	for _, c := range []struct {
		value fmt.Stringer
		want  string
	}{
		{check.Change{}, ""},
		{check.Change{What: "renamed"}, "renamed"},
		{check.Change{Path: "groups/Game/Tele", What: "tele 2 became 3", Count: 2, Unit: "tiles"}, "groups/Game/Tele: tele 2 became 3 (2 tiles)"},
		{check.Change{What: "was made", Count: 1, Unit: "layers", At: []check.Place{check.File("a"), check.File("b")}}, "was made at a b"},
		{check.Change{What: "was made", At: make([]check.Place, 9)}, "was made"},
		{check.Conflict{}, ""},
		{check.Conflict{Path: "x", What: "both changed it", Took: "ours"}, "x: both changed it (took ours)"},
		{check.Conflict{Path: "x", What: "both changed it", Base: 1, Ours: "a\nb", Theirs: []int{3}, Took: "theirs"},
			`x: both changed it (base 1, ours "a\nb", theirs [3]; took theirs)`},
		{check.Conflict{What: "odd", Ours: func() {}}, "odd (ours "},
	} {
		got := fmt.Sprint(c.value)
		if c.want == "odd (ours " {
			got = got[:len(c.want)]
		}
		if got != c.want {
			t.Errorf("%#v is %q, want %q", c.value, got, c.want)
		}
	}
}
