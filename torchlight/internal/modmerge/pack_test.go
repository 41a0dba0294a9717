package modmerge_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/internal/values/merge3"
	"trowel.example/torchlight/internal/modmerge"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/raw"
)

// packed packs mods, with the names A.MOD, B.MOD ..., and returns the pack and the conflicts.
func packed(t testing.TB, o modmerge.PackOptions, mods ...[]byte) (*modedit.Editor, []check.Conflict) {
	t.Helper()
	var list []modmerge.Input
	for i, data := range mods {
		list = append(list, modmerge.Input{Name: string(rune('A'+i)) + ".MOD", Editor: editor(t, data)})
	}
	e, conflicts, err := modmerge.Pack(list, o)
	if err != nil {
		t.Fatal(err)
	}
	out := new(tests.Memory)
	if err := e.WriteMod(context.Background(), out); err != nil {
		t.Fatal(err)
	}
	return editor(t, out.Data), conflicts
}

func unit(name, guid, more string) string {
	return lines("[UNIT sNAME:" + name + " gUNIT_GUID:" + guid + " " + more + " ]UNIT")
}

func get(t testing.TB, e *modedit.Editor, name, key string) string {
	t.Helper()
	root, err := e.Tree(name)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := root.Get(key)
	return v
}

const wolf, bear, shared = "MEDIA/UNITS/MONSTERS/WOLF.DAT", "MEDIA/UNITS/MONSTERS/BEAR.DAT", "MEDIA/UNITS/MONSTERS/SHARED.DAT"

func TestPack(t *testing.T) {
	one := made(t, "One", map[string]string{wolf: unit("Wolf", "11", "iLEVEL:1"), shared: unit("Both", "13", "iLEVEL:1 iA:1")})
	two := made(t, "Other", map[string]string{bear: unit("Bear", "12", "iLEVEL:2"), shared: unit("Both", "13", "iLEVEL:2 iB:1")})
	e, conflicts := packed(t, modmerge.PackOptions{}, one, two)
	h := e.Header()
	if h.Title != "One + Other" || h.Version != 4 || h.ModVersion != 1 || h.ID <= 0 ||
		!strings.Contains(h.Description, "One, version 0; Other, version 0") {
		t.Errorf("header %+v", h)
	}
	if len(conflicts) != 1 || conflicts[0].Path != shared || conflicts[0].Took != "B.MOD" ||
		!strings.Contains(conflicts[0].What, "the mods have different files, so one is taken as a whole") ||
		get(t, e, shared, "LEVEL") != "2" || get(t, e, shared, "A") != "" {
		t.Errorf("without a base: %+v", conflicts)
	}
	units := e.Records(raw.KindUnitData).(*raw.UnitData)
	if len(units.Monsters) != 3 {
		t.Errorf("records %+v", units)
	}
	for _, x := range []struct {
		from []byte
		name string
	}{{one, wolf}, {two, bear}} {
		if same, err := modedit.SameFile(editor(t, x.from), e, x.name); !same || err != nil {
			t.Errorf("%s: another, %v", x.name, err)
		}
	}
	if e, _ := packed(t, modmerge.PackOptions{Winner: "first"}, one, two); get(t, e, shared, "LEVEL") != "1" {
		t.Error("the first does not win")
	}
	if e, _ := packed(t, modmerge.PackOptions{Winner: "a"}, one, two); get(t, e, shared, "LEVEL") != "1" {
		t.Error("that of the name does not win")
	}
	e, conflicts = packed(t, modmerge.PackOptions{Union: true}, one, two)
	if len(conflicts) != 1 || get(t, e, shared, "LEVEL") != "2" || get(t, e, shared, "A") != "1" || get(t, e, shared, "B") != "1" {
		t.Errorf("union: %+v", conflicts)
	}
	units = e.Records(raw.KindUnitData).(*raw.UnitData)
	for _, u := range units.Monsters {
		if u.File == shared && u.Level != 2 {
			t.Errorf("union: record %+v", u)
		}
	}
	game := open(t, made(t, "Game", map[string]string{shared: unit("Both", "13", "iLEVEL:1 iMINLEVEL:1 iMAXLEVEL:1")}))
	base := moddir.SourcesOfArchive(game.Archive, moddir.Options{})
	three := made(t, "Third", map[string]string{shared: unit("Both", "13", "iLEVEL:1 iMINLEVEL:5 iMAXLEVEL:1")})
	four := made(t, "Fourth", map[string]string{shared: unit("Both", "13", "iLEVEL:7 iMINLEVEL:1 iMAXLEVEL:1")})
	var took []string
	told := modmerge.Options{Options: merge3.Options{OnTook: func(c check.Change) error {
		if c.Path == "" {
			took = append(took, c.What)
		}
		return nil
	}}}
	e, conflicts = packed(t, modmerge.PackOptions{Base: base, Options: told}, three, four)
	if want := []string{"A.MOD: 0 files used, 1 merged, 0 overridden, 0 identical in another mod",
		"B.MOD: 0 files used, 1 merged, 0 overridden, 0 identical in another mod"}; !slices.Equal(took, want) {
		t.Errorf("%q", took)
	}
	if len(conflicts) != 0 || get(t, e, shared, "LEVEL") != "7" || get(t, e, shared, "MINLEVEL") != "5" {
		t.Errorf("with a base: %+v level %s", conflicts, get(t, e, shared, "LEVEL"))
	}
	for _, u := range e.Records(raw.KindUnitData).(*raw.UnitData).Monsters {
		if u.Level != 7 {
			t.Errorf("with a base: record %+v", u)
		}
	}
	e, conflicts = packed(t, modmerge.PackOptions{Base: base, Options: modmerge.Options{}}, three, four,
		made(t, "Number five", map[string]string{shared: unit("Both", "13", "iLEVEL:9 iMINLEVEL:1 iMAXLEVEL:1")}))
	if len(conflicts) != 1 || conflicts[0].Took != "C.MOD" || get(t, e, shared, "LEVEL") != "9" || get(t, e, shared, "MINLEVEL") != "5" {
		t.Errorf("three with a base: %+v", conflicts)
	}
}

// TestPackUses tests that each file is reported of which mods have different versions, with the use of each version, and once that the
// game's files are missing.
func TestPackUses(t *testing.T) {
	first := map[string]string{wolf: unit("Wolf", "11", "iLEVEL:1"), shared: unit("Both", "13", "iLEVEL:1"),
		bear: unit("Bear", "12", "iLEVEL:1")}
	second := maps.Clone(first)
	second[shared], second[bear] = unit("Both", "13", "iLEVEL:2"), unit("Bear", "12", "iLEVEL:2")
	third := map[string]string{shared: first[shared], bear: unit("Bear", "12", "iLEVEL:1 iMINLEVEL:1")}
	mods := [][]byte{made(t, "One", first), made(t, "Other", second), made(t, "Third", third)}
	game := open(t, made(t, "Game", map[string]string{bear: unit("Bear", "12", "iLEVEL:1")}))
	for _, c := range []struct {
		base  moddir.Files
		bear  string
		warns int
	}{
		{nil, "A.MOD overridden B.MOD overridden C.MOD used", 1},
		{moddir.SourcesOfArchive(game.Archive, moddir.Options{}), "A.MOD merged B.MOD merged C.MOD merged", 0},
	} {
		uses, warned := make(map[string]string), 0
		o := modmerge.PackOptions{Base: c.base, OnFile: func(path string, list []modmerge.Use) {
			var b strings.Builder
			for _, u := range list {
				b.WriteString(" " + u.Mod + " " + u.Use)
			}
			uses[path] = b.String()[1:]
		}}
		o.OnWarn = func(path, message string) {
			if strings.Contains(message, "--base") {
				warned++
			}
		}
		packed(t, o, mods...)
		want := map[string]string{bear: c.bear, shared: "A.MOD identical B.MOD overridden C.MOD used"}
		if !maps.Equal(uses, want) || warned != c.warns {
			t.Errorf("base %v: %q, want %q; %d warnings", c.base != nil, uses, want, warned)
		}
	}
}

func TestPackNumbers(t *testing.T) {
	one := made(t, "One", map[string]string{wolf: unit("Wolf", "11", "iLEVEL:3")})
	two := made(t, "Other", map[string]string{bear: unit("Bear", "11", "iLEVEL:4")})
	_, conflicts := packed(t, modmerge.PackOptions{}, one, two)
	if len(conflicts) != 1 || !strings.Contains(conflicts[0].What, "GUID 11") {
		t.Errorf("conflicts %+v", conflicts)
	}
	e, conflicts := packed(t, modmerge.PackOptions{NewGUIDs: true}, one, two)
	if len(conflicts) != 0 || get(t, e, bear, "UNIT_GUID") != "11" || get(t, e, wolf, "UNIT_GUID") == "11" {
		t.Errorf("conflicts %+v", conflicts)
	}
	for _, u := range e.Records(raw.KindUnitData).(*raw.UnitData).Monsters {
		if got := get(t, e, u.File, "UNIT_GUID"); got != fmt.Sprint(int64(u.GUID)) {
			t.Errorf("%s: %s, in the table %d", u.File, got, u.GUID)
		}
	}
}

func TestPackSheets(t *testing.T) {
	set := func(name string) string {
		return `<Imageset Name="S" Imagefile="media/ui/s.dds"><Image Name="` + name +
			`" XPos="0" YPos="0" Width="1" Height="1" /></Imageset>`
	}
	const file, sheet = "MEDIA/UI/S.IMAGESET", "MEDIA/UI/S.DDS"
	for _, test := range []struct {
		other     string
		images    int
		conflicts int
	}{{"pixels", 2, 0}, {"others", 1, 2}} {
		e, conflicts := packed(t, modmerge.PackOptions{},
			made(t, "One", map[string]string{file: set("a"), sheet: "pixels"}), made(t, "Other",
				map[string]string{file: set("b"), sheet: test.other}))
		data, err := e.Content(file)
		if err != nil || bytes.Count(data, []byte("<Image ")) != test.images || len(conflicts) != test.conflicts {
			t.Errorf("%s: %v %+v\n%s", test.other, err, conflicts, data)
		}
	}
}

func TestPackHeaders(t *testing.T) {
	files := map[string]string{wolf: unit("Wolf", "11", "")}
	with := func(title string, change func(h *mod.Header)) modmerge.Input {
		e := editor(t, made(t, title, files))
		change(e.Header())
		return modmerge.Input{Name: title + ".MOD", Editor: e}
	}
	plain := func(*mod.Header) {}
	for _, test := range []struct {
		name, want string
		mods       []modmerge.Input
		o          modmerge.PackOptions
	}{
		{"one", "two or more mods", []modmerge.Input{with("A", plain)}, modmerge.PackOptions{}},
		{"the same", "same mod in the same version", []modmerge.Input{with("A", plain), with("A", plain)},
			modmerge.PackOptions{Versions: true}},
		{"versions", "versions 0 and 7 of the same mod",
			[]modmerge.Input{with("A", plain), with("A", func(h *mod.Header) { h.ModVersion = 7 })},
			modmerge.PackOptions{}},
		{"versions allowed", "", []modmerge.Input{with("A", plain),
			with("A", func(h *mod.Header) { h.ModVersion = 7 })}, modmerge.PackOptions{Versions: true}},
		{"needs another", "requires the mod Gone",
			[]modmerge.Input{with("A", plain), with("B",
				func(h *mod.Header) { h.Required = []mod.Required{{Name: "Gone", ID: 5}} })}, modmerge.PackOptions{}},
		{"needs a member", "", []modmerge.Input{with("A", plain),
			with("B", func(h *mod.Header) { h.Required = []mod.Required{{Name: "A", ID: 1065}} })},
			modmerge.PackOptions{}},
		{"unknown name", "not \"X\"", []modmerge.Input{with("A", plain), with("B", plain)}, modmerge.PackOptions{Winner: "X"}},
	} {
		e, _, err := modmerge.Pack(test.mods, test.o)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", test.name, err)
		}
		if err == nil && len(e.Header().Required) > 0 {
			t.Errorf("%s: needs %v", test.name, e.Header().Required)
		}
	}
	hides := func(h *mod.Header) { h.Removed = []string{wolf, "MEDIA/X.DAT"} }
	nothing := editor(t, made(t, "Hides", nil))
	hides(nothing.Header())
	for _, test := range []struct {
		mods             []modmerge.Input
		removed, clashes int
		stays            bool
	}{
		{[]modmerge.Input{{Name: "H", Editor: nothing}, with("A", plain)}, 1, 0, true},
		{[]modmerge.Input{with("A", plain), {Name: "H", Editor: nothing}}, 2, 1, false},
	} {
		e, conflicts, err := modmerge.Pack(test.mods, modmerge.PackOptions{})
		if err != nil || len(e.Header().Removed) != test.removed || len(conflicts) != test.clashes || e.Has(wolf) != test.stays {
			t.Errorf("removed %v, conflicts %v, %v", e.Header().Removed, conflicts, err)
		}
	}
}

// TestRealPack tests that a pack of unrelated mods contains all of them and has no new findings.
func TestRealPack(t *testing.T) {
	var mods [][]byte
	known := make(map[string]bool)
	files := make(map[string]bool)
	for _, name := range tests.CorpusFiles(t, "torchlight", "") {
		if base := filepath.Base(name); base != "Adventure_mode.mod" && base != "flasks.mod" && base != "COMMANDO_TESTING.MOD" {
			continue
		}
		data := judge.Read(t, name)
		mods = append(mods, data)
		for what := range findings(t, data) {
			known[what] = true
		}
		for _, path := range editor(t, data).Paths() {
			files[strings.ToUpper(path)] = true
		}
	}
	e, conflicts := packed(t, modmerge.PackOptions{}, mods...)
	for path := range files {
		if !e.Has(path) {
			t.Errorf("%s is gone", path)
		}
	}
	out := new(tests.Memory)
	if err := e.WriteMod(context.Background(), out); err != nil {
		t.Fatal(err)
	}
	for what := range findings(t, out.Data) {
		if !known[what] {
			t.Errorf("new: %s (conflicts %v)", what, conflicts)
		}
	}
}
