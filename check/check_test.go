package check_test

import (
	"encoding/json"
	"testing"

	"trowel.example/check"
)

func TestFinding(t *testing.T) {
	var catalog check.Catalog
	short := catalog.Add("x-short", check.Error, "It is short.", "Make it longer.")
	odd := catalog.Add("x-odd", check.Info, "It is odd.", "Nothing.")
	if kinds := catalog.Kinds(); len(kinds) != 2 || kinds[0] != short || kinds[1] != odd {
		t.Errorf("Kinds() = %v", kinds)
	}
	found := check.Collect(func(sink check.Sink) {
		sink.Add(short, "items[3]", 12, "%d bytes", 4)
		sink.Add(odd, "", -1, "odd")
	})
	for i, want := range []struct{ text, verbose, json string }{
		{"error: items[3]: 4 bytes [x-short]", "error: items[3]: 4 bytes (offset 12) [x-short]",
			`{"id":"x-short","severity":"error","path":"items[3]","message":"4 bytes","offset":12}`},
		{"info: odd [x-odd]", "info: odd [x-odd]", `{"id":"x-odd","severity":"info","path":"","message":"odd"}`},
	} {
		if got := found[i].String(); got != want.text {
			t.Errorf("String() = %q, want %q", got, want.text)
		}
		if got := found[i].Verbose(); got != want.verbose {
			t.Errorf("Verbose() = %q, want %q", got, want.verbose)
		}
		if got, err := json.Marshal(found[i]); err != nil || string(got) != want.json {
			t.Errorf("JSON = %s, %v, want %s", got, err, want.json)
		}
	}
}

func TestIn(t *testing.T) {
	var catalog check.Catalog
	kind := catalog.Add("x", check.Info, "", "")
	found := check.Collect(func(sink check.Sink) {
		sink.In("node").Add(kind, "lists[0]", -1, "")
		sink.In("node").Add(kind, "", -1, "")
		sink.In("a").In("b").Add(kind, "c", -1, "")
	})
	if found[0].Path != "node.lists[0]" || found[1].Path != "node" || found[2].Path != "a.b.c" {
		t.Error(found)
	}
}

func TestSeverity(t *testing.T) {
	for _, s := range []check.Severity{check.Info, check.Warning, check.Error} {
		var back check.Severity
		if text, _ := s.MarshalText(); back.UnmarshalText(text) != nil || back != s {
			t.Errorf("%v is restored as %v", s, back)
		}
	}
	var s check.Severity
	if err := s.UnmarshalText([]byte("bad")); err == nil {
		t.Error("an unknown severity was accepted")
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		at         check.Place
		text, json string
	}{
		{check.Line{Path: "a.txt", Line: 3, Column: 7}, "a.txt:3:7", `{"path":"a.txt","line":3,"column":7}`},
		{check.Line{Line: 3}, "3", `{"line":3}`},
		{check.Span{Offset: 0, Length: 4}, "bytes 0 to 4", `{"offset":0,"length":4}`},
		{check.File("a/b"), "a/b", `{"path":"a/b"}`},
	} {
		if got := c.at.String(); got != c.text {
			t.Errorf("%#v is %q, want %q", c.at, got, c.text)
		}
		if got, err := json.Marshal(c.at); err != nil || string(got) != c.json {
			t.Errorf("%#v is %s, %v, want %s", c.at, got, err, c.json)
		}
	}
	found := check.Finding{ID: "x", Offset: -1, At: []check.Place{check.File("a"), check.File("b")}}
	if got, err := json.Marshal(found); err != nil || string(got) != `{"id":"x","severity":"info","path":"",`+
		`"message":"","at":[{"path":"a"},{"path":"b"}]}` {
		t.Errorf("JSON = %s, %v", got, err)
	}
}
