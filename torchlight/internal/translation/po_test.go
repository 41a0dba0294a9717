package translation_test

import (
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/torchlight/internal/translation"
)

var sample = &translation.PO{
	Header: "Project-Id-Version: Wolves\nLanguage: de\nMIME-Version: 1.0\nContent-Type: text/plain; " +
		"charset=UTF-8\nContent-Transfer-Encoding: 8bit\nPlural-Forms: nplurals=2; plural=(n != 1);\n",
	Entries: []translation.Entry{
		{Notes: []string{"MEDIA/A B.DAT: UNIT.NAME", "more"}, ID: "Wolf", Str: []string{"Wölfe \"1\""}},
		{Flags: []string{"fuzzy"}, Context: "menu", ID: "Wolf\\n\tof\nlines\n", Str: []string{"a\nb\n"}},
		{ID: "one", Plural: "many", Str: []string{"x", "y\x01\x7f"}},
		{ID: "none", Str: []string{""}},
	},
}

func same(a, b *translation.PO) bool {
	clear := func(f *translation.PO) translation.PO {
		out := translation.PO{Header: f.Header, Entries: append([]translation.Entry(nil), f.Entries...)}
		for i := range out.Entries {
			out.Entries[i].Line = 0
		}
		return out
	}
	return reflect.DeepEqual(clear(a), clear(b))
}

func TestRoundTrip(t *testing.T) {
	back, err := translation.ParsePO(sample.Format())
	if err != nil || !same(back, sample) {
		t.Errorf("%v\n%s\n%+v", err, sample.Format(), back)
	}
	if !back.Entries[1].Fuzzy() || back.Entries[0].Fuzzy() {
		t.Error("fuzzy")
	}
	if v, ok := back.Field("language"); v != "de" || !ok {
		t.Errorf("%q", v)
	}
}

// TestParse tests the PO files that people and their programs write.
func TestParse(t *testing.T) {
	f, err := translation.ParsePO([]byte("\ufeff# a comment\r\nmsgid \"\"\r\nmsgstr \"Content-Type: text/plain; " +
		"charset=utf-8\\n\"\r\n#: a.c:5\r\n#, fuzzy, c-format\r\n#| msgid \"old\"\r\nmsgid\"A\"\r\n  " +
		"\"B\\x411\\1011\\a\"\r\nmsgstr \"C\"\r\n#~ msgid \"gone\"\r\n#~ msgstr \"weg\"\r\nmsgctxt \"c\"\r\nmsgid " +
		"\"D\"\r\nmsgstr[0] \"E\"\r\nmsgid \"F\"\r\nmsgstr \"\"\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []translation.Entry{{Flags: []string{"fuzzy", "c-format"}, ID: "ABA1A1\a", Str: []string{"C"}, Line: 7},
		{Context: "c", ID: "D", Str: []string{"E"}, Line: 12}, {ID: "F", Str: []string{""}, Line: 15}}
	if !reflect.DeepEqual(f.Entries, want) {
		t.Errorf("%+v", f.Entries)
	}
	for s, want := range map[string]string{
		"msgid \"a\"\n":                "line 1: expected msgstr",
		"msgctxt \"a\"\n\n":            "line 2: expected msgid",
		"\"a\"\n":                      "line 1: expected msgid",
		"msgid a\nmsgstr \"\"\n":       `a string in "quotes"`,
		"msgid \"a\"b\"\n":             `expected \"`,
		"msgid \"a\\\"\n":              "after \\",
		"msgid \"a\\q\"\n":             "known character",
		"msgid \"\\xff\"\n":            "known character",
		"msgid \"a\"\nmsgctxt \"b\"\n": "expected msgstr",
		"hello\n":                      "line 1: expected msgctxt",
		"msgid \"\xff\"\n":             "UTF-8",
		"msgstr \"\"\n":                "expected msgctxt",
		"msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=latin1\\n\"\n": "charset=UTF-8",
	} {
		if _, err := translation.ParsePO([]byte(s)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", s, err, want)
		}
	}
}

// TestMsgfmt tests that the gettext programs accept written files and return all of their contents.
func TestMsgfmt(t *testing.T) {
	msgfmt, msgcat := judge.Find(t, "msgfmt"), judge.Find(t, "msgcat")
	dir := t.TempDir()
	name := filepath.Join(dir, "a.po")
	judge.Write(t, name, sample.Format())
	if out, err := exec.Command(msgfmt, "-c", "-o", filepath.Join(dir, "a.mo"), name).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	again, err := exec.Command(msgcat, "--no-wrap", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	back, err := translation.ParsePO(again)
	if err != nil || !same(back, sample) {
		t.Errorf("%v\n%s", err, again)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample.Format())
	f.Add([]byte("msgid \"\\x41\\101\"\n\"b\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n#, fuzzy\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := translation.ParsePO(data)
		if err != nil {
			return
		}
		text := file.Format()
		back, err := translation.ParsePO(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if string(back.Format()) != string(text) {
			t.Errorf("%s\nbecame\n%s", text, back.Format())
		}
	})
}
