package verbs

import (
	"slices"
	"testing"

	"trowel.example/internal/format"
)

// TestArgs tests that the tool acts as the program by whose name it is called.
func TestArgs(t *testing.T) {
	games := format.Games{{Programs: []*format.Program{{Name: "mapper"}}}}
	for _, test := range []struct{ line, want []string }{
		{[]string{"trowel", "ls", "x"}, []string{"ls", "x"}},
		{[]string{"/usr/games/mapper", "-i", "x"}, []string{"mapper", "-i", "x"}},
		{[]string{"mapper.exe"}, []string{"mapper"}},
		{[]string{"othermapper", "a"}, []string{"a"}},
		{nil, nil},
	} {
		if got := Args(games, test.line); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, not %q", test.line, got, test.want)
		}
	}
}
