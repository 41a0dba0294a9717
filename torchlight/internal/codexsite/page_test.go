package codexsite

import (
	"errors"
	"image"
	"image/color"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/judge/firefox"
	"trowel.example/torchlight/internal/codex"
)

// visit opens a site in a browser and returns a function that goes to an address and waits for the page.
func visit(t *testing.T, dir string, width, height int) (p *chromium.Page, open func(hash string)) {
	t.Helper()
	p = chromium.Start(t, width, height)
	server := httptest.NewServer(http.FileServerFS(os.DirFS(dir)))
	t.Cleanup(server.Close)
	chromium.Eval[bool](p, `(location.href = "`+server.URL+`/", true)`)
	p.Wait(`document.querySelector("main h1") !== null`)
	return p, func(hash string) {
		t.Helper()
		chromium.Eval[bool](p, `(window.before = document.querySelector("main h1"), location.hash = "`+hash+`", true)`)
		p.Wait(`document.querySelector("main h1") !== window.before`)
	}
}

// text returns the text of the page.
func text(p *chromium.Page) string {
	return chromium.Eval[string](p, `document.querySelector("main").innerText`)
}

// pages are pages of the site of the sample mods, with parts of their texts.
var pages = []struct {
	name, hash string
	want       []string
}{
	{"home", "", []string{"ember", "cinder", "Spawn classes"}},
	{"item", "item=5148310662718520914", []string{"Ashen Blade", "Ascheklinge", "74 – 111", "fire damage (70 %)", "The Ashen Watch",
		"+26 - 40 to greatest Health", "Cinder Matron", "9.95 %", "1 in 334", "EMBER_HOUND_LOOT"}},
	{"item-level", "item=5148310662718520914&level=50", []string{"At level 50"}},
	{"item-never", "item=5148310662718520914&level=90", []string{"Nothing drops this item by name at level 90"}},
	{"unit", "unit=5148310662718520911&level=25&difficulty=hard", []string{"2,627 – 3,152", "of champions",
		"Ember Leap", "Cinder Shard", "The Ember Hollow"}},
	{"german", "item=5148310662718520914&lang=DE", []string{"Ascheklinge", "RU: Пепельный клинок"}},
	{"list", "list=item&sort=-Level", []string{"5 of 5", "EMBER SWORD", "none known"}},
	{"monsters", "list=unit&level=10&fits=1", []string{"Cinder Hound", "champion"}},
	{"set", "set=3f39b25683fee267", []string{"The Ashen Watch", "3.5% more chance to dodge", "Ashen Guard"}},
	{"recipe", "recipe=5148310662718520916", []string{"Cinder Shard", "Ring of the Last Ember", "mean of the ingredients"}},
	{"class", "class=84e2c6215efebe89", []string{"always", "RARITY_OVERRIDE=true", "Ash Chest", "A Warm Welcome"}},
	{"skill", "list=skill", []string{"Ember Leap"}},
	{"types", "list=type", []string{"EMBER BEAST"}},
	{"type", "list=place", []string{"The Ember Hollow"}},
	{"affixes", "list=affix", []string{"EMBER_GLOW"}},
	{"holes", "holes=1", []string{"Holes"}},
	{"notes", "notes=1", []string{"RARITY is the weight"}},
	{"search", "search=ash", []string{"results for", "Ash Chest", "Ashen Blade"}},
	{"gone", "item=0", []string{"does not contain"}},
}

// TestPage goes through the site of the sample mods.
func TestPage(t *testing.T) {
	p, open := visit(t, build(t, sample(t), Options{}), 1440, 900)
	for _, c := range pages {
		if c.hash != "" {
			open(c.hash)
		}
		got := text(p)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", c.name, want, got)
			}
		}
		p.Accessible(c.name)
		if !slices.Contains([]string{"home", "item", "unit", "list"}, c.name) {
			continue
		}
		for _, dark := range []bool{true, false} {
			p.Dark(dark)
			suffix := map[bool]string{false: "", true: "-dark"}[dark]
			p.Picture("codex-" + c.name + suffix)
			p.Resize(390, 844)
			if wide := chromium.Eval[int](p, "document.documentElement.scrollWidth"); wide > 390 {
				t.Errorf("%s is %d pixels wide on a phone", c.name, wide)
			}
			p.Picture("codex-" + c.name + suffix + "-phone")
			p.Resize(1440, 900)
			if dark {
				p.Accessible(c.name + suffix)
			}
		}
	}
	open("list=item")
	chromium.Eval[bool](p,
		`(document.querySelector("#level").value = 42, document.querySelector("#level").dispatchEvent(new Event("input")), true)`)
	p.Wait(`location.hash.includes("level=42")`)
	p.Press("/")
	chromium.Eval[bool](p, `(document.activeElement.value = "", true)`) // the browser of a test types the key nevertheless
	p.Press("cinder")
	p.Wait(`location.hash.includes("search=cinder") && document.querySelector("main h1").textContent.includes("cinder")`)
	chromium.Eval[bool](p, `(history.back(), true)`)
	p.Wait(`location.hash.includes("list=item") && document.querySelector("main h1").textContent === "Items"`)
	if messages := p.Messages(); len(messages) > 0 {
		t.Error(messages)
	}
}

// TestFirefox opens the same pages in Firefox.
func TestFirefox(t *testing.T) {
	p := firefox.Start(t)
	server := httptest.NewServer(http.FileServerFS(os.DirFS(build(t, sample(t), Options{}))))
	t.Cleanup(server.Close)
	p.Open(server.URL)
	p.Wait(`document.querySelector("main h1") !== null`)
	p.Text(`(window.failures = [], addEventListener("error", (e) => failures.push(e.message)),
		addEventListener("unhandledrejection", (e) => failures.push(String(e.reason))),
		addEventListener("securitypolicyviolation", (e) => failures.push(e.violatedDirective)))`)
	open := func(hash string) {
		p.Text(`(window.before = document.querySelector("main h1"), location.hash = "` + hash + `")`)
		p.Wait(`document.querySelector("main h1") !== window.before`)
	}
	for _, c := range pages {
		if c.hash != "" {
			open(c.hash)
		}
		p.Picture("codex-" + c.name)
		got := p.Text(`document.querySelector("main").innerText`)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", c.name, want, got)
			}
		}
	}
	open("item=5148310662718520902")
	p.Wait(`document.querySelector("canvas.model")?.width > 300 || ` + // without a graphics card Firefox may have no WebGL
		`document.querySelector("main").innerText.includes("The model cannot be shown")`)
	open("list=item")
	p.Text(`(document.querySelector("#level").value = 42, document.querySelector("#level").dispatchEvent(new Event("input")))`)
	p.Wait(`location.hash.includes("level=42")`)
	open("search=cinder")
	p.Text(`history.back()`)
	p.Wait(`location.hash.includes("list=item") && document.querySelector("main h1").textContent === "Items"`)
	if got := p.Text(`failures.join("\n")`); got != "" {
		t.Error(got)
	}
}

// TestModel turns the model of an item, which stays while the level changes.
func TestModel(t *testing.T) {
	p, open := visit(t, build(t, sample(t), Options{}), 1000, 900)
	open("item=5148310662718520902")
	p.Wait(`document.querySelector("canvas.model")?.width > 300`)
	seen := func(name string) image.Image {
		t.Helper()
		p.Rest()
		at := chromium.Eval[[4]float64](p, `(() => { const r = document.querySelector("canvas.model").getBoundingClientRect();
			return [r.left, r.top, r.right, r.bottom]; })()`)
		return p.Picture(name).(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(image.Rect(int(at[0])+2, int(at[1])+2, int(at[2])-2, int(at[3])-2))
	}
	colors := func(m image.Image) int {
		all := make(map[color.Color]bool)
		for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
			for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
				all[m.At(x, y)] = true
			}
		}
		return len(all)
	}
	first := seen("codex-model")
	if n := colors(first); n < 50 {
		t.Errorf("the model has %d colors", n)
	}
	p.Accessible("model")
	chromium.Eval[bool](p, `(document.querySelector("canvas.model").focus(), window.kept = document.querySelector("canvas.model"), true)`)
	p.Press(kb.ArrowLeft)
	p.Press(kb.ArrowLeft)
	chromium.Eval[bool](p, `(document.activeElement.blur(), true)`)
	if turned := seen("codex-model-turned"); same(first, turned) {
		t.Error("the model does not turn")
	}
	open("item=5148310662718520902&level=20")
	if !chromium.Eval[bool](p, `window.kept === document.querySelector("canvas.model")`) {
		t.Error("the model is made again when the level changes")
	}
	for _, m := range p.Messages() {
		if !strings.Contains(m, "GPU stall") {
			t.Error(m)
		}
	}
	without := build(t, sample(t), Options{NoModels: true})
	for _, name := range []string{"models", "paint.js"} {
		if _, err := os.Stat(filepath.Join(without, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without models: %s, %v", name, err)
		}
	}
}

// same reports whether two pictures of one size have the same pixels.
func same(a, b image.Image) bool {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(a.Bounds().Min.X+x, a.Bounds().Min.Y+y) != b.At(b.Bounds().Min.X+x, b.Bounds().Min.Y+y) {
				return false
			}
		}
	}
	return true
}

// TestHostile tests that names are shown as text, whatever they contain.
func TestHostile(t *testing.T) {
	p, open := visit(t, build(t, []codex.Source{hostile(t)}, Options{}), 1000, 800)
	for _, hash := range []string{"list=item", "list=item&lang=DE", "search=script", "search=%3Cimg", "holes=1",
		"item=__proto__", "constructor=1", "list=__proto__",
		"item=%3Cscript%3E", "list=item&sort=__proto__&type=constructor&level=x&difficulty=y&lang=../../z"} {
		open(hash)
		if got := text(p); got == "" || strings.Contains(got, "cannot be read") {
			t.Errorf("%s: %q", hash, got)
		}
	}
	open("list=item")
	n := chromium.Eval[int](p, `document.querySelectorAll("main a.name").length`)
	if n < 10 {
		t.Errorf("%d items", n)
	}
	const list = `[...document.querySelectorAll("main a.name")].map((a) => a.hash.slice(1))`
	links := chromium.Eval[[]string](p, list)
	open("list=class")
	named := 0
	for _, link := range append(links, chromium.Eval[[]string](p, list)...) {
		open(link)
		got := text(p)
		if strings.Contains(got, "cannot be read") {
			t.Errorf("%s: %s", link, got)
		}
		if strings.Contains(got, "quest <img src=x onerror=window.hit=1> MEDIA/QUESTS/Q.DAT") {
			named++
		}
	}
	if named != 2 {
		t.Errorf("%d pages show the quest, want those of its class and of the item", named)
	}
	if chromium.Eval[bool](p, `window.hit !== undefined || document.querySelector("main script, main img, main b") !== null`) {
		t.Error("markup was run or made elements")
	}
	if messages := p.Messages(); len(messages) > 0 {
		t.Error(messages)
	}
}
