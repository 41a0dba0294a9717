//go:build !js

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/tests"
)

// TestMinute plays the first minute of a stranger with the pointer and the keys: he opens the example world and walks, opens the example
// map, plays it, draws a tile, downloads the map, and opens it again.
func TestMinute(t *testing.T) {
	tests.Judges(t)
	p := servedPage(t, made(t))
	const inner = "frames[0]?.document.body?.dataset.ready && frames[0].document."
	// press clicks what an expression about the page in the frame finds, at a part of its width and height.
	press := func(what string, x, y float64) {
		t.Helper()
		p.Wait("frames[0].document.querySelector('#busy').hidden && Boolean(frames[0].document." + what + ")")
		at := chromium.Eval[[]float64](p, fmt.Sprintf(`(() => {
			const outer = document.getElementById("view").getBoundingClientRect(), node = frames[0].document.%s;
			node.scrollIntoView({ block: "nearest" });
			const { left, top, width, height } = node.getBoundingClientRect();
			return [outer.left + left + %g * width, outer.top + top + %g * height];
		})()`, what, x, y))
		p.Do(chromedp.MouseEvent(input.MouseMoved, at[0], at[1]), chromedp.MouseClickXY(at[0], at[1]))
	}
	named := func(text string) string {
		return fmt.Sprintf("querySelectorAll('button').values().find((b) => b.checkVisibility() && b.textContent.trim() === %q)", text)
	}
	example := func(n int) {
		t.Helper()
		p.Do(chromedp.Click(fmt.Sprintf("#samples li:nth-child(%d) a", n), chromedp.ByQuery))
		p.Wait(inner + "querySelector('img.leaflet-tile')?.naturalWidth")
	}

	example(3)
	press(named("See it from the ground"), 0.5, 0.5)
	p.Wait("frames[0].document.querySelector('canvas.blocks')?.dataset.cubes > 0 && frames[0].document.querySelector('.still.over')")
	const place = "frames[0].document.querySelector('#place').textContent"
	from := chromium.Eval[string](p, place)
	p.Press("w")
	p.Wait(fmt.Sprintf("%s !== %q", place, from))
	p.Picture("walks")
	p.Press(kb.Escape)
	p.Wait("!frames[0].document.querySelector('canvas.blocks') && frames[0].document.querySelector('.leaflet-tile-loaded')")

	p.Do(chromedp.Click("#bar h1 a", chromedp.ByQuery))
	p.Wait("document.body.dataset.ready && !frames[0]?.document.querySelector('.leaflet-tile')")
	example(1)
	press("querySelector('button[aria-label=Play]')", 0.5, 0.5)
	p.Wait("parseFloat(frames[0].document.querySelector('.player output')?.textContent) > 0.3")
	p.Picture("plays")

	p.Do(chromedp.Click("#edit", chromedp.ByQuery))
	p.Wait(inner + "querySelector('.tileset')?.width > 16")
	press("querySelector('.tileset')", 1.5/16, 0.5/16)
	press("querySelector('.map')", 0.5, 0.5)
	p.Wait("!frames[0].document.querySelector('button.save').disabled")
	p.Picture("draws")
	dir := t.TempDir()
	p.Do(browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir))
	press("querySelector('button.save')", 0.5, 0.5)
	press("querySelector('dialog[open] button.strong')", 0.5, 0.5)
	var saved []string
	for i := 0; i < 200 && len(saved) == 0; i++ {
		time.Sleep(50 * time.Millisecond)
		saved, _ = filepath.Glob(filepath.Join(dir, "*.map"))
	}
	if len(saved) != 1 {
		here, _ := os.ReadDir(dir)
		t.Fatalf("the download is not there, but %v", here)
	}
	p.Picture("downloads")

	p.Do(chromedp.SetUploadFiles("#files", saved, chromedp.ByQuery))
	p.Wait(inner + "querySelector('#kind').textContent === 'Teeworlds/DDNet map'")
	for _, m := range p.Messages() {
		if !strings.Contains(m, "GPU stall") {
			t.Errorf("on the console: %s", m)
		}
	}
}
