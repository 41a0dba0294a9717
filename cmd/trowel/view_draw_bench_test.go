package main

import (
	"image"
	"image/color"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/teeworlds/twmap"
)

// largeMap makes a map of 1,000 x 1,000 tiles, with caves in five layers.
func largeMap(t testing.TB) string {
	t.Helper()
	const side = 1000
	r := rand.New(rand.NewPCG(1, 2))
	m := twmap.New(side, side)
	pixels := image.NewNRGBA(image.Rect(0, 0, 1024, 1024))
	for i := range pixels.Pix {
		pixels.Pix[i] = uint8(r.IntN(256))
	}
	for id := range 256 {
		for i := range 64 * 64 {
			pixels.SetNRGBA(id%16*64+i%64, id/16*64+i/64, color.NRGBA{uint8(id), uint8(255 - id), uint8(i), 255})
		}
	}
	m.Images = []*twmap.Image{twmap.NewImage("tiles", pixels)}
	tele := twmap.NewTileLayer(twmap.KindTele, side, side)
	m.Groups[0].Layers = append(m.Groups[0].Layers, tele)
	var layers []*twmap.TileLayer
	for _, name := range []string{"Back", "Walls", "Plants"} {
		l := twmap.NewTileLayer(twmap.KindTiles, side, side)
		l.Name, l.Image = name, 0
		layers = append(layers, l)
	}
	m.Groups = slices.Insert(m.Groups, 0, twmap.NewGroup("Ground", layers[0], layers[1], layers[2]))
	game := m.Physics(twmap.KindGame).Tiles()
	for y := range side {
		for x := range side {
			cave := (x/7*31+y/5*17)%11 < 6
			layers[0].Tiles().Set(x, y, twmap.Tile{ID: uint8(1 + (x*y)%5), Flags: twmap.TileFlags(r.IntN(4))})
			if !cave {
				game.Set(x, y, twmap.Tile{ID: 1})
				layers[1].Tiles().Set(x, y, twmap.Tile{ID: uint8(16 + r.IntN(9)), Flags: twmap.TileFlags(r.IntN(4))})
			} else if r.IntN(20) == 0 {
				layers[2].Tiles().Set(x, y, twmap.Tile{ID: uint8(40 + r.IntN(30))})
			}
			if cave && r.IntN(400) == 0 {
				tele.Teles().Set(x, y, twmap.TeleTile{ID: 26, Number: uint8(1 + r.IntN(200))})
			}
		}
	}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "large.map")
	judge.Write(t, name, data)
	return name
}

// BenchmarkViewDraw measures strokes of a brush on a large map in Chromium: the times from each move of the pointer to the frame
// with its cells, and from the end of a stroke to the picture of the program, as 95th percentiles.
func BenchmarkViewDraw(b *testing.B) {
	name := largeMap(b)
	for _, layer := range []string{"Ground/Walls", "Game/Game"} {
		b.Run(filepath.Base(layer), func(b *testing.B) {
			d := openDraw(b, name, layer)
			d.Press("d")
			d.tile(1)
			chromium.Eval[bool](d.Page, `(window.late = [], addEventListener("pointermove", (e) => {
				if (!e.buttons) return;
				const channel = new MessageChannel();
				channel.port1.onmessage = () => late.push(performance.now() - e.timeStamp);
				requestAnimationFrame(() => channel.port2.postMessage(0));
			}, true), window.shown = [], addEventListener("pointerup", () => {
				const ink = document.querySelector(".ink"), start = performance.now();
				const seen = new MutationObserver(() => {
					if (ink.dataset.strokes !== "0") return;
					seen.disconnect();
					shown.push(performance.now() - start);
				});
				seen.observe(ink, { attributes: true });
			}, true), true)`)
			n := 0
			for b.Loop() {
				n++
				y := float64(2 + n%14)
				var cells [][2]float64
				for x := range 12 {
					cells = append(cells, [2]float64{14 + float64((x+n)%13), y + float64(x%2)})
				}
				d.drag(cells...)
				d.Wait("document.querySelector('.ink').dataset.strokes === '0'")
			}
			for _, what := range []struct{ list, unit string }{{"late", "ms-cells-p95"}, {"shown", "ms-picture-p95"}} {
				times := chromium.Eval[[]float64](d.Page, what.list)
				slices.Sort(times)
				if len(times) < b.N {
					b.Fatalf("%s: %d times of %d strokes", what.unit, len(times), b.N)
				}
				b.ReportMetric(times[len(times)*95/100], what.unit)
			}
			d.v.stop()
		})
	}
}
