package check_test

import (
	"encoding/json"
	"testing"

	"trowel/check"
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
	for i, want := range []struct{ text, json string }{
		{"error: items[3]: 4 bytes (offset 12) [x-short]", `{"id":"x-short","severity":"error","path":"items[3]","message":"4 bytes","offset":12}`},
		{"info: odd [x-odd]", `{"id":"x-odd","severity":"info","path":"","message":"odd"}`},
	} {
		if got := found[i].String(); got != want.text {
			t.Errorf("String() = %q, want %q", got, want.text)
		}
		if got, err := json.Marshal(found[i]); err != nil || string(got) != want.json {
			t.Errorf("JSON = %s, %v, want %s", got, err, want.json)
		}
	}
}

func TestSeverity(t *testing.T) {
	for _, s := range []check.Severity{check.Info, check.Warning, check.Error} {
		var back check.Severity
		if text, _ := s.MarshalText(); back.UnmarshalText(text) != nil || back != s {
			t.Errorf("%v comes back as %v", s, back)
		}
	}
	var s check.Severity
	if err := s.UnmarshalText([]byte("bad")); err == nil {
		t.Error("an unknown severity was accepted")
	}
}
