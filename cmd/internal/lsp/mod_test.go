package lsp_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/tests"
)

// ember returns a copy of the sample mod and the paths of its files.
func ember(t testing.TB) (ring, leap, glow string) {
	dir := copySample(t, "ember")
	return filepath.Join(dir, "MEDIA/UNITS/ITEMS/RINGS/EMBER_RING.DAT"), filepath.Join(dir, "MEDIA/SKILLS/EMBER/EMBER LEAP.DAT"),
		filepath.Join(dir, "MEDIA/AFFIXES/EMBER_GLOW.DAT")
}

func TestModDiagnostics(t *testing.T) {
	ring, _, _ := ember(t)
	c := start(t, `{}`, nil)
	u := c.openFile(ring)
	c.waitProblems(u, func(list []problem) bool { return len(list) == 0 })
	text := c.texts[u]
	for _, b := range []struct{ name, from, to, code, at string }{
		{"a word in place of a number", "LEVEL:8", "LEVEL:8é𝄞", "tl-source-unreadable", "6:16-6:20"},
		{"a tag that opens", "[/AFFIXES]", "[AFFIXES]", "tl-source-unreadable", "12:1-12:10"},
		{"an unknown type", "<INTEGER>LEVEL", "<NUMBER>LEVEL", "tl-source-unreadable", "6:2-6:8"},
		{"a fraction", "LEVEL:8", "LEVEL: 8.5", "tl-text-value", "6:16-6:20"},
	} {
		c.change(u, strings.Replace(text, b.from, b.to, 1))
		p := c.has(u, b.code)
		if p.Range.String() != b.at {
			t.Errorf("%s: %v %s, want %s", b.name, p.Range, p.Message, b.at)
		}
		c.change(u, text)
		c.waitProblems(u, func(list []problem) bool { return len(list) == 0 })
	}
}

// TestModWhole tests that the check of the whole mod marks what it finds in the texts.
func TestModWhole(t *testing.T) {
	ring, _, _ := ember(t)
	c := start(t, `{}`, nil)
	u := c.open(ring, strings.Replace(readText(t, ring), "ember_ring_base.dat", "ember_ring_bases.dat", 1))
	p := c.has(u, "tl-mod-likely-missing-file")
	if p.Range.String() != "1:18-1:62" {
		t.Errorf("%v", p)
	}
}

// TestModHoles tests that what a mod names and lacks, or has twice, is marked at its key while the text is open.
func TestModHoles(t *testing.T) {
	dir := filepath.Join(copySample(t, "cinder"), "MEDIA")
	base, err := filepath.Abs("../../../samples/ember-base")
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, `{}`, map[string]string{"base": base})
	for _, b := range []struct{ file, from, to, code, at, message string }{
		{"SPAWNCLASSES/EMBER_HOUND_LOOT.DAT", "SPAWNCLASS:EMBER_CHEST", "SPAWNCLASS:EMBER_HOUND", "tl-mod-class-loop", "10:2-10:8",
			`the spawn class "EMBER_HOUND_LOOT" contains "EMBER_HOUND_LOOT", which contains the class again, or is nested too deeply`},
		{"UNITS/ITEMS/EMBER/ASHEN_GUARD.DAT", "NAME:ASHEN_GUARD", "NAME:Ashen_Blade", "tl-mod-duplicate-name", "1:14-1:25",
			`has the same NAME "ASHEN_BLADE" as MEDIA/UNITS/ITEMS/EMBER/ASHEN_BLADE.DAT`},
		{"UNITS/MONSTERS/EMBER/CINDER_HOUND.DAT", "\t<INTEGER>MAXHP", "\t<STRING>ARMOR_GRAPH:NOWHERE\r\n\t<INTEGER>MAXHP",
			"tl-mod-unknown-graph", "9:21-9:28",
			`names the graph "NOWHERE", which is not in these files`},
		{"UNITS/ITEMS/EMBER/ASHEN_GUARD.DAT", "5148310662718520915", "5148310662718520914", "tl-mod-duplicate-guid", "3:22-3:41", ""},
	} {
		name := filepath.Join(dir, filepath.FromSlash(b.file))
		u := c.open(name, strings.Replace(readText(t, name), b.from, b.to, 1))
		if p := c.has(u, b.code); p.Range.String() != b.at || b.message != "" && p.Message != b.message {
			t.Errorf("%s: %v %s, want %s", b.code, p.Range, p.Message, b.at)
		}
		c.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": u}})
	}
}

func TestModQuestions(t *testing.T) {
	ring, leap, glow := ember(t)
	table := filepath.Join(filepath.Dir(ring), "../../../UNITDATA.RAW.json")
	if err := os.WriteFile(table, []byte(`{
  "table": "UNITDATA",
  "items": [
    {
      "guid": "5148310662718520902",
      "name": "EMBER_RING",
      "file": "MEDIA/UNITS/ITEMS/RINGS/EMBER_RING_BASE.DAT"
    }
  ]
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := start(t, `{}`, nil)
	u := c.openFile(ring)
	skill := c.openFile(leap)
	ask := func(method string, params map[string]any) string {
		return string(c.ask("textDocument/"+method, params))
	}
	for _, q := range []struct {
		method string
		at     map[string]any
		want   []string
	}{
		{"hover", c.at(u, "5148310662718520902"), []string{"GUID `5148310662718520902` of `EMBER_RING`, in the mod"}},
		{"hover", c.at(u, "EMBER_GLOW"), []string{"affix `EMBER_GLOW`, defined in the mod", "mentioned in 4 places"}},
		{"definition", c.at(u, "EMBER_GLOW"), []string{uri(glow)}},
		{"definition", c.at(u, "icon_ring"), []string{"EMBER_ICONS.IMAGESET", `"line":2,"character":14`}},
		{"definition", c.after(u, "MESHFILE:"), []string{"EMBER_RING.MESH.txt"}},
		{"completion", c.after(u, "<STRING>BASEFILE:"), []string{`"label":"media/units/items/rings/ember_ring_base.dat"`}},
		{"completion", c.after(u, "<STRING>AFFIX:"), []string{`"label":"EMBER_GLOW"`, "affix, EMBER_GLOW.DAT"}},
		{"completion", c.after(u, "<STRING>ICON:icon"), []string{`"label":"ICON_RING_EMBER"`}},
		{"completion", c.after(u, "<INTEGER>"), []string{`"label":"MAXLEVEL"`}},
		{"completion", c.after(skill, "<BOOL>CAN_BE_SILENCED:"), []string{`"label":"true"`}},
	} {
		got := ask(q.method, q.at)
		for _, want := range q.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s at %v: no %s in %s", q.method, q.at["position"], want, got)
			}
		}
	}
}

// TestModCorpus opens every source of a real mod, asks about each of its lines, and tests that the server answers.
func TestModCorpus(t *testing.T) {
	tests.LongOnly(t, "it opens hundreds of files")
	dir := filepath.Join(tests.Corpus(t, "torchlight"), "xyvian__Commando_Testing", "HEAD")
	c := start(t, `{}`, nil)
	opened := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if ext := strings.ToUpper(filepath.Ext(name)); err != nil || ext != ".DAT" && ext != ".LAYOUT" {
			return err
		}
		opened++
		u := c.openFile(name)
		var ids []string
		for n, row := range strings.Split(c.texts[u], "\n") {
			at := map[string]any{"textDocument": map[string]any{"uri": u}, "position": spot{n, len(row) * 3 / 4}}
			for _, method := range []string{"hover", "definition", "completion"} {
				ids = append(ids, c.send("textDocument/"+method, at))
			}
			if len(ids) > 1000 {
				break
			}
		}
		for _, id := range ids {
			if _, failure := c.result(id); failure != "" {
				t.Errorf("%s: %s", name, failure)
			}
		}
		c.waitProblems(u, func([]problem) bool { return true })
		c.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": u}})
		return nil
	})
	if err != nil || opened < 50 {
		t.Errorf("%d files, %v", opened, err)
	}
}

// TestModBase tests that the files of the game are known, from a folder and from an archive.
func TestModBase(t *testing.T) {
	folder := copySample(t, "ember")
	archive := filepath.Join(t.TempDir(), "game.mod")
	s := service.New(format.Registered(), strings.NewReader(""), quiet{}, new(wording.Aliases))
	g, err := s.Find(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(g.Made, "ember.MOD"))
	if err := errors.Join(err, os.WriteFile(archive, data, 0o600), g.Close()); err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{folder, archive} {
		ring, _, _ := ember(t)
		if err := os.RemoveAll(filepath.Join(filepath.Dir(ring), "../../../../MEDIA/AFFIXES")); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(filepath.Dir(ring), "EMBER_RING_BASE.DAT")); err != nil {
			t.Fatal(err)
		}
		c := start(t, `{}`, map[string]string{"base": base})
		u := c.openFile(ring)
		var list []struct {
			URI   string
			Range span
		}
		if err := json.Unmarshal(c.ask("textDocument/definition", c.at(u, "EMBER_GLOW")), &list); err != nil || len(list) != 1 {
			t.Fatalf("%s: %v, %v", base, list, err)
		}
		shown, err := url.Parse(list[0].URI)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.VolumeName(ring) != "" { // on Windows, the path of a URI has a slash before the drive letter
			shown.Path = shown.Path[1:]
		}
		row := strings.Split(readText(t, filepath.FromSlash(shown.Path)), "\n")[list[0].Range.Start.Line]
		if !strings.Contains(row[list[0].Range.Start.Character:], "EMBER_GLOW") {
			t.Errorf("%s: %v: %q", base, list[0], row)
		}
		hover := string(c.ask("textDocument/hover", c.at(u, "LEVEL:8")))
		if !strings.Contains(hover, "effective value: `8`, from this file") {
			t.Error(hover)
		}
		if got := string(c.ask("textDocument/completion", c.after(u, "<INTEGER>"))); !strings.Contains(got, "RARITY") {
			t.Error(got)
		}
	}
}
