package words

import "testing"

// TestQuotedFor tests that commands in hints can be pasted into the shells of each system.
func TestQuotedFor(t *testing.T) {
	for _, c := range []struct{ system, word, want string }{
		{"linux", "a.map", "a.map"},
		{"linux", "it's.map", `'it'\''s.map'`},
		{"linux", `a\b`, `'a\b'`},
		{"windows", `C:\maps\a.map`, `C:\maps\a.map`},
		{"windows", `Gold Mine.map`, `"Gold Mine.map"`},
		{"windows", "it's.map", `"it's.map"`},
		{"windows", "a,b.map", `"a,b.map"`},
		{"windows", "", `""`},
	} {
		if got := QuotedFor(c.system, c.word); got != c.want {
			t.Errorf("%s: %s, want %s", c.system, got, c.want)
		}
	}
}
