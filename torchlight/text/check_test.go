package text_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/text"
)

func TestCheck(t *testing.T) {
	number := fmt.Sprint(hash.Of("DISPLAYNAME"))
	for _, c := range []struct {
		lines string
		want  []string
	}{
		{"<STRING>NAME:x", nil},
		{"<BOOL>" + number + ":1", []string{"line 2 tl-text-broken-tag: " + number + " is the hash of DISPLAYNAME"}},
		{"\n[" + number + "]\n[/" + number + "]", []string{"line 3 tl-text-broken-tag: " + number + " is the hash of DISPLAYNAME"}},
		{"<BOOL>" + hash.Escape(hash.Of(number)) + ":1",
			[]string{"line 2 tl-text-broken-tag: " + hash.Escape(hash.Of(number)) +
				" was the hash of DISPLAYNAME as a number"}},
		{"<BOOL>" + hash.Escape(12345) + ":1", []string{"line 2 tl-text-unknown-name: " + hash.Escape(12345)}},
		{"<BOOL>" + fmt.Sprintf("UNK_%08X", hash.Of("DISPLAYNAME")) + ":1",
			[]string{"line 2 tl-text-broken-tag: " + fmt.Sprintf("UNK_%08X", hash.Of("DISPLAYNAME")) + " is the hash of DISPLAYNAME"}},
		{"<STRING>DISPLAYNAM:x\n<STRING>ZDISPLAYNAME:x\n<STRING>DIPSLAYNAME:x\n<INTEGER>MUNDAMAGE:1", []string{
			"line 2 tl-text-misspelled-key: DISPLAYNAM is not a known name: did you mean DISPLAYNAME?",
			"line 3 tl-text-misspelled-key: ZDISPLAYNAME is not a known name: did you mean DISPLAYNAME?",
			"line 4 tl-text-misspelled-key: DIPSLAYNAME is not a known name: did you mean DISPLAYNAME?",
			"line 5 tl-text-misspelled-key: MUNDAMAGE is not a known name: did you mean MINDAMAGE?"}},
		{"<STRING>DISPLAYNAMES:x\n<STRING>LEVLX:x\n<STRING>MY_OWN_KEY:x\n<STRING>displayname:x\n<STRING>MAXDAMAGE99:x", nil},
		{"<BOOL>12345678:1", []string{"line 2 tl-text-numeric-key: 12345678"}},
		{"<BOOL>97:1\n<BOOL>1:1\n<BOOL>99999999999:1", nil},
		{"<INTEGER>A:.\n<INTEGER>A:3\n<FLOAT>A:1,5", []string{`line 2 tl-text-value: "." is not a valid INTEGER`,
			`line 4 tl-text-number: "1,5" is not a valid FLOAT`}},
		{"<BOOL>A:maybe\n<DOUBLE>A:\n<UNSIGNED INT>A:-1\n<INTEGER64>A:x", []string{
			`line 2 tl-text-number: "maybe" is not a valid BOOL`, `line 3 tl-text-value: "" is not a valid DOUBLE`,
			`line 4 tl-text-value: "-1" is not a valid UNSIGNED INT`, `line 5 tl-text-number: "x" is not a valid INTEGER64`}},
		{"<INTEGER>UNIT_GUID:5140000000000000000\n<UNSIGNED INT>B:5000000000", []string{
			`line 2 tl-text-number: "5140000000000000000" is not a valid INTEGER; the type INTEGER64 can hold it`,
			`line 3 tl-text-number: "5000000000" is not a valid UNSIGNED INT; the type INTEGER64 can hold it`}},
		{"<STRING>A", []string{"line 2 tl-text-syntax: column 10: expected a colon after the key"}},
	} {
		for _, utf8 := range []bool{false, true} {
			f := &text.File{Root: &text.Node{Name: "ROOT"}, BOM: true, LineEnd: "\n"}
			if utf8 {
				f.Encoding = text.UTF8
			}
			f.Root.Add(text.String, "LINES", "x")
			source := string(f.Bytes())
			if !utf8 {
				source = strings.ReplaceAll(source, "\x00", "")
			}
			source = strings.Replace(source, "\t<STRING>LINES:x", c.lines, 1)
			data := []byte(source)
			if !utf8 {
				data = data[:2]
				for _, b := range []byte(source[2:]) {
					data = append(data, b, 0)
				}
			}
			var got []string
			for _, found := range check.Collect(func(s check.Sink) { text.Check(data, nil, s) }) {
				if found.ID == "tl-text-encoding" {
					if !utf8 {
						t.Errorf("%v", found)
					}
					continue
				}
				got = append(got, found.Path+" "+found.ID+": "+found.Message)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q: %q, want %q", c.lines, got, c.want)
			}
		}
	}
	found := check.Collect(func(s check.Sink) { text.Check([]byte(plain), nil, s) })
	if len(found) != 1 || found[0].ID != "tl-text-encoding" {
		t.Errorf("UTF-8: %v", found)
	}
}

// TestCheckCorpus tests that the sources of real mods have no findings.
func TestCheckCorpus(t *testing.T) {
	for _, path := range tests.CorpusFiles(t, "torchlight", "") {
		switch strings.ToUpper(filepath.Ext(path)) {
		case ".DAT", ".LAYOUT", ".TEMPLATE", ".HIE", ".ANIMATION":
		default:
			continue
		}
		data := judge.Read(t, path)
		for _, found := range check.Collect(func(s check.Sink) { text.Check(data, nil, s) }) {
			t.Errorf("%s: %v", path, found)
		}
	}
}
