package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"trowel.example/internal/testing/judge/chromium"
)

// TestViewFilm plays a map: the page draws it with the pixels of the server's pictures, and the pictures themselves are
// shown again when it stops.
func TestViewFilm(t *testing.T) {
	v := view(t, sample(t, "burrow", "burrow.map"))
	var doc struct{ Generation int }
	v.read("/f/0/open", &doc)
	for _, query := range []string{"", "w=0&h=5&x=0&y=0", "w=99999&h=99999&x=0&y=0", "w=8&h=8&x=nan&y=0", "w=8&h=8&x=0&y=0&l=77",
		"w=8&h=8&x=0&y=0&view=none"} {
		if status, body := v.get(fmt.Sprintf("/f/0/motion/%d?%s", doc.Generation, query)); status < 400 || status >= 500 {
			t.Errorf("%q: status %d, %.80s", query, status, body)
		}
	}
	p := v.open(1280, 800)
	settle(p)
	box := chromium.Eval[[2]int](p, "(({ clientWidth, clientHeight }) => [clientWidth, clientHeight])(document.querySelector('.map'))")
	p.Resize(1280+800-box[0], 800+600-box[1])
	for view, place := range map[string]string{"map": "&z=0", "camera": ""} {
		p.Do(chromedp.Evaluate(fmt.Sprintf("location.hash = 'x=30&y=20&view=%s'", view+place), nil))
		settle(p)
		p.Wait("document.querySelector('.map .leaflet-tile-loaded') || document.querySelector('.map.camera .still')?.complete")
		film := chromium.Eval[map[string]any](p, `(async () => {
			const { projector } = await import("/page/film.js"), { generation } = await (await fetch("/f/0/open")).json();
			const q = new URLSearchParams({ view: "`+view+`", w: 800, h: 600, x: 4, y: 2, z: 0, "o.at": "30,20", "o.zoom": 1 });
			if ("`+view+`" === "map") { q.delete("o.at"); q.delete("o.zoom"); }
			const canvas = document.createElement("canvas"), data = await (await fetch("/f/0/motion/" + generation + "?" + q)).arrayBuffer();
			const draw = projector(canvas, data, 800, 600), flat = document.createElement("canvas"), worst = { mean: 0, script: 0 };
			Object.assign(flat, { width: 800, height: 600 });
			const c = flat.getContext("2d", { willReadFrequently: true }), all = [];
			const pixels = (image) => (c.drawImage(image, 0, 0), c.getImageData(0, 0, 800, 600).data);
			for (let i = 0; i < 20; i++) {
				const time = i * 337, start = performance.now();
				draw(time);
				all.push(performance.now() - start);
				const mine = pixels(canvas).slice();
				q.set("time", time);
				const theirs = pixels(await createImageBitmap(await (await fetch("/f/0/still/" + generation + "?" + q)).blob()));
				let sum = 0;
				for (let k = 0; k < mine.length; k++) sum += Math.abs(mine[k] - theirs[k]);
				worst.mean = Math.max(worst.mean, sum / (mine.length * 3 / 4));
			}
			worst.script = all.sort((a, b) => a - b)[10];
			return worst;
		})()`)
		t.Logf("%s: at most %.3f of 255 in the mean, %.2f ms of script in the median frame", view, film["mean"], film["script"])
		if mean, _ := film["mean"].(float64); mean > 1 {
			t.Errorf("%s: a mean difference of %.3f", view, mean)
		}
		p.Press("t")
		p.Wait("document.querySelector('canvas.film') && parseFloat(document.querySelector('.player output').textContent) > 0.3")
		frames := chromium.Eval[[3]float64](p, `new Promise((done) => {
			const output = document.querySelector(".player output"), { width, height } = document.querySelector("canvas.film");
			const start = performance.now();
			let n = 0;
			new MutationObserver(() => n++).observe(output, { childList: true, characterData: true, subtree: true });
			setTimeout(() => done([(n / (performance.now() - start)) * 1000, width, height]), 2000);
		})`)
		t.Logf("%s: %.1f frames in a second, %v x %v pixels", view, frames[0], frames[1], frames[2])
		if frames[0] == 0 {
			t.Errorf("%s: no frames", view)
		}
		p.Press("t")
		p.Wait("!document.querySelector('canvas.film')")
		settle(p)
		if hash := chromium.Eval[string](p, "location.hash"); !regexp.MustCompile(`time=\d+(&|$)`).MatchString(hash) {
			t.Errorf("after it stopped, the address is %s", hash)
		}
	}
	for _, m := range p.Messages() {
		if !strings.Contains(m, "GPU stall") {
			t.Errorf("on the console: %s", m)
		}
	}

	// Without WebGL2 the pictures of the server follow each other.
	withoutWebGL(p)
	p.Do(chromedp.Evaluate("location.hash = 'view=camera'", nil))
	settle(p)
	p.Press("t")
	p.Wait("parseFloat(document.querySelector('.player output').textContent) > 0.2 && !document.querySelector('canvas.film')")
	p.Press("t")
	v.stop()
}

// TestViewMotionLayers tests that a motion shows only the chosen layers.
func TestViewMotionLayers(t *testing.T) {
	v := view(t, sample(t, "burrow", "burrow.map"))
	var doc struct{ Generation int }
	v.read("/f/0/open", &doc)
	size := image.Pt(200, 150)
	query := url.Values{"w": {fmt.Sprint(size.X)}, "h": {fmt.Sprint(size.Y)}, "x": {"4"}, "y": {"2"}, "z": {"-2"}}
	status, all := v.get(fmt.Sprintf("/f/0/motion/%d?%s", doc.Generation, query.Encode()))
	if status != 200 {
		t.Fatalf("status %d: %s", status, all)
	}
	query.Set("l", ",")
	if status, none := v.get(fmt.Sprintf("/f/0/motion/%d?%s", doc.Generation, query.Encode())); status != 200 || len(none) >= len(all) {
		t.Errorf("without layers: status %d, %d bytes; with them %d", status, len(none), len(all))
	}
	v.stop()
}

// withoutWebGL makes the browser refuse new contexts of WebGL2.
func withoutWebGL(p *chromium.Page) {
	p.Do(chromedp.Evaluate(`{
		const { getContext } = HTMLCanvasElement.prototype;
		HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
			return kind === "webgl2" ? null : getContext.call(this, kind, ...more);
		};
	}`, nil))
}

// TestViewLoop keeps a short film of a map that plays, of a model that turns and of a look around in a world: a WebM, or an APNG without
// a recorder.
func TestViewLoop(t *testing.T) {
	for _, c := range []struct{ sample, as, hash string }{{"burrow", "burrow.map", "x=30&y=20&z=0"}, {"glade", "glade", "turn=0,0,1,0,0"},
		{"glade", "glade", "stand=24,3.1,2"}} {
		v := view(t, sample(t, c.sample, c.as))
		p := v.open(700, 500)
		settle(p)
		p.Do(chromedp.Evaluate(fmt.Sprintf("location.hash = %q", c.hash), nil))
		p.Wait("document.querySelector('[aria-label=\"Keep a short film\"]')")
		settle(p)
		p.Do(chromedp.Evaluate(`window.kept = [];
			const { createObjectURL } = URL;
			let last;
			URL.createObjectURL = (data) => createObjectURL.call(URL, (last = data));
			HTMLAnchorElement.prototype.click = () => kept.push(last);`, nil))
		for i, want := range []string{"webm", "png"} {
			p.Do(chromedp.Click("[aria-label='Keep a short film']"))
			p.Wait(fmt.Sprintf("kept.length > %d", i))
			kept := chromium.Eval[string](p, fmt.Sprintf(`new Promise((done) => {
				const reader = new FileReader();
				reader.onload = () => done(reader.result);
				reader.readAsDataURL(kept[%d]);
			})`, i))
			head, text, _ := strings.Cut(kept, ",")
			data, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %s, %d bytes", c.sample, head, len(data))
			if want == "webm" {
				if !strings.HasPrefix(head, "data:video/webm") || !bytes.HasPrefix(data, []byte{0x1a, 0x45, 0xdf, 0xa3}) || len(data) < 10_000 {
					t.Errorf("%s: %s of %d bytes, beginning with % x", c.sample, head, len(data), data[:min(len(data), 8)])
				}
				p.Do(chromedp.Evaluate("window.MediaRecorder = undefined", nil))
				continue
			}
			checkAPNG(t, data)
		}
		v.stop()
	}
}

// checkAPNG tests the chunks of an APNG, and that its pictures differ.
func checkAPNG(t *testing.T, data []byte) {
	t.Helper()
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	var sequence, frames uint32
	pictures := make(map[string]bool)
	for at := 8; at < len(data); {
		length := int(binary.BigEndian.Uint32(data[at:]))
		kind, content := string(data[at+4:at+8]), data[at+8:at+8+length]
		if sum := binary.BigEndian.Uint32(data[at+8+length:]); sum != crc32.ChecksumIEEE(data[at+4:at+8+length]) {
			t.Fatalf("%s at %d: wrong checksum", kind, at)
		}
		switch kind {
		case "acTL":
			frames = binary.BigEndian.Uint32(content)
		case "fcTL", "fdAT":
			if n := binary.BigEndian.Uint32(content); n != sequence {
				t.Fatalf("%s at %d: number %d, want %d", kind, at, n, sequence)
			}
			sequence++
			if kind == "fcTL" {
				frames--
			} else {
				pictures[string(content[4:])] = true
			}
		}
		at += 12 + length
	}
	if frames != 0 || len(pictures) < 10 {
		t.Errorf("%d frames without a picture, %d different pictures", frames, len(pictures))
	}
}

// TestViewSweep keeps a film of two files: it begins with the old picture, shows the new one in its middle, and between them a border.
func TestViewSweep(t *testing.T) {
	old, new := changedMaps(t)
	v := view(t, old, new)
	p := v.open(700, 500, "#x=10&y=8&z=0")
	p.Wait(`document.querySelector("[aria-label='Keep a short film of before and after']")`)
	settle(p)
	p.Do(chromedp.Evaluate(`window.kept = [];
		const { createObjectURL } = URL;
		let last;
		URL.createObjectURL = (data) => createObjectURL.call(URL, (last = data));
		HTMLAnchorElement.prototype.click = function () { kept.push([this.download, last.type, last.size]); };`, nil))
	for i, want := range []string{"webm", "png"} {
		p.Do(chromedp.Click("[aria-label='Keep a short film of before and after']"))
		p.Wait(fmt.Sprintf("kept.length > %d", i))
		name := chromium.Eval[string](p, fmt.Sprintf("kept[%d].slice(0, 2).join(' ')", i))
		size := chromium.Eval[int](p, fmt.Sprintf("kept[%d][2]", i))
		if kind := map[string]string{"webm": "video/webm", "png": "image/png"}[want]; name != "before and after."+want+" "+kind || size < 10_000 {
			t.Errorf("%s of %d bytes", name, size)
		}
		p.Do(chromedp.Evaluate("window.MediaRecorder = undefined", nil))
	}
	// How much each moment differs from the old and from the new picture, left and right, below the names.
	got := chromium.Eval[[][4]float64](p, `(async () => {
		const { sweep } = await import("/page/sweep.js"), file = async (n) => (await fetch("/f/" + n + "/open")).json();
		const query = "x=5&y=1&z=0&w=400&h=320", pictures = [];
		for (const n of [0, 1]) {
			const { generation } = await file(n);
			const at = "/f/" + n + "/still/" + generation + "?" + query;
			pictures.push({ at, file: n, generation, query: () => ({}), still: () => at, paper: () => ({}) });
		}
		const pixels = (image) => {
			const c = new OffscreenCanvas(400, 320).getContext("2d", { willReadFrequently: true });
			c.drawImage(image, 0, 0);
			return [c.getImageData(0, 60, 150, 260).data, c.getImageData(250, 60, 150, 260).data];
		};
		const plain = await Promise.all(pictures.map(async (s) => pixels(await createImageBitmap(await (await fetch(s.at)).blob()))));
		const film = await sweep(...pictures, ["old", "new"], 0), all = [];
		for (const part of [0, 0.37, 0.5, 0.999]) {
			await film.draw(part * film.length);
			const now = pixels(film.canvas), row = [];
			for (const side of [0, 1]) {
				for (const is of plain) row.push(now[side].reduce((n, v, i) => n + (Math.abs(v - is[side][i]) > 2), 0));
			}
			all.push(row);
		}
		return all;
	})()`)
	for i, row := range got {
		left, right := [2]float64(row[:2]), [2]float64(row[2:])
		isOld, isNew := func(s [2]float64) bool { return s[0] == 0 && s[1] > 0 }, func(s [2]float64) bool { return s[1] == 0 && s[0] > 0 }
		begins := isOld(left) && isOld(right)
		if ok := []bool{begins, isOld(left) && isNew(right), isNew(left) && isNew(right), begins}[i]; !ok {
			t.Errorf("moment %d: differences from old and new are %v on the left and %v on the right", i, left, right)
		}
	}
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}
