package main

import (
	"fmt"
	"testing"

	"trowel.example/internal/testing/judge/chromium"
)

// TestViewPhone tests the page on a phone held sideways, on one held upright, and on larger screens: the picture and the panel are side by
// side where the screen is wider than high, nothing covers a corner of the picture, and nothing is outside of the screen.
func TestViewPhone(t *testing.T) {
	needsProgram(t, "edit")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	burrow, glade := sample(t, "burrow", "burrow.map"), sample(t, "glade", "glade")
	old, new := changedMaps(t)
	for name, args := range map[string][]string{"view": {burrow}, "edit": {"--edit", burrow}, "world": {glade}, "pair": {old, new}} {
		v := view(t, args...)
		p := v.open(844, 390)
		settle(p)
		for _, size := range [][2]int{{844, 390}, {390, 844}, {1024, 700}, {1440, 900}} {
			p.Resize(size[0], size[1])
			for _, open := range []bool{false, true} {
				if now := chromium.Eval[bool](p, "!document.body.classList.contains('no-right')"); now != open {
					chromium.Eval[bool](p, "document.getElementById('toggle-right').click(), true")
				}
				settle(p)
				at := fmt.Sprintf("%s-%dx%d-%v", name, size[0], size[1], open)
				for _, dark := range []bool{false, true} {
					p.Dark(dark)
					p.Picture(fmt.Sprintf("%s-%v", at, dark))
					p.Accessible(at, "color-contrast")
				}
				wrong := chromium.Eval[string](p, `(() => {
					const box = (s) => document.querySelector(s).getBoundingClientRect(), map = box(".map"), right = box("#right"), wrong = [];
					const sideways = innerWidth > innerHeight;
					if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page is wider than the screen");
					const apart = sideways ? right.left >= map.right && right.width >= 280 : right.top >= map.bottom;
					if (right.width && !apart) wrong.push("the panel is not next to the picture");
					if (map.width < 300 || map.height < 170) wrong.push("the picture has " + map.width + " x " + map.height + " pixels");
					if (innerHeight > 400) return wrong.join();
					for (const s of [".leaflet-top", ".compass", ".scale-bar", ".overview"]) {
						for (const n of document.querySelectorAll(s)) if (n.checkVisibility()) wrong.push(s + " is shown");
					}
					for (const x of [map.left + 9, map.right - 9]) for (const y of [map.top + 9, map.bottom - 9]) {
						const on = document.elementFromPoint(x, y);
						if (on.closest(".map") && !on.closest("button, a, canvas.overview")) continue;
						wrong.push("the corner " + x + "," + y + " is covered by " + on.className);
					}
					return wrong.join();
				})()`)
				if wrong != "" {
					t.Errorf("%s: %s", at, wrong)
				}
			}
		}
		v.stop()
	}
}
