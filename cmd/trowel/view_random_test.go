package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/tests"
)

// TestViewDrawRandom uses the tools at random, in layers of all kinds, undoes and redoes, and tests that the saved file is that of
// the script.
func TestViewDrawRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	d := openDraw(t, sample(t, "burrow", "burrow.map"), "Ground/Earth")
	layers := chromium.Eval[[]string](d.Page, `[...document.querySelectorAll("#canvas option")].map((o) => o.value)`)
	rest := func() {
		t.Helper()
		d.Rest()
		d.Wait("document.querySelector('.ink').dataset.strokes !== undefined && document.querySelector('.ink').dataset.strokes === '0'")
	}
	cell := func() [2]float64 { return [2]float64{float64(11 + r.IntN(18)), float64(r.IntN(20))} }
	for range tests.Of(t, 25, 100) {
		switch n := r.IntN(12); n {
		case 0:
			layer := layers[r.IntN(len(layers))]
			chromium.Eval[bool](d.Page, fmt.Sprintf(`(() => {
				const choose = document.querySelector("#canvas");
				choose.value = %q;
				return choose.dispatchEvent(new Event("change"));
			})()`, layer))
			rest()
		case 1:
			d.Press([]string{"Z", "Z", "Y"}[r.IntN(3)])
			rest()
		case 2:
			d.Press([]string{"N", "M", "R", "T"}[r.IntN(4)])
			rest()
		case 3:
			d.Press([]string{"C", "V", "X", kb.Delete}[r.IntN(4)])
			rest()
		default:
			d.Press([]string{"d", "r", "f", "x", "q", "s"}[r.IntN(6)])
			if n == 4 && chromium.Eval[bool](d.Page, "document.querySelector('.tileset').offsetWidth > 0") {
				d.tile(1 + r.IntN(60))
			}
			d.drag(cell(), cell(), cell())
			rest()
		}
	}
	type list struct {
		Applied bool
		List    []struct{ Line, Error string }
	}
	now := chromium.Eval[list](d.Page, `fetch("/f/1/edit").then((r) => r.json())`)
	if !now.Applied || len(now.List) < 5 {
		t.Fatalf("%+v", now)
	}
	for _, c := range now.List {
		if c.Error != "" {
			t.Errorf("%s: %s", c.Line, c.Error)
		}
	}
	d.save()
	d.end()
}
