package moddir_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/raw"
)

const goodUnit = "[UNIT]\n<STRING>NAME:A\n[/UNIT]"

// brokenMod is a mod with a file of each broken kind that occurs in public mods.
var brokenMod = map[string]string{
	"media/units/good.dat":     goodUnit,
	"media/units/Twin.dat":     goodUnit, // used once
	"media/units/TWIN.DAT":     goodUnit,
	"media/affixes/closed.dat": "[AFFIX]\n[AFFIXES]\n<STRING>A:b\n[AFFIXES]\n[/AFFIX]",
	"media/affixes/lines.dat":  "[AFFIX]\n<STRING>TEXT:one\ntwo\n[/AFFIX]",
	"media/affixes/large.dat":  "[AFFIX]\n<INTEGER64>ID:18446744073709551616\n<INTEGER>A:.5\n[/AFFIX]",
	"media/affixes/first.dat":  "[AFFIX]\n<BOOLEAN>A:1\n[/AFFIX]",
	"media/skills/other.dat":   goodUnit,
	"media/skills/OTHER.dat":   "[SKILL]\n[/SKILL]",
	"media/ui/a.layout": "[UI]\n[OBJECTS]\n[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:Group\n<INTEGER>NO " +
		"SUCH:1\n[/PROPERTIES]\n[/BASEOBJECT]\n[/OBJECTS]\n[/UI]",
}

// TestBroken tests that broken files stop the build with all their errors, or are left out and reported.
func TestBroken(t *testing.T) {
	want := []string{"media/affixes/closed.dat", "media/affixes/first.dat", "media/affixes/large.dat",
		"media/affixes/lines.dat", "media/skills/other.dat"}
	var warned []string
	o := moddir.BuildOptions{}
	o.Warn = func(path, message string) { warned = append(warned, path+": "+message) }
	_, _, err := moddir.Build(context.Background(), new(tests.Memory), sources(t, brokenMod), o)
	var all *moddir.SourcesError
	if !errors.As(err, &all) {
		t.Fatal(err)
	}
	if got := paths(all.Errors); !slices.Equal(got, want) {
		t.Errorf("reported %q", got)
	}
	warned = nil
	var left []moddir.SourceError
	o.KeepGoing = func(e moddir.SourceError) { left = append(left, e) }
	var out tests.Memory
	if _, _, err := moddir.Build(context.Background(), &out, sources(t, brokenMod), o); err != nil {
		t.Fatal(err)
	}
	if got := paths(left); !slices.Equal(got, want) {
		t.Errorf("left out %q", got)
	}
	if got := names(packed(t, out.Data)); !slices.Equal(got, []string{"MEDIA/SKILLS/OTHER.DAT", "MEDIA/UI/A.LAYOUT",
		"MEDIA/UNITS/GOOD.DAT", "MEDIA/UNITS/TWIN.DAT"}) {
		t.Errorf("packed %q", got)
	}
	warned = slices.DeleteFunc(warned, func(s string) bool { return strings.Contains(s, "--tables") })
	slices.Sort(warned)
	if len(warned) != 2 || !strings.HasPrefix(warned[0], `media/affixes/large.dat:3: `) ||
		!strings.HasPrefix(warned[1], `media/ui/a.layout:6: Group has no property "NO SUCH"`) {
		t.Errorf("warned of %q", warned)
	}
	// Without a receiver, warnings are errors.
	if _, _, err := moddir.Build(context.Background(), new(tests.Memory), sources(t,
		map[string]string{"MEDIA/UI/A.LAYOUT": brokenMod["media/ui/a.layout"]}), moddir.BuildOptions{}); err == nil {
		t.Error("a property that is left out is silent")
	}
	found := check.Collect(func(s check.Sink) {
		if err := moddir.CheckFolder(sources(t, brokenMod), moddir.Options{}, s); err != nil {
			t.Error(err)
		}
	})
	for _, id := range []string{"tl-source-clash", "tl-source-torchlight1", "tl-source-unreadable", "tl-layout-unknown-property"} {
		if !slices.ContainsFunc(found, func(f check.Finding) bool { return f.ID == id }) {
			t.Errorf("check finds no %s: %v", id, found)
		}
	}
}

func paths(list []moddir.SourceError) []string {
	var all []string
	for _, e := range list {
		all = append(all, e.At)
	}
	slices.Sort(all)
	return all
}

// TestTorchlight1 tests that a mod of Torchlight I is rejected even if broken files may be left out.
func TestTorchlight1(t *testing.T) {
	for _, name := range []string{"media/units/good.dat.adm", "media/massfile.dat", "media/ui/a.layout.cmp"} {
		files := map[string]string{"media/units/good.dat": goodUnit, name: goodUnit}
		var all *moddir.SourcesError
		_, _, err := moddir.Build(context.Background(),
			new(tests.Memory), sources(t, files), moddir.BuildOptions{KeepGoing: func(moddir.SourceError) {}})
		if !errors.As(err, &all) || all.Errors[0].At != name || !strings.Contains(err.Error(), "Torchlight I") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestByteOrderMarks tests that sources are read in every encoding that editors save, with and without a byte order
// mark.
func TestByteOrderMarks(t *testing.T) {
	wide := func(s string, big bool) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(s)) {
			if big {
				u = u>>8 | u<<8
			}
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	list := string(raw.Format(&raw.Skills{Skills: []raw.Skill{{Name: "É", File: "MEDIA/SKILLS/A.DAT", GUID: 1 << 62}}}))
	var want map[string]string
	for _, encode := range []func(string) string{
		func(s string) string { return s }, func(s string) string { return "\ufeff" + s },
		func(s string) string { return wide(s, false) }, func(s string) string { return wide("\ufeff"+s, false) },
		func(s string) string { return wide(s, true) }, func(s string) string { return wide("\ufeff"+s, true) },
	} {
		fsys := sources(t, map[string]string{"MEDIA/A.DAT": encode("[A]\n<STRING>B:é\n[/A]"),
			"MEDIA/B.LAYOUT": encode("[Layout]\n[OBJECTS]\n[/OBJECTS]\n" +
				"[/Layout]"), "MEDIA/SKILLS.RAW.json": encode(list)})
		fsys["MOD.DAT"].Data = []byte(encode("[MOD]\n<STRING>NAME:é\n[/MOD]"))
		data := build(t, fsys, moddir.BuildOptions{})
		got := packed(t, data)
		if want == nil {
			want = got
		}
		for name := range want {
			if got[name] != want[name] || len(got[name]) == 0 {
				t.Errorf("%q: %s is %x", encode("x"), name, got[name])
			}
		}
	}
}

// TestBrokenCompiled tests that broken compiled files are extracted unchanged under their own names, each with a warning, and
// packed again to the same mod, and that files that can be read get no warning.
func TestBrokenCompiled(t *testing.T) {
	entries := slices.DeleteFunc(ordinary(t), func(e entry) bool { return e.path == "MEDIA/SKILLS.RAW" })
	good := len(entries)
	for _, name := range []string{"SKILLS.RAW", "A.DAT", "A.LAYOUT", "A.ANIMATION", "A.HIE", "A.MPP", "A.MESH", "A.DAT.ADM"} {
		entries = append(entries, entry{"MEDIA/BROKEN/" + name, []byte("\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")})
	}
	entries[good].path = "MEDIA/SKILLS.RAW"
	entries = append(entries, entry{"MEDIA/UI.RAW", []byte("{}")}) // already a text
	data := makeMod(t, header(), entries, nil)
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	warned := make(map[string]int)
	fsys := onDisk(t, moddir.Open(m, moddir.Options{Models: true, Warn: func(path, message string) {
		mu.Lock()
		defer mu.Unlock()
		warned[path]++
	}}))
	for _, e := range entries[good : len(entries)-1] {
		if got, err := fs.ReadFile(fsys, e.path); err != nil || !bytes.Equal(got, e.content) || warned[e.path] != 1 {
			t.Errorf("%s: %q, %v, %d warnings", e.path, got, err, warned[e.path])
		}
	}
	if _, err := fs.Stat(fsys, "MEDIA/UI.RAW.json"); err != nil || len(warned) != len(entries)-1-good {
		t.Errorf("%v, %v", err, warned)
	}
	if again := build(t, fsys, moddir.BuildOptions{}); !bytes.Equal(again, data) {
		t.Error("the folder gives another mod")
	}
}
