package codexsite

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/testing/judge"
	"trowel.example/torchlight/internal/codex"
	"trowel.example/torchlight/moddir"
)

// sample returns the sample mod with the invented part of a game.
func sample(t testing.TB) []codex.Source {
	t.Helper()
	var list []codex.Source
	for _, name := range []string{"ember-base", "ember", "cinder"} {
		f, err := moddir.SourcesOf(os.DirFS("../../../samples/"+name), moddir.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, codex.Source{Mod: codex.Mod{Name: name, Title: name, Base: name == "ember-base"}, Files: f})
	}
	return list
}

// build makes a site in a new folder.
func build(t testing.TB, sources []codex.Source, o Options) string {
	t.Helper()
	d, err := codex.Read(context.Background(), sources, codex.Options{Languages: []string{"DE", "RU"}, NoChances: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := Write(context.Background(), dir, d, sources, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, at))
		if name, compressed := strings.CutSuffix(at, ".gz"); compressed && err == nil {
			var z *gzip.Reader
			if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
				at = name
				data, err = io.ReadAll(z)
			}
		}
		all[at] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWrite tests that a site is complete, the same each time, and small at first.
func TestWrite(t *testing.T) {
	a, b := contents(t, build(t, sample(t), Options{})), contents(t, build(t, sample(t), Options{}))
	if len(a) < 20 || len(a) != len(b) {
		t.Fatalf("%d and %d files", len(a), len(b))
	}
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s differs", name)
		}
		if strings.HasSuffix(name, ".json") && !json.Valid([]byte(a[name])) {
			t.Errorf("%s is not JSON", name)
		}
	}
	first := 0
	for _, name := range []string{"index.html", "app.js", "formula.js", "style.css", "icon.png", "data/site.json"} {
		first += len(a[name])
	}
	if first == 0 || first > 300_000 {
		t.Errorf("the first page has %d bytes", first)
	}
	for name, part := range map[string]string{"data/item-a.json": `"title":"Ashen Blade"`, "list/unit.json": `"role":"chest"`,
		"lang/RU.json": "Пепельный"} {
		if !strings.Contains(a[name], part) {
			t.Errorf("%s has no %s", name, part)
		}
	}
	if a["icons/0.png"] == "" {
		t.Error("no icons")
	}
}

// TestReuse tests what is taken from the earlier site: icons and models while their files are unchanged, and nothing that is damaged.
func TestReuse(t *testing.T) {
	src := sample(t)
	plain := contents(t, build(t, src, Options{Program: "a"}))
	model, icons := "", "icons/0.png"
	for name := range plain {
		if strings.HasPrefix(name, "models/") {
			model = name
		}
	}
	const mark = "of the earlier site"
	marked := func(hashes bool) fs.FS {
		site := make(fstest.MapFS)
		for name, data := range plain {
			if name == Manifest && hashes {
				for _, part := range []string{model, icons} {
					data = strings.Replace(data, partHash([]byte(plain[part])), partHash([]byte(mark)), 1)
				}
			} else if name == model || name == icons {
				data = mark
			}
			site[name] = &fstest.MapFile{Data: []byte(data)}
		}
		return site
	}
	changed := func(file, old, new string) []codex.Source {
		f, err := moddir.SourcesOf(edited{os.DirFS("../../../samples/ember"), file, old, new}, moddir.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list := slices.Clone(src)
		list[1].Files = f
		return list
	}
	const ring, texture = "MEDIA/UNITS/ITEMS/RINGS/EMBER_RING.DAT", "MEDIA/MODELS/RINGS/EMBER/EMBER_RING.DDS"
	same := Options{Program: "a", Earlier: marked(true)}
	for name, c := range map[string]struct {
		src    []codex.Source
		o      Options
		reused []string
	}{
		"unchanged":        {src, same, []string{model, icons}},
		"damaged":          {src, Options{Program: "a", Earlier: marked(false)}, nil},
		"another program":  {src, Options{Program: "b", Earlier: marked(true)}, nil},
		"no site":          {src, Options{Program: "a", Earlier: fstest.MapFS{}}, nil},
		"another level":    {changed(ring, "8", "9"), same, []string{model, icons}},
		"another icon":     {changed("MEDIA/UI/EMBER_ICONS.DDS", "", ""), same, []string{model}},
		"another texture":  {changed(texture, "", ""), same, []string{icons}},
		"another material": {changed(strings.Replace(texture, "DDS", "MATERIAL", 1), "1 1 1", "1 0 1"), same, []string{icons}},
	} {
		got := contents(t, build(t, c.src, c.o))
		for _, part := range []string{model, icons} {
			if want := slices.Contains(c.reused, part); (got[part] == mark) != want {
				t.Errorf("%s: %s is taken from the earlier site: %v, want %v", name, part, !want, want)
			}
		}
	}
	if !maps.Equal(plain, contents(t, build(t, src, Options{Program: "a", Earlier: os.DirFS(build(t, src, Options{Program: "a"}))}))) {
		t.Error("a site that was built again differs")
	}
}

// edited is a mod in which a text is replaced in a file; without one, its last byte is changed.
type edited struct {
	fs.FS
	file, old, new string
}

func (e edited) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(e.FS, name)
	if name != e.file {
		return data, err
	}
	if e.old == "" {
		data[len(data)-1] ^= 1
		return data, err
	}
	wide := func(s string) []byte {
		if data[0] != 0xff {
			return []byte(s)
		}
		return []byte(strings.Join(strings.Split(s, ""), "\x00") + "\x00")
	}
	return bytes.Replace(data, wide(e.old), wide(e.new), 1), err
}

// TestPublic tests that a public site contains neither internal names nor paths.
func TestPublic(t *testing.T) {
	for name, data := range contents(t, build(t, append(sample(t), hostile(t)), Options{Public: true})) {
		if strings.HasSuffix(name, ".js") {
			continue
		}
		for _, secret := range []string{"MEDIA/", "media/", "ASHEN_BLADE", "EMBER_CHEST_LOOT", "EMBER_SET", "CINDER_HOUND", "skillicon"} {
			if strings.Contains(data, secret) {
				t.Errorf("%s contains %s", name, secret)
			}
		}
	}
}

// TestOwns tests which folders are replaced.
func TestOwns(t *testing.T) {
	dir := build(t, sample(t), Options{})
	if err := Owns(dir); err != nil {
		t.Error(err)
	}
	judge.Write(t, filepath.Join(dir, "data", "mine.txt"), nil)
	if err := Owns(dir); err == nil || !strings.Contains(err.Error(), "mine.txt, which is not a part of a codex") {
		t.Errorf("with another file: %v", err)
	}
	other := t.TempDir()
	if err := Owns(other); err == nil {
		t.Error("an empty folder is a codex")
	}
	for _, text := range []string{"", "{}", `{"format":"other"}`, "[]"} {
		judge.Write(t, filepath.Join(other, Manifest), []byte(text))
		if err := Owns(other); err == nil {
			t.Errorf("%q is a codex", text)
		}
	}
}

// hostile returns a mod whose names are markup, long, or written in other directions.
func hostile(t testing.TB) codex.Source {
	t.Helper()
	fsys := make(fstest.MapFS)
	for i, name := range []string{`<script>window.hit=1</script>`, `<img src=x onerror=window.hit=1>`, `"><b>`,
		`javascript:window.hit=1`, strings.Repeat("x", 10_000),
		"\u202egnp.exe", "مرحبا", "__proto__", "constructor", "../../up", "", " ", "|cFFFFFFFF|c00ff0000|u|u", "%s%n", "a&amp;b"} {
		fsys[fmt.Sprintf("MEDIA/UNITS/ITEMS/I%d.DAT", i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"[UNIT]\n<STRING>NAME:%s\n<STRING>DISPLAYNAME:%s\n<STRING>UNITTYPE:%s\n"+
				"<STRING>ICON:%s\n<STRING>DESCRIPTION:%s\n[/UNIT]\n", name, name, name, name, name)}
		fsys[fmt.Sprintf("MEDIA/TRANSLATIONS/DE/I%d.DAT", i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"[TRANSLATIONS]\n[TRANSLATION]\n<STRING>ORIGINAL:%s\n<STRING>TRANSLATION:%s!\n[/TRANSLATION]\n[/TRANSLATIONS]\n", name, name)}
	}
	fsys["MEDIA/SPAWNCLASSES/C.DAT"] = &fstest.MapFile{Data: []byte("[SPAWNCLASS]\n<STRING>NAME:<b>class</b>\n[OBJECT]\n" +
		"<STRING>UNIT:<script>window.hit=1</script>\n<INTEGER>WEIGHT:1\n[/OBJECT]\n[/SPAWNCLASS]\n")}
	fsys["MEDIA/QUESTS/Q.DAT"] = &fstest.MapFile{Data: []byte("[QUEST]\n<STRING>DISPLAYNAME:<img src=x onerror=window.hit=1>\n" +
		"<STRING>SPAWNCLASS:<b>class</b>\n[/QUEST]\n")}
	f, err := moddir.SourcesOf(fsys, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return codex.Source{Mod: codex.Mod{Name: "m", Title: "<b>m</b>"}, Files: f}
}
