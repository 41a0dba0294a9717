package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/tests"
)

// pole returns a mesh with a skeleton, an animation and a texture.
func pole(t *testing.T) string {
	t.Helper()
	from, dir := tests.Corpus(t, "torchlight/models"), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	m := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		x, y := i%32, i/32
		m.SetNRGBA(x, y, color.NRGBA{uint8(8 * x), uint8(8 * y), uint8(255 * ((x/4 + y/4) % 2)), 255})
	}
	f, err := os.Create(filepath.Join(dir, "pole.png"))
	if err == nil {
		err = png.Encode(f, m)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "pole.mesh")
}

// TestViewModel turns a model in the page. Before it is turned, the page shows the pixels of the server's picture.
func TestViewModel(t *testing.T) {
	mesh := pole(t)
	v := view(t, mesh)
	var doc struct{ Generation int }
	v.read("/f/0/open", &doc)
	var scene struct {
		Views []struct {
			Name   string
			Bounds [4]float64
			Scale  float64
		}
	}
	v.read("/f/0/scene", &scene)
	if status, _ := v.get(fmt.Sprintf("/f/0/model/%d?view=none", doc.Generation)); status != 404 {
		t.Errorf("the model of a view that does not exist: status %d", status)
	}
	if status, _ := v.get(fmt.Sprintf("/f/0/model/%d", doc.Generation+1)); status != 410 {
		t.Errorf("the model of another generation: status %d", status)
	}
	p := v.open(1280, 800)
	settle(p)
	p.Press("o")
	p.Wait("document.querySelector('canvas.still')?.width > 300")
	settle(p)
	stage := chromium.Eval[[4]int](p, `(() => {
		const r = document.querySelector("canvas.still").getBoundingClientRect();
		return [r.left, r.top, r.width, r.height];
	})()`)
	width, height := stage[2], stage[3]
	// seen returns the picture in the page, without the player and the buttons under it, and without the mark of the focus.
	seen := func(name string) image.Image {
		settle(p)
		unfocused(p)
		defer p.Do(chromedp.Focus(".map"))
		return p.Picture(name).(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(image.Rect(stage[0], stage[1], stage[0]+width, stage[1]+height-130))
	}
	for _, view := range scene.Views {
		for _, moment := range []int{0, 500} {
			b := view.Bounds
			const foot = 60 // for the player
			fit := min(float64(width)/(b[2]-b[0]), float64(height-foot)/(b[3]-b[1]))
			more := url.Values{"turn": {fmt.Sprintf("0,0,%.9g,0,0", view.Scale/fit)}, "view": {view.Name}}
			q := url.Values{"view": {view.Name}, "w": {fmt.Sprint(width)}, "h": {fmt.Sprint(height)},
				"x": {fmt.Sprint((b[0]+b[2])/2 - float64(width)/2/view.Scale)}, "y": {fmt.Sprint((b[1]+b[3])/2 - float64(height-foot)/2/view.Scale)}}
			if moment > 0 {
				more.Set("time", fmt.Sprint(moment))
				q.Set("time", fmt.Sprint(moment))
			}
			p.Do(chromedp.Evaluate(fmt.Sprintf("location.hash = %q", more.Encode()), nil))
			name := fmt.Sprintf("model-%s-%d", view.Name, moment)
			page := seen(name)
			status, data := v.get(fmt.Sprintf("/f/0/still/%d?%s", doc.Generation, q.Encode()))
			if status != 200 {
				t.Fatalf("%s: %s", name, data)
			}
			picture := decode(t, data)
			mean, far := difference(page, picture)
			t.Logf("%s: mean difference %.3f, %.3f %% of the pixels differ by more than 10", name, mean, 100*far)
			if mean > 0.1 || far > 0.001 {
				t.Errorf("%s: mean difference %.3f, %.3f %% of the pixels differ by more than 10", name, mean, 100*far)
			}
		}
	}

	p.Do(chromedp.Evaluate("location.hash = 'turn=0,0,1,0,0'", nil))
	settle(p)
	p.Do(chromedp.Focus(".map"))
	p.Press(kb.ArrowLeft)
	p.Press(kb.ArrowRight)
	first := seen("model")
	for _, key := range []string{kb.ArrowLeft, kb.ArrowUp, "+"} {
		p.Press(key)
	}
	p.Wait("decodeURIComponent(location.hash).includes('turn=15,15,1.25,0,0')")
	if mean, _ := difference(seen("model-turned"), first); mean < 2 {
		t.Errorf("the keys change the picture by %.3f in the mean", mean)
	}
	p.Press("0")
	p.Wait("decodeURIComponent(location.hash).includes('turn=0,0,1,0,0')")
	if mean, _ := difference(seen("model-home"), first); mean > 0.01 {
		t.Errorf("the key for the whole picture leaves a difference of %.3f in the mean", mean)
	}
	// The file changes, and then the browser loses its graphics card for a moment.
	alive := "document.querySelector('.note').hidden && !document.querySelector('canvas.still').getContext('webgl2').isContextLost()"
	other, err := os.ReadFile(filepath.Join(filepath.Dir(mesh), "pole_shortlen.mesh"))
	if err == nil {
		err = os.WriteFile(mesh, other, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Wait("performance.getEntriesByType('resource').filter((r) => r.name.includes('/model/')).length > 1")
	settle(p)
	p.Wait(alive)
	p.Do(chromedp.Evaluate(`{
		const canvas = document.querySelector("canvas.still"), lose = canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
		canvas.addEventListener("webglcontextlost", () => setTimeout(() => lose.restoreContext(), 100), { once: true });
		lose.loseContext();
	}`, nil))
	settle(p)
	p.Wait(alive)
	if mean, _ := difference(seen("model-again"), first); mean > 1 {
		t.Errorf("after its loss the picture differs by %.3f in the mean", mean)
	}
	p.Press("t")
	p.Wait("document.querySelector('.player output').textContent > '0.2'")
	p.Press("t")
	p.Press("o")
	p.Wait("!document.querySelector('canvas.still') && document.querySelector('.leaflet-tile-loaded')")
	for _, m := range p.Messages() {
		if !strings.Contains(m, "GPU stall") {
			t.Errorf("on the console: %s", m)
		}
	}

	// Without WebGL2 the page reports it, and shows the picture.
	withoutWebGL(p)
	p.Press("o")
	p.Wait("document.querySelector('.note')?.textContent.includes('no WebGL2') && document.querySelector('.leaflet-tile-loaded')")
	p.Press("o")
	p.Wait("document.querySelector('.note').hidden && document.querySelector('.leaflet-tile-loaded')")
	v.stop()
}

// TestViewDamagedModel reads damaged models in the page: each is refused or read, and none takes long.
func TestViewDamagedModel(t *testing.T) {
	v := view(t, pole(t))
	p := v.open(800, 600)
	if bad := chromium.Eval[string](p, `(async () => {
		const { read } = await import("/page/glb.js"), { generation } = await (await fetch("/f/0/open")).json();
		const good = await (await fetch("/f/0/model/" + generation)).arrayBuffer(), { parts, clips } = read(good);
		if (!parts.length || clips.length !== 1) return "the model has no parts or no clip";
		let refused = 0, seed = 1;
		const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
		const json = new DataView(good).getUint32(12, true);
		for (let i = 0; i < 3000; i++) {
			const data = i % 3 ? good.slice() : good.slice(0, random(good.byteLength)), bytes = new Uint8Array(data);
			for (let n = random(4); n >= 0; n--) bytes[i % 2 ? 20 + random(json) : random(bytes.length)] = i % 5 ? 48 + random(10) : random(256);
			try {
				read(data);
			} catch (err) {
				if (err instanceof RangeError && /call stack|memory/i.test(err.message)) return err.stack;
				refused++;
			}
		}
		return refused > 300 ? "" : "only " + refused + " damaged models were refused";
	})()`); bad != "" {
		t.Error(bad)
	}
	v.stop()
}

// difference returns the mean difference of the values of two pictures with the same left top, over the first one, and the
// part of the pixels that differ by more than 10.
func difference(a, b image.Image) (mean, far float64) {
	r := a.Bounds()
	by := b.Bounds().Min.Sub(r.Min)
	if b.Bounds().Dx() != r.Dx() || b.Bounds().Dy() < r.Dy() {
		return math.Inf(1), 1
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x+by.X, y+by.Y).RGBA()
			most := 0.0
			for _, d := range [3]float64{float64(r1) - float64(r2), float64(g1) - float64(g2), float64(b1) - float64(b2)} {
				d = math.Abs(d) / 257
				mean += d
				most = max(most, d)
			}
			if most > 10 {
				far++
			}
		}
	}
	n := float64(r.Dx() * r.Dy())
	return mean / n / 3, far / n
}
