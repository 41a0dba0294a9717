package main

import (
	"fmt"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/tests"
)

// longGlade makes a world of n glades, one north of the other.
func longGlade(t testing.TB, n int) string {
	t.Helper()
	from, dir, to := "../../samples/glade", filepath.Join(t.TempDir(), "folder"), filepath.Join(t.TempDir(), "glade")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(filepath.Join(from, "blocks"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		var x, y, z int
		if _, err := fmt.Sscanf(d.Name(), "%d,%d,%d.txt", &x, &y, &z); err != nil {
			return nil
		}
		data, err := os.ReadFile(path)
		for i := 1; i < n && err == nil; i++ {
			at := filepath.Join(dir, "blocks", fmt.Sprintf("z%d", z+3*i), fmt.Sprintf("y%d", y), fmt.Sprintf("%d,%d,%d.txt", x, y, z+3*i))
			if err = os.MkdirAll(filepath.Dir(at), 0o755); err == nil {
				err = os.WriteFile(at, data, 0o666)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, "pack", "-q", dir, "-o", to)
	return to
}

// BenchmarkViewWalk walks for ten seconds through a long glade and through a world of the newest engine, in a picture of 800 x 600. It
// reports the time between frames, and what the scripts of the tab hold with all its pictures.
func BenchmarkViewWalk(b *testing.B) {
	newest := filepath.Join(tests.Corpus(b, "minetest"), "generated", "v29-517-sqlite")
	const game = "/usr/share/games/minetest/games/minetest_game" // Debian's
	for _, world := range []struct {
		name, at string
		args     []string
	}{{"glade", "24.50,6,4", []string{longGlade(b, 12)}}, {"5.17", "", []string{newest, "--textures", game}}} {
		b.Run(world.name, func(b *testing.B) {
			v := view(b, world.args...)
			w := walking{v.open(1280, 800)}
			settle(w.Page)
			if world.at != "" {
				visit(w.Page, "stand="+world.at)
			} else {
				w.Press("c")
			}
			w.Wait("document.querySelector('canvas.blocks')?.width > 300 && location.hash.includes('stand')")
			size := func(side string) int {
				return chromium.Eval[int](w.Page, "document.querySelector('canvas.blocks').client"+side)
			}
			w.Resize(1280+800-size("Width"), 800+600-size("Height"))
			w.Wait("document.querySelector('canvas.blocks').clientWidth === 800")
			settle(w.Page)
			var frames []float64
			for b.Loop() {
				chromium.Eval[bool](w.Page, `(window.frames10 = [], window.walked = false, requestAnimationFrame(function next(now) {
					frames10.push(now);
					if (now < frames10[0] + 10000) requestAnimationFrame(next);
					else window.walked = true;
				}), true)`)
				w.key(input.KeyRawDown, "w", "KeyW")
				w.Wait("window.walked")
				w.key(input.KeyUp, "w", "KeyW")
				times := chromium.Eval[[]float64](w.Page, "frames10")
				for i, t := range times[1:] {
					frames = append(frames, t-times[i])
				}
			}
			slices.Sort(frames)
			b.ReportMetric(frames[len(frames)/2], "ms-median")
			b.ReportMetric(frames[len(frames)*95/100], "ms-p95")
			b.ReportMetric(chromium.Eval[float64](w.Page, "performance.memory.usedJSHeapSize + "+held)/1e6, "MB")
			v.stop()
		})
	}
}

// walking is a page with a camera in a world.
type walking struct{ *chromium.Page }

// is tests a condition.
func (w walking) is(t *testing.T, what, code string) {
	t.Helper()
	if !chromium.Eval[bool](w.Page, "Boolean("+code+")") {
		t.Errorf("not so: %s", what)
	}
}

// key presses or releases a key.
func (w walking) key(kind input.KeyType, key, code string) {
	w.Do(input.DispatchKeyEvent(kind).WithKey(key).WithCode(code))
}

const (
	standing = "(new URLSearchParams(location.hash.slice(1)).get('stand') ?? '').split(',').map(Number)"
	facing   = "(new URLSearchParams(location.hash.slice(1)).get('turn') ?? '').split(',').map(Number)"
	cubes    = "Number(document.querySelector('canvas.blocks').dataset.cubes)"
	held     = "Number(document.querySelector('canvas.blocks').dataset.bytes)"
	eye      = "document.querySelector('#place').textContent.match(/-?[0-9.]+/g).map(Number)"
)

// TestViewFly walks from the map into a long world and back, by keys: the blocks ahead arrive, and those behind are released.
func TestViewFly(t *testing.T) {
	v := view(t, longGlade(t, 12))
	w := walking{v.open(1280, 800)}
	visit(w.Page, "x=24.50&y=-2.50&z=3")
	w.Forget()
	w.Press("c")
	w.Wait("document.querySelector('canvas.blocks')?.width > 300 && location.hash.includes('stand')")
	w.is(t, "the keys work at once", "document.activeElement.matches('.map')")
	w.is(t, "there is a list of keys", "/w a s d/.test(document.querySelector('.hint').textContent)")
	w.Picture("glide")
	w.Wait("document.querySelector('.still.over')")
	settle(w.Page)
	still := w.Picture("still")
	w.Accessible("walking", "color-contrast")

	// A tap is one step, and takes the picture of the server away.
	z := chromium.Eval[float64](w.Page, standing+"[2]")
	w.Press("w")
	w.Wait("!document.querySelector('.still.over')")
	w.Wait(fmt.Sprintf("%s[2] >= %g", standing, z+0.99))
	for range 6 {
		w.Press(kb.ArrowDown)
	}
	w.Wait(facing + "[1] === 90")
	settle(w.Page)
	down := w.Picture("down")
	if mean, _ := difference(still, down); mean < 5 {
		t.Errorf("the picture does not change: %.2f", mean)
	}
	w.Press("0")
	w.Press(" ")
	w.Press(" ")
	w.Wait("!location.hash.includes('turn=')")

	most := 0
	w.key(input.KeyRawDown, "w", "KeyW")
	for _, far := range []int{60, 120, 180, 240, 300} {
		w.Wait(fmt.Sprintf("%s[2] > %d", eye, far))
		most = max(most, chromium.Eval[int](w.Page, cubes))
	}
	w.key(input.KeyUp, "w", "KeyW")
	w.Wait(standing + "[2] > 300")
	settle(w.Page)
	most = max(most, chromium.Eval[int](w.Page, cubes))
	w.Picture("far")
	seen := map[string]bool{}
	for _, r := range w.Requests() {
		if m := regexp.MustCompile(`/cube/.*(x=-?\d+&y=-?\d+&z=-?\d+)`).FindStringSubmatch(r); m != nil {
			seen[m[1]] = true
		}
	}
	t.Logf("%d cubes were requested, at most %d are there", len(seen), most)
	if last := chromium.Eval[float64](w.Page, standing+"[2]"); !seen[fmt.Sprintf("x=0&y=0&z=%d", int(last)/32+1)] {
		t.Errorf("what is ahead of %g was not requested: %v", last, seen)
	}
	if most > 28 || most < 8 || len(seen) < 40 {
		t.Errorf("%d cubes are there, of %d that were requested", most, len(seen))
	}

	w.Press("n")
	w.Wait("location.hash.includes('o.daylight=0')")
	settle(w.Page)
	night := w.Picture("night")
	if mean, _ := difference(night, down); mean < 20 {
		t.Errorf("the night is as bright as the day: %.2f", mean)
	}
	w.Press("n")
	w.Wait("!location.hash.includes('o.daylight=0')")
	w.Press(kb.Escape)
	w.Wait("document.querySelector('.leaflet-tile-loaded') && !location.hash.includes('stand')")
	settle(w.Page)
	w.is(t, "the keys of the map work at once", "document.activeElement.matches('.map')")
	if y := chromium.Eval[float64](w.Page, "Number(new URLSearchParams(location.hash.slice(1)).get('y'))"); y > -300 {
		t.Errorf("the map is at y %g, not where the camera was", y)
	}
	w.Picture("map")

	for _, m := range w.Messages() {
		if !strings.Contains(m, "GPU stall") {
			t.Errorf("on the console: %s", m)
		}
	}
	v.stop()
}

// TestViewFlyStuck leaves the ground while the program does not answer: the camera stays, walks on, and leaves later. It also leaves
// when the browser has taken the canvas away.
func TestViewFlyStuck(t *testing.T) {
	v := view(t, sample(t, "glade", "glade"))
	w := walking{v.open(1280, 800)}
	visit(w.Page, "stand=24,6,4")
	w.Wait("document.querySelector('canvas.blocks')?.width > 300")
	settle(w.Page)
	w.Do(chromedp.Evaluate(`{
		const { fetch } = window;
		window.fetch = (at, ...how) => (window.deaf && at.includes("/scene") ? Promise.reject(new Error("deaf")) : fetch(at, ...how));
		window.deaf = true;
	}`, nil))
	w.Do(chromedp.Focus(".map"))
	w.Press(kb.Escape)
	w.Wait("document.querySelector('.map.walk .note:not([hidden])')?.textContent.startsWith('The map cannot be opened: ')")
	w.Picture("stuck")
	w.is(t, "the address is that of the camera", "location.hash.includes('stand=24%2C6%2C4') || location.hash.includes('stand=24,6,4')")
	w.is(t, "no panel has failed", "!document.querySelector('.failed')")
	w.Do(chromedp.Focus(".map"))
	w.Press("w")
	w.Wait(standing + "[2] >= 4.99")
	w.Do(chromedp.Evaluate("window.deaf = false", nil))
	w.Press(kb.Escape)
	w.Wait("document.querySelector('.leaflet-tile-loaded') && !location.hash.includes('stand')")

	visit(w.Page, "stand=24,6,4")
	w.Wait("document.querySelector('canvas.blocks')?.width > 300")
	settle(w.Page)
	w.Do(chromedp.Focus(".map"))
	w.Press(kb.Escape)
	w.Do(chromedp.Evaluate("document.querySelector('canvas.blocks')?.dispatchEvent(new Event('webglcontextlost'))", nil))
	w.Wait("document.querySelector('.leaflet-tile-loaded') && !location.hash.includes('stand')")
	v.stop()
}

// TestViewFlyTouch turns a world, walks on from there, looks around and walks by touch, and does so without WebGL2.
func TestViewFlyTouch(t *testing.T) {
	v := view(t, sample(t, "glade", "glade"))
	w := walking{v.open(1024, 700)}
	settle(w.Page)
	w.Press("o")
	w.Wait("document.querySelector('canvas.still')?.width > 300 && " + facing + ".length === 5")
	settle(w.Page)
	w.is(t, "the model is seen from the side and from above", "document.querySelector('#scale').textContent.startsWith('yaw 30, pitch 40')")
	w.Picture("turn")
	w.Press(kb.Escape)
	w.Wait("document.querySelector('.leaflet-tile-loaded') && !location.hash.includes('turn')")
	w.Wait("document.activeElement.matches('.map')")
	w.Press("o")
	w.Wait("document.querySelector('canvas.still')?.width > 300 && document.activeElement.matches('.map')")
	w.Press("w")
	w.Wait("document.querySelector('canvas.blocks')?.width > 300 && location.hash.includes('stand')")
	w.is(t, "the keys work at once", "document.activeElement.matches('.map')")
	settle(w.Page)
	w.Picture("from-turn")

	w.Do(emulation.SetTouchEmulationEnabled(true))
	w.Resize(390, 844)
	visit(w.Page, "stand=24,6,4")
	w.Wait("document.querySelector('.still.over')")
	// What the page draws looks like the picture of the server.
	w.Do(chromedp.Evaluate("document.querySelector('.hint').remove()", nil))
	unfocused(w.Page)
	still := w.Picture("phone-still")
	w.Do(chromedp.Evaluate("document.querySelector('.still').classList.remove('over')", nil))
	settle(w.Page)
	mean, far := difference(w.Picture("phone-blocks"), still)
	t.Logf("mean difference %.2f, %.1f %% of the pixels differ by more than 10", mean, 100*far)
	if mean > 2 {
		t.Errorf("the page draws something else than the server: %.2f", mean)
	}
	touch := func(from, by image.Point) {
		at := func(kind input.TouchType, p image.Point) {
			points := []*input.TouchPoint{{X: float64(p.X), Y: float64(p.Y)}}
			if kind == input.TouchEnd {
				points = []*input.TouchPoint{}
			}
			w.Do(input.DispatchTouchEvent(kind, points))
		}
		at(input.TouchStart, from)
		for i := 1; i <= 4; i++ {
			at(input.TouchMove, from.Add(by.Mul(i).Div(4)))
		}
		chromium.Eval[bool](w.Page, "new Promise((done) => setTimeout(done, 500, true))")
		at(input.TouchEnd, from)
	}
	touch(image.Pt(150, 300), image.Pt(100, 0))
	w.Wait(facing + "[0] > 3")
	middle := chromium.Eval[[2]int](w.Page, `(() => { const r = document.querySelector(".stick").getBoundingClientRect(); `+
		`return [r.left + r.width / 2, r.top + r.height / 2].map(Math.round); })()`)
	touch(image.Pt(middle[0], middle[1]), image.Pt(0, -40))
	w.Wait(standing + "[2] > 5")
	settle(w.Page)
	w.Picture("phone")
	w.Accessible("walking by touch", "color-contrast")

	chromium.Eval[bool](w.Page, `(() => { const get = HTMLCanvasElement.prototype.getContext; `+
		`HTMLCanvasElement.prototype.getContext = function (kind, ...more) { `+
		`return kind === "webgl2" ? null : get.call(this, kind, ...more); }; `+
		`return true; })()`)
	visit(w.Page, "stand=24,6,6")
	w.Do(chromedp.Evaluate("location.hash = ''", nil))
	w.Wait("document.querySelector('.leaflet-tile-loaded')")
	w.Do(chromedp.Evaluate("location.hash = 'stand=24,6,6'", nil))
	w.Wait("document.querySelector('.still')?.naturalWidth > 300 && !document.querySelector('canvas.blocks')")
	z := chromium.Eval[float64](w.Page, standing+"[2]")
	w.Do(chromedp.Focus(".map"))
	w.Press("w")
	w.Wait(fmt.Sprintf("%s[2] >= %g", standing, z+0.99))
	settle(w.Page)
	w.Picture("stills")
	for _, m := range w.Messages() {
		if !strings.Contains(m, "GPU stall") {
			t.Errorf("on the console: %s", m)
		}
	}
	v.stop()
}
