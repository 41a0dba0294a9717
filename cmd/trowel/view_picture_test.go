package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge/chromium"
)

// goTo enters coordinates.
func goTo(p *chromium.Page, text string) {
	p.Press("g")
	p.Wait("document.querySelector('#coordinates')")
	// The test's key g ends up in the field, a real one does not.
	chromium.Eval[bool](p, "document.querySelector('#coordinates').value = '', true")
	p.Press(text)
	p.Press(kb.Enter)
}

// TestViewPicture uses the picture with the keyboard only: layers, time, the inspector, links to other ends,
// the game's camera, options, marks, and saving a picture.
func TestViewPicture(t *testing.T) {
	v := view(t, sample(t, "burrow", "burrow.map"))
	p := v.open(1280, 800)
	is := func(what, code string) {
		t.Helper()
		if !chromium.Eval[bool](p, "Boolean("+code+")") {
			t.Errorf("not so: %s; the address has %s", what, chromium.Eval[string](p, "location.hash"))
		}
	}
	state := func(key string) string {
		t.Helper()
		return chromium.Eval[string](p, fmt.Sprintf("new URLSearchParams(location.hash.slice(1)).get(%q) ?? ''", key))
	}
	waitFor := func(key, value string) {
		t.Helper()
		p.Wait(fmt.Sprintf("new URLSearchParams(location.hash.slice(1)).get(%q) === %q", key, value))
	}
	// asked reports whether the page has made a matching request since Forget.
	asked := func(parts ...string) bool {
		return slices.ContainsFunc(p.Requests(), func(r string) bool {
			for _, part := range parts {
				if !strings.Contains(r, part) {
					return false
				}
			}
			return true
		})
	}
	press := func(keys string) {
		t.Helper()
		p.Forget()
		p.Press(keys)
		settle(p)
	}
	chromium.Eval[bool](p, "document.querySelector('.map').focus(), true")

	// Layers: hide and show the first group, show only one.
	before := chromium.Eval[string](p, "document.querySelector('.pane-layers').closest('details').querySelector('.count').textContent")
	press("1")
	is("the first group is hidden", "document.querySelector('.layers input').checked === false")
	if got := state("layers"); got != "-Sky/Gradient\n-Sky/Stars\n-Sky/Sun" || !asked("/tile/", "l=") {
		t.Errorf("after 1 the layers are %q", got)
	}
	press("1")
	if state("layers") != "" || chromium.Eval[string](p,
		"document.querySelector('.pane-layers').closest('details').querySelector('.count').textContent") != before {
		t.Errorf("after 1 and 1 the layers are %q", state("layers"))
	}
	chromium.Eval[bool](p, "document.querySelector('.layers ul input').click(), true")
	is("a part of the group is shown", "document.querySelector('.layers input').indeterminate")
	chromium.Eval[bool](p, "document.querySelector('.layers ul input').click(), true")
	p.Forget()
	chromium.Eval[bool](p, "document.querySelectorAll('.layers .alone')[1].click(), true")
	settle(p)
	if state("solo") != "Sky/Stars" || !asked("/tile/", "l=1") {
		t.Errorf("alone is %q, asked for %q", state("solo"), p.Requests())
	}
	is("it is reported", "document.querySelectorAll('.layers .alone')[1].getAttribute('aria-pressed') === 'true'")
	chromium.Eval[bool](p, "document.querySelectorAll('.layers .alone')[1].click(), true")

	// Coordinates, cell by cell, and the object in the middle.
	goTo(p, "6,36")
	waitFor("at", "6.5,36.5")
	waitFor("x", "6.50")
	chromium.Eval[bool](p, "document.querySelector('.map').focus(), true")
	p.Press("+")
	p.Press("+")
	settle(p)
	press(kb.ArrowRight)
	press(kb.Enter)
	is("the inspector shows the next cell", "document.querySelector('.spot h2').textContent === 'x 7  y 36'")
	is("the bottom line, too", "document.querySelector('#status').textContent.startsWith('x 7  y 36: ')")
	is("the tele layer is among the hidden", "[...document.querySelectorAll('.hidden .thing h3')].some((h) => h.textContent === 'tele in')")

	// The other end, and back.
	chromium.Eval[bool](p, "document.querySelector('.hidden').open = true, [...document.querySelectorAll('.links "+
		"button')].find((b) => b.textContent.includes('52,35')).click(), true")
	waitFor("x", "52.50")
	settle(p)
	is("the inspector is there", "document.querySelector('.spot h2').textContent === 'x 52  y 35'")
	chromium.Eval[bool](p, "history.back(), true")
	p.Wait("document.querySelector('.spot h2').textContent === 'x 7  y 36'")
	waitFor("x", "7.50")

	// From an object to its line and to its bytes, and back.
	chromium.Eval[bool](p, "[...document.querySelectorAll('.thing footer button')].find((b) => "+
		"b.textContent.includes('Tele.txt:')).click(), true")
	waitFor("path", "groups/Game/Tele.txt")
	if state("line") != "37" || state("mode") != "text" {
		t.Errorf("the line is %q of %q", state("line"), state("mode"))
	}
	chromium.Eval[bool](p, "history.back(), true")
	p.Wait("document.querySelector('.spot h2')?.textContent === 'x 7  y 36' && document.querySelector('.map')")
	settle(p)

	// Time: one step forward, playing; the address does not contain the time while playing.
	chromium.Eval[bool](p, "document.querySelector('.map').focus(), true")
	press(".")
	waitFor("time", "100")
	if !asked("/tile/", "time=100") {
		t.Errorf("asked for %q", p.Requests())
	}
	p.Press("t")
	p.Wait("parseFloat(document.querySelector('.player output').textContent) > 0.5")
	is("it stands still in the address", "location.hash.includes('time=100')")
	p.Press("t")
	p.Wait("!location.hash.includes('time=100') && location.hash.includes('time=')")

	// Curves of moving objects there.
	p.Wait("document.querySelectorAll('.curve .line').length > 3 && document.querySelector('.curve svg[aria-label]')")

	// Options.
	p.Forget()
	chromium.Eval[bool](p, `(() => { const s = document.querySelector("#option-entities"); s.value = "60"; `+
		`s.dispatchEvent(new Event("change")); return true; })()`)
	waitFor("o.entities", "60")
	settle(p)
	if !asked("/tile/", "o.entities=60") {
		t.Errorf("asked for %q", p.Requests())
	}
	waitFor("x", "7.50")

	// An invalid value is reported, and the picture stays.
	chromium.Eval[bool](p, `(() => { const s = document.querySelector("#option-entities"); s.value = "99999999999"; `+
		`s.dispatchEvent(new Event("change")); return true; })()`)
	p.Wait("document.querySelector('.note').textContent.includes('expected a whole number') && document.querySelector('.leaflet-tile-loaded')")
	chromium.Eval[bool](p, `(() => { const s = document.querySelector("#option-entities"); s.value = "60"; `+
		`s.dispatchEvent(new Event("change")); return true; })()`)
	p.Wait("document.querySelector('.note').hidden")
	settle(p)

	// The game's camera, from the same place, and back.
	chromium.Eval[bool](p, "document.querySelector('.map').focus(), true")
	p.Forget()
	p.Press("c")
	p.Wait("document.querySelector('.still')?.naturalWidth > 100")
	if !asked("/still/", "o.at=7.5%2C36.5", "o.zoom=1", "o.entities=60") {
		t.Errorf("asked for %q", p.Requests())
	}
	chromium.Eval[bool](p, "document.querySelector('.map').focus(), true")
	p.Forget()
	p.Press(kb.ArrowRight)
	p.Press("-")
	waitFor("zoom", "1.25")
	settle(p)
	if !asked("/still/", "o.zoom=1.25") || state("x") == "7.50" {
		t.Errorf("asked for %q", p.Requests())
	}
	p.Press(kb.Enter)
	p.Wait("document.querySelector('.pane-inspector .thing')")
	p.Press("c")
	p.Wait("document.querySelector('.leaflet-tile-loaded')")

	// Failed requests are reported and can be repeated.
	chromium.Eval[bool](p, `(() => { window.real = fetch; window.fetch = (a, o) => a.includes("/tile/") ? `+
		`Promise.resolve(new Response('{"error":"it is lost"}', {status: 422})) : real(a, o); return true; })()`)
	press("2")
	is("tiles that fail are reported", "document.querySelector('.note').textContent.includes('it is lost') && "+
		"document.querySelector('.leaflet-tile.failed')")
	chromium.Eval[bool](p, "window.fetch = real, document.querySelector('.note button').click(), true")
	p.Wait("!document.querySelector('.leaflet-tile.failed') && document.querySelector('.note').hidden")
	press("2")

	// Marks differ from each other, and thousands of them are drawn quickly.
	if ms := chromium.Eval[float64](p, `(async () => {
		const { Marks } = await import("/page/marks.js");
		const map = L.map(document.createElement("div"), {crs: L.CRS.Simple, center: [0, 0], zoom: 0});
		const marks = new Marks(32).addTo(map);
		const list = Array.from({length: 20000}, (_, i) => ({where: [i % 200, i / 200 | 0, i % 200 + 1, (i / 200 | 0) +
		1], kind: "error", label: "e" + i}));
		const from = performance.now();
		marks.set("test", list, 7);
		marks._draw();
		const found = marks.find({x: 7.5 * 32, y: 16});
		if (found?.index !== 7 || found.id !== "test") throw new Error("another mark is there: " + JSON.stringify(found));
		return performance.now() - from;
	})()`); ms > 5000 {
		t.Errorf("20,000 marks took %v ms", ms)
	}

	// Save the visible picture: its address returns a picture of that size.
	p.Forget()
	p.Press("e")
	p.Wait("document.querySelector('#status').textContent.startsWith('Kept as burrow ')")
	for _, r := range p.Requests() {
		if u, _ := url.Parse(r); strings.Contains(u.Path, "/still/") {
			status, data := v.get(u.RequestURI())
			if m := decode(t, data); status != 200 || fmt.Sprint(m.Rect.Dx()) != u.Query().Get("w") {
				t.Errorf("%s is %v", r, m.Rect)
			}
		}
	}
	p.Picture("picture")
	for _, m := range p.Messages() {
		if !strings.Contains(m, "99999999999") {
			t.Errorf("on the console: %s", m)
		}
	}
	v.stop()
}

// TestViewAddress opens addresses that were edited manually.
func TestViewAddress(t *testing.T) {
	v := view(t, sample(t, "burrow", "burrow.map"))
	p := v.open(1280, 800)
	for _, hash := range []string{"x=abc&y=&z=99", "x=1e999&y=2&z=0", "at=here", "time=-5", "time=1e99",
		"layers=none&solo=none&mode=quux&tab=zzz&view=nope"} {
		chromium.Eval[bool](p, fmt.Sprintf("location.hash = %q, true", "#"+hash))
		settle(p)
	}
	if got := chromium.Eval[string](p, "document.querySelector('#stage .failed, #stage .note:not([hidden])')?.innerText ?? ''"); got != "" {
		t.Error("the picture: ", got)
	}
}

// TestViewWorldPicture tests that the coordinates of a world are those of the game, also in views from the
// opposite direction.
func TestViewWorldPicture(t *testing.T) {
	v := view(t, sample(t, "hollow", "hollow"))
	p := v.open(1280, 800)
	for _, c := range []struct{ view, text, at, told string }{
		{"", "10,9", "10.5,-9.5", "x 10  z 9"},
		{"", "10,25,9", "10.5,-9.5", "x 10  z 9"},
		{"south", "10,25", "10.5,-25.5", "x 10  y 25"},
		{"north", "3,25,9", "-3.5,-25.5", "x 3  y 25"},
		{"west", "3,25,9", "-9.5,-25.5", "z 9  y 25"},
	} {
		visit(p, "view="+c.view)
		p.Wait(fmt.Sprintf("document.querySelector('.pane-layers select').selectedOptions[0].value === %q || %q === ''", c.view, c.view))
		goTo(p, c.text)
		p.Wait(fmt.Sprintf("document.querySelector('.spot h2')?.textContent === %q", c.told))
		if at := chromium.Eval[string](p, "new URLSearchParams(location.hash.slice(1)).get('at')"); at != c.at {
			t.Errorf("%s: %s is at %s, want %s", c.view, c.text, at, c.at)
		}
		if !chromium.Eval[bool](p, "document.querySelectorAll('.pane-inspector .thing').length > 0") {
			t.Errorf("%s: nothing is at %s", c.view, c.text)
		}
	}
	visit(p, "o.max-y=18")
	if got := chromium.Eval[string](p, "document.querySelector('#option-max-y').value"); got != "18" {
		t.Errorf("max-y is %s", got)
	}
	visit(p, "o.slice=16")
	p.Wait("document.querySelector('.pane-layers select').selectedOptions[0].textContent.includes('y = 16')")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}
