package glob

import (
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	path := func(separator byte) func(...string) func(string) bool {
		return func(p ...string) func(string) bool { return Path(separator, p[0]) }
	}
	for _, c := range []struct {
		name     string
		of       func(...string) func(string) bool
		patterns string // separated by spaces
		yes, no  string
	}{
		{"text", Text, "default:chest", "default:chest", "default:chest_locked Default:chest"},
		{"text", Text, "default:chest*", "default:chest default:chest_locked", "default:ches my_default:chest"},
		{"text", Text, "a?c x*", "abc aäc x x/y", "ac abbc"},
		{"text", Text, "[a-c](x.y)*", "[a-c](x.y) [a-c](x.y)z", "a(x.y) [a-c](xzy)"},
		{"text", Text, "a\xff*", "a\xff ab aäb", "a"},
		{"folded", Folded, "Mon*", "MONSTER mon", "amon"},
		{"path", path('/'), "MEDIA/*.DAT", "media/a.dat", "MEDIA/A/B.DAT"},
		{"path", path('/'), "MEDIA/**/A.DAT", "MEDIA/A.DAT MEDIA/X/Y/A.DAT", "MEDIA/XA.DAT"},
		{"path", path('/'), "MEDIA/**.DAT MEDIA/?", "MEDIA/A.DAT MEDIA/X/A.DAT", "A.DAT"},
		{"path", path('/'), "MEDIA/", "MEDIA/A MEDIA/A/B", "MEDIA"},
		{"nodes", path('.'), "**.LEVEL*", "LEVEL1 SKILL.LEVEL2", "LEVEL1.EVENT"},
	} {
		match := c.of(strings.Fields(c.patterns)...)
		for i, names := range []string{c.yes, c.no} {
			for _, name := range strings.Fields(names) {
				if match(name) != (i == 0) {
					t.Errorf("%s %q and %q: %v", c.name, c.patterns, name, i != 0)
				}
			}
		}
	}
	if match := Text("*a", "?"); match("") || !match("b\na") || !match("\n") {
		t.Error("a line break is no character")
	}
	if Text()("") || Text("*")("") != true {
		t.Error("of nothing")
	}
}

func TestLiteral(t *testing.T) {
	for pattern, want := range map[string]string{"": "", "*": "", "a*default:?x": "default:", "plain": "plain", "ab\xffc": "ab"} {
		if got := Literal(pattern); got != want {
			t.Errorf("%q: %q, want %q", pattern, got, want)
		}
	}
}
