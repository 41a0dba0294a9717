//go:build !js

package main

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/twmap"
)

// swollen makes a map of 0.5 MB whose pictures take 0.5 GB.
func swollen(t *testing.T, from, to string) {
	t.Helper()
	data := judge.Read(t, from)
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	picture := image.NewNRGBA(image.Rect(0, 0, 4096, 4096))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	n := 0
	for _, g := range m.Groups {
		for _, l := range g.Layers {
			if l, ok := l.(*twmap.TileLayer); ok && l.Image >= 0 {
				l.Image = len(m.Images)
				m.Images = append(m.Images, twmap.NewImage(fmt.Sprint("large", l.Image), picture))
				n++
			}
		}
	}
	if data, err = m.Encode(); err != nil || n < 8 || len(data) > 4<<20 {
		t.Fatal(n, len(data), err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPageHostile tests that a file cannot take the browser with it: the program stays below 1 GB or is ended, the page answers
// meanwhile and shows the reason, and another file can be opened.
func TestPageHostile(t *testing.T) {
	tests.Judges(t)
	dir := t.TempDir()
	sample, large := filepath.Join(dir, "burrow.map"), filepath.Join(dir, "large.map")
	packed(t, "../../samples/burrow", sample)
	swollen(t, sample, large)
	p := chromium.Start(t, 1280, 800)
	p.Do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`globalThis.Worker = class extends Worker {
			constructor(...how) { super(...how); globalThis.worker = this; }
		}`).Do(ctx)
		return err
	}))
	visitPage(t, p, made(t))
	const message, ready = "document.getElementById('message').textContent", "frames[0]?.document.body?.dataset.ready"
	open := func(name string) {
		t.Helper()
		p.Do(chromedp.SetUploadFiles("#files", []string{name}, chromedp.ByQuery))
		p.Wait("document.getElementById('what').textContent === '" + filepath.Base(name) + "' && " + ready)
	}

	// The longest time between two answers of the page to itself.
	chromium.Eval[any](p, `(window.longest = 0, window.last = performance.now(), setInterval(() => {
		const now = performance.now();
		window.longest = Math.max(window.longest, now - window.last);
		window.last = now;
	}, 10), null)`)
	open(large)
	for _, until := range []string{ // each has the time limit of a step
		"frames[0].document.querySelectorAll('.leaflet-tile-loaded').length > 0",
		"frames[0].document.querySelectorAll('.leaflet-tile-loaded').length > 3",
		"frames[0].document.getElementById('busy').hidden",
	} {
		p.Wait(message + " || " + until)
	}
	if text := chromium.Eval[string](p, message); text == "" {
		if n := chromium.Eval[float64](p, "trowel.memory()"); n > 1<<30 {
			t.Errorf("the program takes %.0f MB", n/1e6)
		}
	} else if !strings.Contains(text, "1 GB") {
		t.Error(text)
	}
	if ms := chromium.Eval[float64](p, "window.longest"); ms > 20_000 {
		t.Errorf("the page did not answer for %.0f ms", ms)
	} else {
		t.Logf("%.0f MB, the page did not answer for %.0f ms", chromium.Eval[float64](p, "trowel.memory()")/1e6, ms)
	}

	for what, words := range map[string]string{
		"onmessage({ data: { memory: 2 ** 30 + 1 } })":               "more than 1 GB",
		"onerror({ preventDefault() {}, message: 'out of memory' })": "The program has failed and was ended: out of memory",
		"onmessageerror()": "The program has failed and was ended.",
	} {
		open(sample)
		chromium.Eval[any](p, "(worker."+what+", null)")
		if text := chromium.Eval[string](p, message); !strings.Contains(text, words) {
			t.Errorf("%s: %q", what, text)
		}
		if !chromium.Eval[bool](p, "document.getElementById('view').hidden && !document.getElementById('start').hidden") {
			t.Errorf("%s: the ended program is still shown", what)
		}
	}
	open(sample)
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
}
