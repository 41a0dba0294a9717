package text_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trowel.example/torchlight/text"
)

// TestRepair tests that Repair fixes common mistakes in texts.
func TestRepair(t *testing.T) {
	for _, c := range []struct {
		name, broken, want string
		lines              []int
	}{
		{"whole", "[A]\n[/A]", "[A]\n[/A]", nil},
		{"root opened again", "[AFFIXES]\r\n\t<STRING>A:b\r\n[AFFIXES]\r\n", "[AFFIXES]\r\n\t<STRING>A:b\r\n[/AFFIXES]\r\n", []int{3}},
		{"node opened again", "[A]\n[B]\n<STRING>K:v\n\t[B]\n[/A]", "[A]\n[B]\n<STRING>K:v\n\t[/B]\n[/A]", []int{4}},
		{"twice", "[A]\n[B]\n[B]\n[C]\n[C]\n[/A]", "[A]\n[B]\n[/B]\n[C]\n[/C]\n[/A]", []int{3, 5}},
		{"cut off", "[A]\n[B]\n<STRING>K:v", "[A]\n[B]\n<STRING>K:v\r\n[/B]\r\n[/A]\r\n", []int{3, 3}},
		{"not closed", "[A]\n[B]\n<STRING>K:v\n[/A]\n", "[A]\n[B]\n<STRING>K:v\n[/B]\n[/A]\n", []int{4}},
		{"bracket", "[A]\n[B\n[/B]\n[/A", "[A]\n[B]\n[/B]\n[/A]", []int{2, 4}},
		{"name", "[AFFIXES]\n[/AFIXES]", "[AFFIXES]\n[/AFFIXES]", []int{2}},
		{"lines", "[A]\n<STRING>K:one\n\ttwo\n\nfour\n<TRANSLATE>L:x\ny\n[/A]",
			"[A]\n<STRING>K:one\\ntwo\\n\\nfour\n<TRANSLATE>L:x\\ny\n[/A]", []int{3, 5, 7}},
	} {
		for _, big := range []bool{false, true} {
			in := []byte(c.broken)
			want := c.want
			if big {
				in, want = wide(c.broken), string(wide(c.want))
			}
			got, done, err := text.Repair(in)
			var lines []int
			for _, e := range done {
				lines = append(lines, e.Line)
			}
			slices.Sort(lines)
			if err != nil || string(got) != want || !slices.Equal(lines, c.lines) {
				t.Errorf("%s: %q, %v, %v", c.name, got, done, err)
			}
		}
	}
	for _, hopeless := range []string{"", "x", "[A]\n<WORD>K:v\n[/A]", "[A]\n<INTEGER>K:1\ntwo\n[/A]",
		"[A]\n[/SOMETHING]\n[/A]", "[A]\n[/A]\n[B]\n[/B]", strings.Repeat("[A]\n", 300)} {
		if _, _, err := text.Repair([]byte(hopeless)); err == nil {
			t.Errorf("%.40q was repaired", hopeless)
		}
	}
}

// wide returns a text in UTF-16 with a byte order mark.
func wide(s string) []byte {
	out := []byte{0xFF, 0xFE}
	for _, r := range s {
		out = append(out, byte(r), byte(r>>8))
	}
	return out
}

func FuzzRepair(f *testing.F) {
	f.Add("[A]\n[B]\n<STRING>K:v\nw\n[B]\n[/A")
	f.Fuzz(func(t *testing.T, s string) {
		fixed, done, err := text.Repair([]byte(s))
		if err != nil {
			return
		}
		if _, err := text.Parse(fixed); err != nil {
			t.Fatalf("%q became %q: %v", s, fixed, err)
		}
		if len(done) == 0 && string(fixed) != s {
			t.Fatalf("%q became %q silently", s, fixed)
		}
		for _, e := range done {
			if e.Line < 1 || e.Line > strings.Count(s, "\n")+1 {
				t.Fatal(fmt.Sprint(e))
			}
		}
	})
}
