package words

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range []string{"0 points, 0 keys, 0 entries", "1 point, 1 key, 1 entry", "2 points, 2 keys, 2 entries"} {
		if got := Count(n, "point") + ", " + Count(uint8(n), "key") + ", " + Count(int64(n), "entry"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"Überfall 1":      "Überfall 1",
		"a\x1b[2J\tb\xff": `a\x1b[2J\tb\xff`,
		"\u202e":          `\u202e`,
		"\uFFFD":          "\uFFFD",
	} {
		if got := Printable(in); got != want {
			t.Errorf("Printable(%q) = %s, want %s", in, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -123456: "-123,456", 1234567: "1,234,567"} {
		if got := Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"12345678":                 "12345678",
		"123456789":                "12345678... (9 bytes)",
		"1234567ü":                 "1234567... (9 bytes)",
		"12345😀":                   "12345... (9 bytes)",
		strings.Repeat("\x80", 20): "\x80\x80\x80\x80... (20 bytes)", // not valid text
	} {
		if got := Cut(in, 8); got != want {
			t.Errorf("Cut(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Cut("\x80\x80", 1); got != "... (2 bytes)" {
		t.Errorf("got %q", got)
	}
}
