package world_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/world"
)

const settingsText = "# a comment\n\ngameid = minetest\r\n  spaced\t=  a b \nempty =\nno setting\n" +
	"noise = {\n\toffset = 0\n\tinner = {\n\t\tx = 1\n\t}\n\t}\ntext = \"\"\"\nline 1\n  line 2\n\"\"\"\ngameid = later\n[end] \nrest = 1\n"

func TestSettings(t *testing.T) {
	s := world.ParseSettings([]byte(settingsText), "[end]")
	for name, want := range map[string]string{"gameid": "later", "spaced": "a b", "empty": "", "noise": "{", "text": "line 1\n  line 2"} {
		if got, ok := s.Get(name); !ok || got != want {
			t.Errorf("%s = %q, %v, want %q", name, got, ok, want)
		}
	}
	if _, ok := s.Get("rest"); ok || string(s.Rest()) != "rest = 1\n" || !s.Ended() {
		t.Errorf("read past the end: rest %q", s.Rest())
	}
	if v, _ := s.Group("noise").Group("inner").Get("x"); v != "1" {
		t.Errorf("inner.x = %q", v)
	}
	if got := string(s.Append(nil)); got != settingsText {
		t.Errorf("unchanged text became %q", got)
	}

	// Each change affects only its own line.
	for _, c := range [][2]string{{"gameid", "new"}, {"spaced", "c"}, {"empty", "full"}, {"text", "short"},
		{"noise", "none"}, {"added", "1"}, {"text", "a\nb"}} {
		if err := s.Set(c[0], c[1]); err != nil {
			t.Error(err)
		}
	}
	if err := s.Group("noise"); err != nil {
		t.Error("the group is still there")
	}
	want := "# a comment\n\ngameid = minetest\r\n  spaced\t=  c \nempty = full\nno setting\n" +
		"noise = none\ntext = \"\"\"\na\nb\n\"\"\"\ngameid = new\nadded = 1\n[end] \nrest = 1\n"
	if diff := cmp.Diff(want, string(s.Append(nil))); diff != "" {
		t.Error(diff)
	}
	if !s.Remove("gameid") || s.Remove("gameid") {
		t.Error("Remove does not report what it did")
	}
	if _, ok := s.Get("gameid"); ok {
		t.Error("a removed setting is still there")
	}
	for _, c := range [][2]string{{"", "x"}, {" a", "x"}, {"a=b", "x"}, {"#a", "x"}, {"a", "x\n\"\"\"\ny"}} {
		if err := s.Set(c[0], c[1]); err == nil {
			t.Errorf("%q = %q can be set", c[0], c[1])
		}
	}
}

// TestSettingsLineEnds tests that white space after a value is preserved, except after quotes: they end a value only
// on a line without other characters.
func TestSettingsLineEnds(t *testing.T) {
	for _, end := range []string{"", " ", "\t", "\n", "\r\n", " \r\n"} {
		for value, want := range map[string]string{"c": "a = c" + end, "b\nc": "a = \"\"\"\nb\nc\n\"\"\"" + strings.TrimLeft(end, " \t\r")} {
			s := world.ParseSettings([]byte("a = b"+end), "")
			if err := s.Set("a", value); err != nil {
				t.Fatal(err)
			}
			if got := string(s.Append(nil)); got != want {
				t.Errorf("%q with a = %q is %q, want %q", "a = b"+end, value, got, want)
			}
		}
	}
}

func TestSettingsFinish(t *testing.T) {
	for _, text := range []string{"", "a = 1", "a = 1\n", "a = {\nb = 1", "a = \"\"\"\nb"} {
		s := world.ParseSettings([]byte(text), "End")
		if s.Ended() {
			t.Errorf("%q has an end", text)
		}
		s.Finish()
		if got := string(s.Append(nil)); strings.TrimSuffix(text, "\n") != strings.TrimSuffix(strings.TrimSuffix(got, "End\n"), "\n") {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestSettingsCorpus tests that every settings file of the corpus round-trips, also after each value is set to
// itself.
func TestSettingsCorpus(t *testing.T) {
	n := 0
	for _, name := range []string{"world.mt", "map_meta.txt", "env_meta.txt"} {
		for _, path := range tests.CorpusFiles(t, "minetest", "/"+name) {
			text := judge.Read(t, path)
			s := world.ParseSettings(text, map[string]string{"world.mt": "", "map_meta.txt": world.MapMetaEnd,
				"env_meta.txt": world.EnvMetaEnd}[name])
			if !s.Ended() || string(s.Append(nil)) != string(text) {
				t.Errorf("%s is not what it was", path)
			}
			for name, value := range s.All() {
				if value == "{" {
					continue
				}
				if err := s.Set(name, value+"x"); err != nil {
					t.Errorf("%s: %v", path, err)
				}
				if err := s.Set(name, value); err != nil {
					t.Errorf("%s: %v", path, err)
				}
				n++
			}
			if string(s.Append(nil)) != string(text) {
				t.Errorf("%s is not what it was after changes and back:\n%s", path, cmp.Diff(string(text), string(s.Append(nil))))
			}
		}
	}
	t.Logf("%d settings", n)
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(settingsText), "gameid", "x")
	f.Add([]byte("a = \"\"\"\nnull\n\n\"\"\"\nb = {\n}"), "a", "b\nc")
	f.Add([]byte("a =\r\n[end]\r\n"), "a", " ")
	f.Add([]byte(strings.Repeat("a={\n", 40)+"}\n}"), "a", " ")
	f.Fuzz(func(t *testing.T, text []byte, name, value string) {
		s := world.ParseSettings(text, "[end]")
		if string(s.Append(nil)) != string(text) {
			t.Fatalf("%q became %q", text, s.Append(nil))
		}
		if s.Set(name, value) != nil {
			return
		}
		again := world.ParseSettings(s.Append(nil), "[end]")
		was, _ := s.Get(name)
		if got, ok := again.Get(name); was != value || (!ok || got != value) && s.Ended() {
			t.Fatalf("%q with %q = %q is %q: read %q", text, name, value, s.Append(nil), got)
		}
	})
}
