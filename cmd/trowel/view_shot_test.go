package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"trowel.example/internal/testing/judge/chromium"
)

// change adds an operation to the list of changes, and waits until it is applied.
func change(p *chromium.Page, words ...string) {
	data, _ := json.Marshal(words)
	chromium.Eval[bool](p, fmt.Sprintf(`(async () => {
		const now = await (await fetch("/f/1/edit")).json();
		await fetch("/f/1/edit", { method: "POST", headers: { "Content-Type": "application/json", "Trowel-Edit": now.hash },
			body: JSON.stringify({ revision: now.revision, do: "add", words: %s }) });
		return true;
	})()`, data))
}

// shot returns the picture of a change in the list, as the page shows it.
func shot(p *chromium.Page, selector string) *image.NRGBA {
	p.Wait(fmt.Sprintf(`document.querySelector(%q)?.naturalWidth === 192`, selector))
	data := chromium.Eval[string](p, fmt.Sprintf(`(() => {
		const img = document.querySelector(%q), c = new OffscreenCanvas(192, 128).getContext("2d");
		c.drawImage(img, 0, 0);
		return btoa(Array.from(c.getImageData(0, 0, 192, 128).data, (b) => String.fromCharCode(b)).join(""));
	})()`, selector))
	pix, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		panic(err)
	}
	return &image.NRGBA{Pix: pix, Stride: 4 * 192, Rect: image.Rect(0, 0, 192, 128)}
}

// still returns a picture of the result of the list.
func still(v *viewing, query string) *image.NRGBA {
	v.t.Helper()
	var doc struct{ Generation int }
	v.read("/f/1/open", &doc)
	status, data := v.get(fmt.Sprintf("/f/1/still/%d?w=192&h=128&%s", doc.Generation, query))
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		v.t.Fatalf("%d: %v", status, err)
	}
	flat := image.NewNRGBA(m.Bounds())
	draw.Draw(flat, flat.Rect, m, m.Bounds().Min, draw.Src)
	return flat
}

// TestViewShots tests the small pictures in the list of changes of a map: each shows the place of its change after it.
func TestViewShots(t *testing.T) {
	needsProgram(t, "edit")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	v := view(t, "--edit", sample(t, "burrow", "burrow.map"))
	p := v.open(1280, 800, "#tab=edit")
	p.Wait(`document.querySelectorAll("#operation option").length > 50`)
	change(p, "fill-tiles", "3", "--layer=Ground/Earth", "--area=20,10:23,11")
	first := shot(p, ".edits > li:nth-child(1) .shot")
	same := func(what string, got, want *image.NRGBA) {
		t.Helper()
		if !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%s: the picture is not that of the result", what)
		}
	}
	same("fill", first, still(v, "x=19&y=9&z=0"))

	// A later change in the same place does not change the earlier picture; a change of a hidden layer shows it.
	change(p, "fill-tiles", "0", "--layer=Ground/Earth", "--area=20,10:23,11")
	second := shot(p, ".edits > li:nth-child(2) .shot")
	same("fill again", second, still(v, "x=19&y=9&z=0"))
	if now := shot(p, ".edits > li:nth-child(1) .shot"); !bytes.Equal(now.Pix, first.Pix) || bytes.Equal(now.Pix, second.Pix) {
		t.Error("the picture of a change shows a later one")
	}
	change(p, "fill-tiles", "60", "--layer=Game/Game", "--area=4,4:5,4")
	if hidden := shot(p, ".edits > li:nth-child(3) .shot"); bytes.Equal(hidden.Pix, still(v, "x=2&y=2.5&z=0").Pix) {
		t.Error("the hidden layer of the game is not drawn in the picture of its change")
	}
	change(p, "info", "--author=nobody")
	change(p, "border")
	p.Wait(`document.querySelectorAll(".edits > li").length === 5`)
	shot(p, ".edits > li:nth-child(5) .shot")
	has := chromium.Eval[[]bool](p, `[...document.querySelectorAll(".edits > li")].map((li) => Boolean(li.querySelector(".shot")))`)
	if want := []bool{true, true, true, false, true}; !slices.Equal(has, want) {
		t.Errorf("pictures: %v, want %v", has, want)
	}
	for _, dark := range []bool{false, true} {
		p.Dark(dark)
		p.Accessible("list")
		p.Picture(fmt.Sprint("list", dark))
	}
	p.Do(chromedp.Click("button.save", chromedp.ByQuery))
	p.Wait(`document.querySelectorAll("dialog .confirm > li").length === 5`)
	same("save", shot(p, ".confirm > li:nth-child(1) .shot"), first)
	p.Picture("save")
	p.Accessible("save")
	p.Do(chromedp.Click("dialog .row button:last-child", chromedp.ByQuery))

	// Pictures outside of the visible part of a long list are not fetched.
	for i := range 40 {
		change(p, "fill-tiles", fmt.Sprint(i%3+1), "--layer=Ground/Earth", fmt.Sprintf("--area=%d,10:%d,11", i, i+1))
	}
	p.Wait(`document.querySelectorAll(".edits > li").length === 45`)
	p.Do(chromedp.Reload())
	p.Wait(`document.body.dataset.ready && document.querySelectorAll(".edits > li").length === 45`)
	p.Wait(`document.querySelector(".edits .shot")?.naturalWidth === 192`)
	p.Wait(`[...document.querySelectorAll(".edits .shot")].at(-1).naturalWidth === 192`)
	p.Picture("long")
	if n := chromium.Eval[int](p, `[...document.querySelectorAll(".edits .shot")].filter((img) => img.src).length`); n > 20 {
		t.Errorf("%d pictures of a long list were fetched", n)
	}
	for _, query := range []string{"1/1", "999/1", "x/1", "1/0", "1/x"} {
		if status, _ := v.get("/f/1/edit/shot/" + query); status < 400 || status >= 500 {
			t.Errorf("%s: status %d", query, status)
		}
	}
	for _, m := range p.Messages() {
		if !strings.Contains(m, "410 (Gone)") { // of an edition that ended while the page asked
			t.Errorf("on the console: %s", m)
		}
	}
	v.stop()
}

// TestViewShotsWorld tests the pictures of the changes of a world: of the box of the changed nodes.
func TestViewShotsWorld(t *testing.T) {
	needsProgram(t, "edit")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	v := view(t, "--edit", sample(t, "glade", "glade"))
	p := v.open(1280, 800, "#tab=edit")
	p.Wait(`document.querySelectorAll("#operation option").length > 20`)
	change(p, "set", "default:meselamp", "--box=20,0,20:24,20,22")
	m := shot(p, ".edits > li:nth-child(1) .shot")
	if want := still(v, "x=16.5&y=-25.5&z=4"); !bytes.Equal(m.Pix, want.Pix) {
		t.Error("the picture is not that of the box in the result")
	}
	change(p, "vacuum")
	p.Wait(`document.querySelectorAll(".edits > li").length === 2`)
	if n := chromium.Eval[int](p, `document.querySelectorAll(".edits .shot").length`); n != 1 {
		t.Errorf("%d pictures", n)
	}
	p.Picture("world")
	v.stop()
}
