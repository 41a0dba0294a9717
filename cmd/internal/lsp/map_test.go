package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMapDiagnostics(t *testing.T) {
	dir := copySample(t, "burrow")
	c := start(t, `{}`, nil)
	for _, b := range []struct{ file, from, to, code, at string }{
		{"settings.cfg", "sv_freeze_delay 3", "sv_freeze_delay 99", "tw-map-setting-value", "1:16-1:18"},
		{"settings.cfg", "sv_team 1", "sv_teem 1", "tw-map-setting-unknown", "0:0-0:7"},
		{"groups/Depths/Wall.json", `"image": "`, `"image": "X`, "unbuildable", "6:11-6:20"},
		{"groups/Game/group.json", `"name"`, `"nome"`, "unbuildable", "1:2-1:8"},
		{"groups/Game/Game.txt", "3   3   .", "3   3q  .", "unbuildable", "0:4-0:6"},
		{"groups/Game/Game.txt", "3   3   .", "3   26  .", "tw-map-tile-invalid", "0:4-0:6"},
		{"groups/order.txt", "Sky\n", "Skies\n", "unbuildable", "0:0-0:5"},
	} {
		u := c.openFile(filepath.Join(dir, filepath.FromSlash(b.file)))
		text := c.texts[u]
		if !strings.Contains(text, b.from) {
			t.Fatalf("%s has no %q: %.300s", b.file, b.from, text)
		}
		c.change(u, strings.Replace(text, b.from, b.to, 1))
		if p := c.has(u, b.code); p.Range.String() != b.at {
			t.Errorf("%s: %v %s, want %s", b.to, p.Range, p.Message, b.at)
		}
		c.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": u}})
		c.waitProblems(u, func(list []problem) bool { return len(list) == 0 })
	}
}

func TestMapQuestions(t *testing.T) {
	dir := copySample(t, "burrow")
	c := start(t, `{}`, nil)
	in := func(name string) string { return c.openFile(filepath.Join(dir, filepath.FromSlash(name))) }
	settings, layer, tiles, order := in("settings.cfg"), in("groups/Depths/Wall.json"), in("groups/Game/Game.txt"), in("images/order.txt")
	rules := c.open(filepath.Join(dir, "a.rules"), "[A]\nIndex 1\nPos 0 0 \n")
	ask := func(method string, params map[string]any) string {
		return string(c.ask("textDocument/"+method, params))
	}
	image := strings.TrimSpace(strings.Split(readText(t, filepath.Join(dir, "groups/Depths/Wall.json")), `"image": "`)[1])
	image, _, _ = strings.Cut(image, `"`)
	for _, q := range []struct {
		method string
		at     map[string]any
		want   []string
	}{
		{"hover", c.at(settings, "sv_freeze"), []string{"sv_freeze_delay VALUE", "a whole number from 1 to 30"}},
		{"hover", c.at(tiles, "3   3"), []string{"nohook (tile 3) at 0, 0", "no hook holds on"}},
		{"hover", c.at(layer, `type"`), []string{"`type`: text"}},
		{"hover", c.at(layer, image), []string{"images/" + image}},
		{"hover", c.at(rules, "Index"), []string{"begins a rule"}},
		{"definition", c.at(layer, image), []string{"images/order.txt"}},
		{"completion", c.after(settings, "tune_zone 1 g"), []string{`"label":"gravity"`}},
		{"completion", c.after(settings, "sv_team "), []string{`"label":"3"`}},
		{"completion", c.after(settings, "sv_f"), []string{`"label":"sv_freeze_delay"`, "1 to 30"}},
		{"completion", c.after(layer, `"image": "`), []string{`"label":"` + image + `"`, `"newText":"\"` + image + `\""`}},
		{"completion", c.after(layer, "{\n  "), []string{`"label":"detail"`}},
		{"completion", c.after(tiles, "3"), []string{`"label":"3 nohook"`}},
		{"completion", c.after(rules, "Pos 0 0 "), []string{`"label":"NOTINDEX"`}},
	} {
		got := ask(q.method, q.at)
		for _, want := range q.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s at %v: no %s in %s", q.method, q.at["position"], want, got)
			}
		}
	}
	external := []byte(`{"external": true, "width": 64, "height": 64}`)
	if err := os.WriteFile(filepath.Join(dir, "images", "new.json"), external, 0o600); err != nil {
		t.Fatal(err)
	}
	c.change(order, c.texts[order]+"\n")
	if got := ask("completion", map[string]any{"textDocument": map[string]any{"uri": order},
		"position": spot{strings.Count(c.texts[order], "\n") - 1, 0}}); !strings.Contains(got, `"label":"new"`) {
		t.Error(got)
	}
}
