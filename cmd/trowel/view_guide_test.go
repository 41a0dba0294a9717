package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"trowel.example/internal/testing/judge/chromium"
)

// pointAt moves the pointer to a point of the picture, given in units.
func pointAt(p *chromium.Page, kind input.MouseType, x, y float64) {
	p.Do(chromedp.MouseEvent(kind, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
}

// TestViewGuide tests the scale bar, the compass, the overview, and what is shown about the point under the pointer.
func TestViewGuide(t *testing.T) {
	v := view(t, sample(t, "hollow", "hollow"))
	var seen struct {
		Text  string
		Stand []float64
	}
	_, data := v.get("/f/0/sight?view=top&x=10.5&y=-9.5")
	if err := json.Unmarshal(data, &seen); err != nil || !strings.HasPrefix(seen.Text, "y ") || len(seen.Stand) != 3 ||
		seen.Stand[0] != 10 || seen.Stand[2] != 9 {
		t.Errorf("seen from above: %s, %v", data, err)
	}
	if _, data := v.get("/f/0/sight?view=top&x=9000&y=0"); string(data) != `{"stand":null,"text":""}` {
		t.Errorf("where nothing is: %s", data)
	}
	p := v.open(1280, 800)
	settle(p)
	is := func(what, code string) {
		t.Helper()
		if !chromium.Eval[bool](p, "Boolean("+code+")") {
			t.Errorf("not so: %s", what)
		}
	}
	is("the whole picture needs no overview", "!document.querySelector('.overview')")
	is("the compass", "document.querySelector('.compass').getAttribute('aria-label') === 'x grows right, z grows up, north is up'")
	is("the scale bar", `(() => { const b = document.querySelector(".scale-bar"); return /^\d+ nodes?$/.test(b.textContent) && `+
		`b.offsetWidth >= 48 && b.offsetWidth <= 121; })()`)
	p.Picture("whole")

	visit(p, "x=10.50&y=-9.50&z=6")
	is("the overview appears", "document.querySelector('.overview')?.hidden === false")
	is("it has tiles", "document.querySelector('.overview .leaflet-tile-loaded')?.naturalWidth > 1")
	is("the scale follows", "document.querySelector('.scale-bar').textContent === '1 node'")
	middle := chromium.Eval[[]float64](p, `(() => { const r = document.querySelector(".map").getBoundingClientRect(); `+
		`return [r.left + r.width / 2 + 2, r.top + r.height / 2 + 2]; })()`)
	pointAt(p, input.MouseMoved, middle[0], middle[1])
	p.Wait(fmt.Sprintf("document.querySelector('#sight').textContent === %q", seen.Text))
	p.Picture("near")

	// A click in the overview moves the map there, and dragging goes on.
	at := chromium.Eval[[]float64](p, `(() => { const r = document.querySelector(".overview-map").getBoundingClientRect(); `+
		`return [r.left + r.width * 0.25, r.top + r.height * 0.75, r.width]; })()`)
	pointAt(p, input.MousePressed, at[0], at[1])
	pointAt(p, input.MouseMoved, at[0]+at[2]/2, at[1])
	pointAt(p, input.MouseReleased, at[0]+at[2]/2, at[1])
	settle(p)
	place := chromium.Eval[[]float64](p, `["x", "y", "z"].map((k) => Number(new URLSearchParams(location.hash.slice(1)).get(k)))`)
	bounds := chromium.Eval[[]float64](p, `fetch("/f/0/scene").then((r) => r.json()).then((s) => s.views[0].bounds)`)
	for i, want := range []float64{bounds[0] + 0.75*(bounds[2]-bounds[0]), bounds[1] + 0.75*(bounds[3]-bounds[1]), 6} {
		if place[i] < want-1 || place[i] > want+1 {
			t.Errorf("the overview leads to %v, want %v at %d", place, want, i)
		}
	}
	visit(p, "view=iso")
	is("north of the isometric view", "document.querySelector('.compass').getAttribute('aria-label') === 'north is up and left'")
	is("no scale bar", "!document.querySelector('.scale-bar')")
	p.Picture("iso")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}
