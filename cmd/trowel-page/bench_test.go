//go:build !js

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/twmap"
)

// BenchmarkFirstTile measures the time from the choice of a file to the first tile of its picture, with the program loaded. It reports
// the memory of the program, and the longest time for which the page did not answer.
func BenchmarkFirstTile(b *testing.B) {
	sample := filepath.Join(b.TempDir(), "burrow.map")
	packed(b, "../../samples/burrow", sample)
	files := []string{sample}
	maps := tests.Corpus(b, "teeworlds")
	for _, name := range []string{"ddnet_ddnet/data/maps7/Sunny Side Up.map", "jxsl13_twmap/testdata/Castle_Echos.map"} {
		files = append(files, filepath.Join(maps, filepath.FromSlash(name)))
	}
	p := servedPage(b, made(b))
	for _, name := range files {
		b.Run(filepath.Base(name), func(b *testing.B) {
			chromium.Eval[any](p, `(window.longest = 0, new PerformanceObserver((all) => {
				for (const one of all.getEntries()) window.longest = Math.max(window.longest, one.duration);
			}).observe({ type: "longtask" }), null)`)
			for b.Loop() {
				b.StopTimer()
				chromium.Eval[any](p, "(document.getElementById('view').removeAttribute('src'), null)")
				p.Wait("!frames[0].document.querySelector('img.leaflet-tile')")
				b.StartTimer()
				p.Do(chromedp.SetUploadFiles("#files", []string{name}, chromedp.ByQuery))
				p.Wait("frames[0]?.document.querySelector('img.leaflet-tile')?.naturalWidth")
			}
			b.ReportMetric(chromium.Eval[float64](p, "trowel.memory()")/1e6, "MB")
			b.ReportMetric(chromium.Eval[float64](p, "window.longest"), "ms-blocked")
		})
	}
}

// BenchmarkFirstFile measures the time from opening the page to the picture of the first example, in a browser that has never seen the
// page, and in one that has.
func BenchmarkFirstFile(b *testing.B) {
	server := httptest.NewServer(http.StripPrefix("/any/where/", http.FileServer(http.Dir(made(b)))))
	defer server.Close()
	for _, state := range []string{"cold", "warm"} {
		b.Run(state, func(b *testing.B) {
			var p *chromium.Page
			for b.Loop() {
				b.StopTimer()
				if p == nil || state == "cold" {
					p = chromium.Start(b, 1280, 800)
				}
				p.Do(chromedp.Navigate("about:blank"))
				b.StartTimer()
				p.Do(chromedp.Navigate(server.URL + "/any/where/"))
				p.Do(chromedp.Click("#samples li:first-child a", chromedp.ByQuery))
				p.Wait("frames[0]?.document.querySelector('img.leaflet-tile')?.naturalWidth")
			}
		})
	}
}

// BenchmarkManyLayers measures the time from the choice of a map of 90 layers until its picture is complete, with the program loaded. It
// reports how many times as long this takes as the program on one core, which opens the map and answers the same requests.
func BenchmarkManyLayers(b *testing.B) {
	data := judge.Read(b, filepath.Join(tests.Corpus(b, "teeworlds"), "ddnet_ddnet", "data", "maps", "Tutorial.map"))
	m, err := twmap.Decode(data)
	if err != nil {
		b.Fatal(err)
	}
	layers := 0
	for _, g := range m.Groups {
		layers += len(g.Layers)
	}
	for _, g := range m.Groups {
		for _, l := range g.Layers {
			if l, ok := l.(*twmap.TileLayer); ok && l.Kind() == twmap.KindTiles && layers < 90 {
				g.Layers = append(g.Layers, l.Clone())
				layers++
			}
		}
	}
	name := filepath.Join(b.TempDir(), "many.map")
	if data, err = m.Encode(); err == nil {
		err = os.WriteFile(name, data, 0o600)
	}
	if err != nil || layers < 90 {
		b.Fatal(layers, err)
	}
	p := servedPage(b, made(b))
	chromium.Eval[any](p, `(window.asked = [], window.ask = trowel.get, trowel.get = (address, how) => {
		asked.push(new URL(address, location.href).pathname + new URL(address, location.href).search);
		return ask(address, how);
	}, null)`)
	for b.Loop() {
		b.StopTimer()
		chromium.Eval[any](p, "(document.getElementById('view').removeAttribute('src'), asked.length = 0, null)")
		p.Wait("!frames[0].document.querySelector('img.leaflet-tile')")
		b.StartTimer()
		p.Do(chromedp.SetUploadFiles("#files", []string{name}, chromedp.ByQuery))
		p.Wait(`frames[0]?.document.querySelector("img.leaflet-tile-loaded") && frames[0].document.getElementById("busy").hidden &&
			![...frames[0].document.querySelectorAll("img.leaflet-tile")].some((t) => !t.matches(".leaflet-tile-loaded"))`)
	}
	b.StopTimer()
	asked := chromium.Eval[[]string](p, "asked")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var times []time.Duration
	for range 5 {
		start := time.Now()
		server := native(b, name)
		for _, at := range asked {
			if !strings.HasSuffix(at, "/events") {
				server.Answer(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, at, nil))
			}
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/times[2].Seconds(), "times-native")
	b.ReportMetric(float64(len(asked)), "requests")
}
