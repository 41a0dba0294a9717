package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
)

// galleryFolder makes a folder with files of some formats, one of them broken, and with files that do not
// belong in a gallery.
func galleryFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "files")
	for _, sub := range []string{"maps", ".git", "empty"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		data := judge.Read(t, name)
		return data
	}
	write := func(name string, data []byte) {
		judge.Write(t, filepath.Join(dir, name), data)
	}
	burrow := read(sample(t, "burrow", "burrow.map"))
	write("maps/one.map", burrow)
	write("maps/broken.map", burrow[:200])
	write(".git/hidden.map", burrow)
	write("mod.MOD", read(sample(t, "ember", "ember.MOD")))
	write("text.DAT", read("../../samples/ember/MEDIA/AFFIXES/EMBER_GLOW.DAT"))
	write("notes.txt", []byte("not of a game"))
	run(t, "pack", "-q", "../../samples/hollow", "-o", filepath.Join(dir, "world"))
	run(t, "extract", "-q", filepath.Join(dir, "maps/one.map"), "-o", filepath.Join(dir, "tree"))
	return dir
}

type inGallery struct {
	ID       int
	Name     string
	Title    string
	Size     int64
	Modified int64
	Folder   bool
	Picture  bool
	Checked  bool
	Error    string
}

// gallery returns the content of a gallery after all files were found.
func (v *viewing) gallery() map[string]inGallery {
	v.t.Helper()
	for {
		var g struct {
			Files []inGallery
			Total int
			Done  bool
		}
		status, data := v.get("/gallery")
		if err := json.Unmarshal(data, &g); err != nil || status != 200 {
			v.t.Fatalf("%d, %v: %s", status, err, data)
		}
		if !g.Done {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		files := make(map[string]inGallery)
		for i, f := range g.Files {
			if f.ID != i {
				v.t.Errorf("%s has the number %d, not %d", f.Name, f.ID, i)
			}
			files[f.Name] = f
		}
		return files
	}
}

func TestViewGallery(t *testing.T) {
	dir := galleryFolder(t)
	v := view(t, dir)
	files := v.gallery()
	for name, want := range map[string]struct {
		title, count string
		picture      int
	}{
		"maps/one.map":    {"Teeworlds/DDNet map", `"state":"done"`, 200},
		"maps/broken.map": {"Teeworlds/DDNet map", `"state":"broken"`, 200},
		"mod.MOD":         {"Torchlight II mod", `"state":"done"`, 200},
		"text.DAT":        {"Torchlight II source file", `"state":"done"`, 204},
		"world":           {"Minetest/Luanti world", `"state":"large"`, 200},
		"tree":            {"Teeworlds/DDNet map", `"state":"done"`, 200},
	} {
		f, ok := files[name]
		if !ok {
			t.Errorf("there is no %s in %v", name, files)
			continue
		}
		if f.Title != want.title || f.Modified == 0 || f.Folder != (name == "world" || name == "tree") {
			t.Errorf("%s: %+v", name, f)
		}
		if status, data := v.get(fmt.Sprintf("/f/%d/thumb/1", f.ID)); status != want.picture {
			t.Errorf("%s: the picture is %d %.100s", name, status, data)
		} else if name == "maps/broken.map" {
			if !strings.Contains(string(data), "broken.map: header") {
				t.Errorf("%s: the reason is missing: %s", name, data)
			}
		} else if status == 200 {
			if size := decode(t, data).Rect.Size(); max(size.X, size.Y) != 256 {
				t.Errorf("%s: the picture has %v pixels", name, size)
			}
		}
		if _, data := v.get(fmt.Sprintf("/f/%d/head", f.ID)); name == "text.DAT" && !strings.HasPrefix(string(data), `{"lines":["[AFFIX]",`) {
			t.Errorf("%s has %s", name, data)
		}
		if _, data := v.get(fmt.Sprintf("/f/%d/count", f.ID)); !strings.Contains(string(data), want.count) ||
			strings.Contains(string(data), filepath.Dir(dir)) {
			t.Errorf("%s: the findings are %s", name, data)
		}
	}
	small := filepath.Join(t.TempDir(), "small.png")
	run(t, "render", "-q", "--thumbnail", filepath.Join(dir, "maps/one.map"), "-o", small)
	want := judge.Read(t, small)
	_, got := v.get(fmt.Sprintf("/f/%d/thumb/1?side=512", files["maps/one.map"].ID))
	if got, want := decode(t, got), decode(t, want); got.Rect != want.Rect || !bytes.Equal(got.Pix, want.Pix) {
		t.Error("the small picture is not that of render --thumbnail")
	}
	if len(files) != 6 {
		t.Errorf("it has %v", files)
	}
	v.stop()
}

// TestViewNothing tests that a folder without known files is reported immediately.
func TestViewNothing(t *testing.T) {
	dir := t.TempDir()
	out, err := trowel(t, "view", "--no-open", dir).Output()
	if err == nil || len(out) > 0 {
		t.Errorf("it serves a page: %s", out)
	}
}

// TestViewGalleryPage opens a gallery, sorts it, opens a file with the keyboard and returns.
func TestViewGalleryPage(t *testing.T) {
	needsProgram(t, "show files of unknown formats")
	v := view(t, galleryFolder(t))
	p := v.open(1280, 800)
	names := `[...document.querySelectorAll(".gallery .card")].map((c) => c.title)`
	p.Wait(names + ".length === 6")
	p.Wait(`document.querySelectorAll(".thumb img").length === 4`)
	p.Wait(`document.querySelectorAll(".found .sev-error").length >= 1`)
	p.Wait(`document.querySelector(".sheet")?.textContent.startsWith("[AFFIX]")`)
	p.Do(chromedp.Evaluate(`location.hash = "rules=ddnet"`, nil))
	p.Wait(`document.querySelector("[title='maps/one.map'] .found")?.textContent.includes("against binding rules")`)
	p.Do(chromedp.Evaluate(`location.hash = ""`, nil))
	p.Wait(`!document.querySelector("[title='maps/one.map'] .found").textContent.includes("binding")`)
	p.Picture("light")
	p.Dark(true)
	p.Picture("dark")
	p.Resize(360, 740)
	p.Picture("small")
	p.Resize(1280, 800)
	all := []string{"maps/broken.map", "maps/one.map", "mod.MOD", "text.DAT", "tree", "world"}
	if got := chromium.Eval[[]string](p, names); !slices.Equal(got, all) {
		t.Errorf("by name: %q", got)
	}
	p.Do(chromedp.SetValue(`select[aria-label="Sort by"]`, "size"),
		chromedp.Evaluate(`document.querySelector('select[aria-label="Sort by"]').dispatchEvent(new Event("change"))`, nil))
	p.Wait(names + `[0] === "maps/one.map" && location.hash.includes("sort=size")`)
	p.Do(chromedp.Evaluate(`document.querySelector(".gallery [tabindex='0']").focus()`, nil))
	p.Press(kb.ArrowRight)
	p.Press(kb.Enter)
	p.Wait(`document.getElementById("title").textContent === "mod.MOD" && !document.querySelector(".gallery")`)
	p.Do(chromedp.Evaluate(`history.back()`, nil))
	p.Wait(`document.activeElement?.title === "mod.MOD"`)
	if got := chromium.Eval[[]string](p, names); len(got) != 6 || got[0] != "maps/one.map" {
		t.Errorf("after coming back: %q", got)
	}
	p.Do(chromedp.SendKeys(`.pane-gallery input[type=search]`, "world"))
	p.Wait(names + ".join() === 'world'")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}
