package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/teeworlds/twmap"
)

// inked counts the pixels of marks over the picture, without those in the color of their outlines.
const inked = `(() => {
	const c = document.querySelector("canvas.marks"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
	let n = 0;
	for (let i = 0; i < d.length; i += 4) n += d[i + 3] > 200 && Math.max(d[i], d[i + 1], d[i + 2]) > 100;
	return n;
})()`

// TestViewFills tests that the first picture fills the stage at every width, without gaps between its tiles.
func TestViewFills(t *testing.T) {
	for _, c := range []struct{ sample, as string }{{"burrow", "burrow.map"}, {"hollow", "hollow"}} {
		t.Run(c.sample, func(t *testing.T) {
			v := view(t, sample(t, c.sample, c.as))
			p := v.open(1280, 800)
			for _, size := range [][2]int{{1280, 800}, {1920, 1080}, {360, 740}} {
				p.Resize(size[0], size[1])
				settle(p)
				part := chromium.Eval[[]float64](p, `(() => {
					const stage = document.querySelector(".map").getBoundingClientRect(), ground =
					document.querySelector("path.ground").getBoundingClientRect();
					const player = document.querySelector(".player") ? 52 : 0;
					return [ground.width / (stage.width - 16), ground.height / (stage.height - 16 - player)];
				})()`)
				if most := math.Max(part[0], part[1]); most < 0.9 || most > 1.02 {
					t.Errorf("%v: the picture takes %.2f of the width and %.2f of the height", size, part[0], part[1])
				}
				if edges := chromium.Eval[float64](p, `Math.max(...[...document.querySelectorAll(".leaflet-tile-loaded")].flatMap((i) => {
					const r = i.getBoundingClientRect();
					return [r.left, r.top, r.right, r.bottom].map((v) => Math.abs(v - Math.round(v)));
				}))`); edges > 0.05 {
					t.Errorf("%v: edges of tiles lie %.2f pixels beside pixels", size, edges)
				}
				if hash := chromium.Eval[string](p, "location.hash"); strings.Contains(hash, "x=") {
					t.Errorf("%v: nobody chose the place in %s", size, hash)
				}
			}
			// The location is stored in the address and restored when the page is reloaded.
			p.Do(chromedp.Focus(".map"))
			p.Press("0")
			p.Press(kb.ArrowRight)
			p.Wait("location.hash.includes('z=')")
			settle(p)
			where := `(() => { const r = document.querySelector("path.ground").getBoundingClientRect(); return [r.left, ` +
				`r.width].map(Math.round).join(); })()`
			before := chromium.Eval[string](p, where)
			p.Do(chromedp.Reload())
			p.Wait("document.body.dataset.ready")
			settle(p)
			if after := chromium.Eval[string](p, where); after != before {
				t.Errorf("loaded again, the picture is at %s, not %s", after, before)
			}
			v.stop()
		})
	}
}

// TestViewWork tests that the page shows from the beginning what it is waiting for, and removes that message
// afterwards.
func TestViewWork(t *testing.T) {
	v := view(t, sample(t, "burrow", "burrow.map"))
	if _, data := v.get("/"); !strings.Contains(string(data), `role="status">Opening<`) {
		t.Errorf("before any script runs the page does not say that it opens something: %s", data)
	}
	p := v.open(1280, 800)
	settle(p)
	if !chromium.Eval[bool](p, "document.querySelector('#busy').hidden") {
		t.Error("it says that it works when all is done")
	}
	chromium.Eval[bool](p, `(() => {
		window.real = fetch;
		window.fetch = (a, o) => String(a).includes("/tile/") ? new Promise((go, no) => { (window.held ??= []).push(() =>
		real(a, o).then(go, no)); }) : real(a, o);
		document.querySelector(".map").focus();
		return true;
	})()`)
	p.Press("1")
	p.Wait("!document.querySelector('#busy').hidden && document.querySelector('#busy-what').textContent === 'Drawing the picture'")
	p.Wait("document.querySelector('#busy progress').max > 1 && document.querySelector('#busy progress').value === 0")
	chromium.Eval[bool](p, "window.fetch = real, held.forEach((go) => go()), true")
	p.Wait("document.querySelector('#busy').hidden")

	// Only the timer of the status is made shorter: what waits in the page for this test has timers, too.
	chromium.Eval[bool](p, `(() => { const real = setTimeout; window.setTimeout = (f, ms, ...more) => real(f, ms === `+
		`10000 ? 400 : ms, ...more); return true; })()`)
	p.Press("1")
	p.Wait("document.querySelector('#status').textContent.includes('shown')")
	p.Wait("!document.querySelector('#status').textContent")

	// The inspector comes to the front when the user goes to a place while another tab is open.
	visit(p, "tab=search")
	goTo(p, "12,7")
	p.Wait("document.querySelector('.spot h2')?.textContent === 'x 12  y 7' && !document.querySelector('#pane-inspector').hidden")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}

// TestViewMarks tests that marks of findings are hidden until requested, and that marks and the colors of a
// file remain visible in forced-colors mode.
func TestViewMarks(t *testing.T) {
	v := view(t, sample(t, "burrow", "burrow.map"))
	p := v.open(1280, 800)
	visit(p, "tab=findings")
	p.Wait("document.querySelector('.kinds details[open] .places')")
	if n := chromium.Eval[int](p, inked); n > 0 {
		t.Errorf("%d pixels are marked before anybody wants it", n)
	}
	p.Do(chromedp.Click(".pane-findings [name=marks]"))
	settle(p)
	all := chromium.Eval[int](p, inked)
	p.Do(chromedp.Click(".pane-findings [name=marks]"))
	settle(p)
	if n := chromium.Eval[int](p, inked); n > 0 || all == 0 {
		t.Errorf("%d pixels are marked, and %d when the marks are taken away", all, n)
	}
	for _, scheme := range []string{"light", "dark"} {
		p.Do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "forced-colors", Value: "active"},
			{Name: "prefers-color-scheme", Value: scheme}}))
		visit(p, "tab=findings&finding=0.3")
		p.Wait(inked + " > 0")
		p.Picture("forced-" + scheme)
		visit(p, "at=20.5,10.5")
		p.Wait("document.querySelector('.swatch')")
		if image := chromium.Eval[string](p, "getComputedStyle(document.querySelector('.swatch')).backgroundImage"); !strings.Contains(image,
			"gradient") {
			t.Errorf("%s: a colour of the file is shown as %s", scheme, image)
		}
		for _, chosen := range []string{"#tab-inspector", ".tree [aria-selected=true]"} {
			if style := chromium.Eval[string](p, fmt.Sprintf("getComputedStyle(document.querySelector(%q)).outlineStyle",
				chosen)); style != "solid" {
				t.Errorf("%s: %s looks like those that are not chosen: its frame is %s", scheme, chosen, style)
			}
		}
		// The labels of closed facts show what they count.
		if text := chromium.Eval[string](p, "[...document.querySelectorAll('.facts summary')].map((s) => "+
			"s.textContent).find((t) => t.startsWith('image'))"); !strings.Contains(text, "width ") {
			t.Errorf("%q does not say what its numbers are", text)
		}
	}
	v.stop()
}

// TestViewWorldLook tests that the labels of a world are readable at every scale, and that dark mode has no
// bright areas.
func TestViewWorldLook(t *testing.T) {
	v := view(t, sample(t, "hollow", "hollow"))
	_, data := v.get("/f/0/labels?view=top&l=0,1,2&x=0&y=-32&z=0&w=64&h=64")
	if text := string(data); !strings.Contains(text, `"text":"singleplayer"`) || !strings.Contains(text, "Mind the furnace") {
		t.Errorf("the labels are %s", text)
	}
	if _, data := v.get("/f/0/labels?view=top&l=0,2&x=0&y=-32&z=0&w=64&h=64"); strings.Contains(string(data), "singleplayer") {
		t.Errorf("without players the labels are %s", data)
	}
	if status, data := v.get("/f/0/tile/1/0/0/-1?paper=red"); status != 400 {
		t.Errorf("a wrong colour: %d %s", status, data)
	}
	p := v.open(1280, 800)
	settle(p)
	plain := chromium.Eval[int](p, inked)
	p.Forget()
	visit(p, "layers=%2Bplayers%0A%2Bmarkers")
	p.Wait(fmt.Sprintf("%s > %d", inked, plain+200))
	for _, r := range p.Requests() {
		if strings.Contains(r, "/tile/") && strings.Contains(r, "l=0%2C") {
			t.Errorf("the labels are drawn in %s", r)
		}
	}
	p.Picture("labels")
	visit(p, "view=iso")
	for _, dark := range []bool{false, true} {
		p.Dark(dark)
		settle(p)
		corner := chromium.Eval[[]int](p, `(() => { const r = `+
			`document.querySelector("path.ground").getBoundingClientRect(); return [Math.round(r.left) + 6, Math.round(r.bottom) - 6]; })()`)
		r, g, b, _ := p.Picture(fmt.Sprint("dark-", dark)).At(corner[0], corner[1]).RGBA()
		if light := (r+g+b)/3>>8 > 128; light == dark {
			t.Errorf("dark: %v, and the background is %d, %d, %d", dark, r>>8, g>>8, b>>8)
		}
	}
	v.stop()
}

// TestViewCut tests that nothing is cut off: tabs, paths, bytes, and the name of the view.
func TestViewCut(t *testing.T) {
	old, new := changedMaps(t)
	v := view(t, old, new)
	p := v.open(1280, 800)
	for _, size := range [][2]int{{1280, 800}, {360, 740}} {
		p.Resize(size[0], size[1])
		for _, hash := range []string{"", "path=groups/Game/Speedup.txt", "mode=hex"} {
			visit(p, hash)
			wide := "#tabs, #modes, #crumbs, #crumbs li, .pane-layers p"
			if size[0] > 1000 {
				wide += ", .bytes"
			}
			for _, what := range chromium.Eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter((n) => `+
				`n.clientWidth && n.scrollWidth > n.clientWidth + 1).map((n) => n.outerHTML.slice(0, 100))`, wide)) {
				t.Errorf("%v #%s: there is more of %s", size, hash, what)
			}
		}
	}
	p.Resize(1280, 800)
	visit(p, "")
	if rows := chromium.Eval[int](p, `new Set([...document.querySelectorAll("#tabs [role=tab]")].map((n) => n.offsetTop)).size`); rows != 1 {
		t.Errorf("the tabs of two files are in %d rows", rows)
	}
	visit(p, "view=camera")
	if text := chromium.Eval[string](p,
		`document.querySelector(".pane-layers select + p").textContent`); text != "The view of the game's camera" {
		t.Errorf("the view is called %q", text)
	}
	// Both scroll bars of a table of hits are visible.
	p.Resize(900, 500)
	visit(p, "tab=search&q=tele")
	p.Wait("document.querySelector('.found table')")
	if !chromium.Eval[bool](p, `(() => { const f = document.querySelector(".found"); return `+
		`f.getBoundingClientRect().height <= innerHeight * 0.71; })()`) {
		t.Error("the table of hits is higher than the window")
	}
	v.stop()
}

// TestViewCentred tests that the first picture fills its place and is in the middle of it, also when that changes before the user has
// moved it: the width of a picture depends only on the size of the window.
func TestViewCentred(t *testing.T) {
	for _, name := range []string{"hollow", "burrow"} {
		v := view(t, sample(t, name, name))
		p := v.open(1024, 700)
		widths := make(map[[2]int]float64)
		for _, size := range [][2]int{{1024, 700}, {1440, 900}, {800, 500}, {360, 740}, {1440, 900}, {1024, 700}} {
			p.Resize(size[0], size[1])
			settle(p)
			at := chromium.Eval[[]float64](p, `(() => {
				const a = document.querySelector(".leaflet-ground-pane path").getBoundingClientRect();
				const b = document.querySelector(".map").getBoundingClientRect();
				return [a.left + a.right - b.left - b.right, a.top + a.bottom - b.top - b.bottom, a.width];
			})()`)
			// The zoom is exact, the place of the picture is rounded. Above the slider of the time, a map is not in the middle.
			if off := max(math.Abs(at[0]), math.Abs(at[1])) / 2; off > 2 && (name == "hollow" || off > 30) {
				t.Errorf("%s, %v: the picture is %.1f pixels from the middle", name, size, off)
			}
			if was, ok := widths[size]; ok && math.Abs(was-at[2]) > 1 {
				t.Errorf("%s, %v: the picture is %.1f pixels wide, and was %.1f", name, size, at[2], was)
			}
			widths[size] = at[2]
		}
		v.stop()
	}
}

// TestViewBegins tests that a map that is too wide to be seen as a whole begins where its players begin.
func TestViewBegins(t *testing.T) {
	m := twmap.New(3000, 40)
	m.Physics(twmap.KindGame).Tiles().Set(2000, 20, twmap.Tile{ID: uint8(twmap.EntitySpawn)})
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "wide.map")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	v := view(t, name)
	p := v.open(1280, 800)
	settle(p)
	p.Wait("document.getElementById('scale').textContent === '50 %'")
	p.Do(chromedp.Focus(".map"))
	p.Press(kb.Enter) // what is in the middle
	p.Wait(hash + ".get('at')?.startsWith('2000.') && " + hash + ".get('at').includes(',20.')")
	p.Press("0")
	p.Wait("parseFloat(document.getElementById('scale').textContent) < 2")
	v.stop()
}
