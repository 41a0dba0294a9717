package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge"
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

// TestViewStand places a camera in a world with textures: it turns, walks, draws the night, and returns to the map.
func TestViewStand(t *testing.T) {
	world := sample(t, "hollow", "hollow")
	textures := filepath.Join(world, "game", "mods", "default", "textures")
	if err := os.MkdirAll(textures, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]color.NRGBA{"default_grass.png": {60, 140, 50, 255}, "default_dirt.png": {120, 80, 40, 255},
		"default_leaves.png": {30, 90, 30, 255}, "default_tree.png": {90, 60, 30, 255}, "default_stone.png": {130, 130, 130, 255}} {
		m := image.NewNRGBA(image.Rect(0, 0, 16, 16))
		for i := range 256 {
			light := uint8(i * 7 % 40)
			m.SetNRGBA(i%16, i/16, color.NRGBA{c.R + light, c.G + light, c.B + light, 255})
		}
		var data bytes.Buffer
		if err := errors.Join(png.Encode(&data, m), os.WriteFile(filepath.Join(textures, name), data.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	judge.Write(t, filepath.Join(world, "game", "game.conf"), []byte("title = Small\n"))
	v := view(t, world)
	p := v.open(1280, 800)
	settle(p)
	options := func() string {
		return chromium.Eval[string](p, "[...document.querySelectorAll('.pane-options [id^=option-]')].map((o) => o.id.slice(7)).join()")
	}
	if got := options(); !strings.Contains(got, "max-y") || strings.Contains(got, "fov") || strings.Contains(got, "daylight") {
		t.Errorf("from above, the options are %s", got)
	}
	goTo(p, "2,12")
	p.Wait("document.querySelector('.spot h2')")
	chromium.Eval[bool](p, "[...document.querySelectorAll('.spot button')].find((b) => b.textContent === 'Stand here').click(), true")
	p.Wait("document.querySelector('.still')?.naturalWidth > 300")
	p.Wait("document.activeElement.matches('.map')") // its keys work at once
	settle(p)
	if got := options(); !strings.Contains(got, "fov") || !strings.Contains(got, "daylight") || strings.Contains(got, "corner") {
		t.Errorf("through the camera, the options are %s", got)
	}
	hash := func(key string) string {
		return chromium.Eval[string](p, fmt.Sprintf("new URLSearchParams(location.hash.slice(1)).get(%q) ?? ''", key))
	}
	if got := hash("stand"); !strings.HasPrefix(got, "2,") || !strings.HasSuffix(got, ",12") {
		t.Errorf("the camera is at %q", got)
	}
	bright := func(name string) (sum int) {
		m := p.Picture(name)
		for y := 100; y < 700; y += 10 {
			for x := 300; x < 900; x += 10 {
				r, g, b, _ := m.At(x, y).RGBA()
				sum += int(r+g+b) >> 8
			}
		}
		return sum
	}
	day := bright("day")
	chromium.Eval[bool](p, "document.querySelector('.map').focus(), true")
	p.Press(kb.ArrowRight)
	p.Press(kb.ArrowDown)
	p.Wait(facing + "[0] <= -15 && " + facing + "[1] >= 15") // a key that is held turns on
	p.Press("w")
	p.Wait("!new URLSearchParams(location.hash.slice(1)).get('stand').startsWith('2,')")
	settle(p)
	bright("turned")
	p.Press("n")
	p.Wait("location.hash.includes('o.daylight=0')")
	settle(p)
	if night := bright("night"); night > day*3/4 {
		t.Errorf("the night is as bright as the day: %d, %d", night, day)
	}
	before := hash("turn")
	middle := []float64{600, 400}
	pointAt(p, input.MousePressed, middle[0], middle[1])
	pointAt(p, input.MouseMoved, middle[0]+70, middle[1])
	pointAt(p, input.MouseReleased, middle[0]+70, middle[1])
	p.Wait(fmt.Sprintf("new URLSearchParams(location.hash.slice(1)).get('turn') !== %q", before))
	chromium.Eval[bool](p, "document.querySelector('.map').focus(), true")
	p.Press("c")
	p.Wait("document.querySelector('.leaflet-tile-loaded') && !location.hash.includes('stand')")
	settle(p)
	for _, m := range p.Messages() {
		if !strings.Contains(m, "GPU stall") {
			t.Errorf("on the console: %s", m)
		}
	}
	v.stop()
}
