package main

import (
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
)

// visit opens a state of the page and waits until it is complete.
func visit(p *chromium.Page, hash string) {
	chromium.Eval[string](p, fmt.Sprintf("location.hash = %q", hash))
	p.Wait("document.querySelector('#busy').hidden")
	settle(p)
}

// settle waits until all requests of the page are answered and nothing has changed for a while.
func settle(p *chromium.Page) {
	p.Rest()
	chromium.Eval[bool](p, `new Promise((done) => {
		let timer = setTimeout(done, 300, true);
		new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, 300, true); }).observe(document.body,
		{subtree: true, childList: true, attributes: true, characterData: true});
	})`)
}

// unfocused takes the focus, which has a ring, away from what the next picture is compared with.
func unfocused(p *chromium.Page) {
	chromium.Eval[bool](p, "document.activeElement.blur(), true")
}

// TestViewAccessible tests with axe that the pages have no serious accessibility errors, in light and dark
// mode, wide and narrow, and that nothing is wider than the screen.
func TestViewAccessible(t *testing.T) {
	climb, same := sample(t, "burrow", "burrow.map"), sample(t, "burrow", "same.map")
	mod, world := sample(t, "ember", "ember.MOD"), sample(t, "hollow", "hollow")
	for _, c := range []struct {
		name  string
		files []string
		pages []string // states of the page
	}{
		{"map", []string{climb}, []string{"at=20.5,10.5", "tab=findings", "tab=search", "tab=about", "path=map.json", "path=groups", "mode=hex"}},
		{"world", []string{world}, []string{"at=3.5,4.5"}},
		{"mod", []string{mod}, []string{"", "path=MOD.DAT"}},
		{"pair", []string{climb, same}, []string{""}},
		{"gallery", []string{climb, mod, same}, []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := view(t, c.files...)
			p := v.open(1280, 800)
			for i, hash := range c.pages {
				p.Dark(false)
				visit(p, hash)
				p.Accessible("#" + hash)
				p.Picture(fmt.Sprint(i))
				p.Dark(true)
				p.Accessible("dark #"+hash, "color-contrast")
				p.Picture(fmt.Sprint(i, "-dark"))
			}
			visit(p, "")
			for _, key := range []string{"?", "g"} {
				if c.name != "map" && key == "g" {
					continue
				}
				p.Press(key)
				p.Wait("document.querySelector('dialog[open]')")
				p.Accessible("dialog " + key)
				p.Press(kb.Escape)
				p.Wait("!document.querySelector('dialog')")
			}
			// The size of a phone, and of a large screen at 400 %.
			for _, size := range [][2]int{{360, 740}, {320, 256}} {
				p.Resize(size[0], size[1])
				for _, hash := range c.pages {
					visit(p, hash)
					if wide := chromium.Eval[int](p, "document.documentElement.scrollWidth"); wide > size[0] {
						t.Errorf("#%s is %d pixels wide on a screen of %d", hash, wide, size[0])
					}
				}
				p.Accessible(fmt.Sprint(size))
				p.Picture(fmt.Sprint(size[0]))
			}
			for _, m := range p.Messages() {
				t.Errorf("on the console: %s", m)
			}
			v.stop()
		})
	}
}

// TestViewKeys uses all functions of the page's frame without a mouse.
func TestViewKeys(t *testing.T) {
	v := view(t, sample(t, "burrow", "burrow.map"))
	p := v.open(1280, 800)
	is := func(what, code string) {
		t.Helper()
		if !chromium.Eval[bool](p, "Boolean("+code+")") {
			t.Errorf("not so: %s; the focus is on %s", what, chromium.Eval[string](p, "document.activeElement.outerHTML.slice(0, 200)"))
		}
	}
	focused := func(selector string) string { return fmt.Sprintf("document.activeElement.matches(%q)", selector) }

	p.Press(kb.Tab)
	is("the first is the way to the middle", focused("#skip"))
	p.Press(kb.Enter)
	is("the focus is in the middle", "document.querySelector('#middle').contains(document.activeElement)")
	is("the address is as before", "!location.hash.includes('middle')")

	p.Press("?")
	p.Wait("document.querySelector('dialog[open]')")
	is("help lists its own key", "[...document.querySelectorAll('dialog kbd')].some((k) => k.textContent === '?')")
	p.Press("[")
	is("keys wait behind a dialog", "!document.body.classList.contains('no-left')")
	p.Press(kb.Escape)
	p.Wait("!document.querySelector('dialog')")

	p.Press("[")
	is("the left side is closed", "document.body.classList.contains('no-left') && "+
		"document.querySelector('#toggle-left').ariaExpanded === 'false'")
	p.Press("[")
	is("the focus is in the tree", focused("[role=treeitem]"))

	// The tree: the last but one entry is settings.cfg.
	p.Press(kb.End)
	p.Press(kb.ArrowUp)
	is("it is settings.cfg", "document.activeElement.title === 'settings.cfg'")
	p.Press(kb.Enter)
	p.Wait("location.hash.includes('settings.cfg') && document.querySelector('.pane-text')")
	is("it is chosen", "document.querySelector('[role=treeitem][aria-selected=true]').title === 'settings.cfg'")
	p.Press("g")
	is("g opens a folder whose name begins so", "document.activeElement.title === 'groups'")
	p.Press(kb.ArrowRight)
	p.Wait("document.activeElement.ariaExpanded === 'true' && document.activeElement.nextSibling.childElementCount > 1")
	p.Press(kb.ArrowRight)
	is("the first of it", "document.activeElement.ariaLevel === '3'")
	p.Press(kb.ArrowLeft)
	p.Press(kb.ArrowLeft)
	is("it is closed", "document.activeElement.ariaExpanded === 'false'")
	p.Press(kb.Home)
	p.Press(kb.Enter)
	p.Wait("!location.hash.includes('path') && document.querySelector('.leaflet-tile-loaded')")

	is("the picture fills the middle", "document.querySelector('.map').offsetHeight > 600 && "+
		"document.querySelector('.leaflet-bar').getBoundingClientRect().top > 40")

	// Tabs.
	chromium.Eval[bool](p, "document.querySelector('#tabs [aria-selected=true]').focus(), true")
	p.Press(kb.End)
	is("the last tab", "location.hash.includes('tab=about') && "+focused("#tab-about")+" && !document.querySelector('#pane-about').hidden")
	p.Press(kb.ArrowRight)
	is("after the last comes the first", focused("[role=tab]:first-child"))

	// Coordinates.
	p.Press("g")
	p.Wait("document.activeElement.id === 'coordinates'")
	p.Press("nowhere")
	p.Press(kb.Enter)
	p.Wait("document.querySelector('#coordinates-wrong').textContent")
	chromium.Eval[bool](p, "document.querySelector('#coordinates').value = '', true")
	p.Press("12,7")
	p.Press(kb.Enter)
	p.Wait("Math.abs(new URLSearchParams(location.hash.slice(1)).get('x') - 12.5) < 0.6")

	// The width of a side panel.
	chromium.Eval[bool](p, "document.querySelector('#edge-right').focus(), true")
	before := chromium.Eval[float64](p, "document.querySelector('#right').offsetWidth")
	p.Press(kb.ArrowLeft)
	if after := chromium.Eval[float64](p, "document.querySelector('#right').offsetWidth"); after <= before {
		t.Errorf("the right side was %v wide and is %v", before, after)
	}
	// The colors.
	chromium.Eval[bool](p, "document.querySelector('#theme').focus(), true")
	p.Press(kb.Enter)
	p.Press(kb.Enter)
	is("it is dark", "document.documentElement.dataset.theme === 'dark' && getComputedStyle(document.body).colorScheme === 'dark'")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}

// TestViewReload changes the file while the page is open, breaks it, repairs it and ends the program, and tests
// that the page reports this and keeps the current view.
func TestViewReload(t *testing.T) {
	needsProgram(t, "notice that a file has changed")
	path := sample(t, "burrow", "burrow.map")
	whole := judge.Read(t, path)
	replace := func(data []byte) {
		t.Helper()
		next := filepath.Join(t.TempDir(), "next")
		judge.Write(t, next, data)
		if err := os.Rename(next, path); err != nil {
			t.Fatal(err)
		}
	}
	v := view(t, path)
	p := v.open(1280, 800)
	visit(p, "x=20&y=10&z=1&at=20.5,10.5&tab=about")
	const scrolled = "document.querySelector('#pane-about').scrollTop"
	if top := chromium.Eval[int](p, scrolled+" = 40, "+scrolled); top != 40 {
		t.Errorf("it can be scrolled to %d", top)
	}
	// The state without its y: when a banner takes a row, the middle of the picture is at half a pixel or not.
	state := func() (string, float64) {
		t.Helper()
		q, err := url.ParseQuery(chromium.Eval[string](p, "location.hash.slice(1)"))
		if err != nil {
			t.Fatal(err)
		}
		y, err := strconv.ParseFloat(q.Get("y"), 64)
		if err != nil {
			t.Fatal(err)
		}
		q.Del("y")
		return q.Encode(), y
	}
	first, y := state()
	same := func(when string) {
		t.Helper()
		settle(p)
		if now, at := state(); now != first || math.Abs(at-y) > 0.015 {
			t.Errorf("%s: the state is %s, y %g, and was %s, y %g", when, now, at, first, y)
		}
		if top := chromium.Eval[int](p, scrolled); top != 40 {
			t.Errorf("%s: it is scrolled to %d", when, top)
		}
		if !chromium.Eval[bool](p, "Boolean(document.querySelector('.leaflet-tile-loaded'))") {
			t.Errorf("%s: there is no picture", when)
		}
	}
	replace(whole[:len(whole)/2])
	p.Wait("document.querySelector('#broken .banner')?.textContent.includes('burrow.map cannot be read now')")
	same("broken")
	p.Picture("broken")
	p.Accessible("broken")
	replace(whole)
	p.Wait("!document.querySelector('#broken .banner')")
	same("mended")
	p.Picture("mended")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
	p.Wait("document.querySelector('#lost .banner')?.textContent.includes('The program has ended')")
	same("ended")
	p.Picture("ended")
}

// TestViewRenew reloads a world, which is not watched, and opens a missing path.
func TestViewRenew(t *testing.T) {
	needsProgram(t, "start again")
	v := view(t, sample(t, "hollow", "hollow"))
	p := v.open(1280, 800)
	generation := `fetch("/f/0/open").then((r) => r.json()).then((d) => d.generation)`
	before := chromium.Eval[int](p, generation)
	chromium.Eval[bool](p, "document.querySelector('#which button').focus(), true")
	p.Press(kb.Enter)
	p.Wait("document.querySelector('#status').textContent && document.querySelector('#busy').hidden")
	settle(p)
	if after := chromium.Eval[int](p, generation); after <= before {
		t.Errorf("generation %d came after %d", after, before)
	}
	visit(p, "path=nowhere")
	p.Wait("document.querySelector('#stage > .failed')?.textContent.includes('hollow / nowhere')")
	visit(p, "path=world.mt")
	p.Wait("!document.querySelector('.failed') && document.querySelector('.pane-text')")
	v.stop()
}

// TestViewFocus tests that the keys of a picture work at once when another kind of picture was chosen: by a key, by a click, by a link.
func TestViewFocus(t *testing.T) {
	for _, c := range []struct{ file, at, key, label, link, moved string }{
		{sample(t, "burrow", "burrow.map"), "", "c", "As in game", "view=camera&x=20&y=10", "x"},
		{sample(t, "ember", "ember.MOD"), "path=MEDIA/UNITS/ITEMS/RINGS/EMBER_RING.DAT", "o", "Turn the model", "&turn=30,0,1,0,0", "turn"},
	} {
		v := view(t, c.file)
		p := v.open(1280, 800)
		moves := func() {
			t.Helper()
			p.Wait("document.activeElement.matches('.map.camera')")
			settle(p)
			before := chromium.Eval[string](p, "String("+hash+".get('"+c.moved+"'))")
			p.Press(kb.ArrowRight)
			p.Wait(fmt.Sprintf("String(%s.get('%s')) !== '%s'", hash, c.moved, before))
		}
		visit(p, c.at)
		settle(p)
		p.Press(c.key)
		moves()
		p.Press(c.key)
		p.Wait("document.activeElement.matches('.map.leaflet-container')")
		settle(p)
		p.Do(chromedp.Click(`.tools [aria-label^="` + c.label + `"]`))
		moves()
		visit(p, c.at+c.link)
		moves()
		v.stop()
	}
}
