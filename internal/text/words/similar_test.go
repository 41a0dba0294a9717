package words_test

import (
	"testing"

	"trowel.example/internal/text/words"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b       string
		most, want int
	}{{"", "", 3, 0}, {"wolf", "wolf", 3, 0}, {"wolf", "wolves", 9, 3}, {"gold", "cold", 2, 1}, {"ab", "ba", 3, 2}, {"", "abc", 9, 3}} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := words.Distance(pair[0], pair[1], c.most); got != c.want {
				t.Errorf("%q: %d, want %d", pair, got, c.want)
			}
		}
	}
	if got := words.Distance("abcdefgh", "stuvwxyz", 3); got < 3 {
		t.Errorf("beyond the limit: %d", got)
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{"a": "`a`", "": "`  `", "a`b": "`` a`b ``", "``": "``` `` ```", "<b>": "`<b>`"} {
		if got := words.Code(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
