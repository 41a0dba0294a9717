package text_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/text"
)

// TestAllErrors tests that all errors of a text are reported at once, each at its line, without errors that only follow
// from others.
func TestAllErrors(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"value over three lines", "[A]\n<STRING>X:one\ntwo\nthree\n<INTEGER>Y:1\n[/A]",
			"3:1 [NAME], [/NAME] or <TYPE>KEY:VALUE | 4:1 [NAME], [/NAME] or <TYPE>KEY:VALUE"},
		{"closed by an opening tag", "[A]\n[B]\n<STRING>X:1\n[B]\n[C]\n[/C]\n[/A]", "4:1 [/B]"},
		{"closed by an opening tag at the end", "[A]\n[B]\n<STRING>X:1\n[B]\n", "4:1 [/B]"},
		{"twice so", "[A]\n[B]\n[b]\n[C]\n[C]\n[/A]", "5:1 [/C]"},
		{"not closed", "[A]\n[B]\n<STRING>X:1\n[/A]", "4:1 [/B]"},
		{"closed by another name", "[A]\n[B]\n[/C]\n[/A]", "3:1 [/B]"},
		{"bad tags", "[A]\n<STRING>X\n<WORD>X:1\n<STRING\n[B\n[/A]",
			"2:10 a colon after the key | 3:2 a type, such as STRING | 4:8 > | 5:3 ]"},
		{"outside", "<STRING>X:1\n[A]\n[/A]", "1:1 [NAME]"},
		{"a second root", "[A]\n[/A]\n[B]\nx\n[/B]", "3:1 the end of the text after [/A]"},
		{"nothing", "", "1:1 [NAME]"},
	} {
		_, err := text.Parse([]byte(c.source))
		var got []string
		for _, e := range text.AllErrors(fmt.Errorf("wrapped: %w", err)) {
			got = append(got, fmt.Sprintf("%d:%d %s", e.Line, e.Column, e.Want))
			if e.Err == nil {
				t.Errorf("%s: %v has no reason", c.name, e)
			}
		}
		if s := strings.Join(got, " | "); s != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, s, c.want)
		}
	}
	_, err := text.Parse([]byte("[A]\n" + strings.Repeat("x\n", 1000) + "[/A]"))
	if all := text.AllErrors(err); len(all) != 100 || !errors.Is(err, fault.ErrFormat) ||
		!strings.HasSuffix(err.Error(), "and 99 more errors") {
		t.Errorf("%d errors: %v", len(all), err)
	}
	_, err = text.Parse([]byte(strings.Repeat("[A]\n", int(effort.DataDepth.Least)+5)))
	if all := text.AllErrors(err); len(all) != 1 || !errors.Is(err, fault.ErrLimit) {
		t.Errorf("too deep: %v", err)
	}
	if text.AllErrors(fault.ErrShort) != nil || text.AllErrors(nil) != nil {
		t.Error("another error is one of a text")
	}
}

func TestParseLines(t *testing.T) {
	f, lines, err := text.ParseLines([]byte("// x\n[A]\n\n<STRING>X:1\n[B]\n[/B]\n[/A]"))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(lines[f.Root], lines[f.Root.Items[0]], lines[f.Root.Items[1]], len(lines)); got != "2 4 5 3" {
		t.Error(got)
	}
}

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		at         check.Place
		text, json string
	}{
		{text.Place{Path: "A.DAT", Node: "UNIT.NAME"}, "A.DAT: UNIT.NAME", `{"path":"A.DAT","node":"UNIT.NAME"}`},
		{text.Place{Path: "A.LAYOUT", Object: -4889576898593615394}, "A.LAYOUT: object -4889576898593615394",
			`{"path":"A.LAYOUT","object":"-4889576898593615394"}`},
		{text.Place{Node: "skills[3]"}, "skills[3]", `{"node":"skills[3]"}`},
	} {
		if got := c.at.String(); got != c.text {
			t.Errorf("%#v is %q, want %q", c.at, got, c.text)
		}
		if got, err := json.Marshal(c.at); err != nil || string(got) != c.json {
			t.Errorf("%#v is %s, %v, want %s", c.at, got, err, c.json)
		}
	}
	var kinds check.Catalog
	kind := kinds.Add("x", check.Info, "x", "x")
	var got []string
	sink := text.InFile("A", func(f check.Finding) { got = append(got, fmt.Sprint(f.Path, " ", f.At)) })
	sink.Add(kind, "", -1, "m")
	sink.Add(kind, "p", -1, "m")
	sink.AddAt(kind, []check.Place{check.Line{Line: 3}}, "line 3", -1, "m")
	sink.AddAt(kind, []check.Place{text.Place{Node: "N"}, check.Span{Offset: 1, Length: 2}}, "N", -1, "m")
	if s := strings.Join(got, " | "); s != "A [A] | A: p [A] | A: line 3 [A:3] | A: N [A: N bytes 1 to 3]" {
		t.Error(s)
	}
}
