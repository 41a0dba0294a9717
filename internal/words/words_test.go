package words

import "testing"

func TestCount(t *testing.T) {
	for n, want := range []string{"0 points", "1 point", "2 points"} {
		if got := Count(n, "point"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
